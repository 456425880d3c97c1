//! The allocator at the end of the range, in the form that snapshots have.

use std::borrow::Cow;

use vramscope_core::ids::StackId;
use vramscope_core::model::{Block, Segment, Snapshot};
use vramscope_core::replay::state::{BlockNow, SegmentNow, State};

use super::Part;

/// Segments when the last event of the part had happened. At the very end those of the file, if it has them.
pub(super) fn at_end<'a>(snapshot: &Snapshot, part: &Part<'a>) -> Cow<'a, [Segment]> {
    if part.events.end == part.replay.end() && part.device.has_segments && !snapshot.partial {
        return Cow::Borrowed(&part.device.segments);
    }
    let state = State::at(part.replay, part.events.end);
    let segments = state.segments.iter().map(|segment| {
        let blocks = state.blocks_of(segment).iter().map(|block| written(part, block)).collect();
        segment_of(segment, blocks)
    });
    Cow::Owned(segments.collect())
}

fn segment_of(now: &SegmentNow, blocks: Vec<Block>) -> Segment {
    Segment {
        address: now.address,
        size_bytes: now.size_bytes,
        stream: now.owner.stream,
        kind: now.owner.kind,
        pool: now.owner.pool,
        expandable: now.expandable,
        stack: now.stack,
        forward_stack: None,
        blocks,
    }
}

fn written(part: &Part<'_>, now: &BlockNow) -> Block {
    let rows = part.replay.allocations();
    // The stack of its free says nothing of a block that is there.
    let known = now.allocation.filter(|id| !part.replay.stack_is_of_free(*id));
    let started = now.allocation.and_then(|id| rows.start(id).checked_sub(1));
    Block {
        address: now.address,
        size_bytes: now.size_bytes,
        requested_bytes: now.requested_bytes,
        state: now.state,
        stack: known.map_or(StackId::EMPTY, |id| rows.stack(id)),
        forward_stack: started.and_then(|event| part.device.events.notes_of(event).forward_stack),
    }
}
