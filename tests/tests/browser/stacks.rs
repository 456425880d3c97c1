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
    // Lines have the bytes that go through them; the whole of the file stands beside its first frame.
    let line = "document.querySelector('.source-lines .here')";
    let bytes = tab.js(&format!("return [Number({line}.querySelector('[data-bytes]').dataset.bytes), Number({line}.querySelector('.number').textContent), {line}.querySelector('code').textContent]"));
    assert_eq!(bytes[2], json!(format!("line_{} = 1", bytes[1])), "the text of the line that is meant");
    assert!(bytes[0].as_u64().unwrap() > 1 << 20);
    // Dropped on it, the text is taken as well, and opens nothing.
    tab.js("[...document.querySelectorAll('#stacks-details button')].find((b) => b.textContent === 'Take the text away').click()");
    tab.wait("!document.querySelector('.source-lines code')");
    let (x, y) = tab.middle("#stacks-details .source");
    for kind in ["dragEnter", "dragOver", "drop"] {
        let data = json!({ "items": [], "files": [path], "dragOperationsMask": 1 });
        tab.devtools("Input.dispatchDragEvent", json!({ "type": kind, "x": x, "y": y, "data": data }));
    }
    tab.wait("document.querySelector('.source-lines code')?.textContent === 'line_1 = 1'");
    assert!(!tab.is_shown("[role=alertdialog]"));
    tab.finish();
}

/// Bytes of the root of the call tree.
fn root(tab: &Tab) -> u64 {
    tab.attribute("#tree-window .tree-row .num [data-bytes]", "data-bytes").unwrap().parse().unwrap()
}

fn item(tab: &Tab, menu: &str, words: &str) {
    tab.click(menu);
    tab.js(&format!("[...document.querySelectorAll('.menu .item')].find((item) => item.textContent.startsWith({})).click()", json!(words)));
}

#[test]
fn every_strategy_counts_its_bytes() {
    let tab = stacks("train_plain");
    let (peak, end) = (tab.bytes("peak.requested_bytes").unwrap(), tab.bytes("end.requested_bytes").unwrap());
    assert_eq!(root(&tab), peak);
    let weigh = |words: &str, name: &str| {
        item(&tab, "#weigh-menu", words);
        tab.wait(&format!("location.hash.includes('weigh={name}')"));
        tab.wait(&format!(
            "document.querySelector('#tree-window .tree-row .fn').textContent.startsWith({})",
            json!(words)
        ));
        root(&tab)
    };
    assert_eq!(weigh("alive at this moment", "alive"), peak, "the moment is the peak");
    let [allocated, freed, retained] =
        [("allocated", "allocated"), ("freed", "freed"), ("retained", "retained")]
            .map(|(words, name)| weigh(words, name));
    assert_eq!((allocated - freed, retained), (end, end), "what is not freed is there at the end");
    item(&tab, "#weigh-menu", "bytes");
    tab.wait("document.getElementById('stacks-total').title.includes('byte-microseconds')");
    // By key, and over a shorter range.
    tab.key("y", "KeyY");
    tab.wait("document.getElementById('weigh-name').textContent === 'alive at this moment'");
    tab.key("2", "Digit2");
    tab.wait_for_picture();
    tab.js("document.getElementById('timeline-canvas').focus()");
    for _ in 0..3 {
        tab.key("w", "KeyW");
    }
    tab.key("4", "Digit4");
    tab.key("y", "KeyY");
    tab.key("y", "KeyY");
    tab.wait("document.getElementById('weigh-name').textContent === 'allocated in the range'");
    tab.wait(&format!("Number(document.querySelector('#tree-window .tree-row .num [data-bytes]').dataset.bytes) < {allocated} && document.querySelector('#tree-window .tree-row .fn').textContent.startsWith('allocated')"));
    // Colours, by menu and by key.
    item(&tab, "#stacks-by", "line of code");
    tab.wait("document.getElementById('stacks-by-name').textContent === 'line of code'");
    tab.key("b", "KeyB");
    tab.wait("document.getElementById('stacks-by-name').textContent === 'category'");
    tab.finish();
}

