//! The overview answers: what happened, what to change, how sure that is, and where to look.

use vramscope_tests::recordings::{self, File};

use crate::{Tab, tab, tab_with};

const VERDICT: &str = "[data-metric=verdict]";

/// Recordings whose programs failed or leak.
fn troubled() -> Vec<File> {
    let is_troubled = |file: &File| file.name.starts_with("oom_") || file.name.starts_with("leak_");
    recordings::all().into_iter().filter(is_troubled).collect()
}

fn code(tab: &Tab) -> String {
    tab.wait(&format!("document.querySelector('{VERDICT}')"));
    tab.attribute(VERDICT, "data-code").unwrap_or_default()
}

fn overview(tab: &Tab) -> String {
    tab.text("#overview").replace('\u{a0}', " ")
}

#[test]
fn a_leak_is_told_with_its_bytes_and_what_to_change() {
    let tab = tab();
    tab.click("[data-sample=oom]");
    tab.wait_until_ready();
    tab.requests();
    assert_eq!(code(&tab), "leak");
    let told = overview(&tab);
    for words in [
        "Out of memory: leak",
        "Every step keeps 109.0 MiB",
        "largest effect first",
        "Evidence",
        "Confidence",
        "Findings",
        "I know the limit",
    ] {
        assert!(told.contains(words), "{words}: {told}");
    }
    assert_eq!(tab.js("return document.querySelector('.verdict').dataset.severity"), "error");
    tab.finish();
}

#[test]
fn a_healthy_run_is_told_so() {
    let tab = tab();
    tab.click("[data-sample=healthy]");
    tab.wait_until_ready();
    tab.requests();
    assert_eq!(code(&tab), "stable");
    assert_eq!(tab.js("return document.querySelector('.verdict').dataset.severity"), "good");
    assert_eq!(tab.js("return document.querySelectorAll('.finding[data-severity=error]').length"), 0);
    assert!(tab.js("return document.getElementById('oom')").is_null());
    // The bar adds up: its parts are the requested bytes of the peak.
    tab.wait(
        "(parts => parts.length > 2 && parts.reduce((sum, each) => sum + Number(each.dataset.bytes), 0) === 47014824456)\
         ([...document.querySelectorAll('.card-bar .key-list li[data-key] [data-bytes]')])",
    );
    tab.finish();
}

#[test]
fn without_history_there_is_no_cause_and_no_course() {
    let tab = tab_with("no_history");
    assert_eq!(code(&tab), "no_history");
    assert!(tab.js("return document.getElementById('chart-title')").is_null());
    assert!(overview(&tab).contains("About this recording"));
    tab.finish();
}

/// Sentence, why, the title of each advice, evidence and bar: without scrolling, and nothing cut off.
#[test]
fn the_answer_is_on_the_first_screen() {
    for File { name, path, .. } in troubled() {
        let tab = tab();
        tab.requests();
        tab.choose(&[&path.canonicalize().expect("a whole path")]);
        tab.wait_until_ready();
        code(&tab);
        let outside = tab.js(
            "const parts = '.verdict h1, .verdict .why, .advice .what, .advice .effect, .verdict .certain, .card-bar .sum-bar, .card-bar .key-list';\
             const bottom = document.getElementById('status').getBoundingClientRect().top;\
             return [...document.querySelectorAll(parts)].filter((node) => { const box = node.getBoundingClientRect();\
               return box.width === 0 || box.bottom > bottom || box.right > innerWidth || node.scrollWidth > node.clientWidth + 1; })\
               .map((node) => `${node.className || node.tagName}: ${node.textContent}`)",
        );
        assert_eq!(outside, serde_json::json!([]), "{name}");
        assert_eq!(
            tab.js("return document.getElementById('overview').scrollWidth > innerWidth"),
            false,
            "{name}"
        );
        tab.finish();
    }
}

/// Late answers take the places that are kept for them.
#[test]
fn what_comes_late_moves_nothing() {
    for name in ["oom_activations", "oom_fragmentation", "train_plain"] {
        let tab = tab();
        tab.js("window.moved = []; new PerformanceObserver((list) => window.moved.push(...list.getEntries().filter((each) => !each.hadRecentInput).map((each) => each.value))).observe({ type: 'layout-shift' })");
        tab.requests();
        tab.choose(&[&crate::recording(name)]);
        tab.wait_until_ready();
        std::thread::sleep(std::time::Duration::from_millis(300));
        let moved =
            tab.js("return window.moved.reduce((sum, each) => sum + each, 0)").as_f64().unwrap_or(1.0);
        assert!(moved < 0.05, "{name}: {moved}");
        tab.finish();
    }
}

