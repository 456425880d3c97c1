//! The allocator at a moment, in figures: by pool and stream, what pins half-empty segments, and why a request failed.

mod listed;

pub use listed::{DeviceState, ListedBlock, ListedSegment, listed};

use std::cmp::Reverse;

use hashbrown::HashMap;
use serde::Serialize;

use super::event_before;
use crate::ids::StackId;
use crate::model::{Action, BlockState, Device, PoolId, SegmentKind, Snapshot};
use crate::order;
use crate::replay::segments::Owner;
use crate::replay::state::{BlockNow, SegmentNow, State};
use crate::replay::{Recording, Replay, Site};

/// Segments listed as pinned, and blocks listed of each.
const MAX_PINNED: usize = 50;
const MAX_PINNING_BLOCKS: usize = 5;

/// The allocator at a moment.
#[derive(Clone, Debug, Serialize)]
#[allow(missing_docs)]
pub struct AllocatorState {
    pub moment: u32,
    pub event: u32,
    pub time_us: Option<i64>,
    /// What led to this moment.
    pub action: Option<&'static str>,
    /// There is no other: the device has no events.
    pub only_moment: bool,
    /// Sizes of blocks are the allocator's own; else they are estimated by rounding.
    pub exact: bool,
    /// Why they are not.
    pub exact_reason: Option<String>,
    pub requested_bytes: u64,
    pub allocated_bytes: u64,
    pub active_bytes: u64,
    pub reserved_bytes: u64,
    pub inactive_split_bytes: u64,
    pub total: Figures,
    pub groups: Vec<Group>,
    pub pinned: Pinned,
    /// Live allocations that lie in no segment.
    pub outside: Outside,
    pub oom: Option<Failed>,
}

/// Figures of some segments.
#[derive(Clone, Debug, Default, Serialize)]
#[allow(missing_docs)]
pub struct Figures {
    pub segments: u32,
    pub reserved_bytes: u64,
    pub allocated_bytes: u64,
    /// Dropped by the program, still used by another stream.
    pub pending_bytes: u64,
    pub free_bytes: u64,
    /// Block sizes less what was asked for.
    pub rounding_bytes: u64,
    pub largest_free_bytes: u64,
    pub free_pieces: u32,
    /// Blocks held by the program.
    pub live_blocks: u32,
    /// Blocks dropped by the program, still used by another stream.
    pub pending_blocks: u32,
    /// 1 − largest free piece ÷ all free bytes; null if nothing is free, and over several pools or streams.
    pub fragmentation: Option<f64>,
}

/// The segments of one pool and stream.
#[derive(Clone, Debug, Serialize)]
#[allow(missing_docs)]
pub struct Group {
    pub key: String,
    /// "Large pool, stream 0".
    pub label: String,
    pub kind: SegmentKind,
    pub pool: PoolId,
    pub stream: String,
    #[serde(flatten)]
    pub figures: Figures,
}

/// Segments that a few live blocks keep from going back.
#[derive(Clone, Debug, Default, Serialize)]
#[allow(missing_docs)]
pub struct Pinned {
    pub segments: u32,
    pub free_bytes: u64,
    pub live_bytes: u64,
    /// Most free bytes first.
    pub rows: Vec<PinnedSegment>,
}

/// One of them.
#[derive(Clone, Debug, Serialize)]
#[allow(missing_docs)]
pub struct PinnedSegment {
    pub segment: String,
    pub bytes: u64,
    pub free_bytes: u64,
    pub live_bytes: u64,
    pub largest_free_bytes: u64,
    pub expandable: bool,
    /// What holds it, largest first.
    pub blocks: Vec<PinningBlock>,
}

/// A live block of a pinned segment.
#[derive(Clone, Debug, Serialize)]
#[allow(missing_docs)]
pub struct PinningBlock {
    pub allocation: u32,
    pub bytes: u64,
    pub name: String,
    pub at: String,
}

/// Allocations outside of every segment.
#[derive(Clone, Copy, Debug, Default, Serialize)]
#[allow(missing_docs)]
pub struct Outside {
    pub count: u32,
    pub bytes: u64,
}

