//! The memory limit, which no snapshot tells: what the recording proves about it.

use super::hint::{Hint, Hints};
use crate::allocator::Config;
use crate::allocator::sizes::{round_size, segment_size};
use crate::model::{Action, Device, Snapshot};
use crate::replay::Replay;

/// Bounds of the memory limit, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LimitRange {
    /// The most that was ever granted: the limit is not below.
    pub low_bytes: u64,
    /// The least that was ever refused, less one: the limit is not above. `None` if nothing was refused.
    pub high_bytes: Option<u64>,
}

/// What the events alone prove about the memory limit; the allocator model need not have been checked.
pub fn proven_limit(snapshot: &Snapshot, device: &Device, replay: &Replay) -> LimitRange {
    let config = Config::of(snapshot);
    infer(device, replay.reserved_at(0), &config, &mut Hints::new(snapshot))
}

/// Every request that got new memory asked for no more than the limit; every one that first gave memory back, or failed, asked for more.
pub(super) fn infer(
    device: &Device,
    initial_reserved: u64,
    config: &Config,
    hints: &mut Hints<'_>,
) -> LimitRange {
    let mut proof = Proof {
        config,
        reserved: initial_reserved,
        group: Group::default(),
        low: 0,
        high: None,
        weak_high: None,
    };
    let events = &device.events;
    for event in 0..events.len() {
        let size = events.sizes[event];
        match events.actions[event] {
            Action::SegmentAlloc | Action::SegmentMap => {
                proof.group.gained = proof.group.gained.saturating_add(size);
            }
            Action::SegmentFree | Action::SegmentUnmap => {
                let lost = match hints.of(events.stacks[event]) {
                    Hint::EmptyCache => &mut proof.group.lost_to_program,
                    Hint::Malloc => &mut proof.group.lost_to_request,
                    Hint::Unknown => &mut proof.group.lost,
                };
                *lost = lost.saturating_add(size);
            }
            action @ (Action::Alloc | Action::Oom) => {
                let private = events.notes_of(event as u32).pool.is_some();
                proof.request(action == Action::Oom, size, private);
            }
            Action::FreeRequested | Action::FreeCompleted | Action::Free => {
                proof.end_group();
            }
            Action::Snapshot | Action::Annotate | Action::Other => {}
        }
    }
    // Where they contradict each other, a private pool failed without anybody saying so.
    let high = if proof.high.is_some_and(|high| high < proof.low) { proof.weak_high } else { proof.high };
    LimitRange { low_bytes: proof.low, high_bytes: high }
}

/// Driver calls between two requests, in bytes.
#[derive(Default)]
struct Group {
    gained: u64,
    /// Given back by `empty_cache()`.
    lost_to_program: u64,
    /// Given back by a request that hit its limit.
    lost_to_request: u64,
    /// Given back, and no stack tells by whom.
    lost: u64,
}

struct Proof<'a> {
    config: &'a Config,
    reserved: u64,
    group: Group,
    low: u64,
    high: Option<u64>,
    /// The same without what holds only for the default pools.
    weak_high: Option<u64>,
}

impl Proof<'_> {
    fn end_group(&mut self) -> Group {
        let group = std::mem::take(&mut self.group);
        let lost = group.lost_to_program.saturating_add(group.lost_to_request).saturating_add(group.lost);
        self.reserved = self.reserved.saturating_add(group.gained).saturating_sub(lost);
        group
    }

    fn request(&mut self, failed: bool, size: u64, private: bool) {
        let group = self.end_group();
        let asked = segment_size(round_size(size, self.config), self.config);
        let granted_upon = self.reserved.saturating_sub(group.gained);
        if group.gained > 0 {
            self.low = self.low.max(granted_upon.saturating_add(asked));
        }
        // With garbage collection a request gives memory back before it reaches the limit.
        if group.lost_to_request > 0 && self.config.garbage_collection_threshold == 0.0 {
            let before = granted_upon.saturating_add(group.lost_to_request).saturating_add(group.lost);
            self.refused(before.saturating_add(asked), false);
        }
        if failed {
            // A request of the default pools asks once more after giving memory back; one of a private pool may not.
            let before = self.reserved.saturating_add(group.lost_to_request).saturating_add(group.lost);
            self.refused(before.saturating_add(asked), false);
            if !private {
                self.refused(self.reserved.saturating_add(asked), true);
            }
        }
    }

    /// This much in all was not granted.
    fn refused(&mut self, total: u64, only_strong: bool) {
        let high = total.saturating_sub(1);
        let least = |known: Option<u64>| Some(known.map_or(high, |known| known.min(high)));
        if only_strong {
            self.high = least(self.high);
        } else {
            (self.high, self.weak_high) = (least(self.high), least(self.weak_high));
        }
    }
}
