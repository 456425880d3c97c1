//! Files that nobody hands over: inside the page, or beside it on its server; and the page on nginx.

use std::fs;
use std::io::{BufWriter, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::Duration;

use vramscope_tests::browser::{Page, Setup, dist};
use vramscope_tests::program::vramscope;
use vramscope_tests::recordings;
use vramscope_tests::serving::{Serving, ask};
use vramscope_tests::synth::{Source, write};
use xtask::server::Server;

use crate::{recording, tab};

fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("given").join(test);
    fs::create_dir_all(&folder).expect("a temporary folder");
    folder
}

fn peak(page: &Page) -> Option<String> {
    page.attribute("[data-metric='peak.requested_bytes']", "data-bytes")
}

/// Ready, in a page of which nothing else is known.
fn wait_until_ready(page: &Page) {
    let ready = "performance.getEntriesByName('vramscope:ready').length > 0";
    page.wait_within(ready, Duration::from_secs(240), Duration::from_millis(100));
}

#[test]
fn a_page_with_fifty_megabytes_inside_opens_from_the_disk() {
    let folder = folder("page");
    let (snapshot, out) = (folder.join("fifty.pickle"), folder.join("fifty.html"));
    let source = Source::read(&mut recordings::pickle("train_sgd").as_slice()).unwrap();
    let mut file = BufWriter::new(fs::File::create(&snapshot).unwrap());
    write(&source, 520_000, &mut file).unwrap();
    file.flush().unwrap();
    let size = fs::metadata(&snapshot).unwrap().len();
    assert!((40_000_000..80_000_000).contains(&size), "{size} bytes");
    let mut command = vramscope();
    command.arg("page").arg(&snapshot).arg("-o").arg(&out).arg("--viewer").arg(dist().join("vramscope.html"));
    assert!(command.status().unwrap().success());
    let url = format!("file://{}", out.canonicalize().unwrap().display());
    let page = Page::open(&url, Setup::default());
    wait_until_ready(&page);
    assert_eq!(page.text("#file-name"), "fifty.pickle");
    let source = recordings::open(&recordings::pickle("train_sgd"), 1 << 20).unwrap();
    let expected = source.replays[0].requested_at(source.replays[0].peak());
    assert_eq!(peak(&page), Some(expected.to_string()));
    assert_eq!(page.requests(), [url], "the page itself and nothing else");
    assert_eq!(page.errors(), Vec::<String>::new());
    fs::remove_file(&snapshot).unwrap();
    fs::remove_file(&out).unwrap();
}

#[test]
fn serve_offers_its_files_in_the_viewer() {
    let serving = Serving::start(&dist().join("vramscope.html"), &[&recording("oom_logits")]);
    let page = Page::open(&serving.url, Setup::default());
    wait_until_ready(&page);
    assert_eq!(page.text("#file-name"), "oom_logits.pickle.gz");
    let own = format!("http://{}{}", serving.host(), serving.path());
    let requests = page.requests();
    assert!(requests.iter().any(|url| url.ends_with("files/0/oom_logits.pickle.gz")), "{requests:?}");
    assert!(requests.iter().all(|url| url.starts_with(&own)) && requests.len() == 2, "{requests:?}");
    assert!(
        page.js("return location.hash").as_str().unwrap().contains("src=files"),
        "a reload opens it again"
    );
    page.click("[role=tab][data-view=timeline]");
    page.wait("document.querySelector('canvas[data-role=timeline]').checkVisibility()");
    assert_eq!(page.requests(), Vec::<String>::new(), "once it is there, nothing more is asked");
    assert_eq!(page.errors(), Vec::<String>::new());
}

#[test]
fn a_source_elsewhere_is_refused_and_one_that_is_missing_is_told() {
    let tab = tab();
    let own = tab.js("return location.origin").as_str().unwrap().to_owned();
    tab.requests();
    for (source, words) in [
        ("https://example.invalid/a.pickle", "the address of another place"),
        ("//example.invalid/a.pickle", "the address of another place"),
        ("%5C%5Cexample.invalid/a.pickle", "the address of another place"),
        ("javascript:alert(1)", "the address of another place"),
        ("samples/none.pickle", "status 404"),
    ] {
        tab.js(&format!("location.hash = 'src={source}'; location.reload()"));
        tab.wait(&format!("document.querySelector('[role=alertdialog]')?.innerText.includes('{words}')"));
        assert_eq!(tab.attribute("[role=alertdialog]", "data-code").as_deref(), Some("unreadable"));
        assert!(tab.requests().iter().all(|url| url.starts_with(&own)), "{source}");
        tab.key("Escape", "Escape");
        tab.wait_for_state("empty");
    }
    // What the server does not have is told on the console by the browser itself.
    let errors = tab.errors();
    assert!(errors.iter().all(|line| line.contains("404")), "{errors:?}");
}

