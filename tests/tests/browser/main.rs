//! The built page in real Chromium, used as a person would: by mouse and by keyboard, with real recordings and bad files.
//!
//! Every test ends with [`Tab::finish`]: no error on the console, and no request since a file was opened.

mod allocations;
mod axe;
mod bad_files;
mod behind;
mod bench;
mod compare;
mod estimates;
mod filter;
mod firefox;
mod focus;
mod formats;
mod given;
mod habits;
mod keyboard;
mod labels;
mod looking;
mod message;
mod mirrors;
mod offline;
mod opening;
mod reach;
mod shots;
mod single_file;
mod stacks;
mod state;
mod take_away;
mod telling;
mod touch;
mod verdict;
mod whatif;

use std::path::{Path, PathBuf};

use vramscope_tests::browser::{Page, Setup, dist};
use vramscope_tests::recordings;
use xtask::server::Server;

/// A tab on the served page.
struct Tab {
    page: Page,
    _server: Server,
}

impl std::ops::Deref for Tab {
    type Target = Page;

    fn deref(&self) -> &Page {
        &self.page
    }
}

/// A tab with the empty page, served below a path, as on many hosts.
fn tab() -> Tab {
    let server = Server::start(&dist(), "/tools/vramscope/", 0).expect("a free port");
    let page = Page::open(&server.url(), Setup::default());
    page.wait_for_state("empty");
    Tab { page, _server: server }
}

/// A tab with a recording open; requests until now are forgotten.
fn tab_with(name: &str) -> Tab {
    let tab = tab();
    tab.requests();
    tab.choose(&[&recording(name)]);
    tab.wait_until_ready();
    tab
}

impl Tab {
    fn wait_until_ready(&self) {
        self.page.wait_for_state("ready");
        self.page.wait("performance.getEntriesByName('vramscope:ready').length > 0");
    }

    /// Opens a further file and shows it: it shows itself where nobody has touched the one before.
    fn show_further(&self, name: &str) {
        self.page.choose(&[&recording(name)]);
        let shown = format!("document.getElementById('file-name').textContent.startsWith('{name}')");
        self.page
            .wait(&format!("{shown} || document.querySelector('#opening .button')?.textContent === 'Show'"));
        self.page.js(&format!("if (!({shown})) document.querySelector('#opening .button').click()"));
        self.page.wait(&shown);
    }

    /// Goes to the timeline and waits for its picture.
    fn show_timeline(&self) {
        self.page.click("[role=tab][data-view=timeline]");
        self.page.wait("document.querySelector('canvas[data-role=timeline]').checkVisibility()");
        self.wait_for_picture();
    }

    /// Waits until the canvas is not of one colour.
    fn wait_for_picture(&self) {
        self.page.wait(
            "(() => { const c = document.querySelector('canvas[data-role=timeline]'); \
             const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data; \
             return new Set(new Uint32Array(d.buffer)).size > 3; })()",
        );
    }

    /// The exact number behind a figure.
    fn bytes(&self, metric: &str) -> Option<u64> {
        self.page.attribute(&format!("[data-metric='{metric}']"), "data-bytes")?.parse().ok()
    }

    /// Nothing went wrong, and nothing was asked of the network since a file was handed over.
    fn finish(self) {
        assert_eq!(self.page.errors(), Vec::<String>::new(), "errors on the console");
        assert_eq!(self.page.requests(), Vec::<String>::new(), "requests while a file was open");
    }
}

fn recording(name: &str) -> PathBuf {
    recordings::folder().join(format!("{name}.pickle.gz"))
}

/// The folder of what belongs to a build, in that of a page.
fn build_folder(page: &Path) -> String {
    let entries = std::fs::read_dir(page).expect("the built page");
    let mut names = entries.map(|entry| entry.expect("a name").file_name().to_string_lossy().into_owned());
    names.find(|name| name.starts_with("build-")).expect("the build has a folder of its own")
}

/// A file in a folder of its own, so that tests do not meet.
fn temporary(test: &str, name: &str, bytes: &[u8]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let path = folder.join(name);
    std::fs::write(&path, bytes).expect("a temporary file");
    path
}
