//! The root of the pickle to the finished [`Snapshot`].

use std::collections::BTreeMap;
use std::ops::Range;

use vramscope_pickle::Value;

use super::builder::{DeviceSegment, Markers, Node, SnapshotBuilder};
use super::keys;
use super::order::{fill_unknown_times, rotate_to_time_order};
use super::record::MOST_SHARING;
use crate::model::{Device, Events, Snapshot, Source};
use crate::units;

/// What the top level holds.
pub(super) struct Top {
    segments: Option<Value>,
    traces: Option<Value>,
    settings: Option<Value>,
    annotations: Option<Value>,
    is_dict: bool,
}

/// The top level is no snapshot: what it is instead, in a few words.
pub(super) struct NotASnapshot {
    pub(super) found: String,
    /// A kind of file that is known, if it is one.
    pub(super) kind: Option<&'static str>,
}

const MEMORY_TIMELINE: &str =
    "a memory timeline of torch.profiler (export_memory_timeline), which has no allocations";

impl SnapshotBuilder {
    /// The snapshot behind the root of a whole pickle.
    pub(super) fn finish(mut self, root: Value, source: Source) -> Result<Snapshot, NotASnapshot> {
        let top = self.top(root)?;
        let traces = top.traces.map(|value| self.device_traces(value)).unwrap_or_default();
        let settings = top.settings.and_then(|value| self.settings(value));
        let annotations = top.annotations.map(|value| self.annotations(value)).unwrap_or_default();
        let written_by_at_least = version(&self.markers, &top);
        // `None` or a number in their place is as good as nothing.
        let has_segments = matches!(top.segments, Some(Value::List(_)));
        let segments = top.segments.map(|value| self.segments_of(value)).unwrap_or_default();
        let traces =
            traces.into_iter().enumerate().map(|(ordinal, ranges)| (ordinal as i64, ranges)).collect();
        let mut snapshot = self.assemble(traces, segments, has_segments, source);
        snapshot.settings = settings;
        snapshot.annotations = annotations;
        snapshot.written_by_at_least = written_by_at_least;
        Ok(snapshot)
    }

    /// What was read without a fault from a file that is cut or damaged. Lists of events count as devices in their order.
    pub(super) fn finish_readable(mut self, source: Source) -> Snapshot {
        let mut traces = std::mem::take(&mut self.traces);
        let read = self.events.len() as u32;
        let listed = traces.iter().flatten().map(|range| range.end).max().unwrap_or(0);
        if listed < read {
            // The last batch had not been put into its list yet.
            match traces.last_mut().and_then(|ranges| ranges.last_mut()) {
                Some(last) => last.end = read,
                None => traces.push(std::iter::once(listed..read).collect()),
            }
        }
        let segments = std::mem::take(&mut self.segments);
        let only_device = segments
            .first()
            .map(|first| first.device)
            .filter(|device| traces.len() == 1 && segments.iter().all(|segment| segment.device == *device));
        let traces = traces.into_iter().enumerate();
        let traces = traces.map(|(nth, ranges)| (only_device.unwrap_or(nth as i64), ranges)).collect();
        let has_segments = !segments.is_empty();
        let mut snapshot = self.assemble(traces, segments, has_segments, source);
        snapshot.partial = true;
        snapshot
    }

    pub(super) fn top(&self, root: Value) -> Result<Top, NotASnapshot> {
        let mut top = Top { segments: None, traces: None, settings: None, annotations: None, is_dict: false };
        match root {
            Value::Dict(_) => {
                top.is_dict = true;
                for pair in self.generic(root).chunks_exact(2) {
                    match *pair {
                        [Value::Text(keys::SEGMENTS), value] => top.segments = Some(value),
                        [Value::Text(keys::DEVICE_TRACES), value] => top.traces = Some(value),
                        [Value::Text(keys::ALLOCATOR_SETTINGS), value] => top.settings = Some(value),
                        [Value::Text(keys::EXTERNAL_ANNOTATIONS), value] => top.annotations = Some(value),
                        _ => {}
                    }
                }
                if top.segments.is_none() && top.traces.is_none() {
                    return Err(NotASnapshot { found: self.describe_dict(root), kind: None });
                }
                Ok(top)
            }
            Value::List(list) => {
                let is_segments = match self.node(list) {
                    Node::Empty => true,
                    _ => self.generic(root).iter().any(|item| self.is_segment(*item)),
                };
                if !is_segments {
                    return Err(NotASnapshot {
                        found: "a list of something else".into(),
                        kind: self.is_memory_timeline(root).then_some(MEMORY_TIMELINE),
                    });
                }
                top.segments = Some(root);
                Ok(top)
            }
            other => Err(NotASnapshot { found: other.kind().into(), kind: None }),
        }
    }

