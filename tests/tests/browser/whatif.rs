//! What if: other settings of the allocator, by mouse and by keyboard.

use std::path::PathBuf;

use vramscope_tests::recordings;

use crate::Tab;

/// A recording of the project, or of the shared ones where they are at hand.
fn at_hand(name: &str) -> Option<PathBuf> {
    let file = recordings::all().into_iter().find(|file| file.name == name)?;
    Some(file.path.canonicalize().expect("a path"))
}

#[test]
#[ignore = "makes pictures for people"]
fn shots_of_whatif() {
    use vramscope_tests::browser::{Page, Setup, dist};
    for (width, height, dark) in
        [(1280, 800, false), (1280, 800, true), (1920, 1080, false), (420, 900, false)]
    {
        for name in ["varlen", "oom_fragmentation"] {
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
