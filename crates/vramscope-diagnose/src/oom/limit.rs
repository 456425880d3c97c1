//! Which limit refused it.

use serde::Serialize;
use vramscope_core::model::{Device, Snapshot};
use vramscope_core::replay::Replay;
use vramscope_core::replay::model::proven_limit;
use vramscope_core::units::format_bytes;

use super::Oom;

/// Who refused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Whose {
    /// The driver: the card was full.
    Card,
    /// A cap of this process (`set_per_process_memory_fraction`): the driver had room.
    Process,
    /// The file does not say what the driver had free.
    #[default]
    Unknown,
}

/// The limit, as an interval.
#[derive(Clone, Debug, Default)]
pub(super) struct Limit {
    whose: Whose,
    device_free_bytes: Option<u64>,
    low_bytes: Option<u64>,
    high_bytes: Option<u64>,
    is_typed: bool,
    contradiction: Option<String>,
}

impl Limit {
    pub(super) fn of(
        snapshot: &Snapshot,
        (device, replay): (&Device, &Replay),
        (oom, typed): (&Oom, Option<u64>),
    ) -> Limit {
        // A driver that has not a single byte left is not seen: a file without the figure has 0 here.
        let free = device.events.addrs.get(oom.event as usize).copied().filter(|free| *free > 0);
        let mut limit = Limit { device_free_bytes: free, ..Limit::default() };
        let proven = match replay.model().filter(|model| model.applies) {
            Some(model) => model.limit,
            None => proven_limit(snapshot, device, replay),
        };
        // What is reserved was granted, but expandable segments may map a little more than was asked for.
        let is_expandable = device.segments.iter().any(|segment| segment.expandable);
        let granted = if is_expandable { 0 } else { oom.reserved_bytes };
        let low = proven.low_bytes.max(granted);
        let refused = oom.reserved_bytes.saturating_add(oom.need_bytes).saturating_sub(1);
        // What was ever granted and what was refused may contradict each other: the limit changed.
        let high = proven.high_bytes.unwrap_or(refused).min(refused);
        (limit.whose, limit.low_bytes, limit.high_bytes) = match free {
            Some(free) if free < oom.need_bytes => {
                let all = Some(oom.reserved_bytes.saturating_add(free));
                (Whose::Card, all, all)
            }
            Some(_) => (Whose::Process, Some(low), Some(high.max(low))),
            None => (Whose::Unknown, Some(low), Some(high.max(low))),
        };
        if let Some(typed) = typed {
            limit.take(typed);
        }
        limit
    }

    /// Takes a limit given by hand; notes if it cannot be.
    fn take(&mut self, typed: u64) {
        let bounds = (self.low_bytes.unwrap_or(0), self.high_bytes.unwrap_or(u64::MAX));
        if self.whose != Whose::Card && !(bounds.0..=bounds.1).contains(&typed) {
            self.contradiction = Some(format!(
                "The recording shows a limit of {} to {}; {} was given.",
                format_bytes(bounds.0),
                format_bytes(bounds.1),
                format_bytes(typed)
            ));
        }
        self.is_typed = true;
        (self.low_bytes, self.high_bytes) = (Some(typed), Some(typed));
    }

    pub(super) fn fill(self, oom: &mut Oom) {
        oom.device_free_bytes = self.device_free_bytes;
        oom.limit_whose = self.whose;
        (oom.limit_low_bytes, oom.limit_high_bytes) = (self.low_bytes, self.high_bytes);
        (oom.limit_is_typed, oom.limit_contradiction) = (self.is_typed, self.contradiction);
    }
}
