//! How the allocations alive at one moment are piled up in the picture.

use serde::{Deserialize, Serialize};

use super::{Category, N_SLOTS, Replay};
use crate::order;

/// Order from bottom to top.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stacking {
    /// By colour slot, oldest first inside a slot: one band for each place.
    #[default]
    Stack,
    /// Oldest first.
    Age,
    /// By category, oldest first inside a category.
    Category,
}

impl Stacking {
    /// The colour slots of a device's allocations.
    #[inline]
    pub fn slots(self, replay: &Replay) -> SlotsOf<'_> {
        SlotsOf(match self {
            Stacking::Category => replay.category_slots(),
            Stacking::Stack | Stacking::Age => replay.slots_by_place(),
        })
    }
}

/// Colour slots by allocation: one byte for each, since painting asks for millions.
#[derive(Clone, Copy, Debug)]
pub struct SlotsOf<'a>(&'a [u8]);

impl SlotsOf<'_> {
    /// The colour slot of an allocation: 0 to [`N_SLOTS`] − 1.
    #[inline(always)]
    pub fn get(&self, allocation: u32) -> u8 {
        // Without an entry: unknown by category, neutral by place; both are this slot.
        self.0.get(allocation as usize).copied().unwrap_or(Category::Unknown as u8)
    }
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
pub fn slot_bytes(replay: &Replay, moment: u32, stacking: Stacking) -> [u64; N_SLOTS] {
    let (mut bytes, slots) = ([0u64; N_SLOTS], stacking.slots(replay));
    replay.for_each_live(moment, |id| {
        let sum = &mut bytes[usize::from(slots.get(id)).min(N_SLOTS - 1)];
        *sum = sum.saturating_add(replay.allocations().size_bytes(id));
    });
    bytes
}

/// Visits the pile at a moment. Runs come in order of start; by slot their places are already those inside their slot's band.
#[inline]
pub fn for_each_run(replay: &Replay, moment: u32, stacking: Stacking, mut visit: impl FnMut(Run)) {
    let (allocations, slots) = (replay.allocations(), stacking.slots(replay));
    let mut next = match stacking {
        Stacking::Stack | Stacking::Category => floors(slot_bytes(replay, moment, stacking)),
        Stacking::Age => [0; N_SLOTS],
    };
    replay.for_each_live(moment, |id| {
        let slot = slots.get(id);
        let pile = match stacking {
            Stacking::Stack | Stacking::Category => usize::from(slot).min(N_SLOTS - 1),
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

/// What is alive at one moment, piled up: walked once, asked often.
#[derive(Clone, Debug)]
pub struct Piled {
    moment: u32,
    stacking: Stacking,
    /// From the bottom to the top.
    runs: Vec<Run>,
    slot_bytes: [u64; N_SLOTS],
}

impl Piled {
    /// The pile at a moment.
    pub fn at(replay: &Replay, moment: u32, stacking: Stacking) -> Self {
        let (allocations, slots) = (replay.allocations(), stacking.slots(replay));
        let (mut runs, mut slot_bytes) = (Vec::new(), [0u64; N_SLOTS]);
        replay.for_each_live(moment, |allocation| {
            let slot = slots.get(allocation);
            let sum = &mut slot_bytes[usize::from(slot).min(N_SLOTS - 1)];
            *sum = sum.saturating_add(allocations.size_bytes(allocation));
            runs.push(Run { allocation, from_bytes: 0, to_bytes: 0, slot });
        });
        if stacking != Stacking::Age {
            order::by_class(&mut runs, |run| run.slot);
        }
        let mut bytes = 0u64;
        for run in &mut runs {
            run.from_bytes = bytes;
            bytes = bytes.saturating_add(allocations.size_bytes(run.allocation));
            run.to_bytes = bytes;
        }
        Self { moment, stacking, runs, slot_bytes }
    }

    /// It is the pile of this moment, in this order.
    pub fn is_at(&self, moment: u32, stacking: Stacking) -> bool {
        (self.moment, self.stacking) == (moment, stacking)
    }

    /// Its moment.
    pub fn moment(&self) -> u32 {
        self.moment
    }

    /// Its order.
    pub fn stacking(&self) -> Stacking {
        self.stacking
    }

    /// What is in it, from the bottom to the top.
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// Bytes in each slot.
    pub fn slot_bytes(&self) -> &[u64; N_SLOTS] {
        &self.slot_bytes
    }

    /// The run that covers a height. Of allocations of no bytes there is none.
    pub fn run_at(&self, bytes: u64) -> Option<Run> {
        let at = self.runs.partition_point(|run| run.to_bytes <= bytes);
        self.runs.get(at).copied()
    }
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
