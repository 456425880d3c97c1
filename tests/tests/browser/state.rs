//! The allocator's state and what came with it: scrubbing, blocks, filters, lanes, settings, by mouse and by keyboard.

use serde_json::json;

use crate::{Tab, recording, tab, tab_with};

const CANVAS: &str = "canvas[data-role=state]";
const DETAILS: &str = "[data-role=details]";

fn moment(tab: &Tab) -> u64 {
    let text = tab.attribute("#state-now", "data-moment").expect("a moment");
    text.parse().expect("a whole number")
}

/// The allocator's state of a recording, drawn.
fn state(name: &str) -> Tab {
    let tab = tab_with(name);
    tab.click("[role=tab][data-view=state]");
    wait_for_blocks(&tab);
    tab
}

/// Waits until the canvas is not of one colour.
fn wait_for_blocks(tab: &Tab) {
    tab.wait(&format!("document.querySelector('{CANVAS}').checkVisibility()"));
    tab.wait(&format!(
        "(() => {{ const c = document.querySelector('{CANVAS}'); \
         const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data; \
         return new Set(new Uint32Array(d.buffer)).size > 3; }})()"
    ));
}

fn wait_for_details(tab: &Tab, words: &str) {
    tab.wait(&format!("/{words}/i.test(document.querySelector('{DETAILS}')?.textContent)"));
}

/// Where a block lies that is wide enough for its size: the middle of its label.
fn a_block(tab: &Tab) -> (f64, f64) {
    tab.wait("document.querySelector('#block-labels .size')");
    tab.middle("#block-labels .size")
}

#[test]
fn tab_and_key_open_it_at_the_failed_request() {
    let tab = tab();
    tab.click("[data-sample=oom]");
    tab.wait_until_ready();
    tab.requests();
    tab.key("3", "Digit3");
    wait_for_blocks(&tab);
    wait_for_details(&tab, "Request that failed");
    assert!(tab.text("#state-now").contains("out of memory"), "{}", tab.text("#state-now"));
    tab.key("1", "Digit1");
    tab.wait("document.getElementById('overview').checkVisibility()");
    tab.click("[role=tab][data-view=state]");
    wait_for_blocks(&tab);
    let heading = tab.text("#block-labels .heading");
    assert!(heading.contains("stream 0") && heading.contains("reserved"), "{heading}");
    tab.finish();
}

#[test]
fn keys_slider_and_player_move_the_moment() {
    let tab = state("oom_fragmentation");
    let end = moment(&tab);
    tab.key(",", "Comma");
    tab.wait(&format!("document.getElementById('state-now').dataset.moment === '{}'", end - 1));
    tab.key(".", "Period");
    tab.wait(&format!("document.getElementById('state-now').dataset.moment === '{end}'"));
    tab.wait("performance.getEntriesByName('vramscope:state').length > 0");
    tab.click_at(tab.at("#scrub", 0.25, 0.5));
    tab.wait(&format!("document.getElementById('state-now').dataset.moment < {}", end / 2));
    let clicked = moment(&tab);
    tab.drag(tab.at("#scrub", 0.25, 0.5), tab.at("#scrub", 0.6, 0.5));
    tab.wait(&format!("document.getElementById('state-now').dataset.moment > {clicked}"));
    let dragged = moment(&tab);
    tab.click("#step-on");
    tab.wait(&format!("document.getElementById('state-now').dataset.moment > {dragged}"));
    tab.click("#step-back");
    tab.wait(&format!("document.getElementById('state-now').dataset.moment <= {dragged}"));
    tab.click_at(tab.at("#scrub", 0.01, 0.5));
    tab.wait(&format!("document.getElementById('state-now').dataset.moment < {}", end / 20));
    let before = moment(&tab);
    tab.click("#play");
    tab.wait(&format!("document.getElementById('state-now').dataset.moment > {}", before + 1));
    tab.click("#play");
    tab.wait("document.getElementById('play').getAttribute('aria-label') === 'Play'");
    // The moment is that of all views.
    let shown = moment(&tab);
    tab.key("2", "Digit2");
    tab.wait(&format!("document.querySelector('[data-role=cursor]').dataset.moment === '{shown}'"));
    tab.finish();
}

