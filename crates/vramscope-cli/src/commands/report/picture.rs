//! The chart of a report: bytes over time, by category where those are known.

use vramscope_core::query::chart;
use vramscope_core::replay::{Axis, Category, N_CATEGORIES, Recording, Replay};
use vramscope_core::units::format_bytes;
use vramscope_render::chart::{ChartColours, ChartPart, ChartSpec, Mark, MarkKind, paint_chart};
use vramscope_render::ticks::{TickKind, TickRequest, ticks};

use super::html::escaped;
use super::svg::{Svg, named};

/// Size of the drawing, and of the room for its labels.
const SIZE: (u32, u32) = (860, 240);
const LEFT_PX: u32 = 76;
const RIGHT_PX: u32 = 24;
const BELOW_PX: u32 = 22;
const COLUMNS: u32 = 430;

/// Names of colours in the style sheet; the first are those of the categories.
const NAMES: [&str; N_CATEGORIES + 6] = [
    "cat-parameter",
    "cat-optimizer_state",
    "cat-gradient",
    "cat-activation",
    "cat-input",
    "cat-temporary",
    "cat-other",
    "cat-unknown",
    "cat-activation",
    "ink-2",
    "line-soft",
    "line",
    "ink-3",
    "error-line",
];

const COLOURS: [u8; 6] = [8, 9, 10, 11, 12, 13];

/// A chart over the whole recording, as SVG; nothing for a device with a single moment.
pub(super) fn chart_of(recording: &Recording, ordinal: i64) -> String {
    let Some((_, replay)) = recording.whole_device(ordinal).filter(|(_, replay)| replay.end() > 0) else {
        return String::new();
    };
    let Some(series) = chart(recording, ordinal, Axis::Event, COLUMNS, None, None) else {
        return String::new();
    };
    let [requested, reserved, grid, axis, peak, oom] = COLOURS.map(named);
    let marks = replay.ooms().iter().map(|event| Mark { x: f64::from(*event) + 1.0, kind: MarkKind::Oom });
    let at_peak = Mark { x: f64::from(replay.peak()), kind: MarkKind::Peak };
    let spec = ChartSpec {
        parts: parts(replay, &series.x, series.x_end),
        requested: series.requested.iter().map(|bytes| *bytes as f64).collect(),
        reserved: series.reserved.iter().map(|bytes| *bytes as f64).collect(),
        marks: std::iter::once(at_peak).chain(marks).collect(),
        x0: Some(0.0),
        x1: Some(series.x_end),
        y1: None,
        scale: 1.0,
        colours: ChartColours { requested, reserved, grid, axis, peak, oom },
        x: series.x,
    };
    let mut shapes = String::new();
    // Text as a target takes everything.
    let _ = paint_chart(Svg::new(&mut shapes, SIZE, &NAMES), &spec);
    let highest = series.requested.iter().chain(&series.reserved).copied().max().unwrap_or(0);
    let (width, height) = (LEFT_PX + SIZE.0 + RIGHT_PX, SIZE.1 + BELOW_PX);
    let told = format!("Bytes over events; at most {} reserved.", format_bytes(highest));
    format!(
        "<svg class=\"chart\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{told}\">\n\
         <g transform=\"translate({LEFT_PX} 0)\">\n{shapes}</g>\n{}</svg>\n{}",
        labels(highest, series.x_end),
        key(&spec)
    )
}

/// Bytes of each category in each column, at the column's fullest moment.
fn parts(replay: &Replay, x: &[f64], x_end: f64) -> Vec<ChartPart> {
    let Some(categories) = replay.labels() else { return Vec::new() };
    let ends = x.iter().skip(1).copied().chain([x_end]);
    let moments: Vec<u32> = x
        .iter()
        .zip(ends)
        .map(|(from, to)| match replay.moments_between(Axis::Event, *from, to) {
            Some(moments) => replay.fullest(moments.start, moments.end),
            None => 0,
        })
        .collect();
    let mut changes = vec![vec![0i128; moments.len() + 1]; N_CATEGORIES];
    let rows = replay.allocations();
    for id in 0..rows.len() {
        let (start, end) = (rows.start(id), rows.end(id));
        let from = moments.partition_point(|moment| *moment < start);
        let to = moments.partition_point(|moment| *moment < end);
        let bytes = i128::from(rows.size_bytes(id));
        let of_category = &mut changes[categories.category(id).index()];
        of_category[from] += bytes;
        of_category[to] -= bytes;
    }
    let part = |(at, changes): (u8, Vec<i128>)| {
        let mut sum = 0;
        let bytes = changes.iter().take(moments.len()).map(|change| {
            sum += change;
            sum as f64
        });
        ChartPart { bytes: bytes.collect(), colour: named(at) }
    };
    (0..).zip(changes).map(part).collect()
}

/// What the lines mean, beside and below them.
fn labels(highest: u64, x_end: f64) -> String {
    let (width, height) = (f64::from(SIZE.0), f64::from(SIZE.1));
    let top = (highest as f64 * 1.08).max(1.0);
    let request = TickRequest { kind: TickKind::Bytes, from: 0.0, to: top, pixels: height };
    let mut text = String::new();
    for tick in ticks(&request) {
        let y = height * (1.0 - tick.at / top);
        let y = y.clamp(10.0, height);
        text.push_str(&format!(
            "<text x=\"{}\" y=\"{:.0}\" text-anchor=\"end\">{}</text>\n",
            LEFT_PX - 6,
            y + 4.0,
            escaped(&tick.label)
        ));
    }
    let request = TickRequest { kind: TickKind::Events, from: 0.0, to: x_end, pixels: width };
    for tick in ticks(&request) {
        let x = f64::from(LEFT_PX) + width * tick.at / x_end.max(1.0);
        text.push_str(&format!(
            "<text x=\"{x:.0}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
            SIZE.1 + 15,
            escaped(&tick.label)
        ));
    }
    text
}

/// The key: categories that are there, the line of reserved bytes, the marks.
fn key(spec: &ChartSpec) -> String {
    let has_bytes = |part: &ChartPart| part.bytes.iter().any(|bytes| *bytes > 0.0);
    let mut items: Vec<(&str, &str)> = Vec::new();
    for (category, part) in Category::ALL.iter().zip(&spec.parts).filter(|(_, part)| has_bytes(part)) {
        items.push((NAMES[usize::from(part.colour.rgb[2]).min(NAMES.len() - 1)], category.label()));
    }
    if items.is_empty() {
        items.push((NAMES[8], "requested"));
    }
    items.extend([(NAMES[9], "reserved (line)"), (NAMES[12], "peak (dashed)")]);
    if spec.marks.iter().any(|mark| mark.kind == MarkKind::Oom) {
        items.push((NAMES[13], "out of memory"));
    }
    let items = items
        .iter()
        .map(|(colour, words)| format!("<li><i style=\"background:var(--{colour})\"></i>{words}</li>"));
    format!("<ul class=\"key\">{}</ul>\n", items.collect::<String>())
}
