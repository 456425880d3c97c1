//! Whose code holds the bytes: icicle, call tree, steps with their undo, and the lines of a file, by mouse and by keyboard.

use serde_json::json;
use vramscope_tests::browser::{Page, Setup, dist};
use xtask::server::Server;

use crate::{Tab, tab_with, temporary};

const CANVAS: &str = "canvas[data-role=stacks]";
const DETAILS: &str = "[data-role=details]";

fn wait_for_tree(tab: &Tab) {
    tab.wait(
        "document.querySelector('#icicle-labels > span') && document.querySelector('#tree-window .tree-row')",
    );
}

fn stacks(name: &str) -> Tab {
    let tab = tab_with(name);
    tab.key("4", "Digit4");
    tab.wait(&format!("document.querySelector('{CANVAS}').checkVisibility()"));
    wait_for_tree(&tab);
    tab
}

fn total(tab: &Tab) -> String {
    tab.text("#stacks-total")
}

fn wait_for_other(tab: &Tab, before: &str) {
    tab.wait(&format!("document.getElementById('stacks-total').innerText !== {}", json!(before)));
}

fn press(tab: &Tab, words: &str) {
    tab.wait(&format!("[...document.querySelectorAll('{DETAILS} button')].some(b => b.textContent === '{words}' && !b.disabled)"));
    tab.js(&format!(
        "[...document.querySelectorAll('{DETAILS} button')].find(b => b.textContent === '{words}').click()"
    ));
}

#[test]
fn click_selects_and_double_click_zooms_as_keys_do() {
    let tab = stacks("train_plain");
    let peak =
        tab.js("return document.querySelector(\"[data-metric='peak.requested_bytes']\").dataset.bytes");
    assert_eq!(tab.attribute("#tree-window .tree-row [data-bytes]", "data-bytes").as_deref(), peak.as_str());
    tab.click_at(tab.at(CANVAS, 0.2, 0.12));
    tab.wait(&format!("document.querySelector('{DETAILS} .figure') && document.querySelector('.tree-row[aria-selected=true]')"));
    let node = tab.attribute(".tree-row[aria-selected=true]", "data-node");
    tab.wait(&format!("location.hash.includes('node={}')", node.unwrap_or_default()));
    tab.key("ArrowDown", "ArrowDown");
    tab.wait("document.querySelector('.tree-row[aria-selected=true]')?.getAttribute('aria-level') === '3'");
    tab.key("Enter", "Enter");
    tab.wait("location.hash.includes('zoom=')");
    tab.key("0", "Digit0");
    tab.wait("!location.hash.includes('zoom=')");
    tab.js(&format!("document.querySelector('{CANVAS}').dispatchEvent(new MouseEvent('dblclick', {{ clientX: document.querySelector('{CANVAS}').getBoundingClientRect().left + 60, clientY: document.querySelector('{CANVAS}').getBoundingClientRect().top + 36 }}))"));
    tab.wait("location.hash.includes('zoom=')");
    tab.key("Escape", "Escape");
    tab.wait("!location.hash.includes('node=')");
    tab.key("Escape", "Escape");
    tab.wait("!location.hash.includes('zoom=')");
    heads_sort_the_call_tree(&tab);
    tab.finish();
}

/// By mouse and by keys, and no sum changes.
fn heads_sort_the_call_tree(tab: &Tab) {
    let blocks = "[...document.querySelectorAll('#tree-window [aria-level=\"2\"]')].map((row) => Number(row.children[4].textContent.replaceAll(/\\D/g, '')))";
    let sorted = |column: &str, way: &str| {
        tab.wait(&format!("document.querySelector('#tree-head [data-by={column}]').getAttribute('aria-sort') === '{way}' && document.querySelectorAll('#tree-head [aria-sort]').length === 1"));
    };
    let rows = "return document.getElementById('tree').getAttribute('aria-rowcount')";
    let (whole, count) = (tab.text("#tree-window .tree-row"), tab.js(rows));
    sorted("total", "descending");
    tab.click("#tree-head [data-by=blocks] button");
    sorted("blocks", "descending");
    tab.wait("location.hash.includes('rows=blocks-')");
    tab.wait(&format!(
        "{blocks}.length > 1 && {blocks}.every((count, at, all) => !at || all[at - 1] >= count)"
    ));
    tab.click("#tree-head [data-by=blocks] button");
    sorted("blocks", "ascending");
    tab.wait(&format!(
        "{blocks}.length > 1 && {blocks}.every((count, at, all) => !at || all[at - 1] <= count)"
    ));
    assert_eq!((tab.text("#tree-window .tree-row"), tab.js(rows)), (whole, count));
    // Up from the first row to the heads, along them, and down again.
    tab.js("document.getElementById('tree').focus()");
    tab.key("Home", "Home");
    tab.wait("document.querySelector('#tree-window .tree-row').getAttribute('aria-selected') === 'true'");
    tab.key("ArrowUp", "ArrowUp");
    tab.wait("document.activeElement.closest('#tree-head [data-by=blocks]')");
    tab.key("Home", "Home");
    tab.key("Enter", "Enter");
    sorted("name", "ascending");
    tab.key("Enter", "Enter");
    sorted("name", "descending");
    tab.key("End", "End");
    tab.key("ArrowLeft", "ArrowLeft");
    tab.key("ArrowLeft", "ArrowLeft");
    tab.key(" ", "Space");
    sorted("own", "descending");
    tab.key("ArrowDown", "ArrowDown");
    tab.wait("document.activeElement.id === 'tree'");
    tab.wait("location.hash.includes('rows=own-')");
    tab.js("location.hash = location.hash.replace('rows=own-', '')");
    sorted("total", "descending");
}

