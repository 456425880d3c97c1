//! The table of allocations, by mouse and by keyboard: sorted, grouped, filtered by size, chosen from, taken away.

use serde_json::{Value, json};

use crate::{Tab, tab_with};

const GRID: &str = "#allocations-rows";

fn shown(name: &str) -> Tab {
    let tab = tab_with(name);
    tab.click("[role=tab][data-view=allocations]");
    settled(&tab);
    tab
}

/// Rows are there, and no other ones are on their way.
fn settled(tab: &Tab) {
    std::thread::sleep(std::time::Duration::from_millis(150));
    tab.wait("document.querySelector('#allocations-body .cell') && ![...document.querySelectorAll('#allocations-body .muted')].some((n) => n.textContent === '…')");
}

/// Sizes of the rows that are built, from the top.
fn sizes(tab: &Tab) -> Vec<u64> {
    let sizes = tab.js(
        "return [...document.querySelectorAll('#allocations-body .alloc-row:not(.group) [data-column=size] [data-bytes]')].map((n) => Number(n.dataset.bytes))",
    );
    sizes.as_array().unwrap().iter().filter_map(Value::as_u64).collect()
}

fn press(tab: &Tab, key: &str, code: &str, number: u32, modifiers: u32) {
    for kind in ["keyDown", "keyUp"] {
        let mut event = json!({ "type": kind, "key": key, "code": code, "windowsVirtualKeyCode": number, "modifiers": modifiers });
        if key == "Enter" && kind == "keyDown" {
            event["text"] = "\r".into();
        }
        tab.devtools("Input.dispatchKeyEvent", event);
    }
}

fn rows(tab: &Tab) -> u64 {
    tab.attribute(GRID, "aria-rowcount").unwrap().parse::<u64>().unwrap() - 1
}

#[test]
fn it_sorts_by_mouse_and_by_keys() {
    let tab = shown("train_plain");
    assert_eq!(tab.js("return document.activeElement.id"), "allocations-rows", "the table has the keys");
    let sum = tab.attribute("#allocations-sum [data-bytes]", "data-bytes");
    assert_eq!(
        sum.and_then(|sum| sum.parse().ok()),
        tab.bytes("peak.requested_bytes"),
        "all that is alive at the peak"
    );
    assert!(sizes(&tab).is_sorted_by(|a, b| a >= b) && sizes(&tab).len() > 15);
    tab.click("[role=columnheader][data-column=size] button");
    tab.wait("document.querySelector('[role=columnheader][data-column=size]').getAttribute('aria-sort') === 'ascending'");
    settled(&tab);
    assert!(sizes(&tab).is_sorted() && sizes(&tab)[0] < 1 << 20);
    // By keys: up from the first row to the heads, to the next ones, Enter; with Shift one key more.
    tab.js("document.getElementById('allocations-rows').focus()");
    tab.key("ArrowUp", "ArrowUp");
    tab.wait("document.activeElement.closest('[role=columnheader]')?.dataset.column === 'size'");
    tab.key("ArrowRight", "ArrowRight");
    press(&tab, "Enter", "Enter", 13, 0);
    tab.wait("document.querySelector('[data-column=category][role=columnheader]').getAttribute('aria-sort') === 'ascending'");
    tab.key("ArrowLeft", "ArrowLeft");
    press(&tab, "Enter", "Enter", 13, 8);
    tab.wait("document.querySelector('[data-column=size][role=columnheader]').getAttribute('aria-sort') === 'other'");
    tab.wait("location.hash.includes('order=category%2Csize-')");
    settled(&tab);
    let categories = tab.js("return new Set([...document.querySelectorAll('#allocations-body [data-column=category]')].map((n) => n.textContent.replace('probably p', 'P'))).size");
    assert!(categories.as_u64() <= Some(2) && sizes(&tab).len() > 10);
    tab.finish();
}

