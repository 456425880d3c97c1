//! What an expression has found, and the walk through it.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};
use vramscope_core::bits::Bits;
use vramscope_core::ids::StackId;
use vramscope_core::order;
use vramscope_core::replay::{Recording, Replay};

/// What was found on a device, as far as its filter shows it.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Found {
    /// Allocations.
    pub count: u32,
    /// Requested bytes of them all, alive at once or not.
    pub bytes: u64,
    /// Different stacks of theirs.
    pub stacks: u32,
    /// Those alive at the peak.
    pub alive_at_peak: Alive,
    /// Those alive at a moment, where one is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alive: Option<Alive>,
    /// The first of them.
    pub first: Option<u32>,
}

/// Those found of what is alive at a moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Alive {
    /// How many.
    pub count: u32,
    /// Their requested bytes.
    pub bytes: u64,
    /// How many are alive in all.
    pub of: u32,
}

/// One of the allocations found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FoundNext {
    /// Its number; none if nothing was found.
    pub id: Option<u32>,
    /// Its first moment.
    pub moment: u32,
    /// Its place among all that were found, from 0.
    pub index: u32,
    /// How many were found.
    pub of: u32,
}

/// Where to go from an allocation; after the last comes the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// To one made later.
    Next,
    /// To one made before.
    Previous,
}

/// A stack of allocations found, with what it holds.
#[derive(Clone, Copy, Debug)]
pub struct FoundStack {
    /// The stack.
    pub stack: StackId,
    /// Its allocations found.
    pub allocations: u32,
    /// Requested bytes of them all.
    pub bytes: u64,
    /// Those alive at the peak.
    pub alive_at_peak: Alive,
}

/// What was found on a device; `None` for an unknown device.
pub fn found(recording: &Recording, device: i64, chosen: &Bits) -> Option<Found> {
    let (_, replay) = recording.device(device)?;
    let rows = replay.allocations();
    let mut seen = vec![false; recording.snapshot.stacks.n_stacks()];
    let mut found = Found {
        count: 0,
        bytes: 0,
        stacks: 0,
        alive_at_peak: alive_in(replay, chosen, replay.peak()),
        alive: None,
        first: None,
    };
    for id in shown(replay, chosen) {
        found.first.get_or_insert(id);
        found.count += 1;
        found.bytes = found.bytes.saturating_add(rows.size_bytes(id));
        if let Some(seen) = seen.get_mut(rows.stack(id).index()) {
            found.stacks += u32::from(!std::mem::replace(seen, true));
        }
    }
    Some(found)
}

/// What of that is alive at a moment; `None` for an unknown device.
pub fn alive(recording: &Recording, device: i64, chosen: &Bits, moment: u32) -> Option<Alive> {
    recording.device(device).map(|(_, replay)| alive_in(replay, chosen, moment))
}

fn alive_in(replay: &Replay, chosen: &Bits, moment: u32) -> Alive {
    let mut alive = Alive::default();
    replay.for_each_live(moment, |id| {
        alive.of += 1;
        if chosen.has(id) {
            alive.add(replay.allocations().size_bytes(id));
        }
    });
    alive
}

/// The allocation found before or after one that need not be found itself; from nowhere, the first or the last.
pub fn found_next(
    recording: &Recording,
    device: i64,
    chosen: &Bits,
    from: Option<u32>,
    way: Way,
) -> Option<FoundNext> {
    let (_, replay) = recording.device(device)?;
    let mut next = FoundNext::default();
    // The best so far in the direction, and the one to go on with behind the end.
    let (mut beside, mut around) = (None, None);
    for id in shown(replay, chosen) {
        let place = Some((id, next.of));
        next.of += 1;
        match way {
            Way::Next => {
                around = around.or(place);
                beside = beside.or(place.filter(|_| from.is_none_or(|from| id > from)));
            }
            Way::Previous => {
                around = place;
                beside = place.filter(|_| from.is_some_and(|from| id < from)).or(beside);
            }
        }
    }
    if let Some((id, index)) = beside.or(around) {
        (next.id, next.index, next.moment) = (Some(id), index, replay.allocations().start(id));
    }
    Some(next)
}

/// The stacks found on a device, most bytes at the peak first; none for an unknown device.
#[inline]
pub fn found_stacks(recording: &Recording, device: i64, chosen: &Bits) -> Vec<FoundStack> {
    let Some((_, replay)) = recording.device(device) else { return Vec::new() };
    let rows = replay.allocations();
    let none =
        |id| FoundStack { stack: StackId(id), allocations: 0, bytes: 0, alive_at_peak: Alive::default() };
    let mut stacks: Vec<FoundStack> = (0..recording.snapshot.stacks.n_stacks() as u32).map(none).collect();
    for id in shown(replay, chosen) {
        if let Some(found) = stacks.get_mut(rows.stack(id).index()) {
            found.allocations += 1;
            found.bytes = found.bytes.saturating_add(rows.size_bytes(id));
        }
    }
    replay.for_each_live(replay.peak(), |id| {
        if let Some(found) = stacks.get_mut(rows.stack(id).index()) {
            found.alive_at_peak.of += 1;
            if chosen.has(id) {
                found.alive_at_peak.add(rows.size_bytes(id));
            }
        }
    });
    stacks.retain(|found| found.allocations > 0);
    let rank = |found: &FoundStack| (Reverse((found.alive_at_peak.bytes, found.bytes)), found.stack);
    order::by(&mut stacks, |a, b| rank(a).cmp(&rank(b)));
    stacks
}

/// Allocations found, in order of start; not what a filter leaves out.
fn shown<'a>(replay: &'a Replay, chosen: &'a Bits) -> impl Iterator<Item = u32> + 'a {
    chosen.iter().filter(|&id| replay.allocations().is_shown(id))
}

impl Alive {
    fn add(&mut self, bytes: u64) {
        self.count += 1;
        self.bytes = self.bytes.saturating_add(bytes);
    }
}
