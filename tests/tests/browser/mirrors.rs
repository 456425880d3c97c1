//! What pictures show is told in words, too: each has a name, beside each stand rows, and what changes is said.

use serde_json::{Value, json};

use crate::{Tab, tab_with};

/// Role and name of everything that a screen reader meets.
fn met(tab: &Tab) -> Vec<(String, String)> {
    let tree = tab.devtools("Accessibility.getFullAXTree", json!({}));
    let text =
        |node: &Value, key: &str| node[key]["value"].as_str().unwrap_or_default().replace('\u{a0}', " ");
    let nodes = tree["nodes"].as_array().expect("a tree").iter();
    nodes
        .filter(|node| node["ignored"] != true)
        .map(|node| (text(node, "role"), text(node, "name")))
        .collect()
}

fn show(tab: &Tab, view: &str, built: &str) -> Vec<(String, String)> {
    tab.click(&format!("[role=tab][data-view={view}]"));
    tab.wait(&format!("document.getElementById('{view}').checkVisibility() && ({built})"));
    let nameless = tab.js(
        "return [...document.querySelectorAll('canvas')].filter((each) => each.checkVisibility()).filter((each) => { \
         const told = (node) => (node?.getAttribute('aria-label') ?? '').length > 10 && /^(img|slider)$/.test(node.getAttribute('role')); \
         return !told(each) && !told(each.closest('[role=img], [role=slider]')) && ![...each.parentElement.querySelectorAll('canvas')].some(told); }).map((each) => each.id)",
    );
    assert_eq!(nameless, json!([]), "{view}: pictures without a sentence");
    met(tab)
}

fn pictured(met: &[(String, String)], start: &str) {
    let found = met
        .iter()
        .any(|(role, name)| (role == "image" || role == "img") && name.starts_with(start) && name.len() > 30);
    assert!(
        found,
        "no picture {start:?} among {:?}",
        met.iter().filter(|(role, _)| role.contains("im")).collect::<Vec<_>>()
    );
}

fn rows(met: &[(String, String)]) -> usize {
    met.iter().filter(|(role, _)| role == "row").count()
}

#[test]
fn pictures_are_mirrored_in_rows() {
    let tab = tab_with("train_plain");
    tab.devtools("Accessibility.enable", json!({}));
    let overview = show(&tab, "overview", "document.querySelector('#alive-table tbody tr')");
    pictured(&overview, "Requested bytes over 5,119 events. The peak is 1.9 GiB");
    assert!(rows(&overview) > 10, "what is alive, and whose lines: {}", rows(&overview));

    let timeline = show(&tab, "timeline", "document.getElementById('alive-title')");
    pictured(&timeline, "Live allocations, stacked by category");
    assert!(timeline.iter().any(|(role, name)| role == "slider" && name == "Shown range"));
    let closed = rows(&timeline);
    tab.key("l", "KeyL");
    tab.wait("!document.getElementById('alive-body').hidden");
    assert!(rows(&met(&tab)) > closed + 10, "what is alive by stack, when the table is open");
    // The cursor's values are said once it rests.
    tab.js("document.getElementById('timeline-canvas').focus()");
    tab.key("ArrowRight", "ArrowRight");
    tab.wait("/^Event [\\d,]+: .*requested in \\d+\\sallocations/.test(document.getElementById('announcer').textContent)");
    tab.key("/", "Slash");
    tab.type_text("size>1MiB");
    tab.wait("document.querySelector('#filter-told[aria-live=polite]').textContent.includes('alive here')");
    tab.click("#filter-clear");

    let state = show(&tab, "state", "document.querySelector('#block-labels .size')");
    pictured(&state, "");
    blocks_of_a_segment(&tab);

    let stacks = show(&tab, "stacks", "document.querySelector('#tree-window .tree-row')");
    pictured(&stacks, "Icicle of 320 allocations");
    assert!(stacks.iter().any(|(role, name)| role == "treegrid" && name == "Call tree") && rows(&stacks) > 5);
    let allocations = show(&tab, "allocations", "document.querySelector('#allocations-body [role=row]')");
    assert!(allocations.iter().any(|(role, _)| role == "grid") && rows(&allocations) > 10);
    assert!(
        allocations.iter().filter(|(role, name)| role == "option" && name.contains("allocation")).count() > 5,
        "a sentence for each bar of the sizes"
    );
    let simulated = show(
        &tab,
        "whatif",
        "document.getElementById('whatif-cancel')?.hidden && document.querySelectorAll('#ranking-rows tr').length > 5",
    );
    pictured(&simulated, "Reserved bytes over 5,119 events.");
    assert!(rows(&simulated) > 15, "settings, limits, figures of states: {}", rows(&simulated));
    tab.show_further("train_checkpointed");
    let compared = show(&tab, "compare", "document.querySelector('[data-role=by-stack] tbody tr')");
    pictured(&compared, "Requested bytes of A and of B.");
    assert!(rows(&compared) > 10);
    tab.finish();
}

/// The row of the picture in which something is chosen, as a table; by keyboard on to another block.
fn blocks_of_a_segment(tab: &Tab) {
    tab.js("document.getElementById('state-canvas').focus()");
    let segment = "document.querySelector('[data-role=segment-blocks]')";
    for _ in 0..3 {
        tab.key("ArrowDown", "ArrowDown");
        tab.wait(&format!("{segment}?.querySelector('tr[aria-selected=true]')"));
        std::thread::sleep(std::time::Duration::from_millis(200));
    }
    tab.key("ArrowDown", "ArrowDown");
    std::thread::sleep(std::time::Duration::from_millis(400));
    let sums = tab.js(&format!(
        "const rows = [...{segment}.querySelectorAll('[data-bytes]')].map((cell) => Number(cell.dataset.bytes)); \
         const around = [...document.querySelectorAll('#state-details section')].find((each) => /around it/.test(each.textContent)).querySelector('.figure'); \
         return [rows.reduce((sum, bytes) => sum + bytes, 0), Number(around.dataset.bytes), rows.length]"
    ));
    assert_eq!(sums[0], sums[1], "the blocks fill their segment");
    assert!(sums[2].as_u64().unwrap() > 1, "{sums}");
    let chosen = "[...document.querySelectorAll('[data-role=segment-blocks] tbody tr')].findIndex((row) => row.ariaSelected === 'true')";
    let before = tab.js(&format!("return {chosen}"));
    let other = if before == 0 { 2 } else { 1 };
    tab.js(&format!(
        "document.querySelector('[data-role=segment-blocks] tbody tr:nth-child({other})').focus()"
    ));
    tab.key("Enter", "Enter");
    tab.wait(&format!("{chosen} === {}", other - 1));
    tab.wait("document.activeElement.closest('[data-role=segment-blocks]')");
}