#[test]
fn rows_are_walked_pinned_and_shown_elsewhere() {
    let tab = shown("train_plain");
    tab.key("ArrowDown", "ArrowDown");
    tab.key("ArrowDown", "ArrowDown");
    tab.wait("document.querySelector('[data-role=details]').textContent.includes('under the pointer')");
    let active = tab.attribute(GRID, "aria-activedescendant").unwrap();
    assert_eq!(active, "allocations-row-1");
    press(&tab, "Enter", "Enter", 13, 0);
    tab.wait("document.getElementById('allocations-row-1').getAttribute('aria-selected') === 'true'");
    tab.wait("document.querySelector('[data-role=details]').textContent.includes('pinned')");
    let row = tab.attribute("#allocations-row-1 [data-column=size] [data-bytes]", "data-bytes");
    assert_eq!(tab.attribute("#allocations-details .figure", "data-bytes"), row);
    press(&tab, "End", "End", 35, 0);
    let last = rows(&tab) - 1;
    tab.wait(&format!("document.getElementById('allocations-row-{last}')?.hasAttribute('data-at')"));
    settled(&tab);
    press(&tab, "PageUp", "PageUp", 33, 0);
    tab.wait(&format!("!document.getElementById('allocations-row-{last}')?.hasAttribute('data-at')"));
    tab.key("Escape", "Escape");
    tab.wait("!document.querySelector('#allocations-body [aria-selected=true]')");
    press(&tab, "Home", "Home", 36, 0);
    tab.wait("document.getElementById('allocations-row-0')?.hasAttribute('data-at')");
    settled(&tab);
    // By mouse, and on to the timeline.
    tab.click("#allocations-row-3");
    tab.wait("document.getElementById('allocations-row-3').getAttribute('aria-selected') === 'true'");
    let id = tab.attribute("#allocations-row-3", "data-id").unwrap();
    tab.wait(&format!("location.hash.includes('pin={id}')"));
    tab.js("[...document.querySelectorAll('#allocations-details button')].find((b) => b.textContent === 'Show in timeline').click()");
    tab.wait("document.getElementById('timeline').checkVisibility()");
    tab.wait("/pinned/.test(document.getElementById('details').textContent)");
    // What is pinned elsewhere is found here.
    tab.key("5", "Digit5");
    tab.wait(&format!("document.querySelector('#allocations-body [data-id=\"{id}\"]')?.getAttribute('aria-selected') === 'true'"));
    tab.finish();
}

#[test]
fn groups_open_and_close() {
    let tab = shown("train_plain");
    let all = rows(&tab);
    tab.click("#table-group");
    tab.click(".menu .item:nth-child(2)");
    tab.wait("document.querySelector('#allocations-body .group')");
    settled(&tab);
    let groups = rows(&tab);
    assert!(groups > 2 && groups < all);
    assert_eq!(tab.attribute(GRID, "role").as_deref(), Some("treegrid"));
    tab.js("document.getElementById('allocations-rows').focus()");
    tab.key("ArrowDown", "ArrowDown");
    tab.key("ArrowRight", "ArrowRight");
    tab.wait("document.getElementById('allocations-row-0').getAttribute('aria-expanded') === 'true'");
    settled(&tab);
    let inside = rows(&tab) - groups;
    let told = tab.text("#allocations-row-0");
    assert!(inside > 0 && told.replace('\u{a0}', " ").contains(&format!("{inside} allocation")), "{told}");
    tab.key("ArrowRight", "ArrowRight");
    tab.wait("document.getElementById('allocations-row-1').hasAttribute('data-at')");
    tab.key("ArrowLeft", "ArrowLeft");
    tab.wait("document.getElementById('allocations-row-0').hasAttribute('data-at')");
    tab.key("ArrowLeft", "ArrowLeft");
    tab.wait(&format!(
        "document.getElementById('allocations-rows').getAttribute('aria-rowcount') === '{}'",
        groups + 1
    ));
    tab.click("#allocations-row-1");
    tab.wait("document.getElementById('allocations-row-1').getAttribute('aria-expanded') === 'true'");
    tab.wait("location.hash.includes('groups=site')");
    tab.finish();
}

