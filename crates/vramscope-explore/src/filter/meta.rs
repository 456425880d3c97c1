//! What notes say of an allocation: texts of the user's code, of the compiler, of the allocator and of the profiler.

use std::cmp::Ordering;

use vramscope_core::bits::Bits;
use vramscope_core::ids::StringId;
use vramscope_core::model::{Action, Device, Snapshot};
use vramscope_core::order;
use vramscope_core::query::Pattern;
use vramscope_core::replay::Replay;

/// Which texts of a file a pattern matches; each is looked at once.
struct Texts<'a> {
    snapshot: &'a Snapshot,
    pattern: &'a Pattern,
    known: Vec<Option<bool>>,
}

impl Texts<'_> {
    fn matches(&mut self, id: StringId) -> bool {
        let (snapshot, pattern) = (self.snapshot, self.pattern);
        let look = || pattern.is_match(&snapshot.strings.get(id));
        self.known.get_mut(id.index()).is_some_and(|known| *known.get_or_insert_with(look))
    }
}

/// Allocations with a note that a pattern matches: of the event that made them, or put on them while they live.
pub(super) fn with_meta(snapshot: &Snapshot, device: &Device, replay: &Replay, pattern: &Pattern) -> Bits {
    let (events, rows) = (&device.events, replay.allocations());
    let mut texts = Texts { snapshot, pattern, known: vec![None; snapshot.strings.len()] };
    let mut made: Vec<u32> = Vec::new();
    let mut put_on: Vec<(u64, u32)> = Vec::new();
    for (event, notes) in &events.notes {
        let all = [notes.compile_context, notes.user_metadata, notes.internal_metadata, notes.category];
        if !all.into_iter().flatten().any(|id| texts.matches(id)) {
            continue;
        }
        made.push(*event);
        let at = *event as usize;
        if events.actions.get(at) == Some(&Action::Annotate)
            && notes.user_metadata.is_some_and(|id| texts.matches(id))
        {
            put_on.push((events.addrs.get(at).copied().unwrap_or(0), *event));
        }
    }
    order::by(&mut put_on, Ord::cmp);
    let mut made = made.into_iter().peekable();
    Bits::of(rows.len(), |id| {
        let start = rows.start(id);
        let of_alloc = start.checked_sub(1).is_some_and(|event| {
            while made.next_if(|noted| *noted < event).is_some() {}
            made.peek() == Some(&event)
        });
        of_alloc || (!put_on.is_empty() && is_noted(&put_on, rows.address(id), start, rows.end(id)))
    })
}

/// Something was put on an address while an allocation lived there.
fn is_noted(put_on: &[(u64, u32)], address: u64, start: u32, end: u32) -> bool {
    let first = put_on.partition_point(|noted| noted.cmp(&(address, start)) == Ordering::Less);
    put_on.get(first).is_some_and(|(at, event)| *at == address && *event < end)
}
