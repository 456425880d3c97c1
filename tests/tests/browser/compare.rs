//! Comparing: two files, two moments of one, several ranks; by mouse and by keyboard.

use std::path::Path;

use crate::{Tab, recording, tab, tab_with};

fn open_many(names: &[&str]) -> Tab {
    let tab = tab();
    tab.requests();
    let paths: Vec<_> = names.iter().map(|name| recording(name)).collect();
    tab.choose(&paths.iter().map(|path| path.as_path()).collect::<Vec<_>>());
    let n = names.len();
    tab.wait_for_state("ready");
    tab.wait(&format!("performance.getEntriesByName('vramscope:ready').length >= {n}"));
    tab
}

/// Signed bytes of the first row of a table.
fn first_change(tab: &Tab, role: &str) -> i64 {
    tab.attribute(&format!("[data-role={role}] tbody tr b"), "data-bytes").unwrap().parse().unwrap()
}

fn sides(tab: &Tab) -> [String; 2] {
    ["#compare-a", "#compare-b"].map(|side| tab.text(side).replace('\n', " "))
}

#[test]
fn two_files() {
    let tab = open_many(&["train_plain", "train_checkpointed"]);
    tab.click("[role=tab][data-view=compare]");
    tab.wait("document.querySelector('[data-role=compare-sentence]')?.textContent.includes('all of it is activations')");
    tab.wait("document.querySelector('[data-role=by-stack] tbody tr')");
    assert_eq!(
        tab.attribute("[data-role=by-category] tbody tr", "data-category").as_deref(),
        Some("activation")
    );
    assert_eq!(first_change(&tab, "by-category") as f64 / (1 << 20) as f64, -960.375);
    let line = first_change(&tab, "by-stack");
    // A line opens to its stacks, a stack to its frames, by key; what only one side has is marked.
    let rows = "return document.querySelectorAll('[data-role=by-stack] tbody tr').length";
    let lines = tab.js(rows).as_u64().unwrap();
    tab.js("document.querySelector('[data-role=by-stack] tbody tr').focus()");
    tab.key("ArrowRight", "ArrowRight");
    tab.wait("document.activeElement.ariaExpanded === 'true' && document.activeElement.rowIndex === 1");
    assert!(tab.js(rows).as_u64().unwrap() > lines + 1, "its stacks");
    let below = tab.js("return [...document.querySelectorAll('[data-role=by-stack] tr.under b')].map((b) => Number(b.dataset.bytes)).reduce((sum, bytes) => sum + bytes, 0)");
    assert_eq!(below, line, "stacks add up to their line");
    tab.key("ArrowDown", "ArrowDown");
    tab.key("ArrowRight", "ArrowRight");
    tab.wait("document.querySelectorAll('.frame-list li').length > 5");
    assert!(tab.is_shown(".frame-list li.own"), "the user's own frames stand out");
    tab.key("ArrowLeft", "ArrowLeft");
    tab.wait("!document.querySelector('.frame-list')");
    tab.key("ArrowLeft", "ArrowLeft");
    tab.wait("document.activeElement.rowIndex === 1");
    tab.key("ArrowLeft", "ArrowLeft");
    tab.wait(&format!("document.querySelectorAll('[data-role=by-stack] tbody tr').length === {lines}"));
    // By mouse.
    tab.js("document.querySelector('.compare-stacks').scrollIntoView()");
    tab.click("[data-role=by-stack] tbody tr:nth-child(2) .twist");
    tab.wait("document.querySelector('[data-role=by-stack] tr.under')");
    tab.click("[data-role=by-stack] tr.under .twist");
    tab.wait("document.querySelector('.frame-list')");
    tab.js("for (const twist of [...document.querySelectorAll('[data-role=by-stack] tr.under .twist')].slice(1)) twist.click()");
    tab.js("document.querySelector('[data-role=by-stack] tbody tr:nth-child(2) .twist').click()");
    tab.wait("!document.querySelector('[data-role=by-stack] tr.under')");
    // The keyboard: a row, the next, and into the file that has it.
    tab.js("document.querySelector('[data-role=by-stack] tbody tr').focus()");
    tab.key("ArrowDown", "ArrowDown");
    assert_eq!(tab.js("return document.activeElement.rowIndex"), 2);
    tab.key("b", "KeyB");
    tab.wait("document.querySelector('[role=tab][data-view=timeline]').ariaSelected === 'true' && document.getElementById('file-name').textContent.includes('checkpointed')");
    tab.key("6", "Digit6");
    tab.wait("document.querySelector('[data-role=by-stack] tbody tr')?.checkVisibility()");
    tab.js("document.querySelector('[data-role=by-stack] tbody tr').focus()");
    tab.key("Enter", "Enter");
    tab.wait("document.querySelector('[role=tab][data-view=timeline]').ariaSelected === 'true' && document.getElementById('file-name').textContent.includes('train_plain')");
    tab.key("6", "Digit6");
    tab.wait("document.querySelector('[data-role=compare-sentence]')?.checkVisibility()");
    tab.js("document.querySelector('#compare').scrollTop = 0");
    tab.click("#compare-align");
    tab.key("ArrowDown", "ArrowDown");
    tab.key("ArrowDown", "ArrowDown");
    tab.key("Enter", "Enter");
    tab.wait("document.querySelector('#curves-title').textContent.includes('by time')");
    // A's end, by mouse; and the same comparison again from its address, whichever file comes first.
    tab.click("#compare-a");
    tab.js("[...document.querySelectorAll('.menu .item')].find((item) => /train_plain.*end/.test(item.textContent)).click()");
    tab.wait("document.querySelector('#compare-a').textContent.includes('end')");
    tab.wait(
        "/ab=\\w+\\.0\\.end/.test(decodeURIComponent(location.hash)) && /align=time/.test(location.hash)",
    );
    let (url, sentence, shown) =
        (tab.js("return location.href"), tab.text("[data-role=compare-sentence]"), sides(&tab));
    assert!(!url.as_str().unwrap().contains("train"), "no name in the address: {url}");
    for order in [["train_plain", "train_checkpointed"], ["train_checkpointed", "train_plain"]] {
        tab.goto("about:blank");
        tab.goto(url.as_str().unwrap());
        tab.wait_for_state("empty");
        tab.requests();
        tab.choose(&[&recording(order[0])]);
        tab.wait("document.querySelector('#compare')?.innerText.includes('Drop the other one')");
        tab.choose(&[&recording(order[1])]);
        tab.wait("performance.getEntriesByName('vramscope:ready').length >= 2");
        tab.wait("document.querySelector('#curves-title')?.textContent.includes('by time')");
        tab.wait(&format!(
            "document.querySelector('[data-role=compare-sentence]').innerText === {}",
            serde_json::json!(sentence)
        ));
        assert_eq!(sides(&tab), shown);
    }
    tab.key_with(&["Shift"], "T", "KeyT");
    tab.finish();
}

