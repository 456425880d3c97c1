//! The chart of a report: bytes over time, by category where those are known.

use vramscope_core::query::chart;
use vramscope_core::replay::{Axis, Category, N_CATEGORIES, Recording};
use vramscope_core::units::format_bytes;
use vramscope_render::chart::{ChartColours, ChartSpec, Mark, MarkKind, paint_chart};
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
        categories: series.categories.map(|all| all.iter().map(|bytes| floats(bytes)).collect()),
        limit: None,
        requested: floats(&series.requested),
        reserved: floats(&series.reserved),
        marks: std::iter::once(at_peak).chain(marks).collect(),
        x0: Some(0.0),
        x1: Some(series.x_end),
        y1: None,
        scale: 1.0,
        colours: ChartColours {
            requested,
            categories: (0..N_CATEGORIES as u8).map(named).collect(),
            reserved,
            grid,
            axis,
            peak,
            oom,
        },
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

fn floats(bytes: &[u64]) -> Vec<f64> {
    bytes.iter().map(|bytes| *bytes as f64).collect()
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
    let mut items: Vec<(&str, &str)> = Vec::new();
    for (at, category) in Category::ALL.iter().enumerate() {
        let bytes = spec.categories.as_ref().and_then(|categories| categories.get(at));
        if bytes.is_some_and(|bytes| bytes.iter().any(|bytes| *bytes > 0.0)) {
            items.push((NAMES[at], category.label()));
        }
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