#[test]
fn steps_are_made_and_undone() {
    let tab = stacks("train_plain");
    let whole = total(&tab);
    tab.click_at(tab.at(CANVAS, 0.2, 0.2));
    press(&tab, "Drop");
    wait_for_other(&tab, &whole);
    assert!(tab.text("#stacks-crumbs").contains("Without"), "{}", tab.text("#stacks-crumbs"));
    tab.click("#stacks-crumbs .step button.icon-only");
    tab.wait(&format!("document.getElementById('stacks-total').innerText === {}", json!(whole)));
    tab.js(&format!("document.querySelector('{CANVAS}').focus()"));
    tab.key("ArrowDown", "ArrowDown");
    tab.key("ArrowDown", "ArrowDown");
    tab.wait(&format!("document.querySelector('{DETAILS} .figure')"));
    tab.key("m", "KeyM");
    tab.wait("/Merged/.test(document.getElementById('stacks-crumbs').innerText)");
    assert_eq!(total(&tab), whole, "merging keeps every byte");
    tab.key("Backspace", "Backspace");
    tab.wait("!/Merged/.test(document.getElementById('stacks-crumbs').innerText)");
    tab.finish();
}

#[test]
fn forms_weights_folds_and_patterns() {
    let tab = stacks("train_plain");
    let whole = total(&tab);
    tab.click("[data-form=bottom_up]");
    tab.wait("location.hash.includes('form=bottom_up')");
    tab.key("i", "KeyI");
    tab.wait("/around/.test(document.getElementById('stacks-crumbs').innerText)");
    tab.key("i", "KeyI");
    tab.wait(&format!("document.getElementById('stacks-total').innerText === {}", json!(whole)));
    tab.key("x", "KeyX");
    tab.wait("document.getElementById('fold-name').textContent === 'shown'");
    assert_eq!(total(&tab), whole);
    tab.click("#hide-pattern");
    tab.js("const f = document.getElementById('hide-pattern'); f.value = '('; f.dispatchEvent(new Event('input'))");
    tab.wait("document.getElementById('hide-pattern').getAttribute('aria-invalid') === 'true'");
    tab.key("Escape", "Escape");
    tab.wait("document.getElementById('hide-pattern').getAttribute('aria-invalid') === 'false'");
    tab.click("#weigh-menu");
    tab.js("[...document.querySelectorAll('.menu .item')].find(b => b.textContent.startsWith('allocated')).click()");
    wait_for_other(&tab, &whole);
    tab.wait("location.hash.includes('weigh=allocated')");
    tab.finish();
}

#[test]
fn lines_of_a_file_stand_beside_a_text_that_never_leaves() {
    let tab = stacks("train_plain");
    tab.click_at(tab.at(CANVAS, 0.2, 0.12));
    press(&tab, "Source");
    tab.wait("document.querySelector('.source-lines li [data-bytes]')");
    let text = (1..2000).map(|line| format!("line_{line} = 1\n")).collect::<String>();
    let path = temporary("stacks", "source.py", text.as_bytes());
    tab.devtools("DOM.enable", json!({}));
    let root = tab.devtools("DOM.getDocument", json!({}));
    let found = tab.devtools(
        "DOM.querySelector",
        json!({ "nodeId": root["root"]["nodeId"], "selector": "#source-file" }),
    );
    tab.devtools("DOM.setFileInputFiles", json!({ "nodeId": found["nodeId"], "files": [path] }));
    tab.wait("document.querySelector('.source-lines code')?.textContent === 'line_1 = 1'");
    tab.finish();
}

#[test]
#[ignore = "makes pictures for people"]
fn shots_of_stacks() {
    for (width, height, dark) in [(1280, 800, false), (1920, 1080, true)] {
        let server = Server::start(&dist(), "/", 0).unwrap();
        let page = Page::open(&server.url(), Setup { width, height, dark });
        page.wait_for_state("empty");
        let tab = Tab { page, _server: server };
        tab.click("[data-sample=healthy]");
        tab.wait_until_ready();
        tab.key("4", "Digit4");
        wait_for_tree(&tab);
        tab.click_at(tab.at(CANVAS, 0.2, 0.3));
        std::thread::sleep(std::time::Duration::from_millis(1500));
        crate::shots::write(&format!("stacks-{width}-{dark}.png"), &tab.screenshot());
    }
}
