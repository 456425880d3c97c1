//! A request that could not be served, explained.

use serde::Serialize;

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
    /// Bytes that were missing.
    pub short_by_bytes: u64,
}

/// Explains the last request that could not be served.
pub fn explain(
    recording: &vramscope_core::replay::Recording,
    ordinal: i64,
    _limit_bytes: Option<u64>,
) -> Option<Oom> {
    let (device, replay) = recording.whole_device(ordinal)?;
    let event = *replay.ooms().last()?;
    let q = device.events.sizes[event as usize];
    let mut a = 0;
    replay.for_each_live(event + 1, |id| a += replay.block_bytes(id));
    let r = replay.reserved_at(event + 1);
    let (lo, hi) = match replay.model() {
        Some(m) => (m.limit.low_bytes, m.limit.high_bytes.unwrap_or(u64::MAX / 4)),
        None => (r, r + q),
    };
    let fit = if a + q <= lo {
        "yes"
    } else if a + q > hi {
        "no"
    } else if a + q <= (lo + hi) / 2 && (r - a) * 10 >= r {
        "likely"
    } else {
        "no"
    };
    Some(Oom {
        event,
        requested_bytes: q,
        allocated_bytes: a,
        reserved_bytes: r,
        free_in_reserved_bytes: r.saturating_sub(a),
        limit_low_bytes: Some(lo),
        limit_high_bytes: Some(hi),
        would_fit_unfragmented: fit,
        ..Oom::default()
    })
}
