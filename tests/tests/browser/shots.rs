//! Pictures of the page for people to look at: `cargo test -p vramscope-tests --features browser --test browser -- --ignored shots`.
//! They land in `tests/screenshots`.

use std::path::Path;

use vramscope_tests::browser::{Page, Setup, dist};
use xtask::server::Server;

use crate::{Tab, recording, temporary};
use vramscope_tests::recordings;

#[test]
#[ignore = "makes pictures for people"]
fn shots() {
    for (width, height) in [(1280, 800), (1920, 1080)] {
        for dark in [false, true] {
            take(Setup { width, height, dark });
        }
    }
    take_narrow();
}

#[test]
#[ignore = "makes pictures for people"]
fn shots_of_labels() {
    for (width, height) in [(1280, 800), (1920, 1080)] {
        for dark in [false, true] {
            take_labels(Setup { width, height, dark });
        }
    }
}

fn take_labels(setup: Setup) {
    let tab = open(setup);
    let save = |name: &str| {
        std::thread::sleep(std::time::Duration::from_millis(500));
        let theme = if setup.dark { "dark" } else { "light" };
        write(&format!("labels-{name}-{theme}-{}.png", setup.width), &tab.screenshot());
    };
    tab.click("[data-sample=healthy]");
    tab.wait_until_ready();
    save("overview");
    tab.show_timeline();
    tab.wait("document.querySelector('.lane .period.step:nth-child(2)')");
    save("timeline");
    tab.click(".lane .period.step:nth-child(2)");
    std::thread::sleep(std::time::Duration::from_millis(500));
    tab.click_at(tab.at("canvas[data-role=timeline]", 0.4, 0.75));
    tab.point(tab.at("canvas[data-role=timeline]", 0.58, 0.8));
    save("step");
    tab.key("Escape", "Escape");
    tab.point(tab.at(".lane .phases .period:nth-child(3)", 0.5, 0.5));
    save("phase");
    tab.key("3", "Digit3");
    tab.wait("document.querySelector('#block-labels .size')");
    save("state");
}

fn open(setup: Setup) -> Tab {
    let server = Server::start(&dist(), "/", 0).unwrap();
    let page = Page::open(&server.url(), setup);
    page.wait_for_state("empty");
    Tab { page, _server: server }
}

fn take(setup: Setup) {
    let tab = open(setup);
    let save = |name: &str| {
        std::thread::sleep(std::time::Duration::from_millis(400));
        let theme = if setup.dark { "dark" } else { "light" };
        write(&format!("{name}-{theme}-{}.png", setup.width), &tab.screenshot());
    };
    save("landing");
    let large = temporary("shots", "large.pickle", &crate::opening::endless_pickle(400 << 20));
    tab.choose(&[&large]);
    tab.wait("Number(document.querySelector('[role=progressbar]')?.getAttribute('aria-valuenow')) > 5");
    save("loading");
    tab.js("[...document.querySelectorAll('button')].find(b => b.textContent.trim() === 'Cancel')?.click()");
    tab.wait_for_state("empty");
    std::fs::remove_file(large).unwrap();
    let bytes = recordings::pickle("train_plain");
    tab.choose(&[&temporary("shots", "qwen_train.pickle", &bytes[..bytes.len() * 3 / 4])]);
    tab.wait("document.querySelector('[role=alertdialog]')?.checkVisibility()");
    save("error");
    tab.key("Escape", "Escape");
    tab.click("[data-sample=oom]");
    tab.wait_until_ready();
    save("overview-oom");
    tab.show_timeline();
    save("timeline-oom");
    tab.key("3", "Digit3");
    tab.wait("document.querySelector('#block-labels .size')");
    save("state-oom");
    tab.click("#block-labels .size");
    save("state-oom-pinned");
    tab.click("#brand");
    tab.click("[data-sample=healthy]");
    tab.wait(
        "document.querySelector(\"[data-metric='peak.requested_bytes']\")?.dataset.bytes === '47014824456'",
    );
    tab.key("1", "Digit1");
    save("overview");
    tab.show_timeline();
    tab.wheel(tab.at("canvas[data-role=timeline]", 0.45, 0.5), -200.0);
    std::thread::sleep(std::time::Duration::from_millis(500));
    tab.click_at(tab.at("canvas[data-role=timeline]", 0.5, 0.5));
    tab.point(tab.at("canvas[data-role=timeline]", 0.6, 0.8));
    save("timeline");
    tab.key("b", "KeyB");
    save("timeline-age");
    tab.key("?", "Slash");
    save("help");
    tab.key("Escape", "Escape");
    pools(&tab, &save);
}

