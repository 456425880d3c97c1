//! By keyboard alone: every command by its name on every view, and the focus is never lost.

use serde_json::{Value, json};

use crate::{Tab, recording, tab_with};

const VIEWS: [&str; 7] = ["overview", "timeline", "state", "stacks", "allocations", "compare", "whatif"];

/// What leaves the page or ends something; other tests run these.
const LEAVES: [&str; 4] = ["Open files", "Close ", "Cancel ", "Start page"];

/// Where the focus is, in words; empty: nowhere.
fn focus(tab: &Tab) -> String {
    let text = tab.js("const node = document.activeElement; return node && node !== document.body ? `${node.tagName} ${node.id} ${node.className} ${(node.getAttribute('aria-label') ?? node.textContent).slice(0, 40)}` : ''");
    text.as_str().unwrap_or_default().to_owned()
}

fn settle(tab: &Tab) {
    tab.devtools(
        "Runtime.evaluate",
        json!({ "expression": "new Promise((done) => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done)), 60))", "awaitPromise": true }),
    );
}

fn open_palette(tab: &Tab, text: &str) {
    tab.key_with(&["Control"], "k", "KeyK");
    tab.wait("document.activeElement.id === 'palette-field'");
    tab.type_text(text);
}

fn show(tab: &Tab, view: &str) {
    let at = VIEWS.iter().position(|each| each == &view).expect("a view") + 1;
    tab.key(&at.to_string(), &format!("Digit{at}"));
    tab.wait(&format!("document.getElementById('{view}').checkVisibility()"));
    settle(tab);
}

/// Groups and titles of what the palette lists for some words.
fn listed(tab: &Tab, words: &str) -> Vec<(String, String)> {
    open_palette(tab, words);
    let rows = tab.js("return [...document.querySelectorAll('.palette-row')].map((row) => [row.children[0].textContent, row.children[1].textContent])");
    tab.key("Escape", "Escape");
    tab.wait("!document.querySelector('dialog')");
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    rows.as_array().unwrap().iter().map(|row| (text(&row[0]), text(&row[1]))).collect()
}

#[test]
fn every_command_runs_by_its_name_and_keeps_the_focus() {
    let tab = tab_with("train_plain");
    tab.js("navigator.clipboard.writeText = () => Promise.resolve(); addEventListener('click', (event) => { if (event.target.download) event.preventDefault(); }, true)");
    show(&tab, "timeline");
    // All that can be done is in the palette; what has a key is in the help, too, and nothing in it is without a name.
    let mut all = Vec::new();
    for group in
        ["views", "page", "files", "take away", "timeline", "allocator", "stacks", "allocations", "filter"]
    {
        all.extend(listed(&tab, group));
    }
    all.sort();
    all.dedup();
    assert!(all.len() > 90, "{} commands", all.len());
    assert!(all.iter().all(|(group, title)| !group.is_empty() && !title.is_empty()), "{all:?}");
    let mut lost = Vec::new();
    for (group, title) in &all {
        if LEAVES.iter().any(|word| title.starts_with(word)) {
            continue;
        }
        let view = match group.as_str() {
            "Allocator state" => "state",
            "Stacks" => "stacks",
            "Allocations" => "allocations",
            _ => "timeline",
        };
        if !tab.js(&format!("return document.getElementById('{view}').checkVisibility()")).as_bool().unwrap()
        {
            show(&tab, view);
        }
        open_palette(&tab, &format!("{group} {title}").to_lowercase());
        tab.wait(&format!(
            "[...document.querySelectorAll('.palette-row .title')].some((each) => each.textContent === {})",
            json!(title)
        ));
        // The row itself, with the arrow keys.
        let at = tab.js(&format!("return [...document.querySelectorAll('.palette-row')].findIndex((row) => row.children[0].textContent === {} && row.children[1].textContent === {})", json!(group), json!(title)));
        for _ in 0..at.as_i64().unwrap() {
            tab.key("ArrowDown", "ArrowDown");
        }
        tab.key("Enter", "Enter");
        settle(&tab);
        if tab.js("return !!document.querySelector('dialog[open]')") == true {
            tab.key("Escape", "Escape");
            tab.wait("!document.querySelector('dialog')");
            settle(&tab);
        }
        if focus(&tab).is_empty() {
            lost.push(format!("{group}: {title}"));
            tab.js("document.querySelector('[role=tab][aria-selected=true]').focus()");
        } else if focus(&tab).starts_with("INPUT") {
            tab.key("Escape", "Escape");
        }
    }
    assert_eq!(lost, Vec::<String>::new(), "the focus is lost after these");
    tab.finish();
}