/// The request that could not be served at this moment.
#[derive(Clone, Debug, Serialize)]
#[allow(missing_docs)]
pub struct Failed {
    pub requested_bytes: u64,
    pub name: String,
    pub at: String,
    pub stack: StackId,
    /// Free in segments that the request could use: its pool and stream.
    pub free_bytes: u64,
    pub largest_free_bytes: u64,
    /// The largest free piece would have been large enough.
    pub fits: bool,
    pub limit_low_bytes: Option<u64>,
    pub limit_high_bytes: Option<u64>,
    /// What the driver said was free.
    pub device_free_bytes: u64,
}

/// The allocator at a moment.
#[inline]
pub fn state(recording: &Recording, ordinal: i64, moment: u32) -> Option<AllocatorState> {
    let (device, replay) = recording.device(ordinal)?;
    let state = State::at(replay, moment);
    Some(figures_of(recording, device, replay, &state))
}

/// Figures of any state: a simulated one, too.
#[derive(Clone, Debug, Serialize)]
#[allow(missing_docs)]
pub struct StateFigures {
    pub total: Figures,
    pub groups: Vec<Group>,
}

/// Figures of a state, and of its groups.
#[inline]
pub fn figures(snapshot: &Snapshot, state: &State) -> StateFigures {
    let groups = groups(snapshot, state);
    let mut total = sum(&state.segments.iter().collect::<Vec<_>>(), state);
    if groups.len() > 1 {
        total.fragmentation = None; // free memory of one group is of no use to another
    }
    StateFigures { total, groups }
}

#[inline]
fn figures_of(recording: &Recording, device: &Device, replay: &Replay, state: &State) -> AllocatorState {
    let snapshot = &recording.snapshot;
    let moment = state.moment;
    let StateFigures { total, groups } = figures(snapshot, state);
    let split = |segment: &&SegmentNow| !segment.expandable && segment.blocks.len() > 1;
    AllocatorState {
        moment,
        event: event_before(moment),
        time_us: replay.time_at(moment),
        action: (moment > 0)
            .then(|| device.events.actions.get(moment as usize - 1).map(|action| action.name()))
            .flatten(),
        only_moment: replay.end() == 0,
        exact: replay.sizes_are_exact(moment),
        exact_reason: super::summary::unknown_reason(replay).filter(|_| !replay.sizes_are_exact(moment)),
        requested_bytes: replay.requested_at(moment),
        allocated_bytes: total.allocated_bytes,
        active_bytes: total.allocated_bytes + total.pending_bytes,
        reserved_bytes: total.reserved_bytes,
        inactive_split_bytes: state.segments.iter().filter(split).map(SegmentNow::free_bytes).sum(),
        oom: failed(snapshot, device, replay, &groups, moment),
        total,
        groups,
        pinned: pinned(snapshot, replay, state),
        outside: Outside {
            count: state.outside.len() as u32,
            bytes: state
                .outside
                .iter()
                .fold(0, |sum, id| replay.allocations().size_bytes(*id).saturating_add(sum)),
        },
    }
}

#[inline]
fn sum(segments: &[&SegmentNow], state: &State) -> Figures {
    let mut figures = Figures { segments: segments.len() as u32, ..Figures::default() };
    for segment in segments {
        figures.reserved_bytes = figures.reserved_bytes.saturating_add(segment.size_bytes);
        figures.allocated_bytes += segment.allocated_bytes;
        figures.pending_bytes += segment.pending_bytes;
        figures.free_bytes = figures.free_bytes.saturating_add(segment.free_bytes());
        figures.rounding_bytes += segment.active_bytes().saturating_sub(segment.requested_bytes);
        figures.largest_free_bytes = figures.largest_free_bytes.max(segment.largest_free_bytes);
        for block in state.blocks_of(segment) {
            match block.state {
                BlockState::Allocated => figures.live_blocks += 1,
                BlockState::PendingFree => figures.pending_blocks += 1,
                BlockState::Inactive | BlockState::Other => figures.free_pieces += 1,
            }
        }
    }
    figures.fragmentation =
        (figures.free_bytes > 0).then(|| 1.0 - figures.largest_free_bytes as f64 / figures.free_bytes as f64);
    figures
}