/// Private pools, expandable segments, and what a late start leaves unknown.
fn pools(tab: &Tab, save: &impl Fn(&str)) {
    tab.choose(&[&recording("cuda_graphs")]);
    wait_for_name(tab, "cuda_graphs");
    tab.show_timeline();
    tab.key("v", "KeyV");
    save("timeline-segments");
    tab.key("v", "KeyV");
    save("timeline-pools");
    tab.key("3", "Digit3");
    tab.wait("document.querySelector('#block-labels .heading')");
    save("state-pools");
    tab.choose(&[&recording("expandable")]);
    wait_for_name(tab, "expandable");
    tab.key("3", "Digit3");
    tab.wait("document.querySelector('#block-labels .heading')");
    save("state-expandable");
    tab.choose(&[&recording("ring_truncated")]);
    wait_for_name(tab, "ring_truncated");
    tab.key("1", "Digit1");
    tab.js("document.getElementById('overview').scrollTo(0, 1e6); document.querySelector('main')?.scrollTo(0, 1e6); window.scrollTo(0, 1e6)");
    save("overview-late");
}

/// Waits until a file is the one that is looked at, and drawn.
fn wait_for_name(tab: &Tab, name: &str) {
    tab.wait(&format!("document.getElementById('file-menu').textContent.includes('{name}')"));
    tab.wait_for_state("ready");
    std::thread::sleep(std::time::Duration::from_millis(600));
}

fn take_narrow() {
    let setup = Setup { width: 420, height: 900, dark: false };
    let tab = open(setup);
    write("landing-light-420.png", &tab.screenshot());
    tab.choose(&[&recording("train_plain")]);
    tab.wait_until_ready();
    std::thread::sleep(std::time::Duration::from_millis(400));
    write("overview-light-420.png", &tab.screenshot());
    tab.show_timeline();
    write("timeline-light-420.png", &tab.screenshot());
}

pub(crate) fn write(name: &str, png: &[u8]) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("screenshots");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(name), png).unwrap();
}

/// The verdict of recordings that differ, as `overview-of-NAME-THEME-WIDTH.png`. `SHOTS` may name one.
#[test]
#[ignore = "makes pictures for people"]
fn shots_of_verdicts() {
    const NAMES: [&str; 11] = [
        "oom_leak",
        "oom_activations",
        "oom_logits",
        "oom_fragmentation",
        "oom_weights",
        "oom_optimizer",
        "leak_loss_list",
        "leak_cycles_training",
        "leak_reference_cycle",
        "qwen_train",
        "no_history",
    ];
    let only = std::env::var("SHOTS").unwrap_or_default();
    for (width, height, dark) in
        [(1280, 800, false), (1280, 800, true), (1920, 1080, false), (1920, 1080, true), (420, 900, false)]
    {
        let wanted = |name: &&str| {
            only.is_empty()
                || only.split(',').any(|each| each == *name || each == format!("{name}-{width}-{dark}"))
        };
        for name in NAMES.into_iter().filter(wanted) {
            take_verdict(name, Setup { width, height, dark });
        }
    }
}

fn take_verdict(name: &str, setup: Setup) {
    let (width, theme) = (setup.width, if setup.dark { "dark" } else { "light" });
    let tab = open(setup);
    let file = recordings::all().into_iter().find(|file| file.name == name);
    tab.choose(&[&file.expect("the recording is at hand").path.canonicalize().unwrap()]);
    tab.wait_until_ready();
    std::thread::sleep(std::time::Duration::from_millis(500));
    write(&format!("overview-of-{name}-{theme}-{width}.png"), &tab.screenshot());
    tab.js("document.getElementById('findings').scrollIntoView(); ");
    std::thread::sleep(std::time::Duration::from_millis(200));
    write(&format!("findings-of-{name}-{theme}-{width}.png"), &tab.screenshot());
    tab.js("(document.getElementById('oom') || document.getElementById('what-is-alive'))?.scrollIntoView()");
    std::thread::sleep(std::time::Duration::from_millis(200));
    write(&format!("below-of-{name}-{theme}-{width}.png"), &tab.screenshot());
}
