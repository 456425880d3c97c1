//! A table like that of `torch.cuda.memory_summary()`, for any moment of a recording.
//!
//! PyTorch prints its own counters, which only the running program has. Here they are counted again: requests and segments from the events,
//! sizes of blocks as the allocator model found them. What cannot be counted is a dash, and a note says why.

mod count;
mod splits;
mod table;
mod tally;

use vramscope_core::allocator::Config;
use vramscope_core::query::summary::{is_complete, unknown_reason};
use vramscope_core::replay::Recording;
use vramscope_core::units::format_bytes;

pub use tally::{Pools, Tally};

/// Counters at a moment, under PyTorch's names.
#[derive(Clone, Debug, Default)]
pub struct MemorySummary {
    /// The device.
    pub device: i64,
    /// The moment.
    pub moment: u32,
    /// Requests that failed so far.
    pub ooms: u64,
    /// `allocated_bytes`
    pub allocated_bytes: Pools,
    /// `active_bytes`
    pub active_bytes: Pools,
    /// `requested_bytes`
    pub requested_bytes: Pools,
    /// `reserved_bytes`
    pub reserved_bytes: Pools,
    /// `inactive_split_bytes`
    pub inactive_split_bytes: Pools,
    /// `allocation`, a count.
    pub allocations: Pools,
    /// `active`, a count.
    pub active: Pools,
    /// `segment`, a count.
    pub segments: Pools,
    /// `inactive_split`, a count.
    pub inactive_splits: Pools,
    /// `oversize_allocations`, a count.
    pub oversize_allocations: Tally,
    /// `oversize_segments`, a count.
    pub oversize_segments: Tally,
    /// Sizes of blocks are known: without them allocated, active and inactive split bytes are not.
    pub sizes_known: bool,
    /// Nothing was there before the first event: peaks and totals are those of the program.
    pub from_the_beginning: bool,
    /// There are events: without them only the present is known.
    pub has_history: bool,
    /// What is not known, and why.
    pub notes: Vec<String>,
}

/// Counters of a device at a moment; `None` for a device that is not there.
pub fn memory_summary(recording: &Recording, ordinal: i64, moment: u32) -> Option<MemorySummary> {
    let (device, replay) = recording.whole_device(ordinal)?;
    let snapshot = &recording.snapshot;
    let moment = moment.min(replay.end());
    let config = Config::of(snapshot);
    let mut summary = MemorySummary {
        device: ordinal,
        moment,
        ooms: replay.ooms().iter().filter(|event| **event < moment).count() as u64,
        sizes_known: replay.sizes_are_exact(moment),
        has_history: replay.end() > 0,
        from_the_beginning: is_complete(device, replay, snapshot.partial),
        ..MemorySummary::default()
    };
    count::count(&mut summary, replay, &config);
    if !summary.sizes_known {
        let reason = unknown_reason(replay).unwrap_or_default();
        summary.notes.push(format!("– is not known: sizes of blocks are estimated. {reason}"));
    }
    if !summary.has_history {
        summary.notes.push("There is no history: peaks and totals are not known.".into());
    } else if !summary.from_the_beginning {
        let before = format_bytes(replay.requested_at(0));
        let text = "Peaks are those of the recording, and totals are not known: the program had run before its first event";
        summary.notes.push(format!("{text}, and {before} were in use then."));
    }
    Some(summary)
}