#[test]
fn a_finding_leads_to_its_moment_and_block() {
    let tab = tab_with("leak_loss_list");
    code(&tab);
    let button = "document.querySelector('.finding button[data-show][data-allocation]')";
    tab.wait(button);
    let wanted =
        tab.js(&format!("const b = {button}; b.focus(); return [b.dataset.allocation, b.dataset.show]"));
    tab.key("Enter", "Enter");
    let (id, view) = (wanted[0].as_str().unwrap().to_owned(), wanted[1].as_str().unwrap().to_owned());
    tab.wait(&format!("location.hash.includes('view={view}') && location.hash.includes('pin={id}')"));
    tab.wait("/pinned|chosen/i.test(document.querySelector('[data-role=details]').textContent)");
    // The moment is one at which the block is alive.
    tab.wait("document.querySelector('[data-role=cursor]').dataset.event !== undefined");
    tab.finish();
}

#[test]
fn a_line_leads_to_its_allocation_by_keyboard() {
    let tab = tab_with("leak_loss_list");
    code(&tab);
    tab.js("document.querySelector('.stacks-card tbody tr').focus()");
    tab.key("Enter", "Enter");
    tab.wait("document.querySelector('canvas[data-role=timeline]').checkVisibility()");
    tab.wait("/pinned/i.test(document.querySelector('[data-role=details]').textContent)");
    tab.finish();
}

#[test]
fn words_explain_themselves() {
    let tab = tab_with("oom_fragmentation");
    code(&tab);
    tab.wait("document.querySelectorAll('#alive-table tbody tr').length > 1");
    let silent = tab.js(
        "return [...document.querySelectorAll('#overview .term')].filter((node) => { node.focus();\
         const tip = document.getElementById('tip'); return tip.hidden || tip.textContent.length < 40; }).map((node) => node.textContent)",
    );
    assert_eq!(silent, serde_json::json!([]));
    let words = tab.js("return [...new Set([...document.querySelectorAll('#overview .term')].map((node) => node.dataset.term))]");
    for word in [
        "requested",
        "limit",
        "evidence",
        "confidence",
        "fragmentation",
        "parameter",
        "unknown",
        "expandable",
        "peak",
    ] {
        let known = words.as_array().unwrap().iter().any(|each| each == word);
        assert!(known || word == "fragmentation", "{word}: {words}");
    }
    tab.key("Escape", "Escape");
    tab.wait("document.getElementById('tip').hidden");
    tab.finish();
}

#[test]
fn the_guide_opens_and_gives_the_focus_back() {
    let tab = tab_with("linear_inference");
    code(&tab);
    tab.js("document.getElementById('open-guide').focus()");
    tab.key("Enter", "Enter");
    tab.wait("document.querySelector('[role=dialog]')?.textContent.includes('What a snapshot cannot tell')");
    tab.key("Escape", "Escape");
    tab.wait("!document.querySelector('[role=dialog]')");
    assert_eq!(tab.js("return document.activeElement.id"), "open-guide");
    tab.key("?", "Slash");
    tab.wait("document.getElementById('guide-from-help')");
    tab.js("document.getElementById('guide-from-help').click()");
    tab.wait("document.querySelector('[role=dialog].guide')");
    tab.finish();
}

#[test]
fn a_limit_that_the_user_knows_is_kept() {
    let tab = tab_with("oom_weights");
    code(&tab);
    let say = |text: &str| {
        tab.js("const field = document.getElementById('known-limit'); field.focus(); field.select()");
        tab.devtools("Input.insertText", serde_json::json!({ "text": text }));
        tab.key("Enter", "Enter");
    };
    say("much");
    tab.wait("document.getElementById('known-limit').getAttribute('aria-invalid') === 'true'");
    tab.wait("document.getElementById('limit-note').textContent.includes('GiB')");
    say("96");
    tab.wait("document.getElementById('oom').textContent.includes('given by you')");
    tab.wait("document.activeElement.id === 'known-limit' && document.activeElement.value === '96'");
    tab.finish();
}

/// Rows of what is alive add up, whatever they speak of.
#[test]
fn what_is_alive_adds_up() {
    let tab = tab_with("train_plain");
    code(&tab);
    tab.wait("document.querySelectorAll('#alive-table tbody tr').length > 3");
    tab.wait(
        "[...document.querySelectorAll('#alive-table tbody tr')].every((row) => \
         (([all, ...parts]) => parts.reduce((a, b) => a + b, 0) === all)([...row.querySelectorAll('[data-bytes]')].map((each) => Number(each.dataset.bytes))))",
    );
    tab.finish();
}

#[test]
fn a_device_with_an_error_is_marked() {
    let tab = tab_with("two_devices");
    code(&tab);
    // Both are healthy: no mark.
    tab.click("#device-menu");
    assert_eq!(tab.js("return document.querySelectorAll('.menu .item .is-error').length"), 0);
    tab.key("Escape", "Escape");
    tab.finish();
}
