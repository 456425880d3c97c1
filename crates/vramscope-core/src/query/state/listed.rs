//! Every segment and block, as the command line lists them.

use serde::Serialize;

use crate::ids::StackId;
use crate::model::{BlockState, PoolId, SegmentKind};
use crate::query::stream_text;
use crate::replay::state::{BlockNow, State};
use crate::replay::{Recording, Replay};

/// `vramscope state --json`: segments and blocks, as the contract has them.
#[derive(Clone, Debug, Serialize)]
#[allow(missing_docs)]
pub struct DeviceState {
    pub device: i64,
    pub event: Option<u32>,
    /// Sizes of blocks are the allocator's own; else they are estimated by rounding.
    pub exact: bool,
    pub segments: Vec<ListedSegment>,
}

/// A segment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[allow(missing_docs)]
pub struct ListedSegment {
    pub address: String,
    pub bytes: u64,
    pub stream: String,
    pub pool: SegmentKind,
    pub private_pool: PoolId,
    pub expandable: bool,
    pub blocks: Vec<ListedBlock>,
}

/// A block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[allow(missing_docs)]
pub struct ListedBlock {
    pub address: String,
    pub bytes: u64,
    /// 0 for free blocks.
    pub requested_bytes: u64,
    pub state: &'static str,
    /// Null until categories are told.
    pub category: Option<&'static str>,
    pub stack_id: Option<StackId>,
}

/// Every segment and block of a device at a moment.
#[inline]
pub fn listed(recording: &Recording, ordinal: i64, moment: u32) -> Option<DeviceState> {
    let (_, replay) = recording.device(ordinal)?;
    let state = State::at(replay, moment);
    let snapshot = &recording.snapshot;
    let segments = state.segments.iter().map(|segment| ListedSegment {
        address: format!("0x{:x}", segment.address),
        bytes: segment.size_bytes,
        stream: stream_text(snapshot.stream(segment.owner.stream)),
        pool: segment.owner.kind,
        private_pool: segment.owner.pool,
        expandable: segment.expandable,
        blocks: state.blocks_of(segment).iter().map(|block| listed_block(replay, block)).collect(),
    });
    Some(DeviceState {
        device: ordinal,
        event: state.moment.checked_sub(1),
        exact: replay.sizes_are_exact(state.moment),
        segments: segments.collect(),
    })
}

#[inline]
fn listed_block(replay: &Replay, block: &BlockNow) -> ListedBlock {
    ListedBlock {
        address: format!("0x{:x}", block.address),
        bytes: block.size_bytes,
        requested_bytes: block.requested_bytes,
        state: match block.state {
            BlockState::Allocated => "active_allocated",
            BlockState::PendingFree => "active_pending_free",
            _ => "inactive",
        },
        category: None,
        stack_id: block.allocation.map(|id| replay.allocations().stack(id)),
    }
}
