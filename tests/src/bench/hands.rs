//! Hands on the open file: wheel, pointer, keys and words, and how long the page takes to answer each.
//!
//! All input is real: DevTools hands it to the browser's own input queue, as a mouse or touch pad would. It is paced like a hand's, one event
//! in [`PACE`], or as soon as the page has taken the one before: Chromium holds a wheel back until then, too. Nothing waits for an idle page or
//! for a picture. Each latency is from when the page gets the input to the pixels being drawn. What Chromium holds back before (a wheel's step
//! waits until the one before was dealt with) is a row of its own: no page can change it.

use std::time::{Duration, Instant};

use serde_json::json;

use super::opening::{Opened, Tab, row};
use super::row::{Found, Row};

/// Between two events of a touch pad. Not a multiple of a frame: some frames get one event, some two.
const PACE: Duration = Duration::from_millis(20);
/// Until pictures that are on their way have come.
const REST: Duration = Duration::from_millis(600);
const CANVAS: &str = "canvas[data-role=timeline]";
/// A step of the wheel, in CSS pixels: after 30 steps the range is a tenth.
const STEP_PX: f64 = 40.0;
const WORDS: &str = "linear";
const NOT_BUILT: &str = "not built";

/// How much hands do.
#[derive(Clone, Copy)]
pub(super) struct Effort {
    /// Wheel steps in each direction.
    steps: usize,
    hovers: usize,
    /// Places of the recording at which the state is stepped through.
    places: usize,
}

/// Enough for a figure that 95 % are within.
pub(super) const FULL: Effort = Effort { steps: 30, hovers: 60, places: 10 };
/// Enough to see that everything is measured.
pub(super) const BRIEF: Effort = Effort { steps: 3, hovers: 3, places: 1 };

/// All that hands do.
pub(super) fn all(tab: &Tab, opened: &Opened, effort: Effort) -> Vec<Row> {
    let (moments, peak) = (opened.moments, opened.peak);
    let around = |middle: f64, span: f64| {
        let from = (middle - span / 2.0).clamp(0.0, (moments - span).max(0.0));
        (from, from + span)
    };
    let (mut rows, mut waits) = (Vec::new(), Vec::new());
    for (name, range) in [
        ("full", None),
        ("hundredth", Some(around(moments * 0.4, (moments / 100.0).max(10.0)))),
        ("peak", Some(around(peak, (moments / 1000.0).max(10.0)))),
    ] {
        look_at(tab, range);
        let (moved, sharp) = pan_and_zoom(tab, effort.steps);
        waits.extend(durations(
            tab,
            "vramscope:frame",
            ".map((each) => ({ duration: each.detail.waitedMs }))",
        ));
        rows.push(row(
            &format!("{name}_moved_ms"),
            Found::several(moved, "no frame was measured"),
            opened.events,
        ));
        rows.push(row(
            &format!("{name}_sharp_ms"),
            Found::several(sharp, "no frame was measured"),
            opened.events,
        ));
    }
    rows.push(row("wheel_wait_ms", Found::several(waits, "no frame was measured"), opened.events));
    look_at(tab, None);
    rows.push(row("hover_ms", Found::several(hover(tab, effort.hovers), NOT_BUILT), opened.events));
    rows.push(row("search_ms", search(tab), opened.events));
    rows.push(row(
        "state_ms",
        Found::several(states(tab, effort.places), "no state was measured"),
        opened.events,
    ));
    rows
}

/// The timeline with a range of moments, through the address bar; `None`: all of it.
fn look_at(tab: &Tab, range: Option<(f64, f64)>) {
    let page = &tab.page;
    page.click("[role=tab][data-view=timeline]");
    page.wait(&format!("document.querySelector('{CANVAS}').checkVisibility()"));
    if let Some((from, to)) = range {
        page.js(&format!("location.hash = '#v=1&view=timeline&x={from:.2}-{to:.2}'"));
    } else {
        page.key("0", "Digit0");
    }
    std::thread::sleep(REST);
    page.js("performance.clearMeasures('vramscope:frame')");
}

/// In and out again, right and back again. Latencies of moved and of sharp pictures.
fn pan_and_zoom(tab: &Tab, times: usize) -> (Vec<f64>, Vec<f64>) {
    let place = tab.page.at(CANVAS, 0.4, 0.5);
    let steps = [(0.0, -STEP_PX), (STEP_PX, 0.0), (-STEP_PX, 0.0), (0.0, STEP_PX)];
    paced(steps.into_iter().flat_map(|step| [step].repeat(times)), |step| tab.page.wheel_both(place, step));
    std::thread::sleep(REST);
    let of = |kind: &str| {
        durations(tab, "vramscope:frame", &format!(".filter((each) => each.detail.kind === '{kind}')"))
    };
    (of("moved"), of("sharp"))
}

fn hover(tab: &Tab, times: usize) -> Vec<f64> {
    tab.page.js("performance.clearMeasures('vramscope:hover')");
    let (left, top) = tab.page.at(CANVAS, 0.1, 0.9);
    let (right, bottom) = tab.page.at(CANVAS, 0.9, 0.4);
    paced(0..times, |step| {
        let share = step as f64 / times as f64;
        tab.page.point((left + (right - left) * share, top + (bottom - top) * share));
    });
    std::thread::sleep(REST);
    durations(tab, "vramscope:hover", "")
}

/// Words typed into the field for them, one letter after the other, each as soon as the answer to the one before is there.
fn search(tab: &Tab) -> Found {
    if !tab.page.js("return !!document.getElementById('filter-input')").as_bool().unwrap_or_default() {
        return Found::Nothing(NOT_BUILT.into());
    }
    tab.page.js("performance.clearMeasures('vramscope:search')");
    tab.page.key("/", "Slash");
    for letter in WORDS.chars() {
        tab.page.devtools("Input.insertText", json!({ "text": letter.to_string() }));
        std::thread::sleep(REST);
    }
    tab.page.key("Escape", "Escape");
    Found::several(durations(tab, "vramscope:search", ""), NOT_BUILT)
}

/// Events, segment events and peaks by key, from places all over the recording.
fn states(tab: &Tab, places: usize) -> Vec<f64> {
    let page = &tab.page;
    page.click("[role=tab][data-view=state]");
    page.wait("document.querySelector('canvas[data-role=state]').checkVisibility()");
    let mut all = Vec::new();
    for place in 0..places {
        page.click_at(page.at("#scrub", (place as f64 + 0.5) / places as f64, 0.5));
        std::thread::sleep(REST);
        page.js("performance.clearMeasures('vramscope:state')");
        for (key, code) in
            [(".", "Period"), (",", "Comma"), (".", "Period"), ("]", "BracketRight"), ("[", "BracketLeft")]
        {
            page.key(key, code);
            // Each answer is one press's: the next comes when it is there.
            std::thread::sleep(REST / 3);
        }
        all.extend(durations(tab, "vramscope:state", ""));
    }
    all
}

fn paced<T>(steps: impl IntoIterator<Item = T>, mut act: impl FnMut(T)) {
    let mut next = Instant::now();
    for step in steps {
        std::thread::sleep(next.saturating_duration_since(Instant::now()));
        // After a stop nothing is made up for: hands do not know of it.
        next = Instant::now() + PACE;
        act(step);
    }
}

fn durations(tab: &Tab, measure: &str, filter: &str) -> Vec<f64> {
    let script =
        format!("return performance.getEntriesByName('{measure}'){filter}.map((each) => each.duration)");
    let found = tab.page.js(&script);
    found.as_array().into_iter().flatten().filter_map(serde_json::Value::as_f64).collect()
}
