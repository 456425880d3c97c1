//! The allocator's state in a simulated run, in the shape of a recorded one.

use vramscope_core::allocator::{Allocator, Block};
use vramscope_core::ids::{StackId, StreamId};
use vramscope_core::model::{BlockState, SegmentKind};
use vramscope_core::order;
use vramscope_core::replay::requests::Requests;
use vramscope_core::replay::segments::Owner;
use vramscope_core::replay::state::{BlockNow, SegmentNow, State};

/// Segments and blocks as they are now. Allocations are those of the recording; moments and stacks of segments are not known.
pub fn state(requests: &Requests, allocator: &Allocator, moment: u32) -> State {
    let mut blocks: Vec<&Block> = allocator.mapped_blocks().collect();
    order::by_number(&mut blocks, |block| block.address);
    let mut state = State { moment, ..State::default() };
    for block in blocks {
        let owner = owner_of(requests, allocator, block);
        let continues = allocator.continues_segment(block)
            && state
                .segments
                .last()
                .is_some_and(|last| last.address.checked_add(last.size_bytes) == Some(block.address));
        if !continues {
            state.segments.push(segment(block, owner, state.blocks.len()));
        }
        let now = block_now(block);
        if let Some(segment) = state.segments.last_mut() {
            segment.take(&now, continues);
        }
        state.blocks.push(now);
    }
    state
}

fn owner_of(requests: &Requests, allocator: &Allocator, block: &Block) -> Owner {
    let kind = if allocator.is_small(block) { SegmentKind::Small } else { SegmentKind::Large };
    let stream = requests.streams.iter().position(|stream| *stream == block.stream).unwrap_or(0);
    Owner { kind, pool: allocator.owner_of(block), stream: StreamId(stream as u32) }
}

fn segment(block: &Block, owner: Owner, first: usize) -> SegmentNow {
    SegmentNow {
        span: u32::MAX,
        address: block.address,
        size_bytes: block.size_bytes,
        owner,
        expandable: block.is_expandable(),
        since: 0,
        stack: StackId::EMPTY,
        blocks: first..first,
        allocated_bytes: 0,
        pending_bytes: 0,
        requested_bytes: 0,
        largest_free_bytes: 0,
    }
}

fn block_now(block: &Block) -> BlockNow {
    let state = match (block.allocated, block.pending) {
        (true, _) => BlockState::Allocated,
        (_, true) => BlockState::PendingFree,
        _ => BlockState::Inactive,
    };
    let is_free = block.is_free();
    BlockNow {
        address: block.address,
        size_bytes: block.size_bytes,
        requested_bytes: if is_free { 0 } else { block.requested_bytes },
        state,
        allocation: (!is_free && block.key != u32::MAX).then_some(block.key),
    }
}