#[test]
fn rows_are_walked_and_acted_on() {
    let tab = stacks("train_plain");
    let whole = root(&tab);
    let selected = "document.querySelector('.tree-row[aria-selected=true]')";
    tab.js("document.getElementById('tree').focus()");
    tab.key("Home", "Home");
    tab.wait(&format!("{selected}?.getAttribute('aria-level') === '1'"));
    tab.key("ArrowLeft", "ArrowLeft");
    tab.wait(&format!("{selected}.getAttribute('aria-expanded') === 'false' && document.getElementById('tree').getAttribute('aria-rowcount') === '2'"));
    tab.key("ArrowRight", "ArrowRight");
    tab.wait(&format!("{selected}.getAttribute('aria-expanded') === 'true'"));
    tab.key("ArrowRight", "ArrowRight");
    tab.wait(&format!("{selected}?.getAttribute('aria-level') === '2'"));
    tab.key("ArrowRight", "ArrowRight");
    tab.wait(&format!(
        "{selected}?.getAttribute('aria-level') === '3' && {selected}.getAttribute('aria-expanded') === 'true'"
    ));
    tab.key("ArrowLeft", "ArrowLeft");
    tab.wait(&format!("{selected}.getAttribute('aria-expanded') === 'false'"));
    tab.key("ArrowLeft", "ArrowLeft");
    tab.wait(&format!("{selected}?.getAttribute('aria-level') === '2'"));
    tab.key("End", "End");
    tab.wait(&format!("{selected}?.getAttribute('aria-rowindex') === document.getElementById('tree').getAttribute('aria-rowcount')"));
    tab.key("Home", "Home");
    tab.key("ArrowDown", "ArrowDown");
    tab.key("ArrowDown", "ArrowDown");
    tab.wait(&format!(
        "{selected}?.getAttribute('aria-level') === '3' || {selected}?.getAttribute('aria-rowindex') === '4'"
    ));
    let bytes = |of: &str| {
        tab.js(&format!("return Number(({of}).querySelector('.num [data-bytes]').dataset.bytes)"))
            .as_u64()
            .unwrap()
    };
    let node = bytes(selected);
    tab.wait(&format!("document.querySelector('{DETAILS} .figure')?.dataset.bytes === '{node}'"));
    // Copied as text.
    tab.devtools(
        "Browser.grantPermissions",
        json!({ "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"] }),
    );
    tab.key("c", "KeyC");
    tab.wait("document.getElementById('announcer').textContent === 'Copied'");
    tab.js("window.copied = ''; navigator.clipboard.readText().then((text) => { window.copied = text; })");
    tab.wait("window.copied");
    let copied = tab.js("return window.copied").to_string();
    assert!(copied.contains(" bytes in ") && copied.contains(r"\n"), "{copied}");
    // Focused on by key, gone back to by the breadcrumb.
    tab.key_with(&["Shift"], "F", "KeyF");
    tab.wait(&format!(
        "document.querySelector('#tree-window .tree-row .num [data-bytes]').dataset.bytes === '{node}'"
    ));
    tab.click("#stacks-crumbs .crumb");
    tab.wait(&format!(
        "document.querySelector('#tree-window .tree-row .num [data-bytes]').dataset.bytes === '{whole}'"
    ));
    // A sandwich: what calls it and what it calls.
    tab.click("#tree-window .tree-row:nth-child(3)");
    tab.wait(&format!("document.querySelector('{DETAILS} .figure')"));
    tab.key("j", "KeyJ");
    tab.wait(
        "[...document.querySelectorAll('.tree-row .side')].some((side) => side.textContent === 'called by')",
    );
    tab.wait(
        "[...document.querySelectorAll('.tree-row .side')].some((side) => side.textContent === 'calls')",
    );
    tab.click("[data-form=top_down]");
    tab.wait(&format!("document.querySelector('#tree-window .tree-row .num [data-bytes]').dataset.bytes === '{whole}' && !document.querySelector('.tree-row .side')"));
    // Frames hidden by a pattern leave their bytes.
    let name = tab.text("#tree-window .tree-row:nth-child(3) .fn");
    let named = format!(
        "[...document.querySelectorAll('.tree-row .fn')].some((fn) => fn.textContent === {})",
        json!(name)
    );
    tab.key("h", "KeyH");
    tab.wait("document.activeElement.id === 'hide-pattern'");
    tab.type_text(&name);
    tab.wait(&format!("/ hidden/.test(document.getElementById('stacks-crumbs').innerText) && !{named}"));
    assert_eq!(root(&tab), whole);
    tab.key("Escape", "Escape");
    tab.wait(&named);
    tab.finish();
}

