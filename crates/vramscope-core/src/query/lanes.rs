//! What stands in lanes below the timeline: steps and phases, ranges that the program named, and calls of the driver.

use serde::Serialize;

use super::periods::{self, Period, Shown};
use crate::ids::StringId;
use crate::model::{Action, Annotation, Device, Stage};
use crate::order;
use crate::replay::{Axis, Labels, Recording, Replay};

/// Lanes of a stretch of an axis.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[allow(missing_docs)]
pub struct Lanes {
    /// By lane, and in it from left to right.
    pub ranges: Vec<Range>,
    /// Lanes in use over the whole recording.
    pub lanes: u32,
    /// From left to right.
    pub driver: Vec<Calls>,
    /// Training steps, from left to right.
    pub steps: Vec<Period>,
    /// From left to right.
    pub phases: Vec<Period>,
}

/// A range of `record_function`, or several too thin to part.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[allow(missing_docs)]
pub struct Range {
    /// Nested ranges lie in lanes below, from 0 on.
    pub lane: u32,
    /// Of the first, if there are several.
    pub name: String,
    /// In units of the axis; may lie outside of what was asked for.
    pub x0: f64,
    pub x1: f64,
    /// Ranges that it stands for.
    pub count: u32,
    /// Its start was not recorded.
    pub open_start: bool,
    /// Its end was not recorded.
    pub open_end: bool,
}

/// Calls of the driver in one column of pixels.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[allow(missing_docs)]
pub struct Calls {
    /// Borders of the column, in units of the axis.
    pub x0: f64,
    pub x1: f64,
    pub alloc: u32,
    pub free: u32,
    pub map: u32,
    pub unmap: u32,
    pub gained_bytes: u64,
    pub lost_bytes: u64,
}

/// Lanes shown; what is nested deeper counts into the last.
const MAX_LANES: u32 = 8;
/// A start is looked for among so many open ranges: no program nests deeper, and a damaged file must not take forever.
const MAX_DEPTH: usize = 256;
const MAX_WIDTH: u32 = 16_384;

/// Lanes over `x0..x1`, or over the whole recording, for a picture `width` pixels wide.
#[inline]
pub fn lanes(
    recording: &Recording,
    ordinal: i64,
    axis: Axis,
    (x0, x1): (Option<f64>, Option<f64>),
    width: u32,
) -> Option<Lanes> {
    let (device, replay) = recording.device(ordinal)?;
    let whole = replay.extent(axis);
    let from = x0.filter(|x| x.is_finite()).unwrap_or(0.0).clamp(0.0, whole);
    let to = x1.filter(|x| x.is_finite()).unwrap_or(whole).clamp(from, whole);
    let width = width.clamp(1, MAX_WIDTH);
    let px = ((to - from) / f64::from(width)).max(f64::MIN_POSITIVE);
    let paired = in_lanes(paired(&recording.snapshot.annotations, ordinal));
    let lanes = paired.iter().map(|range| range.lane + 1).max().unwrap_or(0);
    let placed = paired.iter().filter_map(|range| placed(replay, axis, range));
    let shown = placed.filter(|(_, x0, x1)| *x1 >= from && *x0 <= to);
    let ranges = merged(shown.collect(), px).into_iter().map(|(name, range)| {
        let name = recording.snapshot.strings.get(name).into_owned();
        Range { name, ..range }
    });
    let shown = Shown { axis, from, to, px };
    let of_labels = |periods: fn(&Replay, &Labels, Shown) -> Vec<Period>| {
        replay.labels().map(|labels| periods(replay, labels, shown)).unwrap_or_default()
    };
    Some(Lanes {
        ranges: ranges.collect(),
        lanes,
        driver: driver(device, replay, axis, (from, to), width),
        steps: of_labels(periods::steps),
        phases: of_labels(periods::phases),
    })
}

/// A range in microseconds since the epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Paired {
    name: StringId,
    start_us: Option<i64>,
    end_us: Option<i64>,
    lane: u32,
}

