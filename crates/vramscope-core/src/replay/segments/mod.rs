//! Memory from the driver over time: what was reserved when, and for which pool.
//!
//! A *span* is a stretch of reserved memory from the moment it came to the moment it went: a whole segment, or a mapped part of an
//! expandable one. Spans that touch at a moment are one segment then, as in PyTorch's own snapshots.

mod before;
mod found;
mod track;

pub(super) use track::track;

use std::sync::Arc;

use super::live::{Checkpoints, Lives};
use crate::ids::{StackId, StreamId};
use crate::model::{PoolId, SegmentKind};

/// A stretch of reserved memory and its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// First moment at which it is reserved; 0 if it was there before the first event.
    pub start: u32,
    /// First moment at which it is not; `u32::MAX` if it never went back.
    pub end: u32,
    /// Start address.
    pub address: u64,
    /// Reserved bytes.
    pub size_bytes: u64,
    /// What it serves.
    pub owner: Owner,
    /// Part of an expandable segment.
    pub expandable: bool,
    /// Stack of the request that made it.
    pub stack: StackId,
}

/// Whom reserved memory serves: free memory of one owner is of no use to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Owner {
    /// Small or large pool.
    pub kind: SegmentKind,
    /// Private pool; (0, 0) is the default one.
    pub pool: PoolId,
    /// Stream.
    pub stream: StreamId,
}

/// All spans of a device, in order of start, and the pool of every allocation.
#[derive(Clone, Debug, Default)]
pub struct Segments {
    spans: Vec<Span>,
    checkpoints: Checkpoints,
    /// Kinds of pools met.
    pools: Vec<(SegmentKind, PoolId)>,
    /// Index into `pools`, by allocation.
    pool_of: Arc<Vec<u16>>,
    faults: Faults,
}

/// Where segment events contradict each other or the final segments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// Memory given back that was not reserved, or reserved twice.
    pub segment_events: u64,
    /// Their bytes.
    pub segment_bytes: u64,
    /// Stretches that the final segments and the trace do not both have at the end, and final segments that overlap.
    pub end_mismatches: u64,
    /// Their bytes.
    pub end_bytes: u64,
    /// Final segments whose blocks do not add up to them, and blocks smaller than what was asked for.
    pub misfits: u64,
    /// By how many bytes.
    pub misfit_bytes: u64,
    /// Allocations that lie in no segment.
    pub outside: u64,
    /// Their requested bytes.
    pub outside_bytes: u64,
}

impl Segments {
    /// Those whose owner is shown. Pools of allocations stay known.
    pub(super) fn of(all: &Segments, shows: impl Fn(&Owner) -> bool, n_moments: u32) -> Segments {
        let spans: Vec<Span> = all.spans.iter().filter(|span| shows(&span.owner)).copied().collect();
        let checkpoints = Checkpoints::build(&spans, n_moments);
        let (pools, pool_of) = (all.pools.clone(), Arc::clone(&all.pool_of));
        Segments { spans, checkpoints, pools, pool_of, faults: all.faults }
    }

    /// All spans, in order of start.
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// Visits the spans reserved at a moment, in order of start, with their indices.
    pub fn for_each_at(&self, moment: u32, mut visit: impl FnMut(u32, &Span)) {
        self.checkpoints.for_each_live(&self.spans, moment, |id| {
            if let Some(span) = self.spans.get(id as usize) {
                visit(id, span);
            }
        });
    }

    /// Kinds of pools that reserved memory or served an allocation.
    pub fn pools(&self) -> &[(SegmentKind, PoolId)] {
        &self.pools
    }

    /// Which of [`Segments::pools`] served an allocation.
    pub fn pool_index(&self, allocation: u32) -> u16 {
        self.pool_of.get(allocation as usize).copied().unwrap_or(0)
    }

    /// The pool that served an allocation.
    pub fn pool_of(&self, allocation: u32) -> (SegmentKind, PoolId) {
        self.pools
            .get(usize::from(self.pool_index(allocation)))
            .copied()
            .unwrap_or((SegmentKind::Large, (0, 0)))
    }

    /// What contradicts itself.
    pub fn faults(&self) -> &Faults {
        &self.faults
    }
}

impl Lives for Vec<Span> {
    fn count(&self) -> u32 {
        self.len() as u32
    }

    #[inline]
    fn starts_at(&self, id: u32) -> u32 {
        self.get(id as usize).map_or(u32::MAX, |span| span.start)
    }

    #[inline]
    fn ends_at(&self, id: u32) -> u32 {
        self.get(id as usize).map_or(0, |span| span.end)
    }
}