/// Default pools first, large before small, then private ones; inside each by reserved bytes, as in the picture.
#[inline]
pub(super) fn groups(snapshot: &Snapshot, state: &State) -> Vec<Group> {
    let mut members: HashMap<Owner, Vec<&SegmentNow>> = HashMap::new();
    for segment in &state.segments {
        members.entry(segment.owner).or_default().push(segment);
    }
    let group = |(owner, segments): (Owner, Vec<&SegmentNow>)| {
        let Owner { kind, pool, stream } = owner;
        let stream = super::stream_text(snapshot.stream(stream));
        Group {
            key: super::group_key(kind, pool, &stream),
            label: format!("{}, stream {stream}", super::pool_label(kind, pool)),
            kind,
            pool,
            stream,
            figures: sum(&segments, state),
        }
    };
    let mut groups: Vec<Group> = members.into_iter().map(group).collect();
    order::by(&mut groups, |a, b| rank(a).cmp(&rank(b)));
    groups
}

fn rank(group: &Group) -> (bool, bool, Reverse<u64>, &str) {
    let private = group.pool != (0, 0);
    let is_small = !private && group.kind == SegmentKind::Small;
    (private, is_small, Reverse(group.figures.reserved_bytes), &group.key)
}

#[inline]
fn pinned(snapshot: &Snapshot, replay: &Replay, state: &State) -> Pinned {
    let mut held: Vec<&SegmentNow> = state.segments.iter().filter(|segment| segment.is_pinned()).collect();
    let rank = |segment: &SegmentNow| (Reverse(segment.free_bytes()), segment.address);
    order::by(&mut held, |a, b| rank(a).cmp(&rank(b)));
    Pinned {
        segments: held.len() as u32,
        free_bytes: held.iter().fold(0, |sum, segment| segment.free_bytes().saturating_add(sum)),
        live_bytes: held.iter().map(|segment| segment.active_bytes()).sum(),
        rows: held
            .iter()
            .take(MAX_PINNED)
            .map(|segment| pinned_row(snapshot, replay, state, segment))
            .collect(),
    }
}

#[inline]
fn pinned_row(snapshot: &Snapshot, replay: &Replay, state: &State, segment: &SegmentNow) -> PinnedSegment {
    let mut live: Vec<&BlockNow> =
        state.blocks_of(segment).iter().filter(|block| block.allocation.is_some()).collect();
    let rank = |block: &BlockNow| (Reverse(block.size_bytes), block.address);
    order::by(&mut live, |a, b| rank(a).cmp(&rank(b)));
    let pinning = |block: &&BlockNow| {
        let allocation = block.allocation.unwrap_or(0);
        let site = Site::of_stack(replay.allocations().stack(allocation), snapshot);
        PinningBlock { allocation, bytes: block.size_bytes, name: site.name(snapshot), at: site.at(snapshot) }
    };
    PinnedSegment {
        segment: format!("0x{:x}", segment.address),
        bytes: segment.size_bytes,
        free_bytes: segment.free_bytes(),
        live_bytes: segment.active_bytes(),
        largest_free_bytes: segment.largest_free_bytes,
        expandable: segment.expandable,
        blocks: live.iter().take(MAX_PINNING_BLOCKS).map(pinning).collect(),
    }
}

/// The OOM that led to this moment, with what its own pool and stream had free.
#[inline]
pub(super) fn failed(
    snapshot: &Snapshot,
    device: &Device,
    replay: &Replay,
    groups: &[Group],
    moment: u32,
) -> Option<Failed> {
    let event = moment.checked_sub(1)? as usize;
    let events = &device.events;
    if events.actions.get(event) != Some(&Action::Oom) {
        return None;
    }
    let size = events.sizes[event];
    let kind =
        if size <= crate::allocator::sizes::SMALL_SIZE { SegmentKind::Small } else { SegmentKind::Large };
    let pool = events.notes_of(event as u32).pool.unwrap_or((0, 0));
    let stream = super::stream_text(snapshot.stream(events.streams[event]));
    let usable =
        groups.iter().find(|group| group.kind == kind && group.pool == pool && group.stream == stream);
    let site = Site::of_stack(events.stacks[event], snapshot);
    let limit = replay.model().map(|model| model.limit);
    let largest = usable.map_or(0, |group| group.figures.largest_free_bytes);
    Some(Failed {
        requested_bytes: size,
        name: site.name(snapshot),
        at: site.at(snapshot),
        stack: events.stacks[event],
        free_bytes: usable.map_or(0, |group| group.figures.free_bytes),
        largest_free_bytes: largest,
        fits: largest >= size,
        limit_low_bytes: limit.map(|limit| limit.low_bytes),
        limit_high_bytes: limit.and_then(|limit| limit.high_bytes),
        device_free_bytes: events.addrs[event],
    })
}