/// Pairs starts and ends of a device as a stack. The file names no thread and may have lost either end.
#[inline]
fn paired(annotations: &[Annotation], ordinal: i64) -> Vec<Paired> {
    let mut ends: Vec<&Annotation> = annotations.iter().filter(|end| end.device == ordinal).collect();
    order::by(&mut ends, |a, b| a.time_us.cmp(&b.time_us));
    let (mut ranges, mut open): (Vec<Paired>, Vec<usize>) = (Vec::new(), Vec::new());
    for end in ends {
        let (name, time) = (end.name, Some(end.time_us));
        let found = open.iter().rev().take(MAX_DEPTH).position(|&at| ranges[at].name == name);
        match (end.stage, found) {
            (Stage::Start, _) => {
                open.push(ranges.len());
                ranges.push(Paired { name, start_us: time, end_us: None, lane: 0 });
            }
            (Stage::End, Some(above)) => {
                // What began later and goes on is of another thread: rings lose starts, hardly ever an end.
                let at = open.remove(open.len() - 1 - above);
                ranges[at].end_us = time;
            }
            (Stage::End, None) => {
                ranges.push(Paired { name, start_us: None, end_us: time, lane: 0 });
            }
        }
    }
    ranges
}

/// Puts each range into the lane below those that it lies in; the result is in order of start.
#[inline]
fn in_lanes(mut ranges: Vec<Paired>) -> Vec<Paired> {
    let start = |range: &Paired| range.start_us.unwrap_or(i64::MIN);
    let end = |range: &Paired| range.end_us.unwrap_or(i64::MAX);
    order::by(&mut ranges, |a, b| start(a).cmp(&start(b)).then(end(b).cmp(&end(a))));
    let mut active: Vec<(i64, u32)> = Vec::new();
    for range in &mut ranges {
        active.retain(|(end, _)| *end > start(range));
        let below = active.iter().map(|(_, lane)| lane + 1).max().unwrap_or(0);
        range.lane = below.min(MAX_LANES - 1);
        if below < MAX_LANES {
            active.push((end(range), below));
        }
    }
    ranges
}

/// Where a range lies on an axis; `None` without times, or before or after everything recorded.
fn placed(replay: &Replay, axis: Axis, range: &Paired) -> Option<(Paired, f64, f64)> {
    let (zero, duration) = (replay.first_time_us()?, replay.duration_us()?);
    let since = |us: i64| us.saturating_sub(zero);
    let outside =
        range.end_us.is_some_and(|us| since(us) < 0) || range.start_us.is_some_and(|us| since(us) > duration);
    let at = |us: i64| match axis {
        Axis::Time => (since(us) as f64).clamp(0.0, replay.extent(axis)),
        // The first event inside leads to the moment after the one in force at the start: there the range begins.
        Axis::Event => (f64::from(replay.moment_at_time(since(us))) + 1.0).min(replay.extent(axis)),
    };
    let (x0, x1) = (range.start_us.map_or(0.0, at), range.end_us.map_or(replay.extent(axis), at));
    (!outside).then_some((*range, x0, x1))
}

/// Merges neighbours in a lane that are thinner than a pixel, and in the last lane what is nested deeper.
#[inline]
fn merged(placed: Vec<(Paired, f64, f64)>, px: f64) -> Vec<(StringId, Range)> {
    let mut lanes: Vec<Vec<(StringId, Range)>> = vec![Vec::new(); MAX_LANES as usize];
    for (range, x0, x1) in placed {
        let lane = &mut lanes[range.lane.min(MAX_LANES - 1) as usize];
        let thin = |x0: f64, x1: f64| x1 - x0 < px;
        match lane.last_mut() {
            Some((_, last)) if x0 < last.x1 && range.lane == MAX_LANES - 1 => {
                last.x1 = last.x1.max(x1);
                last.count += 1;
            }
            Some((_, last))
                if thin(x0, x1) && x0 - last.x1 < px && (last.count > 1 || thin(last.x0, last.x1)) =>
            {
                last.x1 = last.x1.max(x1);
                last.count += 1;
                last.open_end = range.end_us.is_none();
            }
            _ => {
                let (open_start, open_end) = (range.start_us.is_none(), range.end_us.is_none());
                let name = String::new(); // looked up once it is known to be shown
                let shown = Range { lane: range.lane, name, x0, x1, count: 1, open_start, open_end };
                lane.push((range.name, shown));
            }
        }
    }
    lanes.into_iter().flatten().collect()
}