#[test]
fn every_column_sorts_and_every_group_adds_up() {
    let tab = shown("train_plain");
    let peak = tab.bytes("peak.requested_bytes").unwrap();
    // All columns.
    tab.click("#table-columns");
    tab.js("for (const item of document.querySelectorAll('.menu [data-column]:not([aria-pressed=true]):not([aria-checked=true])')) if (!document.querySelector(`[role=columnheader][data-column=${item.dataset.column}]`)) item.click()");
    tab.key("Escape", "Escape");
    settled(&tab);
    let columns = tab.js("return [...document.querySelectorAll('[role=columnheader][data-column]')].map((head) => head.dataset.column)");
    let columns: Vec<&str> = columns.as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert_eq!(columns.len(), 14, "{columns:?}");
    let count = rows(&tab);
    for column in &columns {
        let head = format!("[role=columnheader][data-column={column}]");
        for _ in 0..2 {
            let before = tab.attribute(&head, "aria-sort").unwrap_or_default();
            tab.js(&format!("document.querySelector('{head} button').click()"));
            tab.wait(&format!(
                "(document.querySelector('{head}').getAttribute('aria-sort') ?? '') !== '{before}'"
            ));
            settled(&tab);
            assert_eq!(rows(&tab), count, "{column}");
            let sort = tab.attribute(&head, "aria-sort").unwrap();
            if *column == "size" {
                let sizes = sizes(&tab);
                assert!(if sort == "ascending" {
                    sizes.is_sorted()
                } else {
                    sizes.is_sorted_by(|a, b| a >= b)
                });
            }
        }
    }
    // All groups, by mouse; then one by key.
    tab.click("#table-group");
    let ways = tab.js("return document.querySelectorAll('.menu .item').length").as_u64().unwrap();
    tab.key("Escape", "Escape");
    assert!(ways >= 9, "{ways}");
    for way in 2..=ways {
        tab.click("#table-group");
        tab.js(&format!("document.querySelectorAll('.menu .item')[{}].click()", way - 1));
        let name = "document.querySelectorAll('#allocations-body .group').length && document.getElementById('table-group-name').textContent";
        tab.wait(name);
        settled(&tab);
        let groups = rows(&tab);
        let listed = tab.js("return [...document.querySelectorAll('#allocations-body .group[data-at], #allocations-body .group')].map((row) => Number(row.querySelector('[data-bytes]')?.dataset.bytes ?? 0))");
        let listed: Vec<u64> = listed.as_array().unwrap().iter().filter_map(Value::as_u64).collect();
        if listed.len() as u64 == groups {
            assert_eq!(listed.iter().sum::<u64>(), peak, "group {way}");
        }
        assert!(groups <= count && groups > 0);
    }
    tab.js("document.getElementById('allocations-rows').focus()");
    tab.key("b", "KeyB");
    tab.wait("!document.querySelector('#allocations-body .group') || document.querySelector('#allocations-body .group')");
    tab.finish();
}

#[test]
fn bars_filter_by_size() {
    let tab = shown("train_plain");
    let term = |at: &str| {
        format!("document.querySelector('#allocations-sizes {at}').getAttribute('aria-selected') === 'true'")
    };
    let counted = tab.js("return [...document.querySelectorAll('#allocations-sizes .bar')].reduce((sum, n) => sum + Number(n.dataset.count), 0)");
    assert_eq!(counted.as_u64(), Some(rows(&tab)));
    tab.click("#allocations-sizes .bar:nth-child(3)");
    tab.wait(&term(".bar:nth-child(3)"));
    tab.click("#allocations-sizes .bar:nth-child(3)");
    tab.wait(&format!("!({})", term(".bar:nth-child(3)")));
    tab.drag(
        tab.middle("#allocations-sizes .bar:nth-child(2)"),
        tab.middle("#allocations-sizes .bar:nth-child(5)"),
    );
    for bar in 2..=5 {
        tab.wait(&term(&format!(".bar:nth-child({bar})")));
    }
    assert!(!tab.js(&format!("return {}", term(".bar:nth-child(6)"))).as_bool().unwrap());
    // The same by keys takes it back: the bars are still those.
    tab.js("document.getElementById('allocations-sizes').focus()");
    tab.key("Home", "Home");
    tab.key("ArrowRight", "ArrowRight");
    for _ in 0..3 {
        press(&tab, "ArrowRight", "ArrowRight", 39, 8);
    }
    press(&tab, "Enter", "Enter", 13, 0);
    tab.wait(&format!("!({})", term(".bar:nth-child(2)")));
    tab.finish();
}

