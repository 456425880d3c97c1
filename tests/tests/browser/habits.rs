//! Habits: commands by name, back and forward, what is remembered.

use crate::{recording, tab, tab_with};

const FOCUS: &str = "return document.activeElement.id";

#[test]
fn every_command_has_a_name_and_runs_by_it() {
    let tab = tab_with("train_plain");
    let open = || {
        tab.key_with(&["Control"], "k", "KeyK");
        tab.wait("document.activeElement.id === 'palette-field'");
    };
    open();
    tab.type_text("next peak");
    tab.wait(
        "/Next peak or OOM/.test(document.querySelector('.palette-row[aria-selected=true]').textContent)",
    );
    tab.key("Enter", "Enter");
    // It acts on the timeline, so it goes there first.
    tab.wait("document.getElementById('timeline').checkVisibility()");
    assert_eq!(tab.js("return document.querySelectorAll('dialog').length"), 0);
    open();
    tab.type_text("theme");
    let theme = "document.documentElement.dataset.theme ?? 'system'";
    let before = tab.js(&format!("return {theme}"));
    tab.click(".palette-row[aria-selected=true]");
    tab.wait(&format!("({theme}) !== {before}"));
    open();
    tab.type_text("qqq");
    tab.wait("/No command has these words/.test(document.getElementById('palette-list').textContent)");
    tab.key("Escape", "Escape");
    tab.wait("!document.querySelector('dialog')");
    // Every key that help names belongs to a command that the palette has, too.
    tab.key("?", "Slash");
    tab.wait("document.querySelector('.dialog.help')");
    tab.click("#palette-from-help");
    tab.wait("document.activeElement.id === 'palette-field'");
    assert!(tab.js("return document.querySelectorAll('.palette-row').length").as_u64().unwrap() > 40);
    tab.key("Escape", "Escape");
    tab.finish();
}

#[test]
fn back_and_forward_lead_through_what_was_looked_at() {
    let tab = tab_with("train_plain");
    let view = |view: &str| tab.wait(&format!("location.hash.includes('view={view}')"));
    view("overview");
    tab.click("[role=tab][data-view=timeline]");
    tab.wait_for_picture();
    tab.js("document.getElementById('timeline-canvas').focus()");
    tab.key("w", "KeyW");
    tab.wait("/[&]x=/.test(location.hash)");
    tab.click("[role=tab][data-view=state]");
    view("state");
    tab.js("history.back()");
    view("timeline");
    tab.wait("document.getElementById('timeline').checkVisibility()");
    tab.wait("document.activeElement.id === 'tab-state' || document.activeElement.id === 'timeline-canvas'");
    tab.key_with(&["Alt"], "ArrowLeft", "ArrowLeft");
    tab.wait("!/[&]x=/.test(location.hash)");
    tab.wait("/Whole recording/.test(document.getElementById('scope').textContent)");
    tab.key_with(&["Alt"], "ArrowLeft", "ArrowLeft");
    view("overview");
    // Nothing of ours lies before it: the page is not left.
    tab.key_with(&["Alt"], "ArrowLeft", "ArrowLeft");
    tab.key_with(&["Alt"], "ArrowRight", "ArrowRight");
    view("timeline");
    assert_ne!(tab.js(FOCUS), "", "the focus is somewhere");
    tab.finish();
}

#[test]
fn names_and_choices_are_remembered() {
    let tab = tab();
    assert_eq!(tab.js("return document.getElementById('recent').hidden"), true);
    tab.requests();
    tab.choose(&[&recording("train_plain")]);
    tab.wait_until_ready();
    tab.show_timeline();
    tab.click("[data-axis=time]");
    tab.wait("localStorage.getItem('vramscope.axis') === 'time'");
    let url = tab.js("return location.href.split('#')[0]");
    tab.goto(url.as_str().unwrap());
    tab.wait_for_state("empty");
    tab.wait("/train_plain/.test(document.getElementById('recent').textContent)");
    let kept = tab.js("return JSON.stringify(Object.entries(localStorage))").to_string();
    assert!(!kept.contains('/'), "names only: {kept}");
    tab.click("#recent .button");
    tab.wait("document.getElementById('recent').hidden");
    tab.requests();
    tab.choose(&[&recording("train_plain")]);
    tab.wait_until_ready();
    tab.show_timeline();
    assert_eq!(tab.attribute("[data-axis=time]", "aria-pressed").as_deref(), Some("true"));
    tab.finish();
}
