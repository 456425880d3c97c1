//! How the allocations alive at one moment are piled up in the picture.

use serde::{Deserialize, Serialize};

use super::{N_SLOTS, Replay};

/// Order from bottom to top.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stacking {
    /// By colour slot, oldest first inside a slot: one band for each place.
    #[default]
    Stack,
    /// Oldest first.
    Age,
}

/// One allocation in the pile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Its id.
    pub allocation: u32,
    /// Bytes below it.
    pub from_bytes: u64,
    /// Bytes up to its upper edge.
    pub to_bytes: u64,
    /// Its colour slot.
    pub slot: u8,
}

/// Bytes in each slot at a moment.
pub fn slot_bytes(replay: &Replay, moment: u32) -> [u64; N_SLOTS] {
    let mut bytes = [0u64; N_SLOTS];
    replay.for_each_live(moment, |id| {
        let sum = &mut bytes[usize::from(replay.slot_of(id)).min(N_SLOTS - 1)];
        *sum = sum.saturating_add(replay.allocations().size_bytes(id));
    });
    bytes
}

/// Visits the pile at a moment. Runs come in order of start; with [`Stacking::Stack`] their places are already those inside
/// their slot's band.
#[inline]
pub fn for_each_run(replay: &Replay, moment: u32, stacking: Stacking, mut visit: impl FnMut(Run)) {
    let allocations = replay.allocations();
    let mut next = match stacking {
        Stacking::Stack => floors(slot_bytes(replay, moment)),
        Stacking::Age => [0; N_SLOTS],
    };
    replay.for_each_live(moment, |id| {
        let slot = replay.slot_of(id);
        let pile = match stacking {
            Stacking::Stack => usize::from(slot).min(N_SLOTS - 1),
            Stacking::Age => 0,
        };
        let from_bytes = next[pile];
        let to_bytes = from_bytes.saturating_add(allocations.size_bytes(id));
        next[pile] = to_bytes;
        visit(Run { allocation: id, from_bytes, to_bytes, slot });
    });
}

/// Where each slot's band begins.
fn floors(bytes: [u64; N_SLOTS]) -> [u64; N_SLOTS] {
    let mut below = 0u64;
    bytes.map(|in_slot| {
        let floor = below;
        below = below.saturating_add(in_slot);
        floor
    })
}

/// The run that covers a height at a moment. Of allocations of no bytes there is none.
pub fn run_at(replay: &Replay, moment: u32, stacking: Stacking, bytes: u64) -> Option<Run> {
    let mut found = None;
    for_each_run(replay, moment, stacking, |run| {
        if run.from_bytes <= bytes && bytes < run.to_bytes {
            found = Some(run);
        }
    });
    found
}

/// The run of an allocation at a moment, if it is alive then.
pub fn run_of(replay: &Replay, moment: u32, stacking: Stacking, allocation: u32) -> Option<Run> {
    let mut found = None;
    for_each_run(replay, moment, stacking, |run| {
        if run.allocation == allocation {
            found = Some(run);
        }
    });
    found
}

/// The allocations just above and below in the pile.
pub fn neighbours(
    replay: &Replay,
    moment: u32,
    stacking: Stacking,
    allocation: u32,
) -> (Option<Run>, Option<Run>) {
    let Some(here) = run_of(replay, moment, stacking, allocation) else { return (None, None) };
    // Allocations of no bytes share their place with a neighbour: ids tell them apart.
    let key = |run: &Run| (run.from_bytes, run.to_bytes, run.allocation);
    let (mut above, mut below): (Option<Run>, Option<Run>) = (None, None);
    for_each_run(replay, moment, stacking, |run| {
        if key(&run) > key(&here) && above.is_none_or(|best| key(&run) < key(&best)) {
            above = Some(run);
        }
        if key(&run) < key(&here) && below.is_none_or(|best| key(&run) > key(&best)) {
            below = Some(run);
        }
    });
    (above, below)
}
