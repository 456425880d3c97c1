//! Segments that a few live blocks keep from going back to the driver.

use std::cmp::Reverse;

use serde::Serialize;
use vramscope_core::ids::StackId;
use vramscope_core::model::Snapshot;
use vramscope_core::replay::state::{SegmentNow, State};
use vramscope_core::replay::{Replay, Site};

use super::Oom;

/// A live block in a segment that is free but for a few.
#[derive(Clone, Debug, Serialize)]
pub struct Pinning {
    /// The allocation.
    pub allocation: u32,
    /// Its block.
    pub bytes: u64,
    /// Free in its segment.
    pub free_bytes: u64,
    /// The function, node or operator.
    pub name: String,
    /// "train.py:60".
    pub at: String,
    /// Its stack.
    pub stack_id: StackId,
}

/// Allocations that are listed.
const LISTED: usize = 5;

pub(super) fn fill(oom: &mut Oom, snapshot: &Snapshot, replay: &Replay, state: &State) {
    let mut pinned: Vec<&SegmentNow> = state.segments.iter().filter(|segment| segment.is_pinned()).collect();
    pinned.sort_unstable_by_key(|segment| (Reverse(segment.free_bytes()), segment.address));
    oom.pinned_segments = pinned.len() as u32;
    for segment in &pinned {
        oom.pinned_bytes = oom.pinned_bytes.saturating_add(segment.free_bytes());
        oom.pinning_bytes = oom.pinning_bytes.saturating_add(segment.active_bytes());
    }
    // The largest block of each of the segments with the most free bytes: one block is what holds it longest.
    let largest = pinned.iter().filter_map(|segment| {
        let live = state.blocks_of(segment).iter().filter(|block| block.allocation.is_some());
        let block = live.max_by_key(|block| (block.size_bytes, Reverse(block.address)))?;
        let allocation = block.allocation?;
        let stack_id = replay.allocations().stack(allocation);
        let site = Site::of_stack(stack_id, snapshot);
        Some(Pinning {
            allocation,
            bytes: block.size_bytes,
            free_bytes: segment.free_bytes(),
            name: site.name(snapshot),
            at: site.at(snapshot),
            stack_id,
        })
    });
    oom.pinned_by = largest.take(LISTED).collect();
}
