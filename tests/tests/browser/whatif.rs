//! What if: other settings of the allocator, by mouse and by keyboard.

use std::path::PathBuf;

use vramscope_tests::recordings;

use crate::{Tab, recording, tab};

/// A recording of the project, or of the shared ones where they are at hand.
fn at_hand(name: &str) -> Option<PathBuf> {
    let file = recordings::all().into_iter().find(|file| file.name == name)?;
    Some(file.path.canonicalize().expect("a path"))
}

fn open(name: &str) -> Option<Tab> {
    let path = at_hand(name)?;
    let tab = tab();
    tab.requests();
    tab.choose(&[&path]);
    tab.wait_until_ready();
    tab.click("[role=tab][data-view=whatif]");
    tab.wait(DONE);
    Some(tab)
}

/// All that was begun has come to its end.
const DONE: &str = "/(\\d+) of \\1 done/.test(document.querySelector('[data-role=whatif-done]')?.textContent) && document.getElementById('whatif-cancel').hidden";

fn text(tab: &Tab, selector: &str) -> String {
    tab.text(selector).replace('\u{a0}', " ")
}

/// A field of the form, emptied and typed into.
fn fill(tab: &Tab, key: &str, words: &str) {
    tab.js(&format!("const field = document.getElementById('setting-{key}'); field.focus(); field.select()"));
    tab.key("Delete", "Delete");
    tab.type_text(words);
}

/// The shared recording that the design was drawn from: as a new user would.
#[test]
fn the_page_names_the_setting_and_what_it_saves() {
    let Some(tab) = open("varlen") else { return };
    assert_eq!(
        text(&tab, "[data-role=whatif-sentence]"),
        "Expandable segments would save 822.0 MiB of reserved memory."
    );
    assert!(text(&tab, "[data-role=whatif-why]").contains("agrees with the recording on all 17,006 events"));
    assert_eq!(text(&tab, "[data-role=whatif-line]"), "PYTORCH_ALLOC_CONF=expandable_segments:True");
    let first = text(&tab, "#ranking-rows tr[aria-selected=true]");
    assert!(first.starts_with("expandable_segments:True") && first.contains("\u{2212}822.0 MiB"), "{first}");
    assert_eq!(
        tab.attribute("#ranking-rows tr:nth-child(1) td:nth-child(2) span", "data-bytes")
            .unwrap()
            .parse::<u64>()
            .unwrap(),
        3924 << 20
    );
    // A range where addresses matter, with the truth inside; the smallest limits as the model's oracle has them.
    let split = text(&tab, "#ranking-rows tr[data-key='max_split_size_mb:64@']");
    assert!(split.contains("6,708 to 6,770"), "{split}");
    tab.wait("document.querySelectorAll('#limits-rows [data-bytes]').length === document.querySelectorAll('#limits-rows tr').length");
    let limits = text(&tab, "#limits-rows");
    assert!(limits.contains("3,900.0 MiB") && limits.contains("4,164.0 MiB"), "{limits}");
    // What is copied.
    tab.js("window.copied = ''; navigator.clipboard.writeText = async (text) => { copied = text; }");
    tab.click("#whatif-copy");
    tab.wait("copied === 'PYTORCH_ALLOC_CONF=expandable_segments:True' && /Copied/.test(document.getElementById('whatif-copy').textContent)");
    tab.finish();
}

