//! A snapshot without ids and tables, so that two files can be compared field by field.

use vramscope_core::ids::{StackId, StreamId};
use vramscope_core::model::{Annotation, Segment, Settings, Snapshot, Stage};

/// Function, file, line; innermost first.
pub type Stack = Vec<(String, String, u32)>;

/// An event.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct Event {
    pub action: String,
    pub addr: u64,
    pub size: u64,
    pub stream: u64,
    pub time_us: Option<i64>,
    pub stack: Stack,
    pub compile_context: Option<String>,
    pub user_metadata: Option<String>,
    pub pool: Option<(u64, u64)>,
}

/// A segment and its blocks: each with address, size, requested size, state and stack.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct PlainSegment {
    pub address: u64,
    pub size: u64,
    pub stream: u64,
    pub small: bool,
    pub pool: (u64, u64),
    pub expandable: bool,
    pub stack: Stack,
    pub blocks: Vec<(u64, u64, u64, String, Stack)>,
}

/// Everything that a snapshot says.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct Plain {
    pub devices: Vec<(i64, Vec<Event>, Vec<PlainSegment>)>,
    pub settings: Option<Settings>,
    pub annotations: Vec<(String, bool, i64, i64)>,
}

/// The plain form of a snapshot.
pub fn plain(snapshot: &Snapshot) -> Plain {
    Plain {
        devices: snapshot
            .devices
            .iter()
            .map(|device| {
                let events =
                    (0..device.events.len()).map(|event| plain_event(snapshot, &device.events, event));
                let segments = device.segments.iter().map(|segment| plain_segment(snapshot, segment));
                (device.ordinal, events.collect(), segments.collect())
            })
            .collect(),
        settings: snapshot.settings.clone(),
        annotations: snapshot
            .annotations
            .iter()
            .map(|annotation| plain_annotation(snapshot, annotation))
            .collect(),
    }
}

fn plain_event(snapshot: &Snapshot, events: &vramscope_core::model::Events, event: usize) -> Event {
    let notes = events.notes_of(event as u32);
    let text = |id| snapshot.strings.get(id).into_owned();
    Event {
        action: format!("{:?}", events.actions[event]),
        addr: events.addrs[event],
        size: events.sizes[event],
        stream: stream(snapshot, events.streams[event]),
        time_us: events.time_us(event),
        stack: stack(snapshot, events.stacks[event]),
        compile_context: notes.compile_context.map(text),
        user_metadata: notes.user_metadata.map(text),
        pool: notes.pool,
    }
}

fn plain_segment(snapshot: &Snapshot, segment: &Segment) -> PlainSegment {
    let blocks = segment.blocks.iter().map(|block| {
        let state = format!("{:?}", block.state);
        (block.address, block.size_bytes, block.requested_bytes, state, stack(snapshot, block.stack))
    });
    PlainSegment {
        address: segment.address,
        size: segment.size_bytes,
        stream: stream(snapshot, segment.stream),
        small: segment.kind == vramscope_core::model::SegmentKind::Small,
        pool: segment.pool,
        expandable: segment.expandable,
        stack: stack(snapshot, segment.stack),
        blocks: blocks.collect(),
    }
}

fn plain_annotation(snapshot: &Snapshot, annotation: &Annotation) -> (String, bool, i64, i64) {
    let name = snapshot.strings.get(annotation.name).into_owned();
    (name, annotation.stage == Stage::Start, annotation.device, annotation.time_us)
}

fn stream(snapshot: &Snapshot, id: StreamId) -> u64 {
    snapshot.stream(id)
}

fn stack(snapshot: &Snapshot, id: StackId) -> Stack {
    let frames = snapshot.stacks.frames_of(id).iter().filter_map(|frame| snapshot.stacks.frame(*frame));
    let text = |id| snapshot.strings.get(id).into_owned();
    frames.map(|frame| (text(frame.name), text(frame.file), frame.line)).collect()
}
