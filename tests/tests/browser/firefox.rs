//! The smoke set in Firefox ESR: what Chromium does everywhere else in this folder, once round in another engine.

use serde_json::{Value, json};
use vramscope_tests::browser::{Firefox, dist};
use xtask::server::Server;

use crate::{recording, temporary};

/// Each view with the key of its tab, and its picture where it has one.
const VIEWS: [(&str, &str, Option<&str>); 7] = [
    ("overview", "1", Some("#chart-canvas")),
    ("timeline", "2", Some("canvas[data-role=timeline]")),
    ("state", "3", Some("canvas[data-role=state]")),
    ("stacks", "4", Some("canvas[data-role=stacks]")),
    ("allocations", "5", None),
    ("compare", "6", Some("#compare-canvas")),
    ("whatif", "7", Some("canvas[data-role=whatif]")),
];

/// The figures that the allocator itself counted.
fn check_truth(firefox: &Firefox, name: &str) {
    let path = recording(name).with_file_name(format!("{name}.truth.json"));
    let truth: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    for metric in ["requested_bytes", "allocated_bytes", "active_bytes", "reserved_bytes"] {
        let shown = firefox.js(&format!(
            "return Number(document.querySelector(\"[data-metric='peak.{metric}']\").dataset.bytes)"
        ));
        assert_eq!(shown, truth["devices"]["0"][format!("{metric}.all.peak")], "{name}: peak of {metric}");
    }
}

fn wait_until_ready(firefox: &Firefox, files: usize) {
    firefox.wait(&format!(
        "document.body.dataset.state === 'ready' && performance.getEntriesByName('vramscope:ready').length >= {files}"
    ));
}

/// Waits until a canvas is seen and has more than a ground and a line.
fn wait_for_picture(firefox: &Firefox, canvas: &str) {
    firefox.wait(&format!(
        "(() => {{ const c = document.querySelector({0}); if (!c?.checkVisibility()) return false; \
         const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data; return new Set(new Uint32Array(d.buffer)).size > 3; }})()",
        json!(canvas)
    ));
}

/// Every view by its key and by its tab, with its picture.
fn visit_views(firefox: &Firefox, with_comparison: bool) {
    for (view, key, picture) in VIEWS {
        let seen = format!(
            "document.getElementById('{view}').checkVisibility() && location.hash.includes('view={view}')"
        );
        let picture = picture.filter(|_| view != "compare" || with_comparison);
        for by_key in [true, false] {
            if by_key {
                firefox.key(&[], key);
            } else {
                firefox.click(&format!("[role=tab][data-view={view}]"));
            }
            firefox.wait(&seen);
            if let Some(canvas) = picture {
                wait_for_picture(firefox, canvas);
            }
            let other = if view == "overview" { "2" } else { "1" };
            if by_key {
                firefox.key(&[], other);
                firefox.wait(&format!("!({seen})"));
            }
        }
    }
}

fn look_around_the_timeline(firefox: &Firefox) {
    let canvas = "canvas[data-role=timeline]";
    firefox.key(&[], "2");
    wait_for_picture(firefox, canvas);
    // The pointer reads.
    firefox.point(firefox.at(canvas, 0.5, 0.9));
    firefox.wait("document.querySelector('[data-role=cursor]')?.dataset.event");
    firefox.wait("/\\d bytes/.test(document.querySelector('[data-role=details]').innerText)");
    // The wheel zooms, so do keys; one key shows all again.
    firefox.wheel(firefox.at(canvas, 0.5, 0.5), -240);
    firefox.wait("/[&]x=/.test(location.hash)");
    let near = firefox.js("return document.getElementById('scope').textContent");
    firefox.js(&format!("document.querySelector('{canvas}').focus()"));
    firefox.key(&[], "w");
    firefox.wait(&format!("document.getElementById('scope').textContent !== {near}"));
    firefox.key(&[], "0");
    firefox.wait("/Whole recording/.test(document.getElementById('scope').textContent)");
    // A click pins, Escape lets go.
    firefox.click_at(firefox.at(canvas, 0.5, 0.97));
    firefox.wait("/[&]pin=/.test(location.hash)");
    firefox.key(&[], "Escape");
    firefox.wait("!/[&]pin=/.test(location.hash)");
}

