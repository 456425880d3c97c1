//! axe-core finds nothing: on the start page, on every view, in dialogs and menus, in either theme, wide and narrow.

use serde_json::{Value, json};
use vramscope_tests::browser::{Page, Setup, dist};
use xtask::server::Server;

use crate::{Tab, recording, temporary};

/// What axe says of the page as it is now; a line for each rule that is broken.
struct Judge<'a> {
    tab: &'a Tab,
    broken: Vec<String>,
}

impl Judge<'_> {
    /// Gives axe to the page by the developer's tools: no request of the page, and nothing that its policy forbids.
    fn arrive(&self) {
        let script =
            std::fs::read_to_string(xtask::paths::axe()).expect("axe-core: `cargo xtask setup` brings it");
        self.tab.devtools("Runtime.evaluate", json!({ "expression": script }));
    }

    /// All rules in light, then the contrast of colours in dark.
    fn look(&mut self, place: &str) {
        self.run(place, "{}");
        self.theme("dark");
        self.run(&format!("{place}, dark"), "{ runOnly: ['color-contrast'] }");
        self.theme("light");
    }

    fn theme(&self, scheme: &str) {
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }, { "name": "prefers-reduced-motion", "value": "reduce" }]);
        self.tab.devtools("Emulation.setEmulatedMedia", json!({ "features": features }));
    }

    fn run(&mut self, place: &str, options: &str) {
        let expression = format!(
            "axe.run(document, {options}).then((found) => found.violations.map((each) => ({{ id: each.id, impact: each.impact, nodes: each.nodes.slice(0, 4).map((node) => `${{node.target}}: ${{(node.any[0] ?? node.all[0] ?? node.none[0])?.message}}`) }})))"
        );
        let found = self.tab.devtools(
            "Runtime.evaluate",
            json!({ "expression": expression, "awaitPromise": true, "returnByValue": true }),
        );
        assert!(found["exceptionDetails"].is_null(), "{found}");
        for each in found["result"]["value"].as_array().into_iter().flatten() {
            let text = |key: &str| each[key].as_str().unwrap_or("?").to_owned();
            let nodes: Vec<_> =
                each["nodes"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            self.broken.push(format!(
                "{} {} ({place})\n    {}",
                text("impact"),
                text("id"),
                nodes.join("\n    ")
            ));
        }
    }

    fn finish(self) {
        assert!(self.broken.is_empty(), "{}", self.broken.join("\n"));
    }
}

fn show(tab: &Tab, view: &str) {
    let name = format!("[role=tab][data-view={view}]");
    tab.js(&format!("document.querySelector('{name}').scrollIntoView({{ inline: 'center' }})"));
    tab.click(&name);
    tab.wait(&format!("document.getElementById('{view}').checkVisibility()"));
    tab.wait(match view {
        "overview" => "document.querySelector('#alive-table tbody tr') && document.querySelector('[data-metric=verdict]')",
        "timeline" => "document.querySelector('#readout b')?.textContent && document.querySelector('#lanes .period')",
        "state" => "document.querySelector('#block-labels .size')",
        "stacks" => "document.querySelector('#tree-window .tree-row')",
        "allocations" => "document.querySelector('#allocations-body [role=row]')",
        "compare" => "document.querySelector('#compare .card')",
        _ => "document.getElementById('whatif-states')?.scrollIntoView() || document.querySelector('#states-rows [data-bytes]') && document.querySelector('#ranking-rows tr[aria-selected=true]') && document.getElementById('whatif-cancel').hidden",
    });
}

