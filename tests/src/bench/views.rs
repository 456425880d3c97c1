//! Hands in every view: each input by itself, from when the page gets it until nothing changes any more.
//!
//! What is taken is the last change of the document or of a picture, painted, that follows an input while no question is on its way and before the
//! page has rested: all of the answer, whatever view gives it, and by no word of the page's own.

use std::time::Duration;

use super::opening::{Opened, Tab, row};
use super::row::{Found, Row};

/// Watches inputs, and changes of what a view is there for, where they can be seen: pictures, tables and sums. What is told beside them
/// (hints, details, counts at the cursor) waits until the hand rests, by intention.
///
/// What has changed is looked at once in each frame, where the browser lays the page out anyway: to ask between would make it do so more often.
const WATCH: &str = "if (!bench.watching) { Object.assign(bench, { watching: true, input: 0, changed: 0, first: 0, shown: 0, open: [] }); \
    const seen = (node) => node?.isConnected && node.checkVisibility() && node.closest(bench.main); \
    const inSight = ({ type, target, addedNodes, removedNodes }) => seen(target.closest ? target : target.parentElement) \
      && (type !== 'childList' || removedNodes.length || [...addedNodes].some((node) => !node.closest || seen(node))); \
    const frame = () => { const all = bench.open.splice(0); if (!all.some(inSight)) return; bench.changed = performance.now(); \
      const painted = new MessageChannel(); painted.port1.onmessage = () => { bench.shown = performance.now(); bench.first ||= bench.shown; painted.port1.close(); }; painted.port2.postMessage(null); }; \
    const changed = (...all) => { if (!bench.open.length) requestAnimationFrame(frame); bench.open.push(...all); }; \
    new MutationObserver((all) => changed(...all)).observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true }); \
    const { putImageData } = CanvasRenderingContext2D.prototype; \
    CanvasRenderingContext2D.prototype.putImageData = function (...all) { changed({ target: this.canvas }); return putImageData.apply(this, all); }; \
    for (const type of ['pointerdown', 'pointermove', 'wheel', 'keydown', 'input']) addEventListener(type, (event) => { if (event.isTrusted) bench.input = performance.now(); }, { capture: true, passive: true }); }";
/// Without a question on its way or a change for so long, the page rests: longer than what it waits before it counts anew.
const RESTS: &str = "bench.pending === 0 && !bench.open.length && performance.now() - Math.max(bench.input, bench.changed, bench.shown) > 130";
const PATIENCE: Duration = Duration::from_secs(60);
/// Looking takes time of the page and of the machine, too: most answers are there before the first look.
const FIRST_LOOK: Duration = Duration::from_millis(350);
const LOOK_EVERY: Duration = Duration::from_millis(60);

