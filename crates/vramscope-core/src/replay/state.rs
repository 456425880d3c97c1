//! The allocator's layout at a moment: segments, and the blocks in them.
//!
//! Free blocks always merge with their free neighbours (rule R7), so what lies between live blocks of a segment is one free block. A state
//! therefore follows from what is reserved and what is alive at its moment; no allocator has to be run forward or backward to it.

use super::Replay;
use super::segments::Owner;
use crate::ids::StackId;
use crate::model::BlockState;
use crate::order;

/// Segments and blocks at a moment.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// The moment.
    pub moment: u32,
    /// By address.
    pub segments: Vec<SegmentNow>,
    /// All blocks, segment after segment, by address.
    pub blocks: Vec<BlockNow>,
    /// Live allocations that lie in no segment: trace and segments disagree.
    pub outside: Vec<u32>,
}

/// A segment at a moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SegmentNow {
    /// Its first span: the same segment has the same span at another moment, unless an expandable one grew downwards.
    pub span: u32,
    /// Start.
    pub address: u64,
    /// Reserved bytes.
    pub size_bytes: u64,
    /// Whom it serves.
    pub owner: Owner,
    /// A mapped run of an expandable segment.
    pub expandable: bool,
    /// First moment at which (its first span) was reserved.
    pub since: u32,
    /// Stack of the request that made it.
    pub stack: StackId,
    /// Its blocks in [`State::blocks`].
    pub blocks: std::ops::Range<usize>,
    /// Bytes held by the program.
    pub allocated_bytes: u64,
    /// Bytes dropped by the program, but still used by another stream.
    pub pending_bytes: u64,
    /// Bytes that the program asked for, of blocks held or waited for.
    pub requested_bytes: u64,
    /// The largest free block.
    pub largest_free_bytes: u64,
}

impl SegmentNow {
    /// Bytes held or waited for.
    pub fn active_bytes(&self) -> u64 {
        self.allocated_bytes + self.pending_bytes
    }

    /// Free bytes.
    pub fn free_bytes(&self) -> u64 {
        self.size_bytes.saturating_sub(self.active_bytes())
    }

    /// Held by so little that it would be free but for a few blocks: live, and at most half of it in use.
    pub fn is_pinned(&self) -> bool {
        let active = self.active_bytes();
        active > 0 && active <= self.size_bytes / 2
    }
}

/// A block at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockNow {
    /// Start.
    pub address: u64,
    /// Bytes in its segment.
    pub size_bytes: u64,
    /// Bytes that the program asked for; 0 if it is free.
    pub requested_bytes: u64,
    /// Its use: allocated, waited for or free.
    pub state: BlockState,
    /// The allocation that lives there.
    pub allocation: Option<u32>,
}

impl State {
    /// Segments and blocks of a recording at a moment.
    pub fn at(replay: &Replay, moment: u32) -> State {
        let moment = replay.clamp(moment);
        let mut state = State { moment, segments: segments_at(replay, moment), ..State::default() };
        let mut live: Vec<(u64, u32)> = Vec::new();
        replay.for_each_held(moment, |id| live.push((replay.allocations().address(id), id)));
        order::pairs(&mut live);
        let mut live = live.into_iter().peekable();
        for segment in &mut state.segments {
            while let Some((_, id)) = live.next_if(|(address, _)| *address < segment.address) {
                state.outside.push(id);
            }
            let end = segment.address.saturating_add(segment.size_bytes);
            let first = state.blocks.len();
            let mut at = segment.address;
            while let Some((address, id)) = live.next_if(|(address, _)| *address < end) {
                if address < at {
                    state.outside.push(id); // overlaps the block before it
                    continue;
                }
                push_free(&mut state.blocks, at, address);
                let size = replay.block_bytes(id).min(end - address);
                let next = live.peek().map_or(end, |(next, _)| (*next).min(end));
                // An estimated size may be too large: the next block tells.
                let size = size.min(next - address);
                state.blocks.push(live_block(replay, id, moment, address, size));
                at = address + size;
            }
            push_free(&mut state.blocks, at, end);
            segment.blocks = first..state.blocks.len();
            segment.add_up(&state.blocks[first..]);
        }
        state.outside.extend(live.map(|(_, id)| id));
        state
    }