#[test]
fn nothing_is_found() {
    let server = Server::start(&dist(), "/", 0).expect("a free port");
    let page = Page::open(&server.url(), Setup::default());
    page.wait_for_state("empty");
    let tab = Tab { page, _server: server };
    let mut judge = Judge { tab: &tab, broken: Vec::new() };
    judge.arrive();
    judge.theme("light");
    tab.click("#recipe-more");
    tab.js("const field = document.getElementById('message-input'); field.value = 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.00 GiB. GPU 0 has a total capacity of 79.10 GiB of which 2.10 GiB is free. Process 1 has 77.00 GiB memory in use. Of the allocated memory 70.00 GiB is allocated by PyTorch, and 6.00 GiB is reserved by PyTorch but unallocated.'; field.form.requestSubmit()");
    tab.wait("!document.getElementById('message-told').hidden");
    judge.look("start page");
    tab.choose(&[&temporary("axe", "nothing.pickle", b"")]);
    tab.wait("document.querySelector('[role=alertdialog]')");
    judge.look("error");
    tab.key("Escape", "Escape");
    tab.requests();
    tab.choose(&[&recording("oom_logits")]);
    tab.wait_until_ready();
    show(&tab, "overview");
    judge.look("overview of an OOM");
    tab.show_further("train_plain");
    for view in ["overview", "timeline", "state", "stacks", "allocations", "compare", "whatif"] {
        show(&tab, view);
        judge.look(view);
    }
    dialogs(&mut judge);
    pinned_and_filtered(&mut judge);
    tab.devtools(
        "Emulation.setDeviceMetricsOverride",
        json!({ "width": 420, "height": 800, "deviceScaleFactor": 1, "mobile": false }),
    );
    for view in ["overview", "timeline", "state", "stacks", "allocations", "compare", "whatif"] {
        show(&tab, view);
        judge.run(&format!("{view}, narrow"), "{ rules: { 'color-contrast': { enabled: false } } }");
    }
    judge.finish();
    tab.finish();
}

fn dialogs(judge: &mut Judge) {
    let tab = judge.tab;
    show(tab, "timeline");
    let close = || {
        tab.key("Escape", "Escape");
        tab.wait("!document.querySelector('dialog, .menu')");
    };
    tab.key("?", "Slash");
    tab.wait("document.querySelector('dialog.help')");
    judge.look("help");
    tab.click("#guide-from-help");
    tab.wait("document.querySelector('dialog.guide')");
    judge.look("how to read this");
    close();
    tab.key_with(&["Control"], "k", "KeyK");
    tab.wait("document.querySelector('.palette-row')");
    judge.look("palette");
    close();
    tab.key_with(&["Shift"], "C", "KeyC");
    tab.wait("document.querySelector('dialog.rules-dialog')");
    tab.js("[...document.querySelectorAll('dialog button')].find((each) => each.textContent === 'Add a rule').click()");
    judge.look("rules");
    close();
    tab.key_with(&["Control"], "s", "KeyS");
    tab.wait("document.getElementById('smaller-save')");
    judge.look("smaller snapshot");
    close();
    for menu in ["by-menu", "file-menu", "filter-menu"] {
        tab.click(&format!("#{menu}"));
        tab.wait("document.querySelector('.menu')");
        judge.look(menu);
        close();
    }
    show(tab, "allocations");
    tab.key_with(&["Shift"], "X", "KeyX");
    tab.wait("document.querySelector('dialog')");
    judge.look("export");
    close();
}

fn pinned_and_filtered(judge: &mut Judge) {
    let tab = judge.tab;
    show(tab, "timeline");
    tab.key("/", "Slash");
    tab.type_text("size>1MiB ca");
    tab.wait("document.querySelector('#filter-list li')");
    judge.look("a condition being typed");
    tab.key("Backspace", "Backspace");
    tab.js("const field = document.getElementById('filter-input'); field.value = ''; field.dispatchEvent(new Event('input', { bubbles: true }))");
    tab.wait("!document.getElementById('matches').hidden && /alive here/.test(document.getElementById('filter-told').textContent)");
    tab.js("document.getElementById('timeline-canvas').focus()");
    tab.click_at(tab.at("#timeline-canvas", 0.5, 0.95));
    tab.wait("/[&]pin=/.test(location.hash)");
    for view in ["timeline", "state", "allocations"] {
        show(tab, view);
        tab.wait("document.querySelector('[data-role=details] .figure')");
        judge.look(&format!("{view}, pinned and filtered"));
    }
    show(tab, "stacks");
    tab.click_at(tab.at("#stacks-canvas", 0.2, 0.12));
    tab.wait("document.querySelector('[data-role=details] .figure')");
    judge.look("stacks, selected and filtered");
}
