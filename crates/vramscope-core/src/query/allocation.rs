//! Everything about one allocation.

use serde::Serialize;

use super::event_before;
use super::stack::{Group, groups};
use crate::ids::{StackId, StringId};
use crate::model::{Action, Device, EventNotes, Segment};
use crate::replay::stacking::{Stacking, run_of};
use crate::replay::{Labels, Recording, Replay};

/// One allocation.
#[derive(Clone, Debug, Serialize)]
#[allow(missing_docs)]
pub struct Allocation {
    pub id: u32,
    pub requested_bytes: u64,
    pub address: String,
    /// "0" for the default stream, else its handle.
    pub stream: String,
    /// Bytes that its block takes in its segment.
    pub block_bytes: u64,
    /// Those that nobody asked for: lost by rounding, or not worth cutting off.
    pub rounding_bytes: u64,
    /// The size of the block is the allocator's own; else it is estimated by rounding.
    pub block_is_exact: bool,
    /// "small" or "large": the pool that served it.
    pub pool: Option<&'static str>,
    /// The private pool, if it lies in one.
    pub private_pool: Option<(u64, u64)>,
    pub alloc_event: Option<u32>,
    pub free_requested_event: Option<u32>,
    pub free_event: Option<u32>,
    pub start_moment: u32,
    /// First moment at which it is gone; the number of moments if it is never freed.
    pub end_moment: u32,
    pub lifetime_us: Option<i64>,
    pub lifetime_events: u32,
    pub before_recording: bool,
    pub alive_at_end: bool,
    pub slot: u8,
    pub stack_id: StackId,
    pub stack: Vec<Group>,
    /// The stack is that of the free: the allocation was not recorded.
    pub stack_of_free: bool,
    /// Why there is no stack.
    pub no_stack: Option<&'static str>,
    /// Bytes below it in the pile at the moment asked for.
    pub offset_bytes: Option<u64>,
    pub compile_context: Option<String>,
    pub user_metadata: Option<String>,
    /// Stack of the forward operator whose gradient was being computed.
    pub forward_stack: Option<Vec<Group>>,
    /// Texts that user code put on it while it lived.
    pub annotations: Vec<String>,
    /// What the profiler took it for, in files of `profile_plot`.
    pub category: Option<String>,
    /// A note of the allocator itself.
    pub internal_metadata: Option<String>,
    /// What a diagnosis takes it for; null before there is one.
    pub category_of: Option<CategoryOf>,
    /// The phase that made it; null before there is a diagnosis, and outside of all phases.
    pub phase: Option<PhaseOf>,
}

/// What an allocation holds, and why that is believed.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[allow(missing_docs)]
pub struct CategoryOf {
    pub category: &'static str,
    /// The user's own name for it.
    pub own_name: Option<String>,
    /// 0 to 1.
    pub confidence: f64,
    pub why: String,
}

/// A phase of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[allow(missing_docs)]
pub struct PhaseOf {
    pub phase: &'static str,
    /// From 0.
    pub step: Option<u32>,
}

/// Everything about one allocation; `at` is the moment for its place in the pile.
#[inline]
pub fn allocation(
    recording: &Recording,
    ordinal: i64,
    id: u32,
    at: Option<u32>,
    stacking: Stacking,
) -> Option<Allocation> {
    let (_, replay) = recording.device(ordinal)?;
    let run = at.and_then(|at| run_of(replay, at, stacking, id));
    allocation_in(recording, ordinal, id, run.map(|run| run.from_bytes))
}