#[test]
fn two_moments_of_one_file() {
    let tab = tab_with("train_plain");
    tab.key("6", "Digit6");
    tab.wait("document.querySelector('#compare').innerText.includes('One file is open. Drop a second one')");
    tab.show_timeline();
    tab.point(tab.at("canvas[data-role=timeline]", 0.2, 0.5));
    tab.wait("document.querySelector('[data-role=cursor]')?.dataset.event");
    tab.key("m", "KeyM");
    tab.wait("document.querySelectorAll('.ab-flag.a').length === 2");
    tab.point(tab.at("canvas[data-role=timeline]", 0.6, 0.5));
    std::thread::sleep(std::time::Duration::from_millis(300));
    tab.key("m", "KeyM");
    tab.wait("document.querySelectorAll('.ab-flag').length === 4");
    tab.wait("new URLSearchParams(location.hash.slice(1)).get('cmp')?.includes(',')");
    tab.key("6", "Digit6");
    tab.wait("document.querySelector('[data-role=compare-sentence]')?.textContent.startsWith('From A to B')");
    tab.wait("document.querySelector('[data-role=changes] tbody tr')");
    // By mouse: the context menu of the timeline clears them and marks others.
    tab.show_timeline();
    let choose = |share: f64, words: &str| {
        let place = tab.at("canvas[data-role=timeline]", share, 0.5);
        tab.point(place);
        std::thread::sleep(std::time::Duration::from_millis(300));
        for kind in ["mousePressed", "mouseReleased"] {
            tab.devtools("Input.dispatchMouseEvent", serde_json::json!({ "type": kind, "x": place.0, "y": place.1, "button": "right", "clickCount": 1 }));
        }
        tab.wait("document.querySelector('.menu .item')");
        tab.js(&format!("[...document.querySelectorAll('.menu .item')].find((item) => item.textContent.includes({})).click()", serde_json::json!(words)));
    };
    choose(0.3, "Clear");
    tab.wait("!document.querySelector('.ab-flag') && !/cmp=/.test(location.hash)");
    choose(0.3, "as A");
    choose(0.7, "as B");
    tab.wait("document.querySelectorAll('.ab-flag').length === 4 && /cmp=/.test(location.hash)");
    choose(0.5, "Compare A with B");
    tab.wait("document.querySelector('[data-role=compare-sentence]')?.textContent.startsWith('From A to B')");
    tab.key_with(&["Shift"], "M", "KeyM");
    tab.wait("!/cmp=/.test(location.hash)");
    tab.finish();
}