#[test]
fn a_source_beside_the_page_opens() {
    let server = Server::start(&dist(), "/tools/vramscope/", 0).expect("a free port");
    let page = Page::open(
        &format!("{}#src=samples/oom.pickle.gz&src=samples/healthy.pickle.gz", server.url()),
        Setup::default(),
    );
    page.wait("document.querySelector('#file-name')?.textContent.includes('pickle.gz')");
    wait_until_ready(&page);
    let requests = server.requests();
    for name in ["oom", "healthy"] {
        let wanted = format!("GET /tools/vramscope/samples/{name}.pickle.gz");
        assert_eq!(requests.iter().filter(|line| **line == wanted).count(), 1, "{requests:?}");
    }
    assert_eq!(page.errors(), Vec::<String>::new());
}

/// nginx with the config that HOSTING.md gives, below a path.
struct Nginx {
    process: Child,
    address: String,
}

impl Nginx {
    fn start() -> Nginx {
        let folder = folder("nginx");
        let config =
            fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("hosting/nginx.conf")).unwrap();
        let place = format!("{}/", dist().canonicalize().unwrap().display());
        fs::write(folder.join("vramscope.conf"), config.replace("/srv/vramscope/", &place)).unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map(|kind| format!("{kind}_temp_path {kind};"));
        let whole = format!(
            "user root; daemon off; pid nginx.pid; error_log stderr; events {{}}\n\
             http {{ include /etc/nginx/mime.types; access_log off; {}\n\
             server {{ listen 127.0.0.1:{port}; include vramscope.conf; }} }}",
            temporary.join(" ")
        );
        fs::write(folder.join("nginx.conf"), whole).unwrap();
        let program = std::env::var_os("NGINX").unwrap_or_else(|| "/usr/sbin/nginx".into());
        let process = Command::new(&program).arg("-p").arg(&folder).args(["-c", "nginx.conf"]).spawn();
        let process = process
            .unwrap_or_else(|error| panic!("{}: {error}; `cargo xtask test` installs it", program.display()));
        let address = format!("127.0.0.1:{port}");
        let up = (0..200).any(|_| {
            std::thread::sleep(Duration::from_millis(25));
            std::net::TcpStream::connect(&address).is_ok()
        });
        let nginx = Nginx { process, address };
        assert!(up, "nginx listens");
        nginx
    }

    fn head(&self, line: &str) -> String {
        ask(
            &self.address,
            &format!("{line} HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\nConnection: close\r\n\r\n"),
        )
        .0
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        // Its worker ends when the master does so in order.
        let _ = Command::new("kill").arg(self.process.id().to_string()).status();
        let _ = self.process.wait();
    }
}

#[test]
fn nginx_serves_the_page_with_the_documented_config() {
    let nginx = Nginx::start();
    let page = nginx.head("GET /tools/vramscope/");
    for header in [
        "HTTP/1.1 200",
        "Content-Type: text/html",
        "Cache-Control: no-cache",
        "frame-ancestors 'self'",
        "X-Content-Type-Options: nosniff",
        "Referrer-Policy: no-referrer",
    ] {
        assert!(page.contains(header), "{header}: {page}");
    }
    let wasm =
        nginx.head(&format!("GET /tools/vramscope/{}/vramscope_bg.wasm", crate::build_folder(&dist())));
    for header in ["Content-Type: application/wasm", "Content-Encoding: gzip", "max-age=31536000, immutable"]
    {
        assert!(wasm.contains(header), "{header}: {wasm}");
    }
    assert!(nginx.head("GET /tools/vramscope/sw.js").contains("Cache-Control: no-cache"));
    let sample = nginx.head("GET /tools/vramscope/samples/oom.pickle.gz");
    assert!(sample.contains("200 OK") && !sample.contains("Content-Encoding"), "{sample}");
    assert!(nginx.head("POST /tools/vramscope/").contains(" 403 "));
    let url = format!("http://{}/tools/vramscope/#src=samples/oom.pickle.gz", nginx.address);
    let page = Page::open(&url, Setup::default());
    wait_until_ready(&page);
    assert_eq!(page.text("#file-name"), "oom.pickle.gz");
    assert!(peak(&page).is_some());
    assert!(
        page.requests()
            .iter()
            .all(|url| url.starts_with(&format!("http://{}/tools/vramscope/", nginx.address)))
    );
    assert_eq!(page.errors(), Vec::<String>::new());
}