/// What has the focus is built anew, goes away, or is hidden.
#[test]
fn the_focus_stays_where_it_was() {
    let tab = tab_with("train_plain");
    let at = |selector: &str| {
        tab.js(&format!(
            "const node = document.querySelector({0}); node.focus(); return document.activeElement === node",
            json!(selector)
        ))
    };
    let holds = |selector: &str, why: &str| {
        settle(&tab);
        let held = tab.js(&format!("return document.activeElement.matches({})", json!(selector)));
        assert_eq!(held, true, "{why}: the focus is on {}", focus(&tab));
    };
    // Another view: in it, or on its tab.
    at("#tab-overview");
    for view in VIEWS {
        show(&tab, view);
        let inside = tab.js(&format!("return document.getElementById('{view}').contains(document.activeElement) || document.activeElement.matches('[role=tab]')"));
        assert_eq!(inside, true, "{view}: the focus is on {}", focus(&tab));
    }
    // Menus and dialogs give it back.
    show(&tab, "timeline");
    for button in ["#by-menu", "#file-menu", "#show-menu", "#take-away"] {
        assert_eq!(at(button), true, "{button}");
        tab.key("Enter", "Enter");
        tab.wait("document.activeElement.closest('.menu')");
        tab.key("Escape", "Escape");
        holds(button, "a menu closes");
    }
    at("#help");
    tab.key("Enter", "Enter");
    tab.wait("document.querySelector('dialog')");
    tab.key("Escape", "Escape");
    holds("#help", "help closes");
    // A row that is picked is built anew.
    tab.js(
        "if (document.getElementById('alive-body').hidden) document.getElementById('alive-toggle').click()",
    );
    at("#alive tbody tr:nth-child(2)");
    tab.key("Enter", "Enter");
    tab.wait("/pinned/i.test(document.querySelector('[data-role=details]').innerText)");
    holds("#alive tr", "a row of the table was picked");
    // The button that lets go goes with it.
    tab.js("[...document.querySelectorAll('[data-role=details] button')].find((each) => each.textContent === 'Let go').focus()");
    tab.key("Enter", "Enter");
    tab.wait("!/pinned/i.test(document.querySelector('[data-role=details]').innerText)");
    settle(&tab);
    assert_ne!(focus(&tab), "", "what was pinned was let go of");
    // Chips: one is taken off, then all.
    tab.key("/", "Slash");
    tab.type_text("size>1MiB stream:0 live");
    tab.wait("document.querySelectorAll('.chip-text').length >= 2");
    at(".chip-text");
    tab.key("Delete", "Delete");
    settle(&tab);
    assert!(
        tab.js("return document.getElementById('filter').contains(document.activeElement)") == true,
        "{}",
        focus(&tab)
    );
    at("#filter-clear");
    tab.key("Enter", "Enter");
    holds("#filter-input", "all conditions are removed");
    tab.key("Escape", "Escape");
    holds("#timeline-canvas", "Escape leaves the filter");
    // A head that sorts, a group that closes, a row of the tree that closes.
    show(&tab, "allocations");
    at("#allocations-head [tabindex='0']");
    tab.key("Enter", "Enter");
    holds("#allocations-head button", "a column was sorted");
    show(&tab, "stacks");
    at("#tree");
    tab.key("ArrowDown", "ArrowDown");
    tab.key("ArrowLeft", "ArrowLeft");
    holds("#tree", "a row of the tree closed");
    tab.js("document.getElementById('stacks-canvas').focus()");
    tab.key("ArrowDown", "ArrowDown");
    tab.wait("document.querySelector('[data-role=details] .figure')");
    tab.key("ArrowDown", "ArrowDown");
    let drop = "[...document.querySelectorAll('[data-role=details] button')].find((each) => each.textContent === 'Drop' && !each.disabled)";
    tab.wait(drop);
    tab.js(&format!("{drop}.focus()"));
    tab.key("Enter", "Enter");
    tab.wait("/Without/.test(document.getElementById('stacks-crumbs').textContent)");
    settle(&tab);
    assert_ne!(focus(&tab), "", "a frame was dropped");
    at("#stacks-crumbs .step button.icon-only");
    tab.key("Enter", "Enter");
    tab.wait("!/Without/.test(document.getElementById('stacks-crumbs').textContent)");
    settle(&tab);
    assert_ne!(focus(&tab), "", "the step was undone");
    // Another file, another device: what is shown has it.
    tab.choose(&[&recording("fsdp_rank0")]);
    tab.key("End", "End"); // somebody is there: the file does not show itself
    tab.wait("document.querySelector('#opening .button')?.textContent === 'Show'");
    at("#opening .button");
    tab.key("Enter", "Enter");
    tab.wait("document.getElementById('file-name').textContent.startsWith('fsdp')");
    settle(&tab);
    assert_ne!(focus(&tab), "", "the strip of the opened file is gone");
    at("#file-menu");
    tab.key("Enter", "Enter");
    tab.wait("document.querySelector('.menu')");
    tab.js("[...document.querySelectorAll('.menu .item')].find((each) => each.textContent.includes('train_plain')).focus()");
    tab.key("Enter", "Enter");
    tab.wait("document.getElementById('file-name').textContent.startsWith('train_plain')");
    holds("#file-menu", "another file was chosen");
    tab.finish();
}
