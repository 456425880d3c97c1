//! A large file, and figures about it: `VRAMSCOPE_LARGE=FILE cargo test -p vramscope-tests --features browser --test browser -- --ignored --nocapture large`.

use std::path::{Path, PathBuf};

use vramscope_tests::browser::{Page, Setup, dist};
use xtask::server::Server;

const CANVAS: &str = "canvas[data-role=timeline]";

#[test]
#[ignore = "needs a large file"]
fn large_in_the_page() {
    let server = Server::start(&dist(), "/", 0).unwrap();
    measure("page", &server.url());
}

#[test]
#[ignore = "needs a large file"]
fn large_in_the_single_file() {
    let path = dist().canonicalize().unwrap().join("vramscope.html");
    measure("single file", &format!("file://{}", path.display()));
}

fn large() -> PathBuf {
    let path = std::env::var_os("VRAMSCOPE_LARGE").expect("VRAMSCOPE_LARGE names a file");
    Path::new(&path).canonicalize().expect("it exists")
}

fn measure(what: &str, url: &str) {
    let page = Page::open(url, Setup::default());
    page.wait_for_state("empty");
    // The limit: only streaming the file in the same page.
    page.js(
        "document.getElementById('file-input').addEventListener('change', (event) => { \
           event.stopImmediatePropagation(); const file = event.target.files[0]; const start = performance.now(); \
           (async () => { for (const reader = file.stream().getReader(); !(await reader.read()).done;); \
             window.streamedMs = performance.now() - start; })(); }, { capture: true, once: true })",
    );
    page.choose(&[&large()]);
    page.wait("window.streamedMs");
    let streamed_ms = number(&page, "window.streamedMs");
    page.js("document.getElementById('file-input').value = ''");
    page.requests();
    page.choose(&[&large()]);
    page.wait("performance.getEntriesByName('vramscope:ready').length");
    let at =
        |mark: &str| number(&page, &format!("performance.getEntriesByName('vramscope:{mark}')[0].startTime"));
    let paint_ms = at("first-paint") - at("open");
    let wasm_bytes = number(&page, "performance.getEntriesByName('vramscope:ready')[0].detail.wasmBytes");
    let peak = page.attribute("[data-metric='peak.requested_bytes']", "data-bytes");
    println!(
        "{what}: only streaming {streamed_ms:.0} ms; open to first paint {paint_ms:.0} ms ({:.1} ×)",
        paint_ms / streamed_ms
    );
    println!(
        "{what}: worker memory {:.0} MiB; peak requested {} bytes",
        wasm_bytes / 1048576.0,
        peak.unwrap_or_default()
    );
    zoom(&page, what);
    scrub(&page, what);
    find(&page, what);
    assert_eq!(page.errors(), Vec::<String>::new());
    assert_eq!(page.requests(), Vec::<String>::new());
}

/// Wheel steps in and out; each redraw leaves a measure from its input to its pixels.
fn zoom(page: &Page, what: &str) {
    page.click("[role=tab][data-view=timeline]");
    page.wait("document.querySelector('canvas[data-role=timeline]').checkVisibility()");
    for step in 0..60 {
        let delta = if step < 30 { -120.0 } else { 120.0 };
        page.wheel(page.at(CANVAS, 0.4, 0.5), delta);
    }
    std::thread::sleep(std::time::Duration::from_millis(500));
    for kind in ["moved", "sharp"] {
        let durations = page.js(&format!(
            "return performance.getEntriesByName('vramscope:frame').filter(f => f.detail.kind === '{kind}').map(f => f.duration).sort((a, b) => a - b)"
        ));
        let durations: Vec<f64> = durations.as_array().unwrap().iter().filter_map(|d| d.as_f64()).collect();
        let share = |share: f64| {
            durations.get((durations.len() as f64 * share) as usize).copied().unwrap_or(f64::NAN)
        };
        let (p50, p95, most) = (share(0.5), share(0.95), durations.last().copied().unwrap_or(f64::NAN));
        println!("{what}: {} frames, {kind}: p50 {p50:.1}, p95 {p95:.1}, most {most:.1} ms", durations.len());
    }
}

/// Events, segment events and peaks by key, from places all over the recording: each redraw leaves a measure from the key to the pixels.
fn scrub(page: &Page, what: &str) {
    page.click("[role=tab][data-view=state]");
    page.wait("document.querySelector('canvas[data-role=state]').checkVisibility()");
    let mut durations: Vec<f64> = Vec::new();
    for place in 1..20 {
        page.click_at(page.at("#scrub", f64::from(place) / 20.0, 0.5));
        std::thread::sleep(std::time::Duration::from_millis(400));
        page.js("performance.clearMeasures('vramscope:state')");
        for (key, code) in
            [(".", "Period"), (",", "Comma"), (".", "Period"), ("]", "BracketRight"), ("[", "BracketLeft")]
        {
            page.key(key, code);
            std::thread::sleep(std::time::Duration::from_millis(150));
        }
        let measures = page.js("return performance.getEntriesByName('vramscope:state').map(f => f.duration)");
        durations.extend(measures.as_array().unwrap().iter().filter_map(|duration| duration.as_f64()));
    }
    durations.sort_by(f64::total_cmp);
    let share =
        |share: f64| durations.get((durations.len() as f64 * share) as usize).copied().unwrap_or(f64::NAN);
    let most = durations.last().copied().unwrap_or(f64::NAN);
    println!(
        "{what}: state at {} key presses: p50 {:.1}, p95 {:.1}, most {most:.1} ms",
        durations.len(),
        share(0.5),
        share(0.95)
    );
}

/// Patterns of several kinds: each answer leaves a measure from the field's input to the text on the page.
fn find(page: &Page, what: &str) {
    page.key("/", "Slash");
    for pattern in ["backward", "Linear", "\\.py:\\d+$", "optim.*step|zero_grad", "(at|c10)::.*empty"] {
        page.js(
            "performance.clearMeasures('vramscope:search'); document.getElementById('find-input').select()",
        );
        page.devtools("Input.insertText", serde_json::json!({ "text": pattern }));
        page.wait("performance.getEntriesByName('vramscope:search').length");
        let ms = number(page, "performance.getEntriesByName('vramscope:search')[0].duration");
        println!("{what}: search {pattern}: {ms:.1} ms, {}", page.text("#find-told"));
        page.js("performance.clearMeasures('vramscope:search')");
    }
    let start = std::time::Instant::now();
    page.key("Enter", "Enter");
    page.wait("/ of /.test(document.getElementById('find-told').textContent)");
    println!("{what}: to the first match within {} ms", start.elapsed().as_millis());
}

fn number(page: &Page, expression: &str) -> f64 {
    page.js(&format!("return {expression}")).as_f64().unwrap_or(f64::NAN)
}
