//! Small and large, forced colours, no motion: nothing is cut or covered, nothing overflows sideways, nothing moves by itself.

use serde_json::{Value, json};
use vramscope_tests::browser::{Page, Setup, dist};
use xtask::server::Server;

use crate::{Tab, recording};

const VIEWS: [&str; 7] = ["overview", "timeline", "state", "stacks", "allocations", "compare", "whatif"];

/// Two files, so that there is something to compare.
fn open() -> Tab {
    let server = Server::start(&dist(), "/", 0).expect("a free port");
    let page = Page::open(&server.url(), Setup::default());
    page.wait_for_state("empty");
    page.requests();
    let tab = Tab { page, _server: server };
    tab.choose(&[&recording("train_plain"), &recording("train_checkpointed")]);
    tab.wait("document.body.dataset.state === 'ready' && performance.getEntriesByName('vramscope:ready').length >= 2");
    tab
}

fn size(tab: &Tab, width: u32, height: u32, scale: u32) {
    tab.devtools(
        "Emulation.setDeviceMetricsOverride",
        json!({ "width": width, "height": height, "deviceScaleFactor": scale, "mobile": false }),
    );
}

fn media(tab: &Tab, features: &[(&str, &str)]) {
    let features: Vec<Value> =
        features.iter().map(|(name, value)| json!({ "name": name, "value": value })).collect();
    tab.devtools("Emulation.setEmulatedMedia", json!({ "features": features }));
}

fn show(tab: &Tab, view: &str) {
    tab.js(&format!("document.querySelector('[role=tab][data-view={view}]').click()"));
    tab.wait(&format!("document.getElementById('{view}').checkVisibility()"));
    tab.wait(match view {
        "overview" => "document.querySelector('#alive-table tbody tr')",
        "timeline" => "document.querySelector('#readout b')?.textContent",
        "state" => "document.querySelector('#block-labels .size')",
        "stacks" => "document.querySelector('#tree-window .tree-row')",
        "allocations" => "document.querySelector('#allocations-body [role=row]')",
        _ => "document.querySelector('[data-role=compare-sentence]')",
    });
    std::thread::sleep(std::time::Duration::from_millis(250));
}

/// What is wrong with how the page is laid out, in words.
const FAULTS: &str = r"
    const wrong = [];
    const root = document.scrollingElement;
    if (root.scrollWidth > innerWidth) {
      const wide = [...document.body.querySelectorAll('*')].filter((node) => node.checkVisibility() && node.getBoundingClientRect().right > innerWidth + 1).map((node) => node.id || node.className || node.tagName);
      wrong.push(`${root.scrollWidth} wide instead of ${innerWidth}: ${wide.slice(0, 6)}`);
    }
    const name = (node) => node.id || node.getAttribute('aria-label') || node.textContent.trim().slice(0, 30) || node.className;
    for (const node of document.querySelectorAll('button, a[href], input, select, summary, [role=tab], [role=slider]')) {
      if (!node.checkVisibility({ visibilityProperty: true }) || node.matches('.visually-hidden, :disabled') || node.closest('.range, .period')) continue;
      node.scrollIntoView({ block: 'center', inline: 'nearest' });
      const box = node.getBoundingClientRect();
      if (box.width < 2) continue; // a period of the lanes, as narrow as it is short
      const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
      const there = document.elementFromPoint(x, y);
      if (!there || !(node.contains(there) || there.contains(node) && there.matches('label'))) wrong.push(`${name(node)} is covered by ${there ? name(there) : 'nothing: it is out of sight'} at ${Math.round(x)}, ${Math.round(y)}`);
      if (box.left < -1 || box.right > innerWidth + 1) wrong.push(`${name(node)} is cut: ${Math.round(box.left)} to ${Math.round(box.right)}`);
    }
    root.scrollTop = 0;
    return wrong;";

#[test]
fn nothing_is_cut_or_covered_at_any_size() {
    let tab = open();
    let mut wrong = Vec::new();
    for (width, height, scale) in [(640, 400, 2), (420, 800, 1), (360, 740, 2), (1280, 800, 1)] {
        size(&tab, width, height, scale);
        for view in VIEWS {
            show(&tab, view);
            let found = tab.js(FAULTS);
            wrong.extend(
                found.as_array().into_iter().flatten().map(|each| format!("{view} at {width}: {each}")),
            );
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    tab.finish();
}

#[test]
fn forced_colours_and_reduced_motion() {
    let tab = open();
    media(&tab, &[("forced-colors", "active"), ("prefers-reduced-motion", "reduce")]);
    for view in VIEWS {
        show(&tab, view);
        if view == "timeline" || view == "stacks" {
            tab.js(&format!("document.getElementById('{view}-canvas').focus()"));
            tab.key("ArrowDown", "ArrowDown");
            std::thread::sleep(std::time::Duration::from_millis(300));
        }
        // What has the focus has a ring, whatever the colours.
        tab.key("Tab", "Tab");
        let ring = tab.js("const style = getComputedStyle(document.activeElement); return style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1");
        assert_eq!(ring, true, "{view}: {}", tab.js("return document.activeElement.outerHTML.slice(0, 200)"));
        let moving = tab.js(
            "const slow = (text) => text.split(',').some((each) => parseFloat(each) > 0); \
             return [...document.querySelectorAll('*')].filter((node) => { const style = getComputedStyle(node); return slow(style.transitionDuration) || (style.animationName !== 'none' && slow(style.animationDuration)); }).map((node) => node.id || node.className)",
        );
        assert_eq!(moving, json!([]), "{view}: moves by itself");
    }
    tab.finish();
}

/// The boxes that words explain themselves in.
#[test]
fn explanations_never_cover_what_they_explain() {
    let tab = open();
    let mut covered = Vec::new();
    for (width, height) in [(1280, 800), (420, 800)] {
        size(&tab, width, height, 1);
        for view in VIEWS {
            show(&tab, view);
            let found = tab.js(
                "const wrong = []; const tip = document.getElementById('tip'); \
                 for (const word of document.querySelectorAll('[data-term]')) { if (!word.checkVisibility() || word.closest('#status')) continue; \
                 word.scrollIntoView({ block: 'nearest' }); word.focus({ preventScroll: true }); if (tip.hidden) { word.dispatchEvent(new FocusEvent('focusin', { bubbles: true })); } \
                 const [a, b] = [word.getBoundingClientRect(), tip.getBoundingClientRect()]; \
                 if (tip.hidden) wrong.push(`${word.textContent} tells nothing`); \
                 else if (a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom) wrong.push(`${word.textContent} is covered`); \
                 else if (b.left < 0 || b.right > innerWidth + 1 || b.top < 0 || b.bottom > innerHeight + 1) wrong.push(`the explanation of ${word.textContent} is cut`); } return wrong;",
            );
            covered.extend(
                found.as_array().into_iter().flatten().map(|each| format!("{view} at {width}: {each}")),
            );
        }
    }
    assert!(covered.is_empty(), "{}", covered.join("\n"));
    tab.finish();
}