#[test]
fn ranks_of_a_job_are_told_from_other_files() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compare_folder");
    std::fs::create_dir_all(folder.join("deeper")).unwrap();
    for name in ["fsdp_rank0", "fsdp_rank1"] {
        std::fs::copy(recording(name), folder.join(format!("{name}.pickle.gz"))).unwrap();
    }
    std::fs::copy(recording("train_plain"), folder.join("deeper/train_plain.pickle.gz")).unwrap();
    std::fs::write(folder.join("notes.txt"), "not a snapshot").unwrap();
    let tab = tab();
    tab.requests();
    tab.drop_files(&[&folder]);
    tab.wait("performance.getEntriesByName('vramscope:ready').length >= 3");
    // What was opened of the folder, and what was not.
    let told = tab.text("#left-out").replace('\u{a0}', " ");
    assert!(told.contains("Opened 3 files") && told.contains("Left out 1 file: notes.txt"), "{told}");
    tab.click("#left-out button");
    tab.wait("!document.querySelector('#left-out').checkVisibility()");
    tab.key("6", "Digit6");
    tab.wait("document.querySelectorAll('[data-role=ranks] tbody tr').length === 2");
    assert!(tab.text("[data-role=ranks-sentence]").contains("peak"), "no outlier among two ranks");
    assert!(!tab.is_shown("[data-role=ranks] .is-warning"));
    assert!(tab.text("[data-role=ranks-left]").contains("train_plain"));
    // All of them, by the user's word.
    tab.js("document.querySelector('#compare-ranks-all').scrollIntoView({ block: 'center' })");
    tab.click("#compare-ranks-all");
    tab.wait("document.querySelectorAll('[data-role=ranks] tbody tr').length === 3");
    assert_eq!(tab.text("[data-role=ranks] tr[data-outlier] b.is-warning"), "out of line");
    tab.js(
        "document.querySelector('[data-role=ranks] tr[data-outlier]').scrollIntoView({ block: 'center' })",
    );
    tab.click("[data-role=ranks] tr[data-outlier]");
    tab.wait("document.querySelector('#compare-b').textContent.includes('train_plain')");
    // Off and on by key.
    tab.js("document.querySelector('#compare-ranks').focus()");
    tab.key("Enter", "Enter");
    tab.wait("!document.querySelector('[data-role=ranks]') && location.hash.includes('ranks=0')");
    assert_eq!(tab.js("return document.activeElement.id"), "compare-ranks");
    tab.key("Enter", "Enter");
    tab.wait("document.querySelectorAll('[data-role=ranks] tbody tr').length === 2");
    tab.finish();
}

#[test]
#[ignore = "makes pictures for people"]
fn shots_of_compare() {
    use vramscope_tests::browser::{Page, Setup, dist};
    for (width, height, dark) in [(1280, 800, false), (1920, 1080, true), (420, 800, false)] {
        let server = xtask::server::Server::start(&dist(), "/", 0).unwrap();
        let page = Page::open(&server.url(), Setup { width, height, dark });
        page.wait_for_state("empty");
        let tab = Tab { page, _server: server };
        let shot = |name: &str| {
            std::thread::sleep(std::time::Duration::from_millis(600));
            crate::shots::write(&format!("compare-{name}-{width}.png"), &tab.screenshot());
        };
        tab.choose(&[&recording("train_plain"), &recording("train_checkpointed")]);
        tab.wait("performance.getEntriesByName('vramscope:ready').length > 1");
        tab.key("6", "Digit6");
        tab.wait("document.querySelector('[data-role=by-stack] tbody tr')");
        tab.js("document.querySelector('[data-role=by-stack] .twist').click()");
        tab.js("document.querySelector('[data-role=by-stack] tr.under .twist').click()");
        tab.js("document.querySelector('.compare-stacks').scrollIntoView()");
        shot("lines");
        tab.js("document.querySelector('#compare-ranks').scrollIntoView()");
        shot("ranks");
        tab.key("4", "Digit4");
        tab.key("/", "Slash");
        tab.type_text("category:activation");
        tab.wait("document.querySelector('#tree[data-matching]')");
        shot("matching");
        tab.key("F1", "F1");
        tab.wait("document.querySelector('.language')");
        shot("language");
    }
}
