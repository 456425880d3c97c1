//! Two moments of one recording, by identity of allocations: what came, what went, what stayed.

use serde::Serialize;
use vramscope_core::order;
use vramscope_core::replay::{Recording, Site};
use vramscope_core::units::format_bytes_group;

use super::holdings::category_of;

/// From moment A to moment B.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Changes {
    /// What there is to say.
    pub sentence: String,
    /// Alive at B, but not at A.
    pub new: Lot,
    /// Alive at A, but not at B.
    pub released: Lot,
    /// Alive at both.
    pub still: Lot,
    /// The same by stack, most moved bytes first.
    pub by_stack: Vec<Changed>,
    /// Stacks beyond the limit.
    pub rest_count: u32,
}

/// Some allocations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[allow(missing_docs)]
pub struct Lot {
    pub bytes: u64,
    pub count: u32,
}

/// What came, went and stayed of one stack.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[allow(missing_docs)]
pub struct Changed {
    pub new: Lot,
    pub released: Lot,
    pub still: Lot,
    pub category: String,
    pub name: String,
    pub at: String,
    pub stack: u32,
}

impl Lot {
    fn add(&mut self, bytes: u64) {
        self.bytes = self.bytes.saturating_add(bytes);
        self.count += 1;
    }
}

/// What changes from moment A to moment B; `None` for an unknown device.
pub fn changes(recording: &Recording, ordinal: i64, a: u32, b: u32, limit: usize) -> Option<Changes> {
    let (_, replay) = recording.device(ordinal)?;
    let (a, b) = (a.min(replay.end()), b.min(replay.end()));
    let (rows, snapshot) = (replay.allocations(), &recording.snapshot);
    let mut alive = Vec::new();
    replay.for_each_live(a, |id| alive.push(id));
    replay.for_each_live(b, |id| {
        if !rows.is_live(id, a) {
            alive.push(id);
        }
    });
    order::by_number(&mut alive, |id| u64::from(rows.stack(*id).0));
    let mut all = Changes::default();
    for alike in alive.chunk_by(|x, y| rows.stack(*x) == rows.stack(*y)) {
        let Some(&first) = alike.first() else { continue };
        let mut one = Changed { stack: rows.stack(first).0, ..Changed::default() };
        let mut largest = (first, 0);
        for &id in alike {
            let bytes = rows.size_bytes(id);
            for (lot, of_all) in match (rows.is_live(id, a), rows.is_live(id, b)) {
                (true, true) => [(&mut one.still, &mut all.still)],
                (true, false) => [(&mut one.released, &mut all.released)],
                _ => [(&mut one.new, &mut all.new)],
            } {
                lot.add(bytes);
                of_all.add(bytes);
            }
            if bytes > largest.1 {
                largest = (id, bytes);
            }
        }
        one.category = category_of(replay.labels(), largest.0).to_owned();
        all.by_stack.push(one);
    }
    let moved = |each: &Changed| (each.new.bytes.saturating_add(each.released.bytes), each.still.bytes);
    order::by(&mut all.by_stack, |x, y| moved(y).cmp(&moved(x)));
    all.rest_count = all.by_stack.len().saturating_sub(limit) as u32;
    all.by_stack.truncate(limit);
    for each in &mut all.by_stack {
        let site = Site::of_stack(vramscope_core::ids::StackId(each.stack), snapshot);
        (each.name, each.at) = (site.name(snapshot), site.at(snapshot));
    }
    all.sentence = sentence(&all);
    Some(all)
}

fn sentence(all: &Changes) -> String {
    if all.new.count == 0 && all.released.count == 0 {
        return "From A to B nothing came and nothing went.".into();
    }
    let texts = format_bytes_group(&[all.new.bytes, all.released.bytes, all.still.bytes]);
    format!("From A to B {} came, {} went and {} stayed.", texts[0], texts[1], texts[2])
}
