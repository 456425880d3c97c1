//! A request that could not be served, explained: who asked, how much was left under which limit, and why nothing free could serve it.
//!
//! [`explain`] is quick and needs no allocator model. What expandable segments would have changed is asked of the model: see [`Trial`].

mod asked;
mod expandable;
mod inside;
mod limit;
mod pinned;

pub use asked::Asked;
pub use expandable::{Trial, try_expandable};
pub use inside::FreeInside;
pub use limit::Whose;
pub use pinned::Pinning;

use serde::Serialize;
use vramscope_core::allocator::Config;
use vramscope_core::allocator::sizes::{round_size, segment_size};
use vramscope_core::replay::Recording;
use vramscope_core::replay::state::State;

use crate::thresholds::{MIDDLE_OF_LIMIT, SHARE_OF_FREE_INSIDE};
use limit::Limit;

/// The last request that could not be served. The first keys are those of the contract.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Oom {
    /// Its event.
    pub event: u32,
    /// What was asked for, rounded to a block.
    pub requested_bytes: u64,
    /// Bytes of blocks in use then.
    pub allocated_bytes: u64,
    /// Held from the driver then.
    pub reserved_bytes: u64,
    /// Reserved and not in use.
    pub free_in_reserved_bytes: u64,
    /// The largest free piece that this request could use.
    pub largest_usable_free_bytes: u64,
    /// Free in segments of which at most half is in use.
    pub pinned_bytes: u64,
    /// Free on the card, as the driver said.
    pub device_free_bytes: Option<u64>,
    /// The limit is at least this.
    pub limit_low_bytes: Option<u64>,
    /// The limit is at most this.
    pub limit_high_bytes: Option<u64>,
    /// If all free pieces were one: "yes", "likely" or "no".
    pub would_fit_unfragmented: &'static str,
    /// With expandable segments, by the allocator model: "yes", "no" or "unknown".
    pub expandable_would_fit: &'static str,
    /// Bytes that were missing: what would have sufficed for certain.
    pub short_by_bytes: u64,
    /// Bytes that were missing at least, if the limit is as high as it can be.
    pub short_by_least_bytes: u64,
    /// The moment after it.
    pub moment: u32,
    /// Requests that failed, this one included: it is the last.
    pub ooms: u32,
    /// The events of the others, at most twenty.
    pub earlier_events: Vec<u32>,
    /// Events after it: the program went on.
    pub events_after: u32,
    /// Who asked.
    pub asked_by: Asked,
    /// What the driver was asked for: a segment.
    pub need_bytes: u64,
    /// Who refused.
    pub limit_whose: Whose,
    /// The limit was given by hand, not inferred.
    pub limit_is_typed: bool,
    /// Why a limit given by hand cannot be true.
    pub limit_contradiction: Option<String>,
    /// Block sizes less what was asked for.
    pub rounding_bytes: u64,
    /// Dropped by the program, still used by another stream.
    pub pending_bytes: u64,
    /// Sizes of blocks are the allocator's own; else some are estimated by rounding.
    pub exact: bool,
    /// Reserved memory by pool and stream, most free first.
    pub free_inside: Vec<FreeInside>,
    /// Why no free piece served it, in a sentence.
    pub not_served: String,
    /// The same as a word: "nothing_free", "too_small", "other_stream", "other_pool", "private_pool", "oversize" or "contradiction".
    pub not_served_code: &'static str,
    /// Segments of which at most half is in use.
    pub pinned_segments: u32,
    /// What is in use in them.
    pub pinning_bytes: u64,
    /// The allocations that pin the most, at most five.
    pub pinned_by: Vec<Pinning>,
    /// Why [`Oom::expandable_would_fit`] is what it is.
    pub expandable_reason: String,
}

impl Oom {
    /// Bytes in use and waited for.
    pub fn active_bytes(&self) -> u64 {
        self.allocated_bytes.saturating_add(self.pending_bytes)
    }
}

/// Earlier failures that are listed.
const MOST_EARLIER: usize = 20;

/// The last request of a device that could not be served; `None` if there is none. A limit that is given by hand takes the place of the
/// inferred one.
pub fn explain(recording: &Recording, ordinal: i64, typed_limit_bytes: Option<u64>) -> Option<Oom> {
    let (device, replay) = recording.whole_device(ordinal)?;
    let snapshot = &recording.snapshot;
    let (&event, earlier) = replay.ooms().split_last()?;
    let moment = event.saturating_add(1);
    let config = Config::of(snapshot);
    let requested_bytes = *device.events.sizes.get(event as usize)?;
    let need_bytes = segment_size(round_size(requested_bytes, &config), &config);
    let state = State::at(replay, moment);
    let mut oom = Oom {
        event,
        moment,
        requested_bytes,
        need_bytes,
        ooms: replay.ooms().len() as u32,
        earlier_events: earlier.iter().take(MOST_EARLIER).copied().collect(),
        events_after: replay.end().saturating_sub(moment),
        asked_by: asked::asked_by(snapshot, device, replay, event),
        reserved_bytes: replay.reserved_at(moment),
        exact: replay.sizes_are_exact(moment),
        ..Oom::default()
    };
    for segment in &state.segments {
        oom.allocated_bytes = oom.allocated_bytes.saturating_add(segment.allocated_bytes);
        oom.pending_bytes = oom.pending_bytes.saturating_add(segment.pending_bytes);
        let rounding = segment.active_bytes().saturating_sub(segment.requested_bytes);
        oom.rounding_bytes = oom.rounding_bytes.saturating_add(rounding);
    }
    oom.free_in_reserved_bytes = oom.reserved_bytes.saturating_sub(oom.active_bytes());
    inside::fill(&mut oom, snapshot, (device, &state), &config);
    pinned::fill(&mut oom, snapshot, replay, &state);
    let limit = Limit::of(snapshot, (device, replay), (&oom, typed_limit_bytes));
    limit.fill(&mut oom);
    conclude(&mut oom);
    expandable::before_trial(&mut oom, &config, replay.model());
    Some(oom)
}

/// What would have sufficed.
fn conclude(oom: &mut Oom) {
    let wanted = oom.active_bytes().saturating_add(oom.requested_bytes);
    let (low, high) = (oom.limit_low_bytes.unwrap_or(0), oom.limit_high_bytes.unwrap_or(u64::MAX));
    let middle = low as f64 + (high.saturating_sub(low)) as f64 * MIDDLE_OF_LIMIT;
    let much_is_free = oom.free_in_reserved_bytes as f64 >= SHARE_OF_FREE_INSIDE * oom.reserved_bytes as f64;
    oom.would_fit_unfragmented = match wanted {
        _ if wanted <= low => "yes",
        _ if wanted > high => "no",
        _ if wanted as f64 <= middle && much_is_free => "likely",
        _ => "no",
    };
    let piece = oom.requested_bytes.saturating_sub(oom.largest_usable_free_bytes);
    (oom.short_by_bytes, oom.short_by_least_bytes) = match oom.would_fit_unfragmented {
        "no" => (wanted.saturating_sub(low), wanted.saturating_sub(high)),
        _ => (piece, piece),
    };
}
