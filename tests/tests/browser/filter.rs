//! The filter of all views: typed, completed, faulty, as chips, walked through, and alone, by keyboard and by mouse.

use serde_json::json;

use crate::{Tab, tab_with};

const DETAILS: &str = "[data-role=details]";
const INPUT: &str = "#filter-input";

fn told(tab: &Tab, text: &str) {
    tab.wait(&format!("document.getElementById('filter-told').textContent.includes({})", json!(text)));
}

fn type_in(tab: &Tab, text: &str) {
    tab.devtools("Input.insertText", json!({ "text": text }));
}

fn press(tab: &Tab, key: &str, number: u32, modifiers: u32) {
    let event = |kind: &str| json!({ "type": kind, "key": key, "code": key, "modifiers": modifiers, "windowsVirtualKeyCode": number });
    tab.devtools("Input.dispatchKeyEvent", event("keyDown"));
    tab.devtools("Input.dispatchKeyEvent", event("keyUp"));
}

fn chips(tab: &Tab) -> Vec<String> {
    let found =
        tab.js("return [...document.querySelectorAll('.filter-chip')].map((chip) => chip.textContent)");
    found.as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
}

fn wait_for_chips(tab: &Tab, n: usize) {
    tab.wait(&format!("document.querySelectorAll('.filter-chip').length === {n}"));
}

fn pinned(tab: &Tab) -> String {
    tab.wait(&format!("/pinned/i.test(document.querySelector('{DETAILS}').textContent)"));
    tab.text(DETAILS)
}

/// A number that is another one whenever the canvas shows something else.
fn pixels(tab: &Tab, role: &str) -> i64 {
    let script = format!(
        "const c = document.querySelector('canvas[data-role={role}]'); const d = new Uint32Array(c.getContext('2d').getImageData(0, 0, c.width, c.height).data.buffer); \
         let h = 0; for (const each of d) h = (h * 31 + each) | 0; return h"
    );
    tab.js(&script).as_i64().unwrap()
}

/// Pixels of the colour that outlines.
fn inked(tab: &Tab, role: &str, token: &str) -> u64 {
    let script = format!(
        "const p = document.getElementById('probe'); p.style.color = 'var({token})'; const [r, g, b] = getComputedStyle(p).color.match(/[\\d.]+/g).map(Number); \
         const c = document.querySelector('canvas[data-role={role}]'); const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data; \
         let n = 0; for (let i = 0; i < d.length; i += 4) n += d[i] === r && d[i + 1] === g && d[i + 2] === b; return n"
    );
    tab.js(&script).as_u64().unwrap()
}

