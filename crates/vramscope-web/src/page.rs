//! What the page calls itself: numbers as text, marks of an axis, grids and charts on its canvases.

use plotters_canvas::CanvasBackend;
use serde::{Deserialize, Serialize};
use vramscope_core::units;
use vramscope_diagnose::message;
use vramscope_diagnose::recipe::{self as recipes, Purpose, Version};
use vramscope_explore::compare::{self as comparing, Align, Diff, Holdings, Rank, Ranks, Row};
use vramscope_render::chart::{self as charts, ChartSpec, CompareSpec, CurvesSpec, GridSpec};
use vramscope_render::ticks::{self as axis, TickRequest};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::HtmlCanvasElement;

use crate::fault::{internal, json, request};
use crate::what_if;

/// Bytes as text: "43.8 GiB".
#[wasm_bindgen]
pub fn format_bytes(bytes: f64) -> String {
    units::format_bytes(bytes as u64)
}

/// Several numbers of bytes that stand together: a JSON list of texts in one unit.
#[wasm_bindgen]
pub fn format_bytes_group(bytes: Vec<f64>) -> Result<String, JsValue> {
    let bytes: Vec<u64> = bytes.into_iter().map(|bytes| bytes as u64).collect();
    json(&units::format_bytes_group(&bytes))
}

/// Microseconds as text: "12.4 ms".
#[wasm_bindgen]
pub fn format_duration_us(us: f64) -> String {
    units::format_duration_us(us as u64)
}

/// The marks of a stretch of an axis: JSON `[{"at", "label"}]`.
#[wasm_bindgen]
pub fn ticks(stretch: &str) -> Result<String, JsValue> {
    json(&axis::ticks(&request::<TickRequest>(stretch)?))
}

/// Explains a pasted out-of-memory message: JSON as `vramscope oom-message --json` prints it, without `schema`.
#[wasm_bindgen]
pub fn explain_message(text: &str) -> Result<String, JsValue> {
    json(&message::explain(text))
}

/// What the page wants to record, and with which PyTorch.
#[derive(Deserialize)]
struct RecipeRequest {
    version: String,
    #[serde(default)]
    purpose: Purpose,
}

/// Code that records a snapshot: `{"version":"2.4","purpose":"leak"}` → JSON `{"makes_snapshot","code","notes"}`.
#[wasm_bindgen]
pub fn recipe(wanted: &str) -> Result<String, JsValue> {
    let RecipeRequest { version, purpose } = request(wanted)?;
    // A version that is none gets the recipe of most versions.
    json(&recipes::recipe(Version::parse(&version).unwrap_or(Version { major: 2, minor: 1 }), purpose))
}

/// What the page wants to have compared: two answers to `holdings`, or the peaks of several ranks.
#[derive(Deserialize)]
struct CompareRequest {
    #[serde(default)]
    a: Holdings,
    #[serde(default)]
    b: Holdings,
    #[serde(default)]
    align: Align,
    #[serde(default)]
    limit: usize,
    ranks: Option<Vec<Rank>>,
    /// All of them are ranks, whatever they look like.
    #[serde(default)]
    all: bool,
}

/// What a comparison comes to. Not by way of a `Value`: that would be all its code once more.
#[derive(Serialize)]
struct Compared {
    markdown: String,
    lines: Vec<Row>,
    rest_lines: u32,
    diff: Diff,
}

/// What ranks come to: the places of those that are ranks of the job, and these beside each other.
#[derive(Serialize)]
struct ComparedRanks {
    members: Vec<u32>,
    ranks: Ranks,
}

/// Compares: JSON `{"diff","lines","rest_lines","markdown"}`, or what ranks come to: `{"members","ranks"}`.
#[wasm_bindgen]
pub fn compare(wanted: &str) -> Result<String, JsValue> {
    let CompareRequest { a, b, align, limit, ranks, all } = request(wanted)?;
    if let Some(ranks) = ranks {
        let members = if all { (0..ranks.len() as u32).collect() } else { comparing::one_job(&ranks) };
        let of: Vec<Rank> = members.iter().filter_map(|at| ranks.get(*at as usize)).cloned().collect();
        return json(&ComparedRanks { members, ranks: comparing::ranks(&of) });
    }
    let mut diff = comparing::diff(&a, &b, align, limit);
    let markdown = comparing::markdown(&a, &b, &diff);
    // The page shows lines, and below them their stacks.
    diff.by_stack.clear();
    let (lines, rest_lines) = (std::mem::take(&mut diff.by_line), diff.rest_lines);
    json(&Compared { markdown, lines, rest_lines, diff })
}

/// Draws two curves and what lies between them on a canvas, which is cleared first.
#[wasm_bindgen]
pub fn paint_compare(canvas: HtmlCanvasElement, chart: &str) -> Result<(), JsValue> {
    let spec: CompareSpec = request(chart)?;
    charts::paint_compare(cleared(canvas)?, &spec).map_err(|error| internal(&error.to_string()))
}

/// Draws an area and curves over it on a canvas, which is cleared first.
#[wasm_bindgen]
pub fn paint_curves(canvas: HtmlCanvasElement, chart: &str) -> Result<(), JsValue> {
    let spec: CurvesSpec = request(chart)?;
    charts::paint_curves(cleared(canvas)?, &spec).map_err(|error| internal(&error.to_string()))
}

/// Reads settings as PyTorch does: JSON `{"fault":[key,message]|null,"settings","options":[{"key","what","values","default","example"}]}`.
#[wasm_bindgen]
pub fn read_settings(settings: &str) -> Result<String, JsValue> {
    json(&what_if::read(settings))
}

/// Draws grid and axis of the timeline on a canvas, which is cleared first.
#[wasm_bindgen]
pub fn paint_grid(canvas: HtmlCanvasElement, grid: &str) -> Result<(), JsValue> {
    let spec: GridSpec = request(grid)?;
    charts::paint_grid(cleared(canvas)?, &spec).map_err(|error| internal(&error.to_string()))
}

/// Draws requested and reserved bytes over a recording on a canvas, which is cleared first.
#[wasm_bindgen]
pub fn paint_chart(canvas: HtmlCanvasElement, chart: &str) -> Result<(), JsValue> {
    let spec: ChartSpec = request(chart)?;
    charts::paint_chart(cleared(canvas)?, &spec).map_err(|error| internal(&error.to_string()))
}

/// Setting a canvas's width clears it, and what was set on its context before.
fn cleared(canvas: HtmlCanvasElement) -> Result<CanvasBackend, JsValue> {
    canvas.set_width(canvas.width());
    CanvasBackend::with_canvas_object(canvas)
        .ok_or_else(|| internal("The canvas has no two-dimensional context."))
}
