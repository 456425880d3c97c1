//! Every allocation, in columns.

use std::sync::Arc;

use super::live::Lives;
use crate::ids::{StackId, StreamId};

/// Allocations in order of start; those that were there before the first event come first. An id is an index.
///
/// A copy shares all columns but the ends: a filter ends what it leaves out where it starts, so that it is never alive.
#[derive(Clone, Debug, Default)]
pub struct Allocations {
    pub(super) columns: Arc<Columns>,
    pub(super) ends: Vec<u32>,
}

/// One row for each allocation.
#[derive(Clone, Debug, Default)]
pub(super) struct Columns {
    pub(super) starts: Vec<u32>,
    pub(super) releases: Vec<u32>,
    pub(super) sizes: Vec<u64>,
    pub(super) addresses: Vec<u64>,
    pub(super) stacks: Vec<StackId>,
    pub(super) streams: Vec<StreamId>,
}

/// End of an allocation that is never freed.
pub const NEVER: u32 = u32::MAX;

impl Allocations {
    /// How many.
    pub fn len(&self) -> u32 {
        self.columns.starts.len() as u32
    }

    /// Moves on to the first allocation that starts after an event: the one that the event made, if it is an alloc.
    pub(super) fn go_on(&self, next: &mut u32, event: u32) {
        while *next < self.len() && self.start(*next) <= event {
            *next += 1;
        }
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.columns.starts.is_empty()
    }

    /// First moment at which it is alive; 0 if it was there before the first event.
    #[inline]
    pub fn start(&self, id: u32) -> u32 {
        self.columns.starts.get(id as usize).copied().unwrap_or(NEVER)
    }

    /// First moment at which it is no longer alive; `u32::MAX` if it is never freed.
    #[inline]
    pub fn end(&self, id: u32) -> u32 {
        self.ends.get(id as usize).copied().unwrap_or(0)
    }

    /// First moment after the user dropped it; `u32::MAX` if that is not recorded.
    pub fn release(&self, id: u32) -> u32 {
        self.columns.releases.get(id as usize).copied().unwrap_or(NEVER)
    }

    /// Requested bytes.
    #[inline]
    pub fn size_bytes(&self, id: u32) -> u64 {
        self.columns.sizes.get(id as usize).copied().unwrap_or(0)
    }

    /// Start address.
    pub fn address(&self, id: u32) -> u64 {
        self.columns.addresses.get(id as usize).copied().unwrap_or(0)
    }

    /// Stack of the allocation, or of its free when the allocation was not recorded.
    #[inline]
    pub fn stack(&self, id: u32) -> StackId {
        self.columns.stacks.get(id as usize).copied().unwrap_or(StackId::EMPTY)
    }

    /// Stream.
    pub fn stream(&self, id: u32) -> StreamId {
        self.columns.streams.get(id as usize).copied().unwrap_or(StreamId(0))
    }

    /// True if it was there before the first event.
    pub fn before_recording(&self, id: u32) -> bool {
        self.start(id) == 0
    }

    /// The same without some: their ids stay theirs, but they are never alive.
    pub(super) fn without(&self, left_out: impl Fn(u32) -> bool) -> Allocations {
        let ends = (0..self.len()).map(|id| if left_out(id) { self.start(id) } else { self.end(id) });
        Allocations { columns: Arc::clone(&self.columns), ends: ends.collect() }
    }

    /// True if it is alive at some moment: false for what a filter leaves out.
    pub fn is_shown(&self, id: u32) -> bool {
        self.start(id) < self.end(id)
    }

    /// True if it is alive at a moment.
    #[inline]
    pub fn is_live(&self, id: u32, moment: u32) -> bool {
        self.start(id) <= moment && moment < self.end(id)
    }
}

impl Lives for Allocations {
    fn count(&self) -> u32 {
        self.len()
    }

    #[inline]
    fn starts_at(&self, id: u32) -> u32 {
        self.start(id)
    }

    #[inline]
    fn ends_at(&self, id: u32) -> u32 {
        self.end(id)
    }
}