#[test]
fn hover_reads_click_pins_and_the_timeline_shows_the_same() {
    let tab = state("oom_fragmentation");
    let block = a_block(&tab);
    tab.point(block);
    wait_for_details(&tab, "under the pointer");
    tab.click_at(block);
    wait_for_details(&tab, "pinned|chosen");
    tab.key("Escape", "Escape");
    tab.wait(&format!("!/pinned$|chosen/i.test(document.querySelector('{DETAILS} .of')?.textContent)"));
    // By keys alone: the first block, and on to its neighbours until one holds an allocation.
    tab.key("ArrowRight", "ArrowRight");
    wait_for_details(&tab, "pinned|chosen");
    for _ in 0..20 {
        if tab.text(DETAILS).contains("Show in timeline") {
            break;
        }
        let before = tab.text(DETAILS);
        tab.key("ArrowRight", "ArrowRight");
        tab.wait(&format!("document.querySelector('{DETAILS}').innerText !== {}", json!(before)));
    }
    wait_for_details(&tab, "Show in timeline");
    let id = tab.js("return new URLSearchParams(location.hash.slice(1)).get('pin')");
    tab.key("Enter", "Enter");
    tab.wait("document.getElementById('timeline').checkVisibility()");
    wait_for_details(&tab, "Show in allocator state");
    tab.wait_for_picture();
    let figure = tab.text(&format!("{DETAILS} .figure"));
    tab.js("[...document.querySelectorAll('[data-role=details] button')].find(b => b.textContent.includes('Show in allocator state')).click()");
    wait_for_blocks(&tab);
    wait_for_details(&tab, "Show in timeline");
    assert_eq!(tab.text(&format!("{DETAILS} .figure")), figure);
    tab.wait("location.hash.includes('view=state')");
    if !id.is_null() {
        assert_eq!(tab.js("return new URLSearchParams(location.hash.slice(1)).get('pin')"), id);
    }
    tab.finish();
}

#[test]
fn rows_zoom_scroll_and_sort() {
    let tab = state("oom_fragmentation");
    let rows = |tab: &Tab| tab.text("#block-labels");
    let before = rows(&tab);
    tab.key("+", "Equal");
    tab.wait("document.getElementById('unzoom').checkVisibility()");
    tab.wait(&format!("document.getElementById('block-labels').innerText !== {}", json!(before)));
    tab.key("0", "Digit0");
    tab.wait(&format!("document.getElementById('block-labels').innerText === {}", json!(before)));
    tab.wheel(tab.middle(CANVAS), 200.0);
    tab.click("#sort-menu");
    tab.js("[...document.querySelectorAll('.menu .item')].find(b => b.textContent.startsWith('free bytes')).click()");
    tab.wait("location.hash.includes('sort=free')");
    tab.wait(&format!("document.getElementById('block-labels').innerText !== {}", json!(before)));
    tab.click("#group-menu");
    tab.js("[...document.querySelectorAll('.menu .item')].find(b => b.textContent.startsWith('nothing')).click()");
    tab.wait("document.querySelectorAll('#block-labels .heading').length === 1");
    tab.finish();
}

#[test]
fn what_pins_a_segment_selects_it() {
    let tab = state("oom_fragmentation");
    wait_for_details(&tab, "What keeps half-empty segments");
    tab.js("document.querySelector('[data-role=details] .picks tbody tr').click()");
    wait_for_details(&tab, "Segment");
    wait_for_details(&tab, "chosen");
    tab.wait("location.hash.includes('seg=0x')");
    let url = tab.js("return location.href").as_str().unwrap().to_owned();
    let shown = tab.text(&format!("{DETAILS} .figure"));
    tab.goto("about:blank");
    tab.goto(&url);
    tab.wait_for_state("empty");
    tab.requests();
    tab.choose(&[&recording("oom_fragmentation")]);
    tab.wait_until_ready();
    wait_for_blocks(&tab);
    wait_for_details(&tab, "chosen");
    assert_eq!(tab.text(&format!("{DETAILS} .figure")), shown);
    tab.finish();
}