fn wait_for_other_pixels(tab: &Tab, role: &str, before: i64) -> i64 {
    for _ in 0..100 {
        let now = pixels(tab, role);
        if now != before {
            // The last of several pictures.
            std::thread::sleep(std::time::Duration::from_millis(300));
            return pixels(tab, role);
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    panic!("the picture of {role} stays as it is");
}

#[test]
fn conditions_are_typed_and_walked_by_keys() {
    let tab = tab_with("train_plain");
    tab.key("2", "Digit2");
    tab.wait_for_picture();
    let before = (pixels(&tab, "timeline"), inked(&tab, "timeline", "--line-reserved"));
    let strip = (pixels(&tab, "minimap"), inked(&tab, "minimap", "--line-reserved"));
    tab.key("/", "Slash");
    tab.wait("document.activeElement.id === 'filter-input'");
    assert_eq!(tab.js("return document.querySelector('#filter-input').value"), "", "the key is not typed");
    type_in(&tab, "train\\.py");
    told(&tab, " alive here · ");
    tab.wait("performance.getEntriesByName('vramscope:search').length > 0");
    wait_for_other_pixels(&tab, "timeline", before.0);
    assert!(inked(&tab, "timeline", "--line-reserved") > before.1 + 100, "what matches is outlined");
    wait_for_other_pixels(&tab, "minimap", strip.0);
    assert!(inked(&tab, "minimap", "--line-reserved") > strip.1 + 10, "in the strip, too");
    tab.key("Enter", "Enter");
    told(&tab, "Match 1 of ");
    assert!(pinned(&tab).contains("train.py"));
    tab.key("Enter", "Enter");
    told(&tab, "Match 2 of ");
    let event = tab.attribute("[data-role=cursor]", "data-event");
    press(&tab, "Enter", 13, 8);
    told(&tab, "Match 1 of ");
    assert_ne!(tab.attribute("[data-role=cursor]", "data-event"), event, "the cursor goes along");
    press(&tab, "Enter", 13, 8);
    tab.wait("(([, at, of]) => at === of)(/^Match ([\\d,]+) of ([\\d,]+)/.exec(document.getElementById('filter-told').textContent) || [0, 1, 2])");
    // What stands before the condition being typed is a chip.
    type_in(&tab, " size > 1 KiB");
    wait_for_chips(&tab, 1);
    assert_eq!(tab.js("return document.querySelector('#filter-input').value"), "size > 1 KiB");
    type_in(&tab, " -adam");
    wait_for_chips(&tab, 2);
    tab.key("Escape", "Escape");
    tab.wait("document.activeElement.id === 'timeline-canvas'");
    wait_for_chips(&tab, 3);
    assert_eq!(chips(&tab), ["train\\.py", "size > 1 KiB", "not adam"]);
    tab.wait("location.hash.includes('expr=train')");
    // Keys on chips: one is taken off, one is edited in its place.
    tab.key("/", "Slash");
    press(&tab, "Backspace", 8, 0);
    wait_for_chips(&tab, 2);
    press(&tab, "ArrowLeft", 37, 0);
    tab.wait("document.activeElement.matches('.chip-text')");
    tab.key("Enter", "Enter");
    tab.wait("document.activeElement.matches('.chip-edit')");
    type_in(&tab, "size > 1 MiB");
    tab.key("Enter", "Enter");
    tab.wait("document.activeElement.id === 'filter-input'");
    tab.wait("document.querySelector('.filter').textContent.includes('1 MiB')");
    press(&tab, "ArrowLeft", 37, 0);
    press(&tab, "Delete", 46, 0);
    wait_for_chips(&tab, 1);
    press(&tab, "Backspace", 8, 0);
    wait_for_chips(&tab, 0);
    tab.wait("document.getElementById('matches').hidden");
    tab.finish();
}

#[test]
fn conditions_are_set_and_taken_off_by_mouse() {
    let tab = tab_with("train_plain");
    tab.click("[role=tab][data-view=state]");
    tab.wait("document.querySelector('#block-labels .size')");
    let before = (pixels(&tab, "state"), inked(&tab, "state", "--ink-1"));
    tab.click(INPUT);
    type_in(&tab, "backward size > 100 KiB");
    told(&tab, " alive here");
    tab.click("#filter-next");
    told(&tab, "Match 1 of ");
    tab.click("#filter-next");
    told(&tab, "Match 2 of ");
    tab.click("#filter-previous");
    told(&tab, "Match 1 of ");
    wait_for_chips(&tab, 2);
    wait_for_other_pixels(&tab, "state", before.0);
    assert!(inked(&tab, "state", "--ink-1") > before.1 + 20, "what matches is outlined");
    tab.click(".filter-chip:nth-child(2) .chip-text");
    tab.wait("document.activeElement.matches('.chip-edit')");
    type_in(&tab, "size > 1 KiB");
    tab.click(INPUT);
    tab.wait("document.querySelectorAll('.filter-chip')[1]?.textContent.includes('1 KiB')");
    tab.click(".filter-chip:nth-child(1) .chip-remove");
    wait_for_chips(&tab, 1);
    tab.click("#filter-clear");
    wait_for_chips(&tab, 0);
    tab.finish();
}

#[test]
fn a_fault_is_told_at_its_character() {
    let tab = tab_with("train_plain");
    tab.show_timeline();
    tab.devtools(
        "Input.dispatchKeyEvent",
        json!({ "type": "keyDown", "key": "f", "code": "KeyF", "modifiers": 2 }),
    );
    tab.wait("document.activeElement.id === 'filter-input'");
    type_in(&tab, "size > 1 MiB train(\\.py");
    tab.wait("document.getElementById('filter-fault').checkVisibility()");
    assert!(tab.text("#filter-fault").contains("Not a pattern"), "{}", tab.text("#filter-fault"));
    assert_eq!(tab.text(".filter .mirror u"), "(\\.py");
    assert_eq!(tab.attribute(INPUT, "aria-invalid").as_deref(), Some("true"));
    assert!(tab.js("return document.getElementById('filter-next').disabled").as_bool().unwrap());
    type_in(&tab, ")");
    tab.wait("document.getElementById('filter-fault').hidden");
    told(&tab, " alive here");
    type_in(&tab, " phase:sideways");
    tab.wait("document.getElementById('filter-fault').textContent.includes('sideways is none of build')");
    tab.key("Escape", "Escape");
    // No such frame: said in words, and nothing is pinned.
    tab.click("#filter-clear");
    type_in(&tab, "nowhere_at_all");
    told(&tab, "No allocation matches");
    tab.key("Enter", "Enter");
    std::thread::sleep(std::time::Duration::from_millis(200));
    assert!(!tab.text(DETAILS).to_lowercase().contains("pinned"));
    tab.finish();
}

#[test]
fn what_can_be_typed_is_listed() {
    let tab = tab_with("train_plain");
    tab.show_timeline();
    tab.wait("document.querySelector('.lane .period')");
    tab.key("/", "Slash");
    tab.wait("document.activeElement.id === 'filter-input'");
    tab.key("ArrowDown", "ArrowDown");
    tab.wait("document.querySelectorAll('#filter-list [role=option]').length > 10");
    tab.key("Escape", "Escape");
    tab.wait("document.getElementById('filter-list').hidden && document.activeElement.id === 'filter-input'");
    type_in(&tab, "cat");
    tab.wait("document.querySelector('#filter-list [role=option]')?.textContent.startsWith('category:')");
    tab.key("ArrowDown", "ArrowDown");
    assert_eq!(tab.attribute(INPUT, "aria-activedescendant").as_deref(), Some("filter-option-0"));
    tab.key("Enter", "Enter");
    tab.wait("document.querySelector('#filter-input').value === 'category:'");
    tab.wait("document.querySelectorAll('#filter-list [role=option]').length >= 8");
    type_in(&tab, "act");
    tab.click("#filter-list [role=option]");
    tab.wait("document.querySelector('#filter-input').value === 'category:activation'");
    told(&tab, " alive here");
    tab.finish();
}

/// Types an expression anew and says how many allocations of the whole recording it chooses.
fn count(tab: &Tab, expression: &str) -> u64 {
    tab.js("document.getElementById('filter-clear').click()");
    tab.wait("document.activeElement.id === 'filter-input' && document.getElementById('matches').hidden");
    type_in(tab, expression);
    let told = "/Over the whole recording ([\\d,]+)\\sallocation/.exec(document.getElementById('filter-told').title)";
    tab.wait(&format!("{told} || !document.getElementById('filter-fault').hidden"));
    assert_eq!(tab.text("#filter-fault"), "", "{expression}");
    tab.js(&format!("return Number({told}[1].replaceAll(',', ''))")).as_u64().unwrap()
}

#[test]
fn each_kind_of_condition_chooses() {
    let tab = tab_with("train_plain");
    tab.show_timeline();
    tab.wait("document.querySelector('.lane .period')");
    // Two moments, for what is alive at one but not at the other.
    for share in [0.2, 0.6] {
        tab.point(tab.at("canvas[data-role=timeline]", share, 0.5));
        std::thread::sleep(std::time::Duration::from_millis(300));
        tab.key("m", "KeyM");
    }
    tab.wait("/cmp=\\d+%2C\\d+/.test(location.hash)");
    let all = count(&tab, "size >= 0");
    for expression in [
        "forward",
        "stack:\"train\\.py:5\"",
        "name:^forward$",
        "file:train\\.py",
        "size > 1 MiB",
        "lifetime < 20 ms",
        "category:activation,gradient",
        "phase:backward",
        "step:2..3",
        "stream:0",
        "pool:large",
        "alive:A",
        "alive:A not alive:B",
        "alive:peak",
        "made:100..900",
        "freed:1000..",
        "size > 1 MiB or phase:optimizer",
    ] {
        let found = count(&tab, expression);
        assert!(found > 0 && (found < all || expression == "stream:0"), "{expression}: {found} of {all}");
        assert_eq!(count(&tab, &format!("not ({expression})")), all - found, "not {expression}");
    }
    assert_eq!(count(&tab, "alive:A not alive:B") + count(&tab, "alive:A alive:B"), count(&tab, "alive:A"));
    // An address, as the details name it; and what the user noted, in a recording that has notes.
    press(&tab, "Enter", 13, 0);
    let address =
        pinned(&tab).split_whitespace().find(|word| word.starts_with("0x")).expect("an address").to_owned();
    assert!(count(&tab, &format!("address:{address}")) > 0);
    // The language stands in the help, from the same table: by its button, by F1 in the field.
    for by_key in [false, true] {
        if by_key {
            tab.key("F1", "F1");
        } else {
            tab.click("#filter-help");
        }
        tab.wait("document.activeElement.id === 'help-language'");
        let rows =
            tab.js("return [...document.querySelectorAll('.language dt')].map((dt) => dt.textContent)");
        assert!(rows.as_array().unwrap().len() >= 17 && rows.to_string().contains("lifetime <"), "{rows}");
        crate::shots::write("help-language.png", &tab.screenshot());
        tab.key("Escape", "Escape");
        tab.wait("!document.querySelector('dialog')");
        tab.click(INPUT);
    }
    tab.js("document.getElementById('filter-clear').click()");
    tab.choose(&[&crate::recording("metadata")]);
    tab.wait("document.getElementById('file-name').textContent.includes('metadata') && performance.getEntriesByName('vramscope:ready').length > 1");
    assert!(count(&tab, "meta:.") > 0);
    tab.finish();
}

#[test]
fn only_what_is_chosen_is_shown() {
    let tab = tab_with("train_plain");
    tab.show_timeline();
    let peak = "Number(document.querySelector(\"[data-metric='peak.requested_bytes']\").dataset.bytes)";
    let whole = tab.js(&format!("return {peak}")).as_u64().unwrap();
    tab.click(INPUT);
    type_in(&tab, "size > 1 MiB");
    told(&tab, " alive here");
    let before = pixels(&tab, "timeline");
    tab.click("#filter-only");
    tab.wait("document.getElementById('filter-only').getAttribute('aria-pressed') === 'true'");
    wait_for_other_pixels(&tab, "timeline", before);
    tab.wait(&format!("{peak} < {whole}"));
    tab.wait("/filtered/.test(document.getElementById('scope').textContent)");
    tab.wait("location.hash.includes('only=1')");
    // The address brings it back.
    let hash = tab.js("return location.hash");
    let part = tab.js(&format!("return {peak}")).as_u64().unwrap();
    tab.devtools("Input.dispatchKeyEvent", json!({ "type": "keyDown", "key": "Escape", "code": "Escape" }));
    let keys = json!({ "type": "keyDown", "key": "O", "code": "KeyO", "modifiers": 8 });
    tab.devtools("Input.dispatchKeyEvent", keys);
    tab.wait("document.getElementById('filter-only').getAttribute('aria-pressed') === 'false'");
    tab.wait(&format!("{peak} === {whole}"));
    tab.wait("!location.hash.includes('only=1')");
    tab.js(&format!("location.hash = {hash}"));
    tab.wait(&format!("{peak} === {part}"));
    wait_for_chips(&tab, 1);
    tab.finish();
}

#[test]
#[ignore = "makes pictures for people"]
fn shots_of_filter() {
    use vramscope_tests::browser::{Page, Setup, dist};
    use xtask::server::Server;
    for (width, height, dark) in
        [(1280, 800, false), (1280, 800, true), (1920, 1080, false), (760, 800, false)]
    {
        let server = Server::start(&dist(), "/", 0).unwrap();
        let page = Page::open(&server.url(), Setup { width, height, dark });
        page.wait_for_state("empty");
        let tab = Tab { page, _server: server };
        let save = |name: &str| {
            std::thread::sleep(std::time::Duration::from_millis(700));
            let theme = if dark { "dark" } else { "light" };
            let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("screenshots");
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join(format!("filter-{name}-{theme}-{width}.png")), tab.screenshot())
                .unwrap();
        };
        tab.click("[data-sample=healthy]");
        tab.wait_until_ready();
        tab.show_timeline();
        save("empty");
        tab.click(INPUT);
        type_in(&tab, "category:activation size > 100 MiB");
        told(&tab, " alive here");
        save("typed");
        type_in(&tab, " phase:side");
        save("fault");
        tab.click("#filter-clear");
        type_in(&tab, "not category:activation");
        press(&tab, "Enter", 13, 0);
        tab.key("Escape", "Escape");
        save("chip");
        tab.key("3", "Digit3");
        save("state");
        tab.key("/", "Slash");
        press(&tab, "ArrowDown", 40, 0);
        save("list");
    }
}