#[test]
fn columns_are_chosen_and_kept() {
    let tab = shown("train_plain");
    assert_eq!(tab.text("#table-columns-name"), "8 of 14");
    tab.click("#table-columns");
    tab.click(".menu [data-column=address]");
    tab.wait("document.querySelector('#allocations-body [data-column=address]')");
    tab.key("Escape", "Escape");
    tab.wait("document.activeElement.id === 'table-columns'");
    assert_eq!(tab.text("#table-columns-name"), "9 of 14");
    assert!(tab.js("return localStorage.getItem('vramscope.columns')").as_str().unwrap().contains("address"));
    tab.click("#table-of");
    tab.click(".menu .item:nth-child(6)");
    tab.wait("location.hash.includes('of=all')");
    tab.wait("Number(document.getElementById('allocations-rows').getAttribute('aria-rowcount')) > 1000");
    // Deep inside, rows come as they are scrolled to.
    tab.js("document.getElementById('allocations-rows').scrollTop = 20000");
    tab.wait("document.querySelector('#allocations-row-840 .cell')");
    tab.finish();
}

#[test]
fn a_file_of_all_rows_is_saved_and_read_back() {
    let tab = shown("train_plain");
    tab.js("window.saved = []; const make = URL.createObjectURL; URL.createObjectURL = (blob) => { blob.text().then((text) => window.saved.push(text)); return make.call(URL, blob); }; HTMLAnchorElement.prototype.click = function () { window.savedAs = this.download; }");
    let all = rows(&tab);
    tab.click("#table-export");
    tab.click("[data-export=rows-csv]");
    tab.wait("window.saved.length === 1");
    tab.wait("!document.querySelector('dialog')");
    let csv = tab.js("return window.saved[0]");
    let csv = csv.as_str().unwrap();
    assert_eq!(csv.split_terminator("\r\n").count() as u64, all + 1);
    let peak: u64 = csv
        .split_terminator("\r\n")
        .skip(1)
        .map(|line| line.split(',').nth(1).unwrap().parse::<u64>().unwrap())
        .sum();
    assert_eq!(Some(peak), tab.bytes("peak.requested_bytes"));
    assert_eq!(tab.js("return window.savedAs"), "train_plain-allocations.csv");
    // By keys: the dialog opens, Tab goes to JSON.
    press(&tab, "X", "KeyX", 88, 8);
    tab.wait("document.querySelector('dialog [data-export=rows-json]')");
    tab.js("document.querySelector('[data-export=rows-json]').focus()");
    press(&tab, "Enter", "Enter", 13, 0);
    tab.wait("window.saved.length === 2");
    let json: Value = serde_json::from_str(tab.js("return window.saved[1]").as_str().unwrap()).unwrap();
    let device = &json["devices"][0];
    let listed = device["allocations"].as_array().unwrap();
    assert_eq!((json["schema"].as_u64(), listed.len() as u64), (Some(1), all));
    assert_eq!(listed.iter().map(|row| row["requested_bytes"].as_u64().unwrap()).sum::<u64>(), peak);
    assert!(device["stacks"][listed[0]["stack_id"].to_string()].is_array());
    tab.wait("!document.querySelector('dialog')");
    tab.finish();
}

#[test]
fn nothing_to_list_says_why() {
    let tab = shown("train_plain");
    tab.key("0", "Digit0");
    let hash = tab.js("return location.hash");
    tab.js(&format!(
        "location.hash = {}",
        json!(format!("{}&of=freed&x=0-2&y=0-2000000000", hash.as_str().unwrap()))
    ));
    tab.wait("document.getElementById('allocations-empty').checkVisibility()");
    assert!(tab.text("#allocations-empty").contains("There is no allocation here"));
    tab.click("#allocations-empty button");
    tab.wait("document.querySelector('#allocations-body .cell')");
    tab.finish();
}