#[test]
fn rows_settings_and_moments_by_mouse_and_by_keyboard() {
    let tab = open("train_plain").expect("a recording of the project");
    // Another row: its line, its curve, its state.
    tab.click("#ranking-rows tr[data-key='max_split_size_mb:128@']");
    tab.wait("document.querySelector('[data-role=whatif-line]').textContent === 'PYTORCH_ALLOC_CONF=max_split_size_mb:128' && /set=max_split_size_mb%3A128/.test(location.hash)");
    tab.js("document.querySelector('#ranking-rows tr').focus()");
    tab.key("End", "End");
    tab.key("Enter", "Enter");
    tab.wait("document.querySelector('#ranking-rows tr:last-child').ariaSelected === 'true'");
    // What PyTorch refuses is refused, at its field.
    tab.key("e", "KeyE");
    tab.wait("document.activeElement.id === 'setting-expandable_segments'");
    fill(&tab, "max_split_size_mb", "8");
    tab.key("Enter", "Enter");
    tab.wait("document.querySelector('#fault-max_split_size_mb:not([hidden])')?.textContent === 'max_split_size_mb must be at least 20'");
    assert_eq!(tab.js("return document.activeElement.id"), "setting-max_split_size_mb");
    fill(&tab, "max_split_size_mb", "96");
    tab.wait("document.getElementById('fault-max_split_size_mb').hidden");
    fill(&tab, "limit", "24");
    tab.key("Enter", "Enter");
    tab.wait("/24 GiB/.test(document.querySelector('#fault-limit:not([hidden])')?.textContent)");
    fill(&tab, "limit", "3 GiB");
    tab.key("Enter", "Enter");
    let own = "document.querySelector(\"#ranking-rows tr[data-key='max_split_size_mb:96@3221225472']\")";
    tab.wait(&format!("{own}?.querySelector('[data-bytes]') && {own}.ariaSelected === 'true' && {DONE}"));
    tab.wait("/limit=3221225472/.test(location.hash)");
    // A moment, by key and by mouse: it is that of all views.
    tab.js("document.getElementById('whatif-canvas').scrollIntoView({ block: 'center' }); document.getElementById('whatif-canvas').focus()");
    let moment = "document.getElementById('scope').textContent";
    tab.key("Home", "Home");
    tab.wait(&format!("/Before the first/.test({moment})"));
    tab.key("ArrowRight", "ArrowRight");
    tab.wait(&format!("/After event/.test({moment})"));
    tab.click_at(tab.at("#whatif-canvas", 0.5, 0.5));
    tab.wait(&format!("/After event 2,5/.test({moment})"));
    // Both states at that moment: what is live is the same, but for rounding.
    tab.js("document.getElementById('whatif-states').scrollIntoView()");
    tab.wait("document.querySelectorAll('#states-rows [data-bytes]').length >= 12");
    let live = tab.js("return [...document.querySelectorAll('#states-rows tr:nth-child(2) span[data-bytes]')].map((span) => Number(span.dataset.bytes))");
    assert!(live[0].as_u64() > Some(1 << 20) && live[1].as_u64() > Some(1 << 20), "{live}");
    tab.click_at(tab.at("#states-simulated", 0.3, 0.16));
    tab.wait(
        "/bytes/.test(document.getElementById('states-told').textContent) && /pin=/.test(location.hash)",
    );
    // The same again from its address.
    let url = tab.js("return location.href");
    tab.goto("about:blank");
    tab.goto(url.as_str().unwrap());
    tab.wait_for_state("empty");
    tab.requests();
    tab.choose(&[&recording("train_plain")]);
    tab.wait_until_ready();
    tab.wait(&format!("{own}?.querySelector('[data-bytes]') && {own}.ariaSelected === 'true' && {DONE}"));
    assert!(tab.js(&format!("return {moment}")).as_str().unwrap().contains("After event 2,5"));
    tab.finish();
}

#[test]
fn a_recorded_failure_is_repeated_and_what_would_do_is_told() {
    let tab = open("oom_fragmentation").expect("a recording of the project");
    assert_eq!(text(&tab, "[data-role=whatif-sentence]"), "No setting tried avoids the out-of-memory error.");
    let row = text(&tab, "#ranking-rows tr[data-key^='expandable_segments:True']");
    assert!(row.contains("4,580.0 MiB") && row.contains("repeated"), "{row}");
    tab.wait("/more than it had every request would be served/.test(document.querySelector('[data-role=whatif-why]').textContent)");
    // On a card that is too small, and on one that is not.
    tab.js("document.getElementById('own-gib').scrollIntoView({ block: 'center' })");
    for (size, word) in [("5", "no"), ("64.5", "yes")] {
        tab.js("const field = document.getElementById('own-gib'); field.focus(); field.select()");
        tab.type_text(size);
        tab.wait(&format!(
            "document.querySelector('#card-list .own')?.textContent.trim().startsWith('{word}')"
        ));
    }
    // Another file: nothing of this one goes on. Back again: what was found is there.
    tab.show_further("no_history");
    tab.wait("/no history/i.test(document.querySelector('#whatif h1')?.textContent)");
    tab.finish();
}

