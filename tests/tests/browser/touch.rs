//! Fingers: one moves the picture, two bring it nearer, a tap reads and pins; targets are as large as a finger.

use serde_json::{Value, json};

use crate::{Tab, tab_with};

fn fingers(tab: &Tab, kind: &str, places: &[(f64, f64)]) {
    let points: Vec<Value> =
        places.iter().enumerate().map(|(id, (x, y))| json!({ "x": x, "y": y, "id": id })).collect();
    tab.devtools("Input.dispatchTouchEvent", json!({ "type": kind, "touchPoints": points }));
}

fn tap(tab: &Tab, place: (f64, f64)) {
    fingers(tab, "touchStart", &[place]);
    fingers(tab, "touchEnd", &[]);
}

/// Fingers go along straight lines.
fn swipe(tab: &Tab, from: &[(f64, f64)], to: &[(f64, f64)]) {
    fingers(tab, "touchStart", from);
    for step in 1..=8 {
        let share = f64::from(step) / 8.0;
        let between =
            |(a, b): (&(f64, f64), &(f64, f64))| (a.0 + (b.0 - a.0) * share, a.1 + (b.1 - a.1) * share);
        fingers(tab, "touchMove", &from.iter().zip(to).map(between).collect::<Vec<_>>());
    }
    fingers(tab, "touchEnd", &[]);
}

/// Two fingers in the middle of a picture, moved apart by a factor.
fn spread(tab: &Tab, picture: &str, apart: f64) {
    let (x, y) = tab.at(picture, 0.5, 0.4);
    let pair = |half: f64| [(x - half, y), (x + half, y)];
    swipe(tab, &pair(40.0), &pair(40.0 * apart));
}

fn part(tab: &Tab, name: &str) -> String {
    let text = tab.js(&format!("return new URLSearchParams(location.hash.slice(1)).get('{name}') ?? ''"));
    text.as_str().unwrap().to_owned()
}

/// From and to, of a part of the address.
fn range(tab: &Tab, name: &str) -> (f64, f64) {
    tab.wait(&format!("new URLSearchParams(location.hash.slice(1)).get('{name}')"));
    std::thread::sleep(std::time::Duration::from_millis(400)); // the address follows
    let text = part(tab, name);
    let (from, to) = text.split_once('-').expect("a range");
    (from.parse().unwrap(), to.parse().unwrap())
}

