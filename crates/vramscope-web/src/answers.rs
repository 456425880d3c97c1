//! Answers about pixels, as the page reads them.

use serde::Serialize;
use vramscope_core::model::PoolId;
use vramscope_core::query::{self, Allocation, Group};
use vramscope_core::replay::segments::{Owner, Span};
use vramscope_core::replay::stacking::Stacking;
use vramscope_core::replay::state::{BlockNow, SegmentNow};
use vramscope_core::replay::{Recording, Replay, Site};
use vramscope_render::reserved::{PoolNow, slot_of_owner};
use vramscope_render::state::{Layout, Towards, state_name};

/// What is under a pixel of the state.
#[derive(Serialize)]
pub(crate) struct StateProbe {
    segment: SegmentAnswer,
    block: Option<BlockAnswer>,
    allocation: Option<Allocation>,
}

#[derive(Serialize)]
struct SegmentAnswer {
    address: String,
    bytes: u64,
    #[serde(flatten)]
    owner: OwnerAnswer,
    expandable: bool,
    since_moment: u32,
    allocated_bytes: u64,
    pending_bytes: u64,
    free_bytes: u64,
    largest_free_bytes: u64,
    pinned: bool,
    stack: Vec<Group>,
}

/// Whom memory serves.
#[derive(Serialize)]
struct OwnerAnswer {
    kind: &'static str,
    pool: (u64, u64),
    stream: String,
}

#[derive(Serialize)]
struct BlockAnswer {
    address: String,
    bytes: u64,
    requested_bytes: u64,
    rounding_bytes: u64,
    state: &'static str,
}

/// The blocks of a segment, by address.
#[derive(Serialize)]
pub(crate) struct SegmentBlocks {
    count: usize,
    /// The first [`MOST_BLOCKS`].
    rows: Vec<BlockRow>,
}

/// Rows that somebody reads.
const MOST_BLOCKS: usize = 200;

#[derive(Serialize)]
struct BlockRow {
    address: String,
    bytes: u64,
    state: &'static str,
    allocation: Option<u32>,
    /// Where the allocation was made.
    name: Option<String>,
    at: Option<String>,
}

/// Where something lies.
#[derive(Serialize)]
pub(crate) struct StatePlace {
    x: i64,
    y: i64,
    width: i64,
    height: i64,
    segment: String,
}

/// The block next to one.
#[derive(Default, Serialize)]
pub(crate) struct StateNeighbour {
    address: Option<String>,
    allocation: Option<u32>,
}

/// What is under a pixel.
pub(crate) fn probe(
    recording: &Recording,
    device: i64,
    layout: &Layout<'_>,
    (x, y): (f64, f64),
) -> Option<StateProbe> {
    let (hit, state) = (layout.hit(x, y)?, layout.scene().state());
    let segment = state.segments.get(hit.segment)?;
    let block = hit.block.and_then(|block| state.blocks.get(block));
    let details = |id| query::allocation(recording, device, id, Some(state.moment), Stacking::Stack);
    Some(StateProbe {
        segment: segment_answer(recording, segment),
        block: block.map(block_answer),
        allocation: block.and_then(|block| block.allocation).and_then(details),
    })
}

/// The blocks of the segment that starts at an address.
pub(crate) fn blocks(
    recording: &Recording,
    replay: &Replay,
    layout: &Layout<'_>,
    address: u64,
) -> Option<SegmentBlocks> {
    let (state, snapshot) = (layout.scene().state(), &recording.snapshot);
    let blocks = state.blocks_of(state.segments.iter().find(|segment| segment.address == address)?);
    let row = |block: &BlockNow| {
        let site = block.allocation.map(|id| Site::of_stack(replay.allocations().stack(id), snapshot));
        BlockRow {
            address: format!("0x{:x}", block.address),
            bytes: block.size_bytes,
            state: state_name(block.state),
            allocation: block.allocation,
            name: site.as_ref().map(|site| site.name(snapshot)),
            at: site.as_ref().map(|site| site.at(snapshot)),
        }
    };
    Some(SegmentBlocks { count: blocks.len(), rows: blocks.iter().take(MOST_BLOCKS).map(row).collect() })
}

