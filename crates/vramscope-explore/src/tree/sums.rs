//! The weight of each stack.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use vramscope_core::bits::Bits;
use vramscope_core::ids::StackId;
use vramscope_core::model::Snapshot;
use vramscope_core::replay::{Axis, Category, N_SLOTS, Replay};

use super::{BySlot, Wish};

/// Which bytes are added up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Weigh {
    /// Requested bytes of what is alive at a moment.
    #[default]
    Alive,
    /// The same at the peak.
    Peak,
    /// Requested bytes of what was allocated in a range.
    Allocated,
    /// Requested bytes of what was freed in a range. The stack is that of the allocation.
    Freed,
    /// Allocated in a range, and alive at its end.
    Retained,
    /// Requested bytes times how long they lived within a range: in microseconds, or in events where there are no times.
    Lifetime,
}

/// What the allocations of one stack come to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    /// The stack.
    pub stack: StackId,
    /// Bytes, or bytes times lifetime.
    pub weight: u128,
    /// The part of it that was chosen.
    pub chosen: u128,
    /// How many allocations.
    pub blocks: u32,
    /// Weight by category slot.
    pub by_category: BySlot,
    /// Requested bytes of the smallest.
    pub least_bytes: u64,
    /// Requested bytes of the largest.
    pub most_bytes: u64,
    /// The largest, by its id.
    pub largest: u32,
}

/// What each stack comes to.
#[derive(Clone, Debug, Default)]
pub struct Sums {
    /// Stacks with an allocation that counts, in the order in which they were met.
    pub rows: Vec<Sum>,
}

const NOT_MET: u32 = u32::MAX;

impl Sums {
    /// Adds up what a wish counts, and beside it what of that is `chosen`.
    pub fn of(replay: &Replay, snapshot: &Snapshot, wish: &Wish, chosen: Option<&Bits>) -> Sums {
        let mut adding = Adding {
            replay,
            slots: replay.category_slots(),
            places: vec![NOT_MET; snapshot.stacks.n_stacks()],
            rows: Vec::new(),
            chosen,
        };
        adding.all(wish);
        Sums { rows: adding.rows }
    }
}

/// The moments of a wish's range.
fn range(replay: &Replay, wish: &Wish) -> Range<u32> {
    let mut range = replay.moments_between(wish.axis, wish.x0, wish.x1).unwrap_or(0..0);
    let begins_before = |moment| replay.time_at(moment).is_some_and(|us| (us as f64) < wish.x0);
    // The first moment is in force where the range begins, but what made it happened before.
    if replay.usable(wish.axis) == Axis::Time && !range.is_empty() && begins_before(range.start) {
        range.start += 1;
    }
    range
}

struct Adding<'a> {
    replay: &'a Replay,
    slots: &'a [u8],
    /// By stack its place in the rows.
    places: Vec<u32>,
    rows: Vec<Sum>,
    chosen: Option<&'a Bits>,
}

impl Adding<'_> {
    fn all(&mut self, wish: &Wish) {
        let (replay, range) = (self.replay, range(self.replay, wish));
        let rows = replay.allocations();
        let allocated = |id: u32| rows.start(id) > 0 && range.contains(&rows.start(id)) && rows.is_shown(id);
        match wish.weigh {
            Weigh::Alive => replay.for_each_live(wish.moment, |id| self.add(id, 1)),
            Weigh::Peak => replay.for_each_live(replay.peak(), |id| self.add(id, 1)),
            Weigh::Allocated => self.each(allocated),
            Weigh::Freed => self.each(|id| range.contains(&rows.end(id)) && rows.is_shown(id)),
            Weigh::Retained => self.each(|id| allocated(id) && rows.end(id) >= range.end),
            Weigh::Lifetime => {
                // The last moment of the recording lasts no time.
                let end = range.end.min(replay.end());
                for id in 0..rows.len() {
                    let (from, to) = (rows.start(id).max(range.start), rows.end(id).min(end));
                    if from < to && rows.is_shown(id) {
                        let lived = match (replay.time_at(from), replay.time_at(to)) {
                            (Some(from), Some(to)) => to.saturating_sub(from).max(0) as u64,
                            _ => u64::from(to - from),
                        };
                        self.add(id, lived);
                    }
                }
            }
        }
    }

    fn each(&mut self, counts: impl Fn(u32) -> bool) {
        for id in 0..self.replay.allocations().len() {
            if counts(id) {
                self.add(id, 1);
            }
        }
    }

    #[inline]
    fn add(&mut self, id: u32, times: u64) {
        let allocations = self.replay.allocations();
        let (stack, bytes) = (allocations.stack(id), allocations.size_bytes(id));
        let Some(place) = self.places.get_mut(stack.index()) else { return };
        if *place == NOT_MET {
            *place = self.rows.len() as u32;
            self.rows.push(Sum { stack, least_bytes: u64::MAX, largest: id, ..Sum::default() });
        }
        let Some(sum) = self.rows.get_mut(*place as usize) else { return };
        // A product of 128 bits takes a call in the browser.
        let weight = match bytes.checked_mul(times) {
            Some(weight) => u128::from(weight),
            None => u128::from(bytes) * u128::from(times),
        };
        let slot = self.slots.get(id as usize).copied().unwrap_or(Category::Unknown as u8);
        sum.weight = sum.weight.saturating_add(weight);
        if self.chosen.is_some_and(|chosen| chosen.has(id)) {
            sum.chosen = sum.chosen.saturating_add(weight);
        }
        sum.blocks += 1;
        let part = &mut sum.by_category[usize::from(slot).min(N_SLOTS - 1)];
        *part = part.saturating_add(weight);
        sum.least_bytes = sum.least_bytes.min(bytes);
        if bytes > sum.most_bytes {
            (sum.most_bytes, sum.largest) = (bytes, id);
        }
    }
}
