//! Categories, steps and phases on the page, and the user's own rules: of recordings whose forward, backward and optimizer are plain to see.

use crate::{Tab, tab_with};

const SCOPE: &str = "document.getElementById('scope').textContent";
const DETAILS: &str = "document.querySelector('[data-role=details]').textContent";
const CANVAS: &str = "canvas[data-role=timeline]";

fn timeline() -> Tab {
    let tab = tab_with("train_plain");
    tab.show_timeline();
    tab.wait("document.getElementById('by-name').textContent === 'category'");
    tab
}

fn type_in(tab: &Tab, text: &str) {
    tab.devtools("Input.insertText", serde_json::json!({ "text": text }));
}

#[test]
fn categories_are_the_first_choice_and_the_address_keeps_another() {
    let tab = timeline();
    tab.wait("/Activation/.test(document.getElementById('readout').textContent)");
    // From the top of the picture, whatever they hold.
    tab.wait("(t => t.indexOf('Activation') < t.indexOf('Parameter'))(document.getElementById('readout').textContent)");
    assert_eq!(tab.js("return /by=/.test(location.hash)"), false);
    tab.key("b", "KeyB");
    tab.wait("document.getElementById('by-name').textContent === 'line of code'");
    tab.wait("location.hash.includes('by=stack')");
    tab.wait("!/Activation/.test(document.getElementById('readout').textContent)");
    tab.click("#by-menu");
    tab.click(".menu [data-stacking=category]");
    tab.wait("location.hash.includes('by=category')");
    // The state has the same colours: those of activations are in its picture.
    tab.key("3", "Digit3");
    tab.wait("document.querySelector('#block-labels .size')");
    tab.finish();
}

/// Bytes at the cursor by category are those of the whole.
#[test]
fn the_readout_adds_up() {
    let tab = timeline();
    tab.point(tab.at(CANVAS, 0.5, 0.9));
    tab.wait("document.querySelectorAll('#readout b[data-bytes]').length > 4");
    tab.wait(
        "(([reserved, requested, ...parts]) => requested > 0 && parts.reduce((a, b) => a + b, 0) === requested)\
         ([...document.querySelectorAll('#readout b')].map((each) => Number(each.dataset.bytes)))",
    );
    tab.finish();
}

#[test]
fn a_step_is_shown_alone_by_mouse_and_left_by_escape() {
    let tab = timeline();
    tab.wait("document.querySelectorAll('.lane .period.step').length > 1");
    tab.point(tab.at(".lane .period.step:nth-child(2)", 0.5, 0.5));
    tab.wait(&format!("/Step 2/.test({DETAILS}) && /At its end/.test({DETAILS})"));
    tab.click(".lane .period.step:nth-child(2)");
    tab.wait(&format!("/^Step 2, events [\\d,]+ to [\\d,]+$/.test({SCOPE})"));
    tab.wait("location.hash.includes('span=step%2CStep')");
    let told = tab.js(&format!("return {SCOPE}"));
    // The address brings it back.
    let hash = tab.js("return location.hash");
    tab.key("Escape", "Escape");
    tab.wait(&format!("/^Whole recording/.test({SCOPE})"));
    tab.js(&format!("location.hash = {hash}; dispatchEvent(new PopStateEvent('popstate'))"));
    tab.wait(&format!("{SCOPE} === {told}"));
    tab.click("#whole");
    tab.wait(&format!("/^Whole recording/.test({SCOPE})"));
    tab.finish();
}

#[test]
fn keys_walk_along_phases_and_choose_one() {
    let tab = timeline();
    tab.wait("document.querySelectorAll('.lane .phases .period').length > 3");
    assert_eq!(tab.js("return document.querySelectorAll('.lane .phases [tabindex=\"0\"]').length"), 1);
    tab.js("document.querySelector('.lane .phases [tabindex=\"0\"]').focus()");
    tab.key("ArrowRight", "ArrowRight");
    tab.wait("document.activeElement === document.querySelector('.lane .phases .period:nth-child(2)')");
    let enter = serde_json::json!({ "type": "keyDown", "key": "Enter", "code": "Enter", "text": "\r", "windowsVirtualKeyCode": 13 });
    tab.devtools("Input.dispatchKeyEvent", enter);
    tab.wait(&format!("!/^Whole recording/.test({SCOPE})"));
    tab.wait("document.activeElement.matches('.lane .period')");
    // Whatever the width, no word is cut, and no box is without a pixel.
    tab.wait("[...document.querySelectorAll('.lane .period span')].every((each) => each.scrollWidth <= each.parentElement.clientWidth + 1)");
    tab.finish();
}

#[test]
fn a_pinned_block_says_what_it_is_and_why() {
    let tab = timeline();
    tab.click_at(tab.at(CANVAS, 0.5, 0.9));
    tab.wait(&format!("/pinned/i.test({DETAILS})"));
    tab.wait(&format!("/Category/.test({DETAILS}) && /Why.*\\(\\d\\.\\d\\d\\)/.test({DETAILS})"));
    tab.finish();
}

#[test]
fn the_overview_has_areas_by_category() {
    let tab = tab_with("train_plain");
    tab.wait("[...document.querySelectorAll('.chart-card .legend .tag')].some((each) => each.textContent === 'Activation')");
    tab.wait("new Set(new Uint32Array((c => c.getContext('2d').getImageData(0, 0, c.width, c.height).data.buffer)(document.getElementById('chart-canvas')))).size > 5");
    tab.finish();
}

/// A rule made from a stack decides on its allocations, is remembered, and goes with a click.
#[test]
fn own_rules_name_what_the_user_knows() {
    let tab = timeline();
    tab.click_at(tab.at(CANVAS, 0.5, 0.9));
    tab.wait(&format!("/pinned/i.test({DETAILS})"));
    let make = "[...document.querySelectorAll('[data-role=details] button')].find((each) => each.textContent.includes('Make a rule'))";
    tab.wait(make);
    tab.js(&format!("({make}).click()"));
    tab.wait("document.querySelector('.rules input')?.value.endsWith('$')");
    tab.wait("document.activeElement.matches('.rules input:nth-of-type(2)')");
    type_in(&tab, "Tokenizer cache");
    tab.wait("/allocations?, /.test(document.querySelector('.rules .note').textContent)");
    tab.wait("JSON.parse(localStorage.getItem('vramscope.rules'))[0].category === 'Tokenizer cache'");
    tab.key("Escape", "Escape");
    tab.wait("!document.querySelector('dialog')");
    tab.wait("/Tokenizer cache/.test(document.getElementById('readout').textContent)");
    tab.wait(&format!("/Tokenizer cache/.test({DETAILS}) && /by your rule/.test({DETAILS})"));
    tab.click("#by-menu");
    tab.click("#open-rules");
    tab.click(".rules .off");
    tab.wait("!document.querySelector('.rules li')");
    tab.wait("localStorage.getItem('vramscope.rules') === '[]'");
    tab.wait("!/Tokenizer cache/.test(document.getElementById('readout').textContent)");
    tab.js("document.querySelector('dialog').close()");
    tab.finish();
}

#[test]
fn a_rule_that_is_none_says_why() {
    let tab = timeline();
    tab.click("#by-menu");
    tab.click("#open-rules");
    tab.js("[...document.querySelectorAll('dialog button')].find((each) => each.textContent === 'Add a rule').click()");
    type_in(&tab, "(");
    tab.js("document.querySelector('.rules input:nth-of-type(2)').focus()");
    type_in(&tab, "x");
    tab.wait("/Not a pattern/.test(document.querySelector('.rules .note').textContent)");
    tab.finish();
}