/// Where an allocation lies, or the segment around an address.
pub(crate) fn place(
    layout: &Layout<'_>,
    allocation: Option<u32>,
    segment: Option<u64>,
) -> Option<StatePlace> {
    let place = match (allocation, segment) {
        (Some(id), _) => layout.place_of_allocation(id),
        (None, Some(address)) => layout.place_of_segment(address),
        (None, None) => None,
    }?;
    let address = layout.scene().state().segments.get(place.segment)?.address;
    let (x, y, width, height) = (place.x(), place.y(), place.width(), place.height());
    Some(StatePlace { x, y, width, height, segment: format!("0x{address:x}") })
}

/// The block next to the one around an address; without an address the first in sight.
pub(crate) fn neighbour(layout: &Layout<'_>, address: Option<u64>, towards: Towards) -> StateNeighbour {
    let found = match address {
        Some(address) => layout.block_at(address).and_then(|block| layout.neighbour(block, towards)),
        None => layout.first_block(),
    };
    match found.and_then(|block| layout.scene().state().blocks.get(block)) {
        Some(block) => {
            StateNeighbour { address: Some(format!("0x{:x}", block.address)), allocation: block.allocation }
        }
        None => StateNeighbour::default(),
    }
}

/// Whom memory serves, as the page names it.
fn owner_answer(recording: &Recording, owner: &Owner) -> OwnerAnswer {
    let stream = query::stream_text(recording.snapshot.stream(owner.stream));
    OwnerAnswer { kind: owner.kind.name(), pool: owner.pool, stream }
}

fn segment_answer(recording: &Recording, segment: &SegmentNow) -> SegmentAnswer {
    SegmentAnswer {
        address: format!("0x{:x}", segment.address),
        bytes: segment.size_bytes,
        owner: owner_answer(recording, &segment.owner),
        expandable: segment.expandable,
        since_moment: segment.since,
        allocated_bytes: segment.allocated_bytes,
        pending_bytes: segment.pending_bytes,
        free_bytes: segment.free_bytes(),
        largest_free_bytes: segment.largest_free_bytes,
        pinned: segment.is_pinned(),
        stack: query::groups(recording, segment.stack),
    }
}

fn block_answer(block: &BlockNow) -> BlockAnswer {
    let rounding_bytes = match block.allocation {
        Some(_) => block.size_bytes.saturating_sub(block.requested_bytes),
        None => 0,
    };
    BlockAnswer {
        address: format!("0x{:x}", block.address),
        bytes: block.size_bytes,
        requested_bytes: block.requested_bytes,
        rounding_bytes,
        state: state_name(block.state),
    }
}

/// A segment, or a mapped part of one, in the timeline.
#[derive(Serialize)]
pub(crate) struct SpanAnswer {
    address: String,
    bytes: u64,
    #[serde(flatten)]
    owner: OwnerAnswer,
    expandable: bool,
    start_moment: u32,
    end_moment: u32,
    slot: u8,
    stack: Vec<Group>,
}

/// A pool in the timeline.
#[derive(Serialize)]
pub(crate) struct PoolAnswer {
    kind: &'static str,
    pool: PoolId,
    reserved_bytes: u64,
    used_bytes: u64,
    slot: u8,
}

/// A span, as the page reads it.
pub(crate) fn span_answer(recording: &Recording, replay: &Replay, span: &Span) -> SpanAnswer {
    SpanAnswer {
        address: format!("0x{:x}", span.address),
        bytes: span.size_bytes,
        owner: owner_answer(recording, &span.owner),
        expandable: span.expandable,
        start_moment: span.start,
        end_moment: span.end.min(replay.n_moments()),
        slot: slot_of_owner(replay, &span.owner),
        stack: query::groups(recording, span.stack),
    }
}

/// A pool, as the page reads it.
pub(crate) fn pool_answer(pool: PoolNow) -> PoolAnswer {
    let PoolNow { kind, pool, reserved_bytes, used_bytes, slot } = pool;
    PoolAnswer { kind: kind.name(), pool, reserved_bytes, used_bytes, slot }
}