    /// The blocks of a segment.
    pub fn blocks_of(&self, segment: &SegmentNow) -> &[BlockNow] {
        self.blocks.get(segment.blocks.clone()).unwrap_or_default()
    }

    /// The segment and block of an allocation, as indices into `segments` and `blocks`.
    pub fn find(&self, allocation: u32) -> Option<(usize, usize)> {
        let block = self.blocks.iter().position(|block| block.allocation == Some(allocation))?;
        let segment = self.segments.iter().position(|segment| segment.blocks.contains(&block))?;
        Some((segment, block))
    }
}

/// Spans reserved at a moment, by address; those of expandable segments that touch are one.
pub(super) fn segments_at(replay: &Replay, moment: u32) -> Vec<SegmentNow> {
    let mut spans: Vec<(u64, u32)> = Vec::new();
    replay.segments().for_each_at(moment, |id, span| spans.push((span.address, id)));
    order::pairs(&mut spans);
    let mut segments: Vec<SegmentNow> = Vec::with_capacity(spans.len());
    for (address, id) in spans {
        let Some(span) = replay.segments().spans().get(id as usize) else { continue };
        if let Some(last) = segments.last_mut()
            && last.expandable
            && span.expandable
            && last.owner == span.owner
            && last.address.checked_add(last.size_bytes) == Some(address)
        {
            last.size_bytes = last.size_bytes.saturating_add(span.size_bytes);
            continue;
        }
        segments.push(SegmentNow {
            span: id,
            address,
            size_bytes: span.size_bytes,
            owner: span.owner,
            expandable: span.expandable,
            since: span.start,
            stack: span.stack,
            blocks: 0..0,
            allocated_bytes: 0,
            pending_bytes: 0,
            requested_bytes: 0,
            largest_free_bytes: 0,
        });
    }
    segments
}

fn push_free(blocks: &mut Vec<BlockNow>, from: u64, to: u64) {
    if from < to {
        let state = BlockState::Inactive;
        blocks.push(BlockNow {
            address: from,
            size_bytes: to - from,
            requested_bytes: 0,
            state,
            allocation: None,
        });
    }
}

fn live_block(replay: &Replay, id: u32, moment: u32, address: u64, size_bytes: u64) -> BlockNow {
    let waits = replay.allocations().release(id) <= moment;
    BlockNow {
        address,
        size_bytes,
        requested_bytes: replay.allocations().size_bytes(id),
        state: if waits { BlockState::PendingFree } else { BlockState::Allocated },
        allocation: Some(id),
    }
}

fn add(sum: &mut u64, bytes: u64) {
    *sum = sum.saturating_add(bytes);
}

impl SegmentNow {
    fn add_up(&mut self, blocks: &[BlockNow]) {
        for block in blocks {
            self.count(block);
        }
    }

    /// Counts one of its blocks into its sums.
    fn count(&mut self, block: &BlockNow) {
        match block.state {
            BlockState::Allocated => add(&mut self.allocated_bytes, block.size_bytes),
            BlockState::PendingFree => add(&mut self.pending_bytes, block.size_bytes),
            _ => self.largest_free_bytes = self.largest_free_bytes.max(block.size_bytes),
        }
        add(&mut self.requested_bytes, block.requested_bytes);
    }

    /// Takes the next block of a segment that is put together block by block; it makes the segment longer, but for the first.
    pub fn take(&mut self, block: &BlockNow, is_longer: bool) {
        self.blocks.end += 1;
        if is_longer {
            self.size_bytes = self.size_bytes.saturating_add(block.size_bytes);
        }
        self.count(block);
    }
}
