//! The page without its server, and a newer build of it: what the service worker keeps.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use vramscope_tests::browser::{Page, Setup, dist};
use xtask::server::Server;

use crate::recording;

const PREFIX: &str = "/tools/vramscope/";
const SCRIPT: &str = "document.getElementById('views-script').src";

/// A copy of the built page that can become another build.
struct Site {
    folder: PathBuf,
    build: String,
}

impl Site {
    fn new() -> Site {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("offline");
        let _ = fs::remove_dir_all(&folder);
        copy(&dist(), &folder);
        let build = crate::build_folder(&folder);
        Site { folder, build }
    }

    /// The same files under the name of another build.
    fn becomes(&mut self, build: &str) {
        fs::rename(self.folder.join(&self.build), self.folder.join(build)).unwrap();
        for file in ["index.html", "sw.js"] {
            let text = fs::read_to_string(self.folder.join(file)).unwrap();
            fs::write(self.folder.join(file), text.replace(&self.build, build)).unwrap();
        }
        build.clone_into(&mut self.build);
    }

    /// Also at a port that a server before it is about to free.
    fn serve(&self, port: u16) -> Server {
        for _ in 0..200 {
            match Server::start(&self.folder, PREFIX, port) {
                Ok(server) => return server,
                Err(_) => std::thread::sleep(Duration::from_millis(25)),
            }
        }
        panic!("port {port} stays taken")
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let (path, to) = { (entry.as_ref().unwrap().path(), to.join(entry.unwrap().file_name())) };
        if path.is_dir() {
            copy(&path, &to);
        } else if !path.ends_with("vramscope.html") {
            fs::copy(path, to).unwrap();
        }
    }
}

fn wait_until_kept(page: &Page) {
    page.js("navigator.serviceWorker.ready.then(() => { window.kept = true; })");
    page.wait("window.kept");
}

#[test]
fn works_without_its_server_and_offers_a_new_version() {
    let mut site = Site::new();
    let server = site.serve(0);
    let (port, url) = (server.port(), server.url());
    let page = Page::open(&url, Setup::default());
    page.wait_for_state("empty");
    wait_until_kept(&page);
    drop(server);

    // Nobody answers at that address now.
    page.goto(&url);
    page.wait_for_state("empty");
    page.click("[data-sample=oom]");
    page.wait_for_state("ready");
    page.choose(&[&recording("train_plain")]);
    page.wait("document.getElementById('file-name').textContent.includes('train_plain')");
    page.click("[role=tab][data-view=stacks]");
    page.wait("document.querySelector('canvas[data-role=stacks]').checkVisibility()");

    // Another build: the page is still the old one, and says so.
    site.becomes("build-second");
    let server = site.serve(port);
    page.goto(&format!("{url}?"));
    page.wait("!document.getElementById('new-version').hidden");
    assert!(page.js(&format!("return {SCRIPT}")).as_str().unwrap().contains("/build-"));
    assert_eq!(page.js(&format!("return {SCRIPT}.includes('build-second')")), false);
    page.choose(&[&recording("train_plain")]);
    page.wait_for_state("ready");
    page.click("#new-version");
    assert!(page.text("dialog[open]").contains("Reloading closes 1\u{a0}file"));
    page.click("#use-version");
    page.wait(&format!("document.getElementById('views-script') && {SCRIPT}.includes('build-second')"));
    page.wait_for_state("empty");
    page.js("caches.keys().then((names) => { window.names = names; })");
    page.wait("window.names?.length === 1 && names[0].endsWith('build-second')");
    assert!(!page.is_shown("#new-version"));

    // And by the keyboard.
    drop(server);
    site.becomes("build-third");
    let _server = site.serve(port);
    page.goto(&url);
    page.wait("!document.getElementById('new-version').hidden");
    page.key_with(&["Control"], "k", "KeyK");
    page.wait("document.querySelector('dialog[open] input')");
    page.type_text("use the new");
    page.key("Enter", "Enter");
    page.wait("document.activeElement?.id === 'use-version'");
    page.key("Enter", "Enter");
    page.wait(&format!("document.getElementById('views-script') && {SCRIPT}.includes('build-third')"));
    assert_eq!(page.errors(), Vec::<String>::new());
}

#[test]
fn nothing_is_fetched_to_be_kept_while_a_file_is_open() {
    let server = Server::start(&dist(), PREFIX, 0).expect("a free port");
    let page = Page::open(&server.url(), Setup::default());
    page.wait_for_state("empty");
    page.choose(&[&recording("train_plain")]);
    page.wait_for_state("ready");
    let asked = || server.requests().iter().filter(|line| line.ends_with("/sw.js")).count();
    std::thread::sleep(Duration::from_secs(3));
    assert_eq!(asked(), 0);
    page.click("#file-menu");
    page.click("[aria-label^='Close train_plain']");
    page.wait_for_state("empty");
    wait_until_kept(&page);
    assert_eq!(asked(), 1);
    assert_eq!(page.errors(), Vec::<String>::new());
}