fn filter_and_find(firefox: &Firefox) {
    firefox.key(&[], "/");
    firefox.wait("document.activeElement.id === 'filter-input'");
    firefox.type_text("size>1MiB");
    firefox.wait("/alive here/.test(document.getElementById('filter-told').textContent)");
    firefox.key(&[], "Enter");
    firefox.key(&[], "Enter");
    firefox.wait("/Match \\d/.test(document.getElementById('filter-told').textContent)");
    firefox.click("#filter-clear");
    firefox.wait("document.getElementById('matches').hidden");
    firefox.key(&["Control"], "k");
    firefox.wait("document.activeElement.id === 'palette-field'");
    firefox.type_text("to the peak");
    firefox.key(&[], "Enter");
    firefox.wait("!document.querySelector('dialog') && document.getElementById('state').checkVisibility()");
    firefox.js("document.activeElement.blur()");
    firefox.key(&["Shift"], "?");
    firefox.wait("document.querySelector('dialog.help')");
    firefox.key(&[], "Escape");
    firefox.wait("!document.querySelector('dialog')");
}

/// What is saved is kept in `window.saved` instead.
fn take_away(firefox: &Firefox) {
    firefox.js(
        "window.saved = {}; const blobs = new Map(); const make = URL.createObjectURL; \
         URL.createObjectURL = (blob) => { const url = make.call(URL, blob); blobs.set(url, blob); return url; }; \
         addEventListener('click', (event) => { if (!event.target.download) return; event.preventDefault(); const { download, href } = event.target; \
         blobs.get(href).arrayBuffer().then((bytes) => { const all = new Uint8Array(bytes); window.saved[download] = { length: all.length, first: [...all.slice(0, 4)], last: all.at(-1) }; }); }, true)",
    );
    firefox.key(&[], "2");
    wait_for_picture(firefox, "canvas[data-role=timeline]");
    firefox.key(&["Shift"], "P");
    firefox.wait("window.saved['train_plain-timeline.png']?.first.join() === '137,80,78,71'");
    firefox.key(&["Control"], "s");
    firefox.wait("document.getElementById('smaller-save')");
    firefox.click("#smaller-save");
    firefox.wait("Object.entries(window.saved).some(([name, file]) => name.endsWith('.pickle') && file.length > 10000 && file.first[0] === 128 && file.last === 46)");
}

/// Nothing went wrong, and nothing was asked of the network since a moment.
fn finish(firefox: &Firefox, since: &Value) {
    assert_eq!(firefox.faults(), Vec::<String>::new(), "errors in Firefox");
    let asked = firefox.js(&format!(
        "return performance.getEntriesByType('resource').filter((each) => each.startTime > {since} && !/^(blob|data):/.test(each.name)).map((each) => each.name)"
    ));
    assert_eq!(asked, json!([]), "requests while a file was open");
}

#[test]
fn the_smoke_set() {
    let server = Server::start(&dist(), "/tools/vramscope/", 0).expect("a free port");
    let firefox = Firefox::start(1280, 800);
    firefox.goto(&server.url());
    firefox.wait("document.body.dataset.state === 'empty'");
    // A file that is none gives its message.
    firefox.choose(&[&temporary("firefox", "nothing.pickle", b"")]);
    firefox.wait("document.querySelector('[role=alertdialog]')?.dataset.code === 'empty'");
    firefox.key(&[], "Escape");
    firefox.wait("!document.querySelector('dialog')");
    // All that the page needs has come before a file is open.
    firefox.wait("performance.getEntriesByType('resource').some((each) => /vramscope_more/.test(each.name) && each.responseEnd > 0)");
    let since = firefox.js("return performance.now()");
    firefox.choose(&[&recording("train_plain")]);
    wait_until_ready(&firefox, 1);
    check_truth(&firefox, "train_plain");
    visit_views(&firefox, false);
    look_around_the_timeline(&firefox);
    filter_and_find(&firefox);
    take_away(&firefox);
    firefox.choose(&[&recording("oom_logits")]);
    wait_until_ready(&firefox, 2);
    firefox.wait("document.getElementById('file-name').textContent.startsWith('oom_logits') || document.querySelector('#opening .button')?.textContent === 'Show'");
    firefox.js("document.querySelector('#opening .button')?.click()");
    firefox.wait("document.getElementById('file-name').textContent.startsWith('oom_logits')");
    firefox.key(&[], "1");
    firefox.wait("document.querySelector('[data-metric=verdict]')?.dataset.code");
    check_truth(&firefox, "oom_logits");
    visit_views(&firefox, true);
    finish(&firefox, &since);
    // The one file, from the disk.
    let path = dist().canonicalize().unwrap().join("vramscope.html");
    firefox.goto(&format!("file://{}", path.display()));
    firefox.wait("document.body.dataset.state === 'empty'");
    let since = firefox.js("return performance.now()");
    firefox.choose(&[&recording("train_plain")]);
    wait_until_ready(&firefox, 1);
    check_truth(&firefox, "train_plain");
    firefox.click("#brand");
    firefox.click("[data-sample=oom]");
    firefox.wait("document.querySelector('[data-metric=verdict]')?.dataset.code === 'leak'");
    finish(&firefox, &since);
}