#[test]
fn fingers_pan_pinch_and_tap() {
    let tab = tab_with("train_plain");
    tab.devtools("Emulation.setTouchEmulationEnabled", json!({ "enabled": true, "maxTouchPoints": 5 }));
    let canvas = "#timeline-canvas";
    tab.show_timeline();
    tap(&tab, tab.at(canvas, 0.5, 0.97));
    tab.wait("/[&]pin=/.test(location.hash)");
    tab.wait("/pinned/i.test(document.querySelector('[data-role=details]').innerText)");
    let event = tab.attribute("[data-role=cursor]", "data-event");
    tap(&tab, tab.at(canvas, 0.7, 0.97));
    tab.wait(&format!("document.querySelector('[data-role=cursor]').dataset.event !== {}", json!(event)));
    tap(&tab, tab.at(canvas, 0.5, 0.02));
    tab.wait("!/[&]pin=/.test(location.hash)");
    spread(&tab, canvas, 3.0);
    let near = range(&tab, "x");
    let end: f64 = tab.js("return performance.getEntriesByName('vramscope:ready').length && Number(document.getElementById('status').textContent.replace(/,/g, '').match(/of (\\d+)/)[1])").as_f64().unwrap();
    assert!((near.1 - near.0 - end / 3.0).abs() < end * 0.04, "three times as near: {near:?} of {end}");
    assert!(
        ((near.0 + near.1) / 2.0 - end / 2.0).abs() < end * 0.03,
        "what lay between the fingers stays: {near:?}"
    );
    assert!(
        !tab.js("return location.hash").as_str().unwrap().contains("pin="),
        "fingers that pinch pin nothing"
    );
    let (width, _) =
        (tab.js(&format!("return document.querySelector('{canvas}').clientWidth")).as_f64().unwrap(), ());
    let (a, b) = (tab.at(canvas, 0.6, 0.5), tab.at(canvas, 0.35, 0.5));
    swipe(&tab, &[a], &[b]);
    let panned = range(&tab, "x");
    let wanted = near.0 + (a.0 - b.0) / width * (near.1 - near.0);
    assert!(
        (panned.0 - wanted).abs() < (near.1 - near.0) * 0.03,
        "{near:?} goes to {panned:?}, not {wanted}"
    );

    let canvas = "#state-canvas";
    tab.js("document.getElementById('tab-state').click()");
    tab.wait("document.querySelector('#block-labels .size')");
    tap(&tab, tab.middle("#block-labels .size"));
    tab.wait("/chosen/i.test(document.querySelector('[data-role=details]').innerText)");
    assert_eq!(tab.js("return document.getElementById('unzoom').hidden"), true);
    spread(&tab, canvas, 2.5);
    tab.wait("!document.getElementById('unzoom').hidden");
    std::thread::sleep(std::time::Duration::from_millis(300));
    let label = "document.querySelector('#block-labels').innerHTML";
    let before = tab.js(&format!("return {label}"));
    // The fingers lay where the first column of rows ends: there only the largest segments reach.
    swipe(&tab, &[tab.at(canvas, 0.05, 0.3)], &[tab.at(canvas, 0.95, 0.3)]);
    tab.wait(&format!("{label} !== {before}"));

    let canvas = "#stacks-canvas";
    tab.js("document.getElementById('tab-stacks').click()");
    tab.wait(
        "document.querySelector('#icicle-labels > span') && document.querySelector('#tree-window .tree-row')",
    );
    tap(&tab, tab.at(canvas, 0.2, 0.12));
    tab.wait("document.querySelector('.tree-row[aria-selected=true]')");
    spread(&tab, canvas, 2.0);
    tab.wait("/zoomed in/.test(document.getElementById('stacks-crumbs').textContent)");
    std::thread::sleep(std::time::Duration::from_millis(300));
    let label = "document.querySelector('#icicle-labels').innerHTML";
    let before = tab.js(&format!("return {label}"));
    swipe(&tab, &[tab.at(canvas, 0.8, 0.3)], &[tab.at(canvas, 0.3, 0.3)]);
    tab.wait(&format!("{label} !== {before}"));

    // The page itself neither grows nor moves.
    assert_eq!(tab.js("return [visualViewport.scale, scrollX, scrollY]"), json!([1, 0, 0]));
    tab.finish();
}

/// What can be pressed is at least 24 pixels each way, most is 40 high.
#[test]
fn targets_are_as_large_as_a_finger() {
    let tab = tab_with("train_plain");
    tab.devtools("Emulation.setTouchEmulationEnabled", json!({ "enabled": true, "maxTouchPoints": 5 }));
    tab.wait("matchMedia('(pointer: coarse)').matches");
    for key in 1..=6 {
        tab.key(&key.to_string(), &format!("Digit{key}"));
        tab.wait(&format!("document.querySelectorAll('[role=tab]')[{}].ariaSelected === 'true'", key - 1));
        std::thread::sleep(std::time::Duration::from_millis(300));
        let small = tab.js(
            "return [...document.querySelectorAll('button, [role=tab], input, select, summary')].filter((node) => node.checkVisibility() && !node.matches('.visually-hidden, .text-link, .link, p button, .range, .period')) \
             .map((node) => [node.id || node.className || node.textContent.trim(), ...[node.getBoundingClientRect()].map((box) => [Math.round(box.width), Math.round(box.height)])]) \
             .filter(([, [width, height]]) => width < 24 || height < 24)",
        );
        assert_eq!(small, json!([]), "view {key}");
    }
    tab.finish();
}