#[test]
fn simulating_stops_when_told() {
    let tab = open("train_plain").expect("a recording of the project");
    // Pieces wait for each other in the page, so that the first message finds it stopped.
    fill(&tab, "large_segment_size_mb", "40");
    tab.js("document.querySelector('.setting-form').requestSubmit(); document.getElementById('whatif').dispatchEvent(new Event('scroll'))");
    tab.wait("document.querySelector(\"#ranking-rows tr[data-key='large_segment_size_mb:40@']\")");
    tab.key("Escape", "Escape");
    tab.js("document.querySelector('#ranking-rows tr').focus()");
    tab.key("x", "KeyX");
    tab.wait("document.getElementById('whatif-cancel').hidden");
    // Stopped or done by then: it can be asked for again.
    tab.js("document.querySelector('.setting-form').requestSubmit()");
    tab.wait(
        "document.querySelector(\"#ranking-rows tr[data-key='large_segment_size_mb:40@'] [data-bytes]\")",
    );
    tab.wait(DONE);
    // A worker that dies is replaced, and the page says so.
    tab.js(
        "const post = Worker.prototype.postMessage; let broken = false; \
         Worker.prototype.postMessage = function (message, ...rest) { \
         if (message.type === 'begin' && !broken) { broken = true; message = { type: 'begin', job: { ...message.job, settings: 'nonsense:1' } }; } return post.call(this, message, ...rest); }",
    );
    fill(&tab, "large_segment_size_mb", "44");
    tab.js("document.querySelector('.setting-form').requestSubmit()");
    tab.wait("/A simulation stopped.*nonsense.*replaced/.test(document.querySelector('#whatif-rough:not([hidden])')?.innerText)");
    tab.js("document.querySelector('.setting-form').requestSubmit()");
    tab.wait(
        "document.querySelector(\"#ranking-rows tr[data-key='large_segment_size_mb:44@'] [data-bytes]\")",
    );
    tab.wait(DONE);
    tab.finish();
}

#[test]
#[ignore = "makes pictures for people"]
fn shots_of_whatif() {
    use vramscope_tests::browser::{Page, Setup, dist};
    for (width, height, dark) in
        [(1280, 800, false), (1280, 800, true), (1920, 1080, false), (420, 900, false)]
    {
        for name in std::env::var("SHOTS").as_deref().unwrap_or("varlen,oom_fragmentation").split(',') {
            let server = xtask::server::Server::start(&dist(), "/", 0).unwrap();
            let page = Page::open(&server.url(), Setup { width, height, dark });
            page.wait_for_state("empty");
            let tab = Tab { page, _server: server };
            tab.choose(&[&at_hand(name).unwrap()]);
            tab.wait_until_ready();
            tab.key("7", "Digit7");
            std::thread::sleep(std::time::Duration::from_millis(1500));
            eprintln!(
                "{name} {width} {:?} {}",
                tab.errors(),
                tab.text("#whatif").chars().take(300).collect::<String>()
            );
            tab.wait(
                "/(\\d+) of \\1 done/.test(document.querySelector('[data-role=whatif-done]')?.textContent)",
            );
            std::thread::sleep(std::time::Duration::from_millis(600));
            let theme = if dark { "dark" } else { "light" };
            crate::shots::write(&format!("whatif-{name}-{theme}-{width}.png"), &tab.screenshot());
            tab.js("document.getElementById('whatif').scrollTo(0, 560)");
            std::thread::sleep(std::time::Duration::from_millis(500));
            crate::shots::write(&format!("whatif-{name}-middle-{theme}-{width}.png"), &tab.screenshot());
            tab.js("document.getElementById('whatif').scrollTo(0, 1e6)");
            std::thread::sleep(std::time::Duration::from_millis(200));
            crate::shots::write(&format!("whatif-{name}-below-{theme}-{width}.png"), &tab.screenshot());
            eprintln!("{:?}", tab.errors());
        }
    }
}
