//! Keys go to what has the focus.

use crate::tab_with;

const DETAILS: &str = "[data-role=details]";

/// Either Enter presses what has the focus; only the picture's own keys pin and move.
#[test]
fn enter_presses_the_button_that_has_the_focus() {
    let tab = tab_with("train_plain");
    tab.show_timeline();
    let enter = |code: &str| {
        for kind in ["keyDown", "keyUp"] {
            let mut pressed = serde_json::json!({ "type": kind, "key": "Enter", "code": code, "windowsVirtualKeyCode": 13 });
            if kind == "keyDown" {
                pressed["text"] = "\r".into();
            }
            tab.devtools("Input.dispatchKeyEvent", pressed);
        }
    };
    let focus = |selector: &str| tab.js(&format!("document.querySelector('{selector}').focus()"));
    for (code, axis) in [("Enter", "time"), ("NumpadEnter", "event")] {
        focus(&format!("[data-axis={axis}]"));
        enter(code);
        tab.wait(&format!(
            "document.querySelector('[data-axis={axis}]').getAttribute('aria-pressed') === 'true'"
        ));
    }
    let event = || tab.attribute("[data-role=cursor]", "data-event");
    let here = event();
    tab.key("ArrowRight", "ArrowRight");
    assert!(!tab.text(DETAILS).to_lowercase().contains("pinned"), "Enter on a button pins nothing");
    focus("[role=tab][data-view=state]");
    enter("NumpadEnter");
    tab.wait("document.getElementById('state').checkVisibility()");
    focus("#sort-menu");
    enter("NumpadEnter");
    tab.wait("document.activeElement.closest('.menu')");
    tab.key("ArrowDown", "ArrowDown");
    enter("NumpadEnter");
    tab.wait("!document.querySelector('.menu')");
    tab.wait("location.hash.includes('sort=')");
    assert!(!tab.text("#state-details").contains("chosen"), "Enter in a menu chooses no block");
    focus("[role=tab][data-view=timeline]");
    enter("NumpadEnter");
    tab.wait("document.getElementById('timeline').checkVisibility()");
    assert_eq!(event(), here, "arrows on a button move no cursor");
    focus("#timeline-canvas");
    enter("NumpadEnter");
    tab.wait("/pinned/i.test(document.querySelector('[data-role=details]').textContent)");
    tab.finish();
}
