//! Counters, steps and phases as a Chrome trace, which ui.perfetto.dev opens: `{"traceEvents":[…]}` with times in microseconds.

use serde_json::{Value, json};
use vramscope_core::replay::Recording;
use vramscope_core::replay::Replay;
use vramscope_core::units::count;

use super::{PIECE_BYTES, Part, Request, Sink, parts};

/// Points of a counter, at most: where there are more moments, the least and the most of each stretch stand for it.
pub const MOST_POINTS: u32 = 50_000;

/// Rows of the trace, below each other.
const STEPS: u32 = 1;
const PHASES: u32 = 2;

/// Writes the trace; false if the sink wanted no more. No texts of the program are in it, so there is nothing to make anonymous.
pub fn trace_events(recording: &Recording, request: &Request, sink: &mut Sink<'_>) -> bool {
    let parts = parts(recording, request);
    let origin_us = parts.iter().filter_map(|part| part.replay.first_time_us()).min();
    let mut rows = Rows { text: String::from("{\"traceEvents\":[\n"), any: false, sink, stopped: false };
    for (nth, part) in parts.iter().enumerate() {
        let clock = Clock { replay: part.replay, shift_us: shift(part.replay, origin_us) };
        Track { rows: &mut rows, part, clock, process: nth as u32 + 1 }.write();
    }
    rows.finish(&about(&parts, origin_us))
}

fn shift(replay: &Replay, origin_us: Option<i64>) -> i64 {
    replay.first_time_us().zip(origin_us).map_or(0, |(first, origin)| first.saturating_sub(origin))
}

/// What a reader must know beside the events.
fn about(parts: &[Part<'_>], origin_us: Option<i64>) -> Value {
    let clock = match origin_us {
        Some(_) => "microseconds since the first event of the recording",
        None => "the recording has no times: one event takes one microsecond",
    };
    let thinned = parts.iter().any(|part| part.events.len() as u32 + 1 > MOST_POINTS);
    let points = match thinned {
        true => format!(
            "at most {} for each counter: the least and the most of each stretch",
            count(MOST_POINTS.into(), "point", "points")
        ),
        false => "every change".into(),
    };
    json!({ "writer": "vramscope", "clock": clock, "points": points, "first_event_time_us": origin_us })
}

/// When moments and events are.
struct Clock<'a> {
    replay: &'a Replay,
    shift_us: i64,
}

impl Clock<'_> {
    /// When a moment begins: with the event before it.
    fn at(&self, moment: u32) -> i64 {
        self.replay.time_at(moment).map_or(i64::from(moment), |us| us.saturating_add(self.shift_us))
    }
}

/// Events on their way out.
struct Rows<'a, 's> {
    text: String,
    any: bool,
    sink: &'a mut Sink<'s>,
    stopped: bool,
}

impl Rows<'_, '_> {
    fn push(&mut self, row: std::fmt::Arguments<'_>) {
        use std::fmt::Write;
        if self.any {
            self.text.push_str(",\n");
        }
        self.any = true;
        let _ = self.text.write_fmt(row);
        if self.text.len() >= PIECE_BYTES {
            self.flush();
        }
    }

    fn flush(&mut self) {
        self.stopped = self.stopped || !(self.sink)(self.text.as_bytes());
        self.text.clear();
    }

    fn finish(mut self, about: &Value) -> bool {
        self.text += &format!("\n],\"displayTimeUnit\":\"ms\",\"otherData\":{about}}}\n");
        self.flush();
        !self.stopped
    }
}

/// One device.
struct Track<'a, 'r, 'k, 's> {
    rows: &'a mut Rows<'k, 's>,
    part: &'a Part<'r>,
    clock: Clock<'r>,
    process: u32,
}

