//! The root of the pickle to the finished [`Snapshot`].

mod rows;
mod top;

use std::ops::Range;

use vramscope_pickle::Value;

use super::builder::{DeviceSegment, Node, SnapshotBuilder};
use super::keys;
use super::order::{fill_unknown_times, rotate_to_time_order};
use super::record::MOST_SHARING;
use crate::ids::{StackId, StringId};
use crate::model::{Annotation, Device, DeviceKind, Events, Snapshot, Source, Stage};
use crate::order;
use crate::units;
use rows::{limit_sharing, split};
pub(super) use top::NotASnapshot;
use top::version;

/// The ordinal of pinned host memory.
const HOST: i64 = -1;

/// What the top level says of all devices.
struct About {
    has_segments: bool,
    root: Value,
    settings: Option<Value>,
}

impl SnapshotBuilder {
    /// The snapshot behind the root of a whole pickle.
    pub(super) fn finish(mut self, root: Value, source: Source) -> Result<Snapshot, NotASnapshot> {
        let top = self.top(root)?;
        let traces = top.traces.map(|value| self.device_traces(value)).unwrap_or_default();
        let settings = top.settings.and_then(|value| self.settings(value));
        self.extra_keys(&top.extra);
        let annotations = top.annotations.map(|value| self.annotations(value)).unwrap_or_default();
        let written_by_at_least = version(&self.markers, &top);
        // `None` or a number in their place is as good as nothing.
        let has_segments = matches!(top.segments, Some(Value::List(_)));
        let mut segments = top.segments.map(|value| self.segments_of(value)).unwrap_or_default();
        let mut traces: Vec<(i64, Vec<Range<u32>>)> =
            traces.into_iter().enumerate().map(|(ordinal, ranges)| (ordinal as i64, ranges)).collect();
        if let Some(value) = top.host_traces {
            let mut strays = 0;
            let ranges = self.ranges(value, &mut strays);
            self.skipped(strays);
            // Without pinned memory the list is there, and empty.
            traces.extend((!ranges.is_empty()).then_some((HOST, ranges)));
        }
        if let Some(value) = top.host_segments {
            segments.extend(self.segments_of(value));
        }
        let about = About { has_segments, root, settings: top.settings };
        let mut snapshot = self.assemble(traces, segments, &about, source);
        snapshot.settings = settings;
        snapshot.annotations.splice(0..0, annotations);
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
        let about = About { has_segments, root: Value::None, settings: None };
        let mut snapshot = self.assemble(traces, segments, &about, source);
        snapshot.partial = true;
        snapshot
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

    /// Counts keys at the top that users have added.
    fn extra_keys(&mut self, extra: &[u32]) {
        let SnapshotBuilder { strings, warnings, .. } = self;
        warnings.add("extra_keys", extra.len() as u64, || {
            let first = extra.first().copied().unwrap_or_default();
            let first: String = strings.get(StringId(first)).chars().take(40).collect();
            format!("The file has further keys at its top (first: `{first}`); they were passed over.")
        });
    }

    /// Events that are annotations (nightly builds of 2024): a frame with the stage as name and the label as file. The event stays,
    /// without effect; the frame, which is none, does not.
    fn user_defined(&mut self, traces: &[(i64, Vec<Range<u32>>)], events: &mut Events) -> Vec<Annotation> {
        let mut annotations = Vec::new();
        for row in std::mem::take(&mut self.user_defined) {
            let holds = |ranges: &[Range<u32>]| ranges.iter().any(|range| range.contains(&row));
            let device = traces.iter().find(|(_, ranges)| holds(ranges)).map_or(0, |(ordinal, _)| *ordinal);
            let Some(stack) = events.stacks.get_mut(row as usize) else { continue };
            let frame = self.stacks.frames_of(std::mem::replace(stack, StackId::EMPTY)).first();
            let Some(frame) = frame.and_then(|frame| self.stacks.frame(*frame)) else { continue };
            annotations.push(Annotation {
                name: frame.file,
                stage: if frame.name.0 == keys::END { Stage::End } else { Stage::Start },
                device,
                time_us: events.time_us(row as usize).unwrap_or(0),
            });
        }
        annotations
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
        about: &About,
        source: Source,
    ) -> Snapshot {
        let mut events = std::mem::take(&mut self.events);
        order::by_number(&mut events.notes, |(row, _)| (*row).into());
        if self.markers.time_us {
            fill_unknown_times(&mut events.times_us);
        } else {
            events.times_us = Vec::new();
        }
        let cut = limit_sharing(&mut traces, events.len());
        self.skipped(cut);
        events.says_pools = self.markers.pool_id;
        let annotations = self.user_defined(&traces, &mut events);
        let mut devices: Vec<Device> = Vec::new();
        for (ordinal, mut trace) in split(events, traces) {
            if let Some(cut) = rotate_to_time_order(&mut trace) {
                self.warnings.add("rotated_trace", 1, || {
                    let events = units::count(cut as u64, "event", "events");
                    format!("The newest {events} stood before the oldest; time order was restored.")
                });
            }
            let device = of_ordinal(&mut devices, ordinal);
            device.events = trace;
        }
        for DeviceSegment { device, segment } in segments {
            of_ordinal(&mut devices, device).segments.push(segment);
        }
        if devices.is_empty() {
            // A snapshot of nothing is one of a device that held nothing.
            of_ordinal(&mut devices, 0);
        }
        let last = devices.last().map(|device| device.ordinal);
        let is_other = self.is_another_accelerator(about.settings);
        for device in &mut devices {
            device.kind = match device.ordinal {
                HOST => DeviceKind::Host,
                // A profiler run has one device more than there are GPUs.
                ordinal if self.markers.category && last == Some(ordinal) => DeviceKind::Cpu,
                _ if is_other => DeviceKind::Other,
                _ => DeviceKind::Gpu,
            };
            device.ring = self.ring(about.root, about.settings, device.ordinal);
            device.has_segments = about.has_segments;
            order::by_number(&mut device.segments, |segment| segment.address);
        }
        Snapshot {
            source,
            strings: self.strings,
            stacks: self.stacks,
            streams: self.streams,
            devices,
            annotations,
            warnings: self.warnings,
            ..Snapshot::default()
        }
    }
}

/// The device of a number, among devices in order of their numbers; a new one if there is none.
fn of_ordinal(devices: &mut Vec<Device>, ordinal: i64) -> &mut Device {
    let at = devices.binary_search_by_key(&ordinal, |device| device.ordinal).unwrap_or_else(|at| {
        devices.insert(at, Device { ordinal, ..Device::default() });
        at
    });
    &mut devices[at]
}

/// Devices that are shown; more than any machine has.
const MAX_DEVICES: usize = 4_096;
