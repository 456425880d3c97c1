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

fn save(tab: &Tab, name: &str) {
    std::thread::sleep(std::time::Duration::from_millis(400));
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("screenshots");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(name), tab.screenshot()).unwrap();
}

#[test]
fn two_files() {
    let tab = open_many(&["train_plain", "train_checkpointed"]);
    tab.click("[role=tab][data-view=compare]");
    tab.wait("document.querySelector('[data-role=by-category] tr')");
    tab.wait("document.querySelector('[data-role=compare-sentence]')?.textContent.includes('all of it is activations')");
    save(&tab, "compare-two.png");
    let change =
        tab.attribute("[data-role=by-category] tr[data-category=activation] b", "data-bytes").unwrap();
    assert!(change.parse::<i64>().unwrap().unsigned_abs() > 183 << 20, "{change}");
    // The keyboard: a row, the next, and into the file that has it.
    tab.js("document.querySelector('[data-role=by-stack] tbody tr').focus()");
    tab.key("ArrowDown", "ArrowDown");
    assert_eq!(tab.js("return document.activeElement.rowIndex"), 2);
    tab.key("Enter", "Enter");
    tab.wait("document.querySelector('[role=tab][data-view=timeline]').ariaSelected === 'true'");
    tab.key("6", "Digit6");
    tab.wait("document.querySelector('[data-role=compare-sentence]')?.checkVisibility()");
    tab.click("#compare-align");
    tab.key("ArrowDown", "ArrowDown");
    tab.key("Enter", "Enter");
    tab.wait("document.querySelector('#curves-title').textContent.includes('by event')");
    tab.key_with(&["Shift"], "T", "KeyT");
    save(&tab, "compare-two-dark.png");
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
    save(&tab, "compare-marks.png");
    tab.wait("new URLSearchParams(location.hash.slice(1)).get('cmp')?.includes(',')");
    tab.key("6", "Digit6");
    tab.wait("document.querySelector('[data-role=compare-sentence]')?.textContent.startsWith('From A to B')");
    tab.wait("document.querySelector('[data-role=changes] tbody tr')");
    save(&tab, "compare-moments.png");
    tab.key("M", "Shift+KeyM");
    tab.finish();
}

#[test]
fn three_files_are_ranks() {
    let tab = open_many(&["fsdp_rank0", "fsdp_rank1", "train_plain"]);
    tab.click("[role=tab][data-view=compare]");
    tab.wait("document.querySelectorAll('[data-role=ranks] tbody tr').length === 3");
    assert_eq!(tab.text("[data-role=ranks] tr[data-outlier] b.is-warning"), "out of line");
    save(&tab, "compare-ranks.png");
    tab.js(
        "document.querySelector('[data-role=ranks] tr[data-outlier]').scrollIntoView({ block: 'center' })",
    );
    tab.click("[data-role=ranks] tr[data-outlier]");
    tab.wait("document.querySelector('#compare-b').textContent.includes('train_plain')");
    tab.finish();
}

#[test]
fn a_folder_is_dropped() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compare_folder");
    std::fs::create_dir_all(&folder).unwrap();
    for name in ["fsdp_rank0", "fsdp_rank1"] {
        std::fs::copy(recording(name), folder.join(format!("{name}.pickle.gz"))).unwrap();
    }
    std::fs::write(folder.join("notes.txt"), "not a snapshot").unwrap();
    let tab = tab();
    tab.requests();
    tab.drop_files(&[&folder]);
    tab.wait("performance.getEntriesByName('vramscope:ready').length >= 2");
    tab.key("6", "Digit6");
    tab.wait("document.querySelector('[data-role=compare-sentence]')");
    tab.finish();
}