/// What a hand does.
#[derive(Clone, Copy, Debug)]
enum Act {
    Key(&'static str, &'static str),
    Shift(&'static str, &'static str),
    Click(&'static str),
    /// On a part of an element, as shares of its width and height.
    Press(&'static str, f64, f64),
    Over(&'static str, f64, f64),
    Wheel(&'static str, f64),
    Type(&'static str),
    /// The address: to begin somewhere, not measured.
    Go(&'static str),
    /// As [`Act::Key`] and [`Act::Press`], not measured.
    First(&'static str, &'static str),
    FirstPress(&'static str, f64, f64),
}
use Act::{Click, First, FirstPress, Go, Key, Over, Press, Shift, Type, Wheel};

const ICICLE: &str = "#stacks-canvas";
const NEXT_WEIGHT: Act = Key("y", "KeyY");
const NEXT_GROUP: Act = Key("b", "KeyB");
const UNDO: Act = Key("Backspace", "Backspace");

/// Every kind of bytes, of trees and of changes; frames and rows.
const STACKS: &[Act] = &[
    Go("#v=1&view=stacks"),
    NEXT_WEIGHT,
    NEXT_WEIGHT,
    NEXT_WEIGHT,
    NEXT_WEIGHT,
    NEXT_WEIGHT,
    NEXT_WEIGHT,
    Go("#v=1&view=stacks&weigh=lifetime"),
    Key("i", "KeyI"),
    Key("i", "KeyI"),
    Key("i", "KeyI"),
    Key("x", "KeyX"),
    Key("x", "KeyX"),
    Key("b", "KeyB"),
    Key("b", "KeyB"),
    Over(ICICLE, 0.2, 0.2),
    Over(ICICLE, 0.4, 0.3),
    Over(ICICLE, 0.1, 0.4),
    Press(ICICLE, 0.2, 0.22),
    Key("ArrowDown", "ArrowDown"),
    Key("ArrowRight", "ArrowRight"),
    Key("ArrowLeft", "ArrowLeft"),
    Key("Enter", "Enter"),
    Key("0", "Digit0"),
    Shift("F", "KeyF"),
    UNDO,
    Press(ICICLE, 0.2, 0.22),
    Key("Delete", "Delete"),
    UNDO,
    Press(ICICLE, 0.2, 0.22),
    Key("m", "KeyM"),
    UNDO,
    Click("#tree-head [data-by=own] button"),
    Click("#tree-head [data-by=blocks] button"),
    Click("#tree-head [data-by=name] button"),
    Click("#tree-head [data-by=total] button"),
    Click("#tree [aria-expanded=true] .twist"),
    Click("#tree [aria-expanded=false] .twist"),
    Wheel("#tree", 400.0),
    Press(ICICLE, 0.3, 0.22),
    Key("ArrowDown", "ArrowDown"),
    // Another range of the timeline.
    First("1", "Digit1"),
    First("2", "Digit2"),
    First("w", "KeyW"),
    Key("4", "Digit4"),
    First("2", "Digit2"),
    First("d", "KeyD"),
    Key("4", "Digit4"),
];

/// Of all allocations, all columns both ways, all groups, and far jumps.
const ALLOCATIONS: &[Act] = &[
    Go("#v=1&view=allocations&of=all"),
    Click("[role=columnheader][data-column=size] button"),
    Click("[role=columnheader][data-column=size] button"),
    Click("[role=columnheader][data-column=category] button"),
    Click("[role=columnheader][data-column=category] button"),
    Click("[role=columnheader][data-column=site] button"),
    Click("[role=columnheader][data-column=site] button"),
    Click("[role=columnheader][data-column=operator] button"),
    Click("[role=columnheader][data-column=operator] button"),
    Click("[role=columnheader][data-column=alloc] button"),
    Click("[role=columnheader][data-column=alloc] button"),
    Click("[role=columnheader][data-column=free] button"),
    Click("[role=columnheader][data-column=free] button"),
    Click("[role=columnheader][data-column=lived] button"),
    Click("[role=columnheader][data-column=lived] button"),
    Click("[role=columnheader][data-column=stream] button"),
    Click("[role=columnheader][data-column=stream] button"),
    Key("End", "End"),
    Key("PageUp", "PageUp"),
    Key("ArrowUp", "ArrowUp"),
    Key("Home", "Home"),
    Key("PageDown", "PageDown"),
    Wheel("#allocations-rows", 600.0),
    Wheel("#allocations-rows", -300.0),
    Press("#allocations-sizes", 0.3, 0.9),
    Press("#allocations-sizes", 0.3, 0.9),
    Press("#allocations-sizes", 0.6, 0.9),
    Press("#allocations-sizes", 0.6, 0.9),
    NEXT_GROUP,
    Key("Home", "Home"),
    Key("ArrowRight", "ArrowRight"),
    Key("ArrowLeft", "ArrowLeft"),
    NEXT_GROUP,
    NEXT_GROUP,
    NEXT_GROUP,
    NEXT_GROUP,
    NEXT_GROUP,
    NEXT_GROUP,
    NEXT_GROUP,
    NEXT_GROUP,
    Key("v", "KeyV"),
    Key("v", "KeyV"),
    Key("v", "KeyV"),
    Key("v", "KeyV"),
    Key("v", "KeyV"),
    Key("v", "KeyV"),
];

/// Marks at many places, from the view where they are set; alignments, sides and rows.
const COMPARE: &[Act] = &[
    Go("#v=1&view=state"),
    FirstPress("#scrub", 0.2, 0.5),
    Key("m", "KeyM"),
    FirstPress("#scrub", 0.7, 0.5),
    Key("m", "KeyM"),
    Key("6", "Digit6"),
    First("3", "Digit3"),
    FirstPress("#scrub", 0.5, 0.5),
    Key("m", "KeyM"),
    Key("6", "Digit6"),
    First("3", "Digit3"),
    FirstPress("#scrub", 0.9, 0.5),
    Key("m", "KeyM"),
    Key("6", "Digit6"),
    First("3", "Digit3"),
    FirstPress("#scrub", 0.3, 0.5),
    Key("m", "KeyM"),
    Key("6", "Digit6"),
    Click("#compare-align"),
    Click(".menu .item:nth-child(2)"),
    Click("#compare-align"),
    Click(".menu .item:nth-child(3)"),
    Click("#compare-align"),
    Click(".menu .item:nth-child(1)"),
    Click("#compare-a"),
    Click(".menu .item:nth-child(1)"),
    Click("#compare-b"),
    Click(".menu .item:nth-child(2)"),
    Click("#compare-b"),
    Click(".menu .item:nth-child(1)"),
    Key("5", "Digit5"),
    Key("6", "Digit6"),
    Shift("M", "KeyM"),
];

/// Words and conditions letter by letter, each over everything; then from one match to the next.
const FILTER: &[Act] = &[
    Go("#v=1&view=timeline"),
    Key("/", "Slash"),
    Type("l"),
    Type("i"),
    Type("n"),
    Type("e"),
    Type("a"),
    Type("r"),
    Type(" "),
    Type("s"),
    Type("i"),
    Type("z"),
    Type("e"),
    Type(">"),
    Type("1"),
    Type("M"),
    Key("Enter", "Enter"),
    Key("Enter", "Enter"),
    Key("Enter", "Enter"),
    Key("Enter", "Enter"),
    Shift("Enter", "Enter"),
    Key("Escape", "Escape"),
    Key("5", "Digit5"),
    Key("4", "Digit4"),
    Click("#filter-clear"),
];

/// From view to view by key.
const SWITCH: &[Act] = &[
    Go("#v=1&view=timeline"),
    Key("1", "Digit1"),
    Key("2", "Digit2"),
    Key("1", "Digit1"),
    Wheel("#overview", 500.0),
    Key("3", "Digit3"),
    Key("1", "Digit1"),
    Key("4", "Digit4"),
    Key("1", "Digit1"),
    Key("5", "Digit5"),
    Key("1", "Digit1"),
    Key("6", "Digit6"),
    Key("1", "Digit1"),
    Wheel("#overview", 500.0),
    Key("2", "Digit2"),
    Key("3", "Digit3"),
    Key("4", "Digit4"),
    Key("5", "Digit5"),
    Key("3", "Digit3"),
    Key("2", "Digit2"),
    Key("1", "Digit1"),
];

/// Rows of all views; `most` inputs of each. The first of an answer is what shows that the input has come: a mark in a head, another view, part of a
/// picture.
pub(super) fn all(tab: &Tab, opened: &Opened, most: usize) -> Vec<Row> {
    tab.page.js(WATCH);
    let views = [
        (["switch_first_ms", "switch_ms"], SWITCH, "main > section"),
        (["stacks_first_ms", "stacks_ms"], STACKS, "#stacks .stage"),
        (["allocations_first_ms", "allocations_ms"], ALLOCATIONS, "#allocations .stage"),
        (["compare_first_ms", "compare_ms"], COMPARE, "#compare, .menu"),
        (
            ["filter_first_ms", "filter_ms"],
            FILTER,
            "#timeline-plot, #minimap-plot, #matches, #filter, .stage",
        ),
    ];
    let rows = views.into_iter().flat_map(|(ids, acts, main)| {
        tab.page.js(&format!("bench.main = '{main}'"));
        let (first, whole) = times(tab, ids[1], acts, most).into_iter().unzip();
        let of = |id, found| row(id, Found::several(found, "nothing has answered"), opened.events);
        [of(ids[0], first), of(ids[1], whole)]
    });
    rows.collect()
}

/// From each input to the first of its answer, and to all of it.
fn times(tab: &Tab, id: &str, acts: &[Act], most: usize) -> Vec<(f64, f64)> {
    let mut found = Vec::new();
    for act in acts {
        if found.len() == most {
            break;
        }
        tab.page.js("Object.assign(bench, { input: 0, changed: 0, first: 0, shown: 0 })");
        do_it(tab, *act);
        let measured = !matches!(act, Go(_) | First(..) | FirstPress(..));
        let rests = if measured { format!("bench.input && {RESTS}") } else { RESTS.into() };
        std::thread::sleep(FIRST_LOOK);
        tab.page.wait_within(&rests, PATIENCE, LOOK_EVERY);
        let took = |end: &str| {
            tab.number(&format!("bench.{end} > bench.input ? bench.{end} - bench.input : null"))
                .filter(|_| measured)
        };
        if let (Some(first), Some(whole)) = (took("first"), took("shown")) {
            if std::env::var_os("VRAMSCOPE_BENCH_EACH").is_some() {
                eprintln!("{id} {first:.1} {whole:.1} ms: {act:?}");
            }
            found.push((first, whole));
        }
    }
    found
}

fn do_it(tab: &Tab, act: Act) {
    let page = &tab.page;
    match act {
        Key(key, code) | First(key, code) => page.key(key, code),
        Shift(key, code) => page.key_with(&["Shift"], key, code),
        Click(selector) => page.click(selector),
        Press(selector, right, down) | FirstPress(selector, right, down) => {
            page.click_at(page.at(selector, right, down))
        }
        Over(selector, right, down) => page.point(page.at(selector, right, down)),
        Wheel(selector, by) => page.wheel(page.at(selector, 0.5, 0.2), by),
        Type(text) => page.type_text(text),
        Go(hash) => {
            page.js(&format!("location.hash = '{hash}'"));
        }
    }
}
