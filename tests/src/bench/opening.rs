//! A file in the page: streaming it, opening it, and what that takes.

use std::path::Path;
use std::time::Duration;

use serde_json::json;
use xtask::server::Server;

use super::bounds::measure;
use super::process;
use super::row::{Found, Row};
use crate::browser::{Page, Setup, dist};

/// Runs before the page's own scripts: notes when the page is ready, and what its worker says about a file.
const LISTEN: &str = "window.bench = { pending: 0 }; \
    new MutationObserver((_, all) => { if (document.body?.dataset.state !== 'empty') return; bench.emptyMs = performance.now(); all.disconnect(); }) \
      .observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ['data-state'] }); \
    window.Worker = class extends Worker { constructor(...all) { super(...all); this.addEventListener('message', ({ data }) => { \
      if (data?.type === 'answer' || data?.type === 'picture') bench.pending -= 1; \
      if (data?.type === 'opened') bench.opened = data.opened; \
      if (data?.type === 'diagnosed') bench.diagnosedMs ??= performance.now(); \
      if (data?.type === 'answer' && data.answer?.alive_at_peak && data.answer.peak) bench.peak = data.answer.peak.moment; }); } \
      postMessage(message, ...more) { if (message?.seq) bench.pending += 1; super.postMessage(message, ...more); } };";

/// The first file that is chosen is not opened, only kept: to be streamed.
const KEEP: &str = "document.getElementById('file-input').addEventListener('change', (event) => { \
    event.stopImmediatePropagation(); bench.file = event.target.files[0]; event.target.value = ''; }, { capture: true, once: true })";

const STREAM: &str = "bench.streamed = 0; (async () => { const start = performance.now(); \
    for (const reader = bench.file.stream().getReader(); !(await reader.read()).done;); bench.streamed = performance.now() - start; })()";

const STREAMED_TIMES: usize = 2;
const EMPTY_TIMES: usize = 3;
const PATIENCE: Duration = Duration::from_secs(600);
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// A tab of its own for one file.
pub(super) struct Tab {
    pub(super) page: Page,
    url: String,
    _server: Server,
}

/// What is known of a file that is open.
pub(super) struct Opened {
    /// Figures about opening it.
    pub(super) rows: Vec<Row>,
    /// Events of all devices.
    pub(super) events: u64,
    /// Moments of the device that is shown.
    pub(super) moments: f64,
    /// The moment of its peak.
    pub(super) peak: f64,
}

impl Tab {
    /// A browser with the empty page, served or from the disk as one file.
    pub(super) fn start(single_file: bool) -> Tab {
        let server = Server::start(&dist(), "/", 0).expect("a free port");
        let one = || dist().canonicalize().expect("it exists").join("vramscope.html");
        let url = if single_file { format!("file://{}", one().display()) } else { server.url() };
        let page = Page::open("about:blank", Setup::default());
        page.devtools("Page.addScriptToEvaluateOnNewDocument", json!({ "source": LISTEN }));
        let tab = Tab { url, page, _server: server };
        tab.load();
        tab
    }

    fn load(&self) {
        self.page.goto(&self.url);
        self.page.wait("window.bench?.emptyMs");
    }

    /// The browser's name and version.
    pub(super) fn browser(&self) -> Option<String> {
        let version = self.page.devtools("Browser.getVersion", json!({}));
        version["product"]
            .as_str()
            .map(|product| product.replace("HeadlessChrome/", "Chromium ").replace("Chrome/", "Chromium "))
    }

    pub(super) fn number(&self, expression: &str) -> Option<f64> {
        self.page.js(&format!("return {expression} ?? null")).as_f64()
    }

    /// Navigation to the empty page, nothing in any cache.
    pub(super) fn empty_page(&self) -> Row {
        self.page.devtools("Network.setCacheDisabled", json!({ "cacheDisabled": true }));
        let times = (0..EMPTY_TIMES).filter_map(|_| {
            self.load();
            self.number("bench.emptyMs")
        });
        let best = times.reduce(f64::min);
        row("empty_ms", Found::one(best, "the page was not ready"), 0)
    }

    /// Streams a file, opens it, and streams it again. The fastest streaming is the limit: the machine may do other things, too.
    pub(super) fn open(&self, file: &Path) -> Opened {
        let file = file.canonicalize().unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        self.page.js(KEEP);
        self.page.choose(&[&file]);
        self.page.wait("bench.file");
        let mut streamed = self.stream();
        self.page.choose(&[&file]);
        self.page.wait_within("performance.getEntriesByName('vramscope:ready').length || document.body.dataset.state === 'failed'", PATIENCE, LOOK_EVERY);
        let mark = |name: &str| {
            self.number(&format!("performance.getEntriesByName('vramscope:{name}')[0]?.startTime"))
        };
        let since_open = |name: &str| Some(mark(name)? - mark("open")?);
        let (paint_ms, ready_ms) = (since_open("first-paint"), since_open("ready"));
        let diagnosed_ms =
            self.number("bench.diagnosedMs").zip(mark("first-paint")).map(|(end, start)| end - start);
        streamed = streamed.min(self.stream());
        let wasm_bytes = self.number("performance.getEntriesByName('vramscope:ready')[0]?.detail.wasmBytes");
        let events =
            self.number("bench.opened?.summary.devices.reduce((sum, device) => sum + device.events, 0)");
        let events = events.unwrap_or_default() as u64;
        let shown = "bench.opened?.devices.find((each) => each.device === bench.opened.default_device)";
        let tab_bytes = process::largest_renderer(self.page.process_id()).map(|bytes| bytes as f64);
        let failed = "the file did not open";
        let mib = |bytes: Option<f64>, otherwise: &str| {
            Found::one(bytes.map(|bytes| bytes / 1_048_576.0), otherwise)
        };
        let rows = vec![
            row("stream_ms", Found::One(streamed), events),
            row("first_paint_ms", Found::one(paint_ms, failed), events),
            row("first_paint_ratio", Found::one(paint_ms.map(|ms| ms / streamed), failed), events),
            row("ready_ms", Found::one(ready_ms, failed), events),
            row("ready_ratio", Found::one(ready_ms.map(|ms| ms / streamed), failed), events),
            row("diagnosed_ms", Found::one(diagnosed_ms, "there was no diagnosis"), events),
            row("worker_mib", mib(wasm_bytes, failed), events),
            row("tab_mib", mib(tab_bytes, "only Linux tells it"), events),
        ];
        let moments = self.number(&format!("{shown}?.moments")).unwrap_or(1.0);
        Opened { rows, events, moments, peak: self.number("bench.peak").unwrap_or_default() }
    }

    fn stream(&self) -> f64 {
        let times = (0..STREAMED_TIMES).filter_map(|_| {
            self.page.js(STREAM);
            self.page.wait_within("bench.streamed", PATIENCE, LOOK_EVERY);
            self.number("bench.streamed")
        });
        times.fold(f64::INFINITY, f64::min)
    }
}

/// A row by the name of its measure.
pub(super) fn row(id: &str, found: Found, events: u64) -> Row {
    let measure = measure(id).unwrap_or_else(|| panic!("{id} is not in the table of measures"));
    Row { measure, found, events }
}