#[test]
fn the_model_says_how_far_it_agrees() {
    let tab = tab_with("oom_fragmentation");
    tab.wait("/Allocator model (agrees|not checked)/.test(document.getElementById('status').textContent)");
    let status = tab.text("#status");
    assert!(status.contains("Allocator model agrees on 12,154 of 12,154 events"), "{status}");
    assert!(tab.text("#model-line").contains("agrees"), "{}", tab.text("#model-line"));
    assert!(tab.bytes("peak.allocated_bytes").is_some(), "peaks are known once the model is checked");
    assert!(tab.bytes("peak.active_bytes").is_some());
    tab.finish();
}

#[test]
fn a_filter_acts_on_every_figure_and_can_be_taken_off() {
    let tab = tab_with("streams");
    tab.wait("document.getElementById('filter-menu').checkVisibility()");
    let whole = tab.bytes("peak.requested_bytes").expect("a peak");
    tab.click("#filter-menu");
    tab.js("[...document.querySelectorAll('.menu .item')].filter(b => b.textContent.startsWith('Stream')).at(-1).click()");
    tab.wait("document.querySelector('[data-role=part]')?.checkVisibility()");
    let part = tab.bytes("peak.requested_bytes").expect("a peak");
    assert!(part < whole, "{part} of {whole}");
    tab.wait("location.hash.includes('stream=')");
    tab.show_timeline();
    tab.key("3", "Digit3");
    wait_for_blocks(&tab);
    let groups = "document.querySelectorAll('[data-role=details] .group-row').length";
    tab.wait(&format!("{groups} > 0"));
    let part = tab.js(&format!("return {groups}")).as_u64();
    tab.click("#filter-chips button");
    tab.wait("!document.querySelector('#filter-chips button')");
    tab.wait(&format!("{groups} > {}", part.unwrap_or_default()));
    tab.key("1", "Digit1");
    tab.wait(&format!(
        "document.querySelector(\"[data-metric='peak.requested_bytes']\").dataset.bytes === '{whole}'"
    ));
    tab.finish();
}

#[test]
fn lanes_name_ranges_and_layers_change_the_picture() {
    let tab = tab_with("annotations");
    tab.show_timeline();
    tab.wait("document.querySelector('#lanes .range')");
    let range = tab.attribute("#lanes .range", "title").expect("a title");
    assert!(range.contains(" to "), "{range}");
    let scope = tab.text("#scope");
    tab.js("document.querySelector('#lanes .range').click()");
    tab.wait(&format!("document.getElementById('scope').innerText !== {}", json!(scope)));
    tab.wait("document.querySelector('#lanes .driver')");
    for layer in ["segments over time", "pools", "allocations"] {
        tab.key("v", "KeyV");
        tab.wait(&format!("document.getElementById('show-name').textContent === {}", json!(layer)));
        tab.wait_for_picture();
    }
    tab.finish();
}

#[test]
fn settings_and_what_is_not_told_can_be_read() {
    let tab = tab_with("expandable");
    tab.wait("document.querySelector('#settings .explained')");
    let settings = tab.text("#settings");
    assert!(settings.contains("expandable_segments") && settings.contains("in force"), "{settings}");
    tab.finish();
    let tab = tab_with("ring_truncated");
    tab.wait("document.getElementById('warnings')");
    tab.js("[...document.querySelectorAll('#status button')].find(b => /note/.test(b.textContent)).click()");
    tab.wait("document.activeElement.id === 'warnings'");
    assert!(tab.text("#warnings").contains("What this file does not tell"));
    tab.finish();
}