#[test]
fn the_filter_marks_frames_with_their_share() {
    let tab = stacks("train_plain");
    let whole = root(&tab);
    tab.key("/", "Slash");
    tab.type_text("category:activation");
    tab.wait("document.querySelector('#tree[data-matching] .matching')");
    tab.wait("/ match$/.test(document.getElementById('stacks-total').innerText)");
    assert_eq!(root(&tab), whole, "everything is shown");
    let of = |row: &str| {
        tab.js(&format!("const row = document.querySelector('{row}'); return [Number(row.querySelector('.num [data-bytes]').dataset.bytes), Number((row.querySelector('.matching').title.match(/^[\\d,]+/) || ['0'])[0].replaceAll(',', ''))]"))
    };
    let all = of("#tree-window .tree-row");
    let matching = all[1].as_u64().unwrap();
    assert_eq!(
        (matching as f64 / f64::from(1 << 20) * 10.0).round(),
        11439.0,
        "activations at the peak: {all}"
    );
    assert!(tab.is_shown(".tree-row.faded"), "frames without any");
    assert!(tab.is_shown("#stacks-legend .swatch.matching"));
    crate::shots::write("stacks-matching.png", &tab.screenshot());
    // Only these: at their own peak there is no less of them, and nothing is left to mark.
    tab.key("Escape", "Escape");
    tab.key_with(&["Shift"], "O", "KeyO");
    tab.wait("!document.querySelector('#tree[data-matching]') && document.getElementById('filter-only').getAttribute('aria-pressed') === 'true'");
    tab.wait(&format!("(({bytes}) => bytes >= {matching} && bytes < {whole})(Number(document.querySelector('#tree-window .tree-row .num [data-bytes]').dataset.bytes))", bytes = "bytes"));
    tab.key_with(&["Shift"], "O", "KeyO");
    tab.wait("document.querySelector('#tree[data-matching]')");
    tab.click("#filter-clear");
    tab.wait("!document.querySelector('#tree[data-matching]')");
    // From a frame: a term of its own, shown alone; and its largest allocation.
    tab.click("#tree-window .tree-row:nth-child(3)");
    tab.wait(&format!("document.querySelector('{DETAILS} .figure')"));
    let node = tab
        .attribute(
            &format!("{DETAILS}:not([hidden]) #stacks-details .figure, #stacks-details .figure"),
            "data-bytes",
        )
        .unwrap();
    press(&tab, "Only these");
    tab.wait("document.getElementById('filter-only').getAttribute('aria-pressed') === 'true' && document.querySelector('.filter-chip')");
    tab.wait(&format!("Number(document.querySelector('#tree-window .tree-row .num [data-bytes]').dataset.bytes) >= {node} && Number(document.querySelector('#tree-window .tree-row .num [data-bytes]').dataset.bytes) < {whole}"));
    press(&tab, "Show in timeline");
    tab.wait("document.getElementById('timeline').checkVisibility() && /pinned/.test(document.getElementById('details').textContent)");
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