/// Pictures for people.
#[test]
#[ignore = "makes pictures for people"]
fn shots_of_allocations() {
    use vramscope_tests::browser::{Page, Setup, dist};
    for (width, height, dark) in
        [(1280, 800, false), (1280, 800, true), (1920, 1080, false), (420, 900, false)]
    {
        let server = xtask::server::Server::start(&dist(), "/", 0).unwrap();
        let page = Page::open(&server.url(), Setup { width, height, dark });
        page.wait_for_state("empty");
        let tab = Tab { page, _server: server };
        let save = |name: &str| {
            std::thread::sleep(std::time::Duration::from_millis(500));
            let theme = if dark { "dark" } else { "light" };
            crate::shots::write(&format!("allocations-{name}-{theme}-{width}.png"), &tab.screenshot());
        };
        tab.click("[data-sample=healthy]");
        tab.wait_until_ready();
        tab.js("document.getElementById('tab-allocations').click()");
        settled(&tab);
        tab.click("#allocations-row-1");
        save("pinned");
        tab.key("b", "KeyB");
        settled(&tab);
        tab.click("#allocations-row-1");
        save("groups");
        tab.click("#table-columns");
        save("columns");
    }
}

/// In order of start the row of an allocation is its id: those in sight follow each other, row upon row, and fill the box.
const RIGHT: &str = "(() => { const box = document.getElementById('allocations-rows').getBoundingClientRect(); \
    const rows = [...document.querySelectorAll('#allocations-body .alloc-row')].map((node) => ({ row: Number(node.dataset.row), id: Number(node.dataset.id), top: node.getBoundingClientRect().top })).sort((a, b) => a.row - b.row); \
    return rows.length > 5 && rows.every(({ row, id, top }, at) => row === id && (!at || (row === rows[at - 1].row + 1 && Math.abs(top - rows[at - 1].top - 24) < 0.1))) \
      && rows[0].top <= box.top + 25 && rows.at(-1).top + 24 >= box.bottom - 1; })()";

/// The first row whose whole height can be seen.
fn top_row(tab: &Tab) -> f64 {
    let found = tab.js("const top = document.querySelector('.alloc-head').getBoundingClientRect().bottom; return Math.min(...[...document.querySelectorAll('#allocations-body .alloc-row')].filter((node) => node.getBoundingClientRect().top >= top - 0.5).map((node) => Number(node.dataset.row)))");
    found.as_f64().unwrap()
}

/// More rows than an element can be high, on a small recording whose element may be lower: by the bar, the wheel and keys every row can be reached.
#[test]
fn rows_beyond_the_height_of_an_element_are_reached() {
    let tab = tab_with("train_plain");
    const MOST: f64 = 12_000.0;
    tab.js(&format!("document.getElementById('allocations-body').dataset.most = {MOST}; location.hash = '#v=1&view=allocations&of=all&order=alloc'"));
    tab.wait("Number(document.getElementById('allocations-rows').getAttribute('aria-rowcount')) > 1000");
    settled(&tab);
    let n = rows(&tab) as f64;
    assert!(n * 24.0 > 2.0 * MOST, "{n} rows are tall");
    let height = tab.js("return document.getElementById('allocations-body').clientHeight");
    assert_eq!(height.as_f64(), Some(MOST));
    let right = |what: &str| {
        settled(&tab);
        assert_eq!(tab.js(&format!("return {RIGHT}")), true, "{what}: {}", top_row(&tab));
    };
    let bar = |share: f64| {
        tab.js(&format!("const box = document.getElementById('allocations-rows'); box.scrollTop = (box.scrollHeight - box.clientHeight) * {share}"));
        right(&format!("the bar at {share}"));
    };
    let near = |row: f64, within: f64| {
        let top = top_row(&tab);
        assert!((top - row).abs() <= within, "row {top} instead of {row}");
    };
    right("at the top");
    bar(0.5);
    near(n / 2.0, n / 50.0);
    let middle = top_row(&tab);
    let place = tab.at(GRID, 0.5, 0.5);
    for _ in 0..3 {
        tab.wheel(place, 120.0);
        settled(&tab);
    }
    right("wheel");
    near(middle + 15.0, 1.0);
    tab.wheel(place, -120.0);
    right("wheel back");
    near(middle + 10.0, 1.0);
    tab.js("document.getElementById('allocations-rows').focus()");
    press(&tab, "PageDown", "PageDown", 34, 0);
    right("page down");
    let at = tab.attribute("#allocations-body [data-at]", "data-row").unwrap().parse::<f64>().unwrap();
    assert!(at > middle + 10.0 && at < middle + 60.0, "from what was in sight: {at}");
    press(&tab, "End", "End", 35, 0);
    right("the end");
    let last = format!("document.getElementById('allocations-row-{}')", n - 1.0);
    tab.wait(&format!("{last}?.hasAttribute('data-at')"));
    bar(0.25);
    near(n / 5.0, n / 10.0);
    // What the bar has left is less than what the rows have: the wheel goes on.
    bar(0.85);
    for _ in 0..12 {
        tab.wheel(place, 400.0);
        settled(&tab);
    }
    right("wheel to the end");
    tab.wait(&format!("{last}?.getBoundingClientRect().bottom <= innerHeight"));
    bar(0.15);
    for _ in 0..12 {
        tab.wheel(place, -400.0);
        settled(&tab);
    }
    near(0.0, 0.0);
    press(&tab, "End", "End", 35, 0);
    press(&tab, "Home", "Home", 36, 0);
    right("the first");
    tab.wait("document.getElementById('allocations-row-0')?.hasAttribute('data-at')");
    tab.finish();
}

