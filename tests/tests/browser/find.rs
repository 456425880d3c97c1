//! The find bar: a pattern over all stacks, by keyboard and by mouse.

use crate::{Tab, tab_with};

const DETAILS: &str = "[data-role=details]";

fn told(tab: &Tab, text: &str) {
    tab.wait(&format!(
        "document.getElementById('find-told').textContent.includes({})",
        serde_json::json!(text)
    ));
}

fn type_in(tab: &Tab, text: &str) {
    tab.devtools("Input.insertText", serde_json::json!({ "text": text }));
}

/// The pinned allocation, by its address in the details.
fn pinned(tab: &Tab) -> String {
    tab.wait(&format!("/pinned/i.test(document.querySelector('{DETAILS}').textContent)"));
    tab.text(DETAILS)
}

#[test]
fn a_pattern_is_found_and_walked_by_keys() {
    let tab = tab_with("train_plain");
    tab.key("/", "Slash");
    tab.wait("document.getElementById('timeline').checkVisibility()");
    tab.wait("document.activeElement.id === 'find-input'");
    assert_eq!(tab.js("return document.getElementById('find-input').value"), "", "the key is not typed");
    type_in(&tab, "train\\.py");
    told(&tab, " at the peak");
    tab.wait("performance.getEntriesByName('vramscope:search').length > 0");
    tab.key("Enter", "Enter");
    told(&tab, "1 of ");
    let first = pinned(&tab);
    assert!(first.contains("train.py"), "{first}");
    tab.key("Enter", "Enter");
    told(&tab, "2 of ");
    let event = tab.attribute("[data-role=cursor]", "data-event");
    let shift = serde_json::json!({ "type": "keyDown", "key": "Enter", "code": "Enter", "modifiers": 8, "windowsVirtualKeyCode": 13 });
    tab.devtools("Input.dispatchKeyEvent", shift.clone());
    told(&tab, "1 of ");
    assert_ne!(tab.attribute("[data-role=cursor]", "data-event"), event, "the cursor goes along");
    tab.devtools("Input.dispatchKeyEvent", shift);
    // Before the first comes the last.
    tab.wait("(([, at, of]) => at === of)(/^([\\d,]+) of ([\\d,]+)/.exec(document.getElementById('find-told').textContent) || [0, 1, 2])");
    tab.key("Escape", "Escape");
    tab.wait("document.getElementById('find').hidden");
    tab.wait("document.activeElement.id === 'timeline-canvas'");
    assert!(pinned(&tab).contains("train.py"), "what was pinned stays");
    tab.finish();
}

#[test]
fn a_pattern_is_found_and_walked_by_mouse() {
    let tab = tab_with("train_plain");
    tab.show_timeline();
    tab.click("#find-open");
    tab.wait("document.activeElement.id === 'find-input'");
    assert!(tab.js("return document.getElementById('find-next').disabled").as_bool().unwrap());
    type_in(&tab, "TRAIN|train");
    tab.wait("!document.getElementById('find-next').disabled");
    tab.click("#find-next");
    told(&tab, "1 of ");
    tab.click("#find-next");
    told(&tab, "2 of ");
    tab.click("#find-previous");
    told(&tab, "1 of ");
    assert!(pinned(&tab).contains("train.py"));
    tab.click("#find-close");
    tab.wait("document.getElementById('find').hidden");
    tab.finish();
}

#[test]
fn a_bad_pattern_says_where_it_is_wrong() {
    let tab = tab_with("train_plain");
    tab.show_timeline();
    let find = serde_json::json!({ "type": "keyDown", "key": "f", "code": "KeyF", "modifiers": 2 });
    tab.devtools("Input.dispatchKeyEvent", find);
    tab.wait("document.activeElement.id === 'find-input'");
    type_in(&tab, "train(\\.py");
    tab.wait("document.getElementById('find-fault').checkVisibility()");
    assert!(tab.text("#find-fault").contains("Not a pattern"), "{}", tab.text("#find-fault"));
    assert_eq!(tab.text("#find-fault mark"), "(\\.py");
    assert_eq!(tab.attribute("#find-input", "aria-invalid").as_deref(), Some("true"));
    assert!(tab.js("return document.getElementById('find-next').disabled").as_bool().unwrap());
    type_in(&tab, ")");
    tab.wait("document.getElementById('find-fault').hidden");
    told(&tab, " at the peak");
    // No such frame: said in words, and nothing is pinned.
    type_in(&tab, "nowhere");
    told(&tab, "No allocation has such a frame");
    tab.key("Enter", "Enter");
    std::thread::sleep(std::time::Duration::from_millis(200));
    assert!(!tab.text(DETAILS).to_lowercase().contains("pinned"));
    tab.finish();
}
