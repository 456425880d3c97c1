//! Choose, drop, add, switch, cancel.

use crate::{Tab, recording, tab, tab_with, temporary};
use vramscope_tests::recordings;

/// The figures on the page are the allocator's.
#[test]
fn chosen_file_shows_exact_figures() {
    let tab = tab_with("train_plain");
    let truth = std::fs::read(recordings::folder().join("train_plain.truth.json")).unwrap();
    let truth: serde_json::Value = serde_json::from_slice(&truth).unwrap();
    for (metric, counter) in [
        ("peak.requested_bytes", "requested_bytes.all.peak"),
        ("peak.reserved_bytes", "reserved_bytes.all.peak"),
        ("peak.allocated_bytes", "allocated_bytes.all.peak"),
        ("peak.active_bytes", "active_bytes.all.peak"),
        ("peak.inactive_split_bytes", "inactive_split_bytes.all.peak"),
        ("end.requested_bytes", "requested_bytes.all.current"),
        ("end.reserved_bytes", "reserved_bytes.all.current"),
        ("end.allocated_bytes", "allocated_bytes.all.current"),
        ("end.active_bytes", "active_bytes.all.current"),
    ] {
        assert_eq!(tab.bytes(metric), truth["devices"]["0"][counter].as_u64(), "{metric}");
    }
    for mark in ["vramscope:open", "vramscope:first-paint", "vramscope:ready"] {
        assert_eq!(tab.js(&format!("return performance.getEntriesByName('{mark}').length")), 1, "{mark}");
    }
    let wasm_bytes = tab.js("return performance.getEntriesByName('vramscope:ready')[0].detail.wasmBytes");
    assert!(wasm_bytes.as_u64().unwrap() > 1 << 20);
    tab.finish();
}

#[test]
fn dropped_files_open_and_a_second_drop_adds() {
    let tab = tab();
    tab.requests();
    tab.drop_files(&[&recording("train_bs8")]);
    tab.wait_until_ready();
    let first = tab.bytes("peak.requested_bytes").unwrap();
    tab.drop_files(&[&recording("train_bs32")]);
    tab.wait("document.getElementById('file-name').textContent.includes('train_bs32')");
    tab.wait(&format!(
        "document.querySelector(\"[data-metric='peak.requested_bytes']\").dataset.bytes !== '{first}'"
    ));
    assert!(tab.bytes("peak.requested_bytes").unwrap() > first);
    // Back to the first by the switcher.
    tab.click("#file-menu");
    choose_in_menu(&tab, "train_bs8");
    tab.wait(&format!(
        "document.querySelector(\"[data-metric='peak.requested_bytes']\").dataset.bytes === '{first}'"
    ));
    tab.finish();
}

/// Clicks the row of the open menu that holds a text.
fn choose_in_menu(tab: &Tab, text: &str) {
    let row = format!(
        "[...document.querySelectorAll('.menu button.item')].find(row => row.textContent.includes('{text}'))"
    );
    tab.wait(&row);
    tab.js(&format!("({row}).click()"));
}

#[test]
fn two_devices_can_be_switched() {
    let tab = tab_with("two_devices");
    assert!(tab.is_shown("#device-menu"));
    let before = tab.text("#device-menu");
    tab.click("#device-menu");
    let other = if before.contains('0') { "GPU 1" } else { "GPU 0" };
    choose_in_menu(&tab, other);
    tab.wait(&format!("document.getElementById('device-menu').textContent.includes('{other}')"));
    tab.finish();
}

#[test]
fn samples_open_by_one_click() {
    let tab = tab();
    tab.click("[data-sample=oom]");
    tab.wait_until_ready();
    tab.requests();
    assert!(tab.text("#overview").contains("16.0\u{a0}MiB"), "the failed request is named");
    // The other one is there already: no further request.
    tab.click("#brand");
    tab.wait("document.querySelector('[data-sample=healthy]').checkVisibility()");
    tab.click("[data-sample=healthy]");
    tab.wait(
        "document.querySelector(\"[data-metric='peak.requested_bytes']\")?.dataset.bytes === '47014824456'",
    );
    tab.finish();
}

/// A large file shows progress with numbers, and Cancel brings the start page back.
#[test]
fn a_load_can_be_cancelled() {
    let tab = tab();
    tab.requests();
    let large = temporary("cancel", "large.pickle", &endless_pickle(600 << 20));
    tab.choose(&[&large]);
    tab.wait_for_state("loading");
    tab.wait("document.querySelector('[role=progressbar]')?.checkVisibility()");
    tab.wait("Number(document.querySelector('[role=progressbar]').getAttribute('aria-valuenow')) > 0");
    assert!(tab.text("#loading").contains("MiB"), "{}", tab.text("#loading"));
    tab.js("[...document.querySelectorAll('button')].find(b => b.textContent.trim() === 'Cancel').click()");
    tab.wait_for_state("empty");
    std::fs::remove_file(large).unwrap();
    // The page is as good as new.
    tab.choose(&[&recording("train_plain")]);
    tab.wait_until_ready();
    tab.finish();
}

/// A pickle that is sound but very long: a list of numbers that does not end.
pub(crate) fn endless_pickle(len: usize) -> Vec<u8> {
    let mut bytes = b"\x80\x04]".to_vec();
    while bytes.len() < len {
        bytes.extend_from_slice(b"(");
        bytes.extend_from_slice(&b"K\x07".repeat(1000));
        bytes.extend_from_slice(b"1");
    }
    bytes
}

/// The page answers while it reads: a timer of 10 ms is never late by more than a long task.
#[test]
fn the_page_stays_responsive_while_it_reads() {
    // What other tests take of the machine is not the page's: the best of three counts.
    let late_ms = || {
        let tab = tab();
        tab.requests();
        tab.js("window.late = 0; let last = performance.now(); setInterval(() => { const now = performance.now(); window.late = Math.max(window.late, now - last); last = now; }, 10)");
        tab.choose(&[&recording("oom_fragmentation")]);
        tab.wait_until_ready();
        let late_ms = tab.js("return window.late").as_f64().unwrap();
        tab.finish();
        late_ms
    };
    let tries: Vec<f64> = (0..3).map(|_| late_ms()).collect();
    assert!(tries.iter().any(|late_ms| *late_ms < 1_000.0), "the page did not answer for {tries:?} ms");
}

#[test]
fn very_many_devices_open() {
    let tab = tab();
    tab.requests();
    let frame = serde_json::json!({"filename": "a.py", "line": 1, "name": "f"});
    let event = serde_json::json!({"action": "alloc", "addr": 4096, "size": 512, "stream": 0, "frames": [frame], "time_us": 1});
    let traces = vec![serde_json::json!([event]); 3000];
    let snapshot = serde_json::json!({"segments": [], "device_traces": traces});
    let bytes = serde_pickle::to_vec(&snapshot, Default::default()).unwrap();
    tab.js("window.longest = 0; let last = performance.now(); setInterval(() => { const now = performance.now(); longest = Math.max(longest, now - last); last = now; }, 20)");
    tab.choose(&[&crate::temporary("opening", "many.pickle", &bytes)]);
    tab.wait_until_ready();
    let longest = tab.js("return longest").as_f64().unwrap();
    assert!(longest < 3000.0, "the page did not answer for {longest} ms; it was more than a minute once");
    assert!(tab.text("#warnings").contains("more: “vramscope summary” lists all of them"));
    tab.finish();
}
