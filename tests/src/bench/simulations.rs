//! The usual settings tried in the page: how soon the first answer is there, and how fast requests are simulated.

use std::time::Duration;

use super::opening::{Opened, Tab, row};
use super::row::{Found, Row};

/// Notes when each run ends: the first number of a setting, and each further order of addresses that its range is taken from.
const WATCH: &str = "Object.assign(bench, { tried: performance.now(), runs: [], longest: 0 }); \
    let ended = 0, last = performance.now(); \
    const look = () => { const now = performance.now(); bench.longest = Math.max(bench.longest, now - last); last = now; \
      const rows = [...document.querySelectorAll('#ranking-rows tr')].filter((row) => row.dataset.key !== 'recorded'); \
      const n = rows.filter((row) => row.textContent.includes('MiB')).length; \
      if (n > ended) { ended = n; bench.runs.push(now); } \
      if (!bench.stop) requestAnimationFrame(look); }; \
    requestAnimationFrame(look); document.getElementById('whatif-usual').click()";

/// Settings that have a number until the measuring ends.
const ENOUGH: usize = 4;

/// Rows of the view of what would have been.
pub(super) fn all(tab: &Tab, opened: &Opened) -> Vec<Row> {
    let page = &tab.page;
    page.js("location.hash = '#v=1&view=whatif'");
    page.wait_within(
        "document.getElementById('whatif-usual')",
        Duration::from_secs(60),
        Duration::from_millis(100),
    );
    let nothing = |why: &str| {
        ["what_if_first_ms", "what_if_m_s"]
            .map(|id| row(id, Found::Nothing(why.into()), opened.events))
            .to_vec()
    };
    if page.js("return document.getElementById('whatif-usual').disabled").as_bool() != Some(false) {
        return nothing("a small recording is tried without being asked");
    }
    page.js(WATCH);
    let enough = format!("bench.runs.length >= {ENOUGH}");
    page.wait_within(&enough, Duration::from_secs(120), Duration::from_millis(100));
    page.js("bench.stop = true; document.getElementById('whatif-cancel').click()");
    let first = tab.number("(bench.runs.length ? bench.runs[0] - bench.tried : null)");
    let told = "document.querySelector('[data-role=whatif-why]').textContent";
    // "The same 971,444 requests were replayed"
    let requests = tab.number(&format!(
        "(Number((/([\\d,]+)\\s+requests/.exec({told}) || [0, ''])[1].replaceAll(',', '')) || null)"
    ));
    let seconds = tab.number(
        "(bench.runs.length > 1 ? (bench.runs.at(-1) - bench.runs[0]) / 1000 / (bench.runs.length - 1) : null)",
    );
    let speed = requests.zip(seconds).map(|(requests, seconds)| requests / seconds / 1e6);
    vec![
        row("what_if_first_ms", Found::one(first, "no setting came to a number"), opened.events),
        row("what_if_m_s", Found::one(speed, "fewer than two settings came to a number"), opened.events),
        row("what_if_frame_ms", Found::one(tab.number("bench.longest"), "no frame was drawn"), opened.events),
    ]
}