/// Calls that gave or took what a filter shows, by column.
#[inline]
fn driver(device: &Device, replay: &Replay, axis: Axis, (from, to): (f64, f64), width: u32) -> Vec<Calls> {
    let Some(shown) = replay.moments_between(axis, from, to) else { return Vec::new() };
    let spans = replay.segments().spans().iter();
    let mut moments: Vec<u32> = spans.flat_map(|span| [span.start, span.end]).collect();
    moments.retain(|moment| *moment > 0 && shown.contains(moment));
    order::by_number(&mut moments, |moment| (*moment).into());
    moments.dedup(); // one call may end several spans
    let px = ((to - from) / f64::from(width)).max(f64::MIN_POSITIVE);
    let (mut columns, mut last): (Vec<Calls>, u32) = (Vec::new(), 0);
    for moment in moments {
        let x = match replay.usable(axis) {
            Axis::Event => f64::from(moment),
            Axis::Time => replay.time_at(moment).unwrap_or(0) as f64,
        };
        let column = (((x - from) / px) as u32).min(width - 1);
        if columns.is_empty() || column != last {
            let x0 = from + f64::from(column) * px;
            columns.push(Calls { x0, x1: x0 + px, ..Calls::default() });
            last = column;
        }
        if let Some(calls) = columns.last_mut() {
            calls.add(device, moment as usize - 1);
        }
    }
    columns
}

impl Calls {
    fn add(&mut self, device: &Device, event: usize) {
        let size = device.events.sizes.get(event).copied().unwrap_or(0);
        match device.events.actions.get(event) {
            Some(Action::SegmentAlloc) => self.alloc += 1,
            Some(Action::SegmentMap) => self.map += 1,
            Some(Action::SegmentFree) => self.free += 1,
            Some(Action::SegmentUnmap) => self.unmap += 1,
            _ => return,
        }
        let gained = matches!(device.events.actions[event], Action::SegmentAlloc | Action::SegmentMap);
        let sum = if gained { &mut self.gained_bytes } else { &mut self.lost_bytes };
        *sum = sum.saturating_add(size);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn annotations(text: &str) -> Vec<Annotation> {
        // One letter for each end: "A" begins, "a" ends; a microsecond apart.
        let one = |(at, letter): (usize, char)| Annotation {
            name: StringId(u32::from(letter.to_ascii_lowercase())),
            stage: if letter.is_uppercase() { Stage::Start } else { Stage::End },
            device: 0,
            time_us: at as i64,
        };
        text.chars().enumerate().map(one).collect()
    }

    /// "a0 0..3": name and lane, start and end; "?" for one that is not known.
    fn told(text: &str) -> Vec<String> {
        let at = |us: Option<i64>| us.map_or("?".to_owned(), |us| us.to_string());
        let one = |range: &Paired| {
            let name = char::from_u32(range.name.0).unwrap();
            format!("{name}{} {}..{}", range.lane, at(range.start_us), at(range.end_us))
        };
        in_lanes(paired(&annotations(text), 0)).iter().map(one).collect()
    }

    #[test]
    fn nested_ranges_lie_in_lanes_below() {
        assert_eq!(told("ABbCca"), ["a0 0..5", "b1 1..2", "c1 3..4"]);
        assert_eq!(told("AAaa"), ["a0 0..3", "a1 1..2"]);
        assert_eq!(told("AaBb"), ["a0 0..1", "b0 2..3"]);
    }

    #[test]
    fn lost_ends_leave_ranges_open() {
        assert_eq!(told("bAa"), ["b0 ?..0", "a0 1..2"]);
        assert_eq!(told("Aab"), ["b0 ?..2", "a1 0..1"]);
        assert_eq!(told("ABa"), ["a0 0..2", "b1 1..?"]);
        assert_eq!(told("AB"), ["a0 0..?", "b1 1..?"]);
    }

    #[test]
    fn ranges_of_two_threads_do_not_overlap_in_a_lane() {
        assert_eq!(told("ABab"), ["a0 0..2", "b1 1..3"]);
        assert_eq!(told("ABaCbc"), ["a0 0..2", "b1 1..4", "c2 3..5"]);
    }

    #[test]
    fn a_file_of_starts_alone_is_read_in_time() {
        let text: String = "A".repeat(200_000) + &"b".repeat(200_000);
        let lanes = in_lanes(paired(&annotations(&text), 0));
        assert_eq!(lanes.iter().map(|range| range.lane).max(), Some(MAX_LANES - 1));
    }
}