/// Answers and frames on a large recording: `LARGE` names one. Prints milliseconds.
#[test]
#[ignore = "needs a large recording"]
fn speed_on_a_large_recording() {
    let tab = crate::tab();
    tab.choose(&[std::path::Path::new(&std::env::var("LARGE").expect("LARGE"))]);
    tab.wait_within(
        "performance.getEntriesByName('vramscope:ready').length > 0",
        std::time::Duration::from_secs(300),
        std::time::Duration::from_millis(500),
    );
    tab.js("window.sent = new Map(); window.took = []; const post = Worker.prototype.postMessage; Worker.prototype.postMessage = function (m, ...r) { if (m.type === 'ask' && m.question.ask.startsWith('table')) { window.sent.set(m.seq, [m.question, performance.now()]); if (!this.heard) { this.heard = true; this.addEventListener('message', ({ data }) => { const s = window.sent.get(data.seq); if (data.type === 'answer' && s) window.took.push(`${s[0].ask} ${s[0].of} ${JSON.stringify(s[0].sort)} ${s[0].group || ''} from ${s[0].from}: ${(performance.now() - s[1]).toFixed(1)} ms`); }); } } return post.call(this, m, ...r); }");
    tab.key("5", "Digit5");
    settled(&tab);
    tab.js("location.hash = '#v=1&view=allocations&gpu=0&of=all'");
    tab.wait("Number(document.getElementById('allocations-rows').getAttribute('aria-rowcount')) > 100000");
    settled(&tab);
    for column in ["size", "category", "site", "operator", "alloc", "free", "lived", "stream"] {
        tab.click(&format!("[role=columnheader][data-column={column}] button"));
        settled(&tab);
    }
    press(&tab, "End", "End", 35, 0);
    let last = rows(&tab) - 1;
    tab.wait(&format!("document.querySelector('#allocations-row-{last} .cell') && document.getElementById('allocations-row-{last}').hasAttribute('data-at')"));
    tab.js("document.getElementById('allocations-rows').scrollTop = 4e6");
    tab.wait(&format!("Math.abs(Number(document.querySelector('#allocations-body .alloc-row').dataset.row) / {last} - 0.5) < 0.01"));
    settled(&tab);
    for group in ["line of code", "whole stack", "category", "size", "stream", "pool", "phase", "step"] {
        tab.key("b", "KeyB");
        tab.wait(&format!("document.getElementById('table-group-name').textContent === '{group}'"));
        settled(&tab);
    }
    println!("{}", tab.js("return window.took.join('\\n')").as_str().unwrap());
}