    /// True for both forms of torch.profiler's `export_memory_timeline`: a list of times and one of sizes, or a list of
    /// (time, action, bytes, category).
    fn is_memory_timeline(&self, root: Value) -> bool {
        let is_number = |value: Option<&Value>| matches!(value, Some(Value::Int(_) | Value::Float(_)));
        match self.generic(root) {
            [times, sizes] if is_number(self.generic(*times).first()) => !self.generic(*sizes).is_empty(),
            [first, ..] => {
                matches!(self.generic(*first), row @ [_, _, _, _] if is_number(row.first()) && is_number(row.get(2)))
            }
            [] => false,
        }
    }

    fn is_segment(&self, item: Value) -> bool {
        matches!(self.node_of(item), Node::Segment(_))
    }

    /// "a dict with the keys epoch, model": the first few keys of something that is no snapshot.
    fn describe_dict(&self, root: Value) -> String {
        let keys: Vec<String> = self
            .generic(root)
            .chunks_exact(2)
            .filter_map(|pair| match pair {
                [Value::Text(key), _] => {
                    Some(self.strings.get(crate::ids::StringId(*key)).chars().take(40).collect())
                }
                _ => None,
            })
            .take(6)
            .collect();
        match keys.is_empty() {
            true => "a dict without text keys".into(),
            false => format!("a dict with the keys {}", keys.join(", ")),
        }
    }

    /// One list of row ranges for each device; devices without events have an empty one. A flat list of events is one device.
    fn device_traces(&mut self, value: Value) -> Vec<Vec<Range<u32>>> {
        let mut strays = 0;
        let mut traces = Vec::new();
        match value {
            Value::List(list) if matches!(self.node(list), Node::Trace(_)) => {
                traces.push(self.ranges(value, &mut strays))
            }
            Value::List(_) | Value::Tuple(_) => {
                let items = self.generic(value);
                strays += items.len().saturating_sub(MAX_DEVICES);
                traces.extend(items.iter().take(MAX_DEVICES).map(|item| self.ranges(*item, &mut strays)));
            }
            _ => strays += 1,
        }
        self.skipped(strays);
        traces
    }

    /// The rows of a list of events.
    fn ranges(&self, value: Value, strays: &mut usize) -> Vec<Range<u32>> {
        match value {
            Value::List(list) => match self.node(list) {
                Node::Trace(at) => return self.traces.get(at as usize).cloned().unwrap_or_default(),
                _ => *strays += self.generic(value).len(),
            },
            _ => *strays += 1,
        }
        Vec::new()
    }

    fn segments_of(&mut self, value: Value) -> Vec<DeviceSegment> {
        if !matches!(value, Value::List(_)) {
            self.skipped(1);
        }
        let items = self.generic(value);
        let rows: Vec<u32> = items
            .iter()
            .filter_map(|item| match self.node_of(*item) {
                Node::Segment(row) => Some(row),
                _ => None,
            })
            .collect();
        let strays = items.len() - rows.len();
        self.skipped(strays);
        if rows.len() == self.segments.len() && rows.iter().enumerate().all(|(i, &row)| i as u32 == row) {
            return std::mem::take(&mut self.segments);
        }
        // Segments that are listed several times share their rows: kept in proportion, like blocks.
        let mut taken = 0;
        let mut segments = Vec::new();
        for segment in rows.iter().filter_map(|&row| self.segments.get(row as usize)) {
            taken += segment.segment.blocks.len() + 1;
            if taken > MOST_SHARING * (self.blocks.len() + self.segments.len()) {
                break;
            }
            segments.push(segment.clone());
        }
        let cut = rows.len() - segments.len();
        self.skipped(cut);
        segments
    }

    fn assemble(
        mut self,
        mut traces: Vec<(i64, Vec<Range<u32>>)>,
        segments: Vec<DeviceSegment>,
        has_segments: bool,
        source: Source,
    ) -> Snapshot {
        let mut events = std::mem::take(&mut self.events);
        events.notes.sort_by_key(|(row, _)| *row);
        if self.markers.time_us {
            fill_unknown_times(&mut events.times_us);
        } else {
            events.times_us = Vec::new();
        }
        let cut = limit_sharing(&mut traces, events.len());
        self.skipped(cut);
        let mut devices: BTreeMap<i64, Device> = BTreeMap::new();
        for (ordinal, mut trace) in split(events, traces) {
            if let Some(cut) = rotate_to_time_order(&mut trace) {
                self.warnings.add("rotated_trace", 1, || {
                    let events = units::count(cut as u64, "event", "events");
                    format!("The newest {events} stood before the oldest; time order was restored.")
                });
            }
            let device = devices.entry(ordinal).or_default();
            device.events = trace;
        }
        for DeviceSegment { device, segment } in segments {
            devices.entry(device).or_default().segments.push(segment);
        }
        if devices.is_empty() {
            // A snapshot of nothing is one of a device that held nothing.
            devices.entry(0).or_default();
        }
        for (ordinal, device) in &mut devices {
            device.ordinal = *ordinal;
            device.has_segments = has_segments;
            device.segments.sort_by_key(|segment| segment.address);
        }
        Snapshot {
            source,
            strings: self.strings,
            stacks: self.stacks,
            streams: self.streams,
            devices: devices.into_values().collect(),
            warnings: self.warnings,
            ..Snapshot::default()
        }
    }
}