/// Everything about one allocation, of which so many bytes are known to lie below it.
pub(super) fn allocation_in(
    recording: &Recording,
    ordinal: i64,
    id: u32,
    offset_bytes: Option<u64>,
) -> Option<Allocation> {
    let (device, replay) = recording.device(ordinal)?;
    let rows = replay.allocations();
    if id >= rows.len() {
        return None;
    }
    let snapshot = &recording.snapshot;
    let (start, end) = (rows.start(id), rows.end(id));
    let before_recording = rows.before_recording(id);
    let alive_at_end = end > replay.end();
    let end_moment = end.min(replay.n_moments());
    let stack_id = rows.stack(id);
    let segment = segment_around(device, rows.address(id));
    let notes = device.events.notes_of(event_before(start));
    let text = |note: Option<StringId>| {
        note.filter(|_| !before_recording).map(|id| snapshot.strings.get(id).into_owned())
    };
    Some(Allocation {
        id,
        requested_bytes: rows.size_bytes(id),
        address: format!("0x{:x}", rows.address(id)),
        stream: super::stream_text(snapshot.stream(rows.stream(id))),
        block_bytes: replay.block_bytes(id),
        rounding_bytes: replay.block_bytes(id).saturating_sub(rows.size_bytes(id)),
        block_is_exact: replay.sizes_are_exact(start),
        pool: Some(replay.segments().pool_of(id).0.name()),
        private_pool: Some(replay.segments().pool_of(id).1).filter(|pool| *pool != (0, 0)),
        alloc_event: (!before_recording).then(|| event_before(start)),
        free_requested_event: event_of_moment(rows.release(id), replay),
        free_event: (!alive_at_end).then(|| event_before(end)),
        start_moment: start,
        end_moment,
        lifetime_us: lifetime(replay, start, end_moment),
        lifetime_events: end_moment.saturating_sub(start),
        before_recording,
        alive_at_end,
        slot: replay.slot_of(id),
        stack_id,
        stack: groups(recording, stack_id),
        stack_of_free: replay.stack_is_of_free(id),
        no_stack: (stack_id == StackId::EMPTY).then(|| why_no_stack(recording, device, before_recording)),
        offset_bytes,
        compile_context: text(notes.compile_context),
        user_metadata: text(notes.user_metadata),
        forward_stack: forward_stack(segment, rows.address(id), before_recording, notes)
            .map(|stack| groups(recording, stack)),
        annotations: annotations(recording, device, rows.address(id), start, end_moment),
        category: text(notes.category),
        internal_metadata: text(notes.internal_metadata),
        category_of: replay.labels().and_then(|labels| category_of(labels, id)),
        phase: replay
            .labels()
            .filter(|_| !before_recording)
            .and_then(|labels| phase_of(labels, event_before(start))),
    })
}

#[inline]
fn category_of(labels: &Labels, id: u32) -> Option<CategoryOf> {
    let rule = labels.rule(id)?;
    Some(CategoryOf {
        category: rule.category.name(),
        own_name: rule.own_name.clone(),
        confidence: f64::from(rule.confidence_percent) / 100.0,
        why: rule.why.clone(),
    })
}

#[inline]
fn phase_of(labels: &Labels, event: u32) -> Option<PhaseOf> {
    labels.phase_at(event).map(|span| PhaseOf { phase: span.phase.name(), step: span.step })
}

/// The event says it, or, of what was there before recording, the block.
#[inline]
fn forward_stack(
    segment: Option<&Segment>,
    address: u64,
    before_recording: bool,
    notes: EventNotes,
) -> Option<StackId> {
    if !before_recording {
        return notes.forward_stack;
    }
    let blocks = &segment?.blocks;
    let at = blocks.binary_search_by_key(&address, |block| block.address).ok()?;
    blocks.get(at)?.forward_stack
}

/// Texts of the `annotate` events at an address between two moments.
#[inline]
fn annotations(recording: &Recording, device: &Device, address: u64, start: u32, end: u32) -> Vec<String> {
    let events = &device.events;
    let from = events.notes.partition_point(|(event, _)| *event < start);
    let lived = events.notes.get(from..).unwrap_or_default().iter().take_while(|(event, _)| *event < end);
    lived
        .filter(|(event, _)| {
            let at = *event as usize;
            events.actions.get(at) == Some(&Action::Annotate) && events.addrs.get(at) == Some(&address)
        })
        .filter_map(|(_, notes)| notes.user_metadata)
        .map(|id| recording.snapshot.strings.get(id).into_owned())
        .collect()
}

fn event_of_moment(moment: u32, replay: &Replay) -> Option<u32> {
    (moment <= replay.end() && moment > 0).then(|| moment - 1)
}

fn lifetime(replay: &Replay, start: u32, end_moment: u32) -> Option<i64> {
    Some(replay.time_at(end_moment.min(replay.end()))? - replay.time_at(start)?)
}

/// The final segment that holds an address. Segments that are gone by then are not known.
#[inline]
fn segment_around(device: &Device, address: u64) -> Option<&Segment> {
    let after = device.segments.partition_point(|segment| segment.address <= address);
    let segment = device.segments.get(after.checked_sub(1)?)?;
    (address - segment.address < segment.size_bytes).then_some(segment)
}

#[inline]
fn why_no_stack(recording: &Recording, device: &Device, before_recording: bool) -> &'static str {
    let any_stack = recording.snapshot.stacks.n_stacks() > 1;
    if before_recording {
        "It was there before recording began, so its stack was not recorded."
    } else if !any_stack {
        "The file has no stacks: it was recorded with stacks switched off. Record with context='all' and stacks='all'."
    } else if device.events.stacks.iter().all(|stack| *stack == StackId::EMPTY) {
        "Events have no stacks in this file, only blocks: it was recorded with context='state'. Record with context='all'."
    } else {
        "None was recorded. With Python stacks only, allocations of the backward thread have none; record with stacks='all'."
    }
}
