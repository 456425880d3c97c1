//! The memory limit, which no snapshot tells: what the recording proves about it.

use super::hint::{Hint, Hints};
use crate::allocator::Config;
use crate::allocator::sizes::{round_size, segment_size};
use crate::model::{Action, Device};

/// Bounds of the memory limit, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LimitRange {
    /// The most that was ever granted: the limit is not below.
    pub low_bytes: u64,
    /// The least that was ever refused, less one: the limit is not above. `None` if nothing was refused.
    pub high_bytes: Option<u64>,
}

/// Every request that got new memory asked for no more than the limit; every one that first gave memory back, or failed, asked for more.
pub(super) fn infer(
    device: &Device,
    initial_reserved: u64,
    config: &Config,
    hints: &mut Hints<'_>,
) -> LimitRange {
    let events = &device.events;
    let mut range = LimitRange::default();
    let mut reserved = initial_reserved;
    let (mut gained, mut lost, mut hint) = (0u64, 0u64, Hint::Unknown);
    for event in 0..events.len() {
        let size = events.sizes[event];
        match events.actions[event] {
            Action::SegmentAlloc | Action::SegmentMap => gained = gained.saturating_add(size),
            Action::SegmentFree | Action::SegmentUnmap => {
                lost = lost.saturating_add(size);
                if hint == Hint::Unknown {
                    hint = hints.of(events.stacks[event]);
                }
            }
            action @ (Action::Alloc
            | Action::Oom
            | Action::FreeRequested
            | Action::FreeCompleted
            | Action::Free) => {
                let before = reserved;
                reserved = reserved.saturating_add(gained).saturating_sub(lost);
                if matches!(action, Action::Alloc | Action::Oom) {
                    let asked = segment_size(round_size(size, config), config);
                    if gained > 0 {
                        range.low_bytes =
                            range.low_bytes.max(reserved.saturating_sub(gained).saturating_add(asked));
                    }
                    // With garbage collection a request gives memory back before it reaches the limit.
                    let refused_first =
                        lost > 0 && hint == Hint::Malloc && config.garbage_collection_threshold == 0.0;
                    if refused_first {
                        range.refused(before.saturating_add(asked));
                    }
                    if action == Action::Oom {
                        range.refused(reserved.saturating_add(asked));
                    }
                }
                (gained, lost, hint) = (0, 0, Hint::Unknown);
            }
            _ => {}
        }
    }
    range
}

impl LimitRange {
    fn refused(&mut self, total: u64) {
        let high = total.saturating_sub(1);
        self.high_bytes = Some(self.high_bytes.map_or(high, |known| known.min(high)));
    }
}
