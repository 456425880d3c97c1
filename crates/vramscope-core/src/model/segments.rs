//! The final state: segments and their blocks.

use serde::{Deserialize, Serialize};

use crate::ids::{StackId, StreamId};

/// Which pool a segment serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SegmentKind {
    /// Requests of up to 1 MiB.
    Small,
    /// All others.
    Large,
}

impl SegmentKind {
    /// "small" or "large", as in the file.
    pub fn name(self) -> &'static str {
        match self {
            SegmentKind::Small => "small",
            SegmentKind::Large => "large",
        }
    }
}

/// A private pool; (0, 0) is the default one, (0, n) was made by the user, (n, 0) by a CUDA graph capture.
pub type PoolId = (u64, u64);

/// One piece of memory from the driver, or one mapped run of an expandable segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Start.
    pub address: u64,
    /// Bytes held from the driver: reserved bytes.
    pub size_bytes: u64,
    /// Stream whose requests it serves.
    pub stream: StreamId,
    /// Small or large pool.
    pub kind: SegmentKind,
    /// Private pool.
    pub pool: PoolId,
    /// Part of an expandable segment.
    pub expandable: bool,
    /// Stack of the request that made it.
    pub stack: StackId,
    /// Python stack of the forward operator whose gradient was being computed then.
    pub forward_stack: Option<StackId>,
    /// Its blocks, by address.
    pub blocks: Vec<Block>,
}

/// What a block is in use for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockState {
    /// Held by the user.
    Allocated,
    /// Freed by the user, still awaited by another stream.
    PendingFree,
    /// Free.
    Inactive,
    /// A state that this version does not know: treated as free.
    Other,
}

/// A piece of a segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Start.
    pub address: u64,
    /// Bytes taken in the segment, after rounding.
    pub size_bytes: u64,
    /// Bytes asked for; means nothing for inactive blocks.
    pub requested_bytes: u64,
    /// Its use.
    pub state: BlockState,
    /// Stack of the allocation.
    pub stack: StackId,
    /// Python stack of the forward operator whose gradient was being computed then.
    pub forward_stack: Option<StackId>,
}

impl Block {
    /// Held by the user or awaiting a stream.
    pub fn is_active(&self) -> bool {
        matches!(self.state, BlockState::Allocated | BlockState::PendingFree)
    }
}
