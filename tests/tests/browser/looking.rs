//! The timeline and its details, by mouse and by keyboard.

use crate::{Tab, tab_with};

const CANVAS: &str = "canvas[data-role=timeline]";
const DETAILS: &str = "[data-role=details]";

fn x_range(tab: &Tab) -> String {
    tab.js("return document.getElementById('scope').textContent + location.hash")
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

fn event(tab: &Tab) -> Option<u64> {
    tab.attribute("[data-role=cursor]", "data-event")?.parse().ok()
}

fn timeline(name: &str) -> Tab {
    let tab = tab_with(name);
    tab.show_timeline();
    tab
}

#[test]
fn hover_reads_and_click_pins() {
    let tab = timeline("train_plain");
    // Parameters lie at the bottom, and have lines of the program.
    tab.point(tab.at(CANVAS, 0.5, 0.98));
    tab.wait("document.querySelector('[data-role=details]').textContent.includes('train.py')");
    let hovered = tab.text(DETAILS);
    assert!(hovered.contains("bytes") && hovered.contains("0x"), "{hovered}");
    // What is under the pointer follows it …
    tab.point(tab.at(CANVAS, 0.5, 0.6));
    tab.wait(&format!(
        "document.querySelector('[data-role=details]').innerText !== {}",
        serde_json::json!(hovered)
    ));
    // … until a click pins it.
    tab.click_at(tab.at(CANVAS, 0.5, 0.85));
    tab.wait("/pinned/i.test(document.querySelector('[data-role=details]').textContent)");
    let pinned = tab.text(DETAILS);
    tab.point(tab.at(CANVAS, 0.3, 0.7));
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert_eq!(tab.text(DETAILS), pinned);
    tab.key("Escape", "Escape");
    tab.wait("!/pinned/i.test(document.querySelector('[data-role=details]').textContent)");
    tab.finish();
}

/// Internal frames are folded; a button opens them.
#[test]
fn folded_frames_can_be_opened() {
    let tab = timeline("train_plain");
    tab.click_at(tab.at(CANVAS, 0.5, 0.85));
    tab.wait("/pinned/i.test(document.querySelector('[data-role=details]').textContent)");
    let fold = "[...document.querySelectorAll('[data-role=details] button')].find(b => /C\\+\\+|torch/.test(b.textContent))";
    tab.wait(fold);
    let before = tab.text(DETAILS).len();
    tab.js(&format!("({fold}).click()"));
    tab.wait(&format!("document.querySelector('[data-role=details]').innerText.length > {before}"));
    tab.finish();
}

#[test]
fn wheel_and_keys_zoom_at_the_cursor() {
    let tab = timeline("train_plain");
    let whole = x_range(&tab);
    tab.wheel(tab.at(CANVAS, 0.5, 0.5), -240.0);
    tab.wait(&format!(
        "document.getElementById('scope').textContent + location.hash !== {}",
        serde_json::json!(whole)
    ));
    tab.wait("performance.getEntriesByName('vramscope:frame').length > 0");
    let by_wheel = x_range(&tab);
    tab.key("w", "KeyW");
    tab.wait(&format!(
        "document.getElementById('scope').textContent + location.hash !== {}",
        serde_json::json!(by_wheel)
    ));
    tab.key("0", "Digit0");
    tab.wait("document.getElementById('scope').textContent.includes('Whole recording')");
    tab.finish();
}

#[test]
fn dragging_pans_and_the_minimap_selects() {
    let tab = timeline("train_plain");
    tab.wheel(tab.at(CANVAS, 0.5, 0.5), -480.0);
    tab.wait("!document.getElementById('scope').textContent.includes('Whole recording')");
    std::thread::sleep(std::time::Duration::from_millis(300));
    let before = x_range(&tab);
    tab.drag(tab.at(CANVAS, 0.6, 0.5), tab.at(CANVAS, 0.4, 0.5));
    tab.wait(&format!(
        "document.getElementById('scope').textContent + location.hash !== {}",
        serde_json::json!(before)
    ));
    assert!(!tab.text(DETAILS).to_lowercase().contains("pinned"), "a drag is no click");
    let before = x_range(&tab);
    let minimap = "canvas[data-role=minimap]";
    tab.drag(tab.at(minimap, 0.05, 0.5), tab.at(minimap, 0.15, 0.5));
    tab.wait(&format!(
        "document.getElementById('scope').textContent + location.hash !== {}",
        serde_json::json!(before)
    ));
    tab.finish();
}

#[test]
fn keys_alone_reach_a_block_and_its_neighbours() {
    let tab = timeline("train_plain");
    tab.key("]", "BracketRight");
    tab.wait("document.querySelector('[data-role=cursor]').dataset.event");
    tab.key("Enter", "Enter");
    tab.wait("/pinned/i.test(document.querySelector('[data-role=details]').textContent)");
    for (key, code) in [("ArrowUp", "ArrowUp"), ("ArrowDown", "ArrowDown"), ("ArrowLeft", "ArrowLeft")] {
        let before = tab.text(DETAILS);
        tab.key(key, code);
        tab.wait(&format!(
            "document.querySelector('[data-role=details]').innerText !== {}",
            serde_json::json!(before)
        ));
    }
    tab.key("Escape", "Escape");
    let here = event(&tab).expect("a cursor");
    tab.key(".", "Period");
    tab.wait(&format!("document.querySelector('[data-role=cursor]').dataset.event === '{}'", here + 1));
    tab.key(",", "Comma");
    tab.wait(&format!("document.querySelector('[data-role=cursor]').dataset.event === '{here}'"));
    tab.key("1", "Digit1");
    tab.wait("document.getElementById('overview').checkVisibility()");
    tab.key("?", "Slash");
    tab.wait("document.querySelector('[role=dialog]')?.checkVisibility()");
    tab.key("Escape", "Escape");
    tab.wait("!document.querySelector('[role=dialog]')?.checkVisibility()");
    tab.finish();
}

#[test]
fn the_x_axis_switches_between_events_and_time() {
    let tab = timeline("train_plain");
    let events = tab.text("#timeline");
    tab.click("[data-axis=time]");
    tab.wait("document.querySelector('[data-axis=time]').getAttribute('aria-pressed') === 'true'");
    tab.wait(&format!("document.getElementById('timeline').innerText !== {}", serde_json::json!(events)));
    tab.wait_for_picture();
    // Parameters are there all the time: at the bottom something is always alive.
    tab.point(tab.at(CANVAS, 0.5, 0.99));
    tab.wait("document.querySelector('[data-role=details]').textContent.includes('0x')");
    tab.key("t", "KeyT");
    tab.wait("document.querySelector('[data-axis=event]').getAttribute('aria-pressed') === 'true'");
    tab.finish();
}

/// The place on the page is in the address: the same file comes back as it was left.
#[test]
fn the_address_restores_the_view() {
    let tab = timeline("train_plain");
    tab.wheel(tab.at(CANVAS, 0.3, 0.5), -480.0);
    tab.wait("!document.getElementById('scope').textContent.includes('Whole recording')");
    tab.wait("location.hash.includes('timeline')");
    std::thread::sleep(std::time::Duration::from_millis(500));
    let scope = tab.text("#scope");
    let url = tab.js("return location.href").as_str().unwrap().to_owned();
    tab.goto("about:blank");
    tab.goto(&url);
    tab.wait_for_state("empty");
    tab.requests();
    tab.choose(&[&crate::recording("train_plain")]);
    tab.wait_until_ready();
    tab.wait(&format!("document.getElementById('scope').innerText === {}", serde_json::json!(scope)));
    tab.finish();
}

/// No view without history claims one.
#[test]
fn a_snapshot_without_history_says_so() {
    let tab = tab_with("no_history");
    assert!(tab.text("#overview").contains("no history"), "{}", tab.text("#overview"));
    tab.show_timeline();
    tab.finish();
}

/// The request that failed is shown with its size and the stack that asked.
#[test]
fn a_failed_request_shows_who_asked() {
    let tab = tab_with("oom_activations");
    tab.js("[...document.querySelectorAll('button')].find(b => b.textContent.includes('Show the failed request')).click()");
    tab.wait("/failed request/i.test(document.querySelector('[data-role=details]').textContent)");
    let details = tab.text(DETAILS);
    assert!(details.contains("train.py") && details.contains("bytes"), "{details}");
    tab.finish();
}

/// An address that nobody meant breaks nothing.
#[test]
fn a_broken_address_is_ignored() {
    for fragment in [
        "#v=1&view=timeline&at=-7",
        "#v=1&view=timeline&at=1e300&pin=99999999999",
        "#v=1&view=nowhere&device=x&x=a..b",
    ] {
        let tab = crate::tab();
        let url = tab.js("return location.href").as_str().unwrap().to_owned();
        tab.goto("about:blank");
        tab.goto(&format!("{url}{fragment}"));
        tab.wait_for_state("empty");
        tab.requests();
        tab.choose(&[&crate::recording("linear_inference")]);
        tab.wait_until_ready();
        tab.show_timeline();
        tab.click("[data-axis=time]");
        tab.finish();
    }
}