impl Track<'_, '_, '_, '_> {
    fn write(&mut self) {
        let process = self.process;
        let label = self.part.device.label();
        self.named("process_name", 0, &label);
        let replay = self.part.replay;
        self.counter("requested", |moment| Some(replay.requested_at(moment)));
        self.counter("allocated", |moment| replay.allocated_at(moment));
        self.counter("reserved", |moment| Some(replay.reserved_at(moment)));
        self.slices();
        let events = self.part.events.clone();
        for &event in replay.ooms().iter().filter(|event| events.contains(event)) {
            let at = self.clock.at(event + 1);
            let device = &self.part.device.events;
            let (wanted, free) = (device.sizes[event as usize], device.addrs[event as usize]);
            self.rows.push(format_args!(
                "{{\"ph\":\"i\",\"s\":\"p\",\"name\":\"out of memory\",\"pid\":{process},\"tid\":0,\"ts\":{at},\"args\":{{\"event\":{event},\"requested_bytes\":{wanted},\"device_free_bytes\":{free}}}}}"
            ));
        }
    }

    /// A name of a process (`thread` 0) or of a row.
    fn named(&mut self, what: &str, thread: u32, name: &str) {
        let process = self.process;
        self.rows.push(format_args!(
            "{{\"ph\":\"M\",\"name\":\"{what}\",\"pid\":{process},\"tid\":{thread},\"args\":{{\"name\":\"{name}\"}}}}"
        ));
    }

    /// The values of a series, where they change; nothing if it is not known.
    fn counter(&mut self, name: &str, value: impl Fn(u32) -> Option<u64>) {
        let (first, end) = (self.part.events.start, self.part.events.end + 1);
        // Two points for each stretch.
        let stretch = (end - first).div_ceil(MOST_POINTS / 2).max(1);
        let stretch = if end - first <= MOST_POINTS { 1 } else { stretch };
        let mut last = None;
        let mut from = first;
        while from < end {
            let to = from.saturating_add(stretch).min(end);
            let Some(((low, low_at), (high, high_at))) = extremes(from..to, &value) else { return };
            let mut points = [(low_at, low), (high_at, high)];
            if low_at > high_at {
                points.swap(0, 1);
            }
            for (moment, bytes) in points.into_iter().skip(usize::from(low_at == high_at)) {
                // The last one says how far it goes.
                if last != Some(bytes) || to == end {
                    let (process, at) = (self.process, self.clock.at(moment));
                    self.rows.push(format_args!(
                        "{{\"ph\":\"C\",\"name\":\"{name}\",\"pid\":{process},\"ts\":{at},\"args\":{{\"bytes\":{bytes}}}}}"
                    ));
                    last = Some(bytes);
                }
            }
            if self.rows.stopped {
                return;
            }
            from = to;
        }
    }

    /// Steps and phases that the diagnosis found.
    fn slices(&mut self) {
        let Some(labels) = self.part.replay.labels() else { return };
        if !labels.steps.is_empty() {
            self.named("thread_name", STEPS, "Steps");
        }
        for (nth, step) in labels.steps.iter().enumerate() {
            self.slice(STEPS, &format!("step {nth}"), step.first_event, step.last_event);
        }
        if !labels.phases.is_empty() {
            self.named("thread_name", PHASES, "Phases");
        }
        for span in &labels.phases {
            self.slice(PHASES, span.phase.name(), span.first_event, span.last_event);
        }
    }

    fn slice(&mut self, row: u32, name: &str, first_event: u32, last_event: u32) {
        let events = &self.part.events;
        let (first, last) = (first_event.max(events.start), last_event.min(events.end.saturating_sub(1)));
        if first > last || events.is_empty() {
            return;
        }
        let (from, to) = (self.clock.at(first + 1), self.clock.at(last + 1));
        let process = self.process;
        self.rows.push(format_args!(
            "{{\"ph\":\"X\",\"name\":\"{name}\",\"pid\":{process},\"tid\":{row},\"ts\":{from},\"dur\":{},\"args\":{{\"first_event\":{first},\"last_event\":{last}}}}}",
            to.saturating_sub(from).max(0)
        ));
    }
}

/// Bytes, and a moment.
type Point = (u64, u32);

/// The least and the most, each with the moment at which it stands first.
fn extremes(moments: std::ops::Range<u32>, value: impl Fn(u32) -> Option<u64>) -> Option<(Point, Point)> {
    let first = (value(moments.start)?, moments.start);
    let (mut low, mut high) = (first, first);
    for moment in moments.skip(1) {
        let bytes = value(moment)?;
        if bytes < low.0 {
            low = (bytes, moment);
        }
        if bytes > high.0 {
            high = (bytes, moment);
        }
    }
    Some((low, high))
}