/// Devices that are shown; more than any machine has.
const MAX_DEVICES: usize = 4_096;

/// Cuts off lists that use rows again and again, so that memory stays in proportion to the file. Returns how many rows.
fn limit_sharing(traces: &mut [(i64, Vec<Range<u32>>)], n_events: usize) -> usize {
    let (mut taken, mut cut) = (0, 0);
    for (_, ranges) in traces {
        let rows: usize = ranges.iter().map(|range| range.len()).sum();
        if taken + rows > MOST_SHARING * n_events {
            ranges.clear();
            cut += rows;
        } else {
            taken += rows;
        }
    }
    cut
}

/// The rows of each device. Lists that follow each other, as in every known file, are cut apart without copying rows one by one.
fn split(mut events: Events, traces: Vec<(i64, Vec<Range<u32>>)>) -> Vec<(i64, Events)> {
    let mut end = 0;
    let in_order = traces.iter().flat_map(|(_, ranges)| ranges).all(|range| {
        let follows = range.start >= end;
        end = range.end;
        follows
    });
    let mut out = Vec::with_capacity(traces.len());
    for (ordinal, ranges) in traces.into_iter().rev() {
        let trace = match ranges.as_slice() {
            [] => Events::default(),
            [range] if in_order && range.end as usize == events.len() => {
                split_off(&mut events, range.start as usize)
            }
            _ => gather(&events, &ranges),
        };
        out.push((ordinal, trace));
    }
    out.reverse();
    out
}

fn split_off(events: &mut Events, at: usize) -> Events {
    if at == 0 {
        return std::mem::take(events);
    }
    let first_note = events.notes.partition_point(|(row, _)| (*row as usize) < at);
    let mut notes = events.notes.split_off(first_note);
    for (row, _) in &mut notes {
        *row -= at as u32;
    }
    Events {
        actions: events.actions.split_off(at),
        addrs: events.addrs.split_off(at),
        sizes: events.sizes.split_off(at),
        streams: events.streams.split_off(at),
        times_us: if events.times_us.is_empty() { Vec::new() } else { events.times_us.split_off(at) },
        stacks: events.stacks.split_off(at),
        notes,
    }
}

/// Copies ranges of rows: for lists that share or interleave rows, which no known writer makes.
fn gather(events: &Events, ranges: &[Range<u32>]) -> Events {
    fn pick<T: Copy>(column: &[T], ranges: &[Range<u32>]) -> Vec<T> {
        ranges
            .iter()
            .filter_map(|r| column.get(r.start as usize..r.end as usize))
            .flatten()
            .copied()
            .collect()
    }
    let mut notes = Vec::new();
    let mut before = 0;
    for range in ranges {
        let inside = events.notes.iter().filter(|(row, _)| range.contains(row));
        notes.extend(inside.map(|(row, note)| (row - range.start + before, *note)));
        before += range.end - range.start;
    }
    Events {
        actions: pick(&events.actions, ranges),
        addrs: pick(&events.addrs, ranges),
        sizes: pick(&events.sizes, ranges),
        streams: pick(&events.streams, ranges),
        times_us: pick(&events.times_us, ranges),
        stacks: pick(&events.stacks, ranges),
        notes,
    }
}

/// The release that first wrote the newest marker seen. Valid for CUDA and ROCm builds; others lack many markers.
fn version(markers: &Markers, top: &Top) -> Option<&'static str> {
    let table = [
        (markers.pool_id, "2.12"),
        (markers.forward_frames, "2.11"),
        (markers.user_metadata, "2.10"),
        (markers.compile_context, "2.8"),
        (top.annotations.is_some(), "2.5"),
        (top.settings.is_some(), "2.3"),
        (markers.time_us, "2.2"),
        (markers.block_address, "2.1"),
        (top.is_dict, "2.0"),
    ];
    table.iter().find(|(seen, _)| *seen).map(|(_, version)| *version)
}
