//! Tests of the server over real connections.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;

use super::*;

/// Serves a folder with an `index.html`, a wasm, and a secret beside it.
struct Site {
    server: Server,
    top: PathBuf,
}

impl Site {
    fn new(name: &str, prefix: &str) -> Self {
        let top = std::env::temp_dir().join(format!("vramscope-server-{name}-{}", std::process::id()));
        let folder = top.join("site");
        fs::create_dir_all(&folder).unwrap();
        fs::write(top.join("secret.txt"), "secret").unwrap();
        fs::write(folder.join("index.html"), "<p>").unwrap();
        fs::write(folder.join("a b_bg.wasm"), "\0asm").unwrap();
        Self { server: Server::start(&folder, prefix, 0).unwrap(), top }
    }

    fn ask(&self, line: &str) -> String {
        let mut stream = TcpStream::connect(self.server.address).unwrap();
        write!(stream, "{line} HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.top);
    }
}

#[test]
fn serves_files_with_their_type_and_records_requests() {
    let site = Site::new("files", "/");
    let page = site.ask("GET /");
    assert!(
        page.starts_with("HTTP/1.1 200 OK\r\n") && page.contains("\r\nContent-Type: text/html"),
        "{page}"
    );
    assert!(page.ends_with("\r\n\r\n<p>"), "{page}");
    let wasm = site.ask("GET /a%20b_bg.wasm?x=1");
    assert!(
        wasm.contains("Content-Type: application/wasm\r\n") && wasm.contains("Content-Length: 4\r\n"),
        "{wasm}"
    );
    let head = site.ask("HEAD /index.html");
    assert!(head.contains("Content-Length: 3\r\n") && head.ends_with("\r\n\r\n"), "{head}");
    assert_eq!(site.server.requests(), ["GET /", "GET /a%20b_bg.wasm?x=1", "HEAD /index.html"]);
}

#[test]
fn serves_nothing_else() {
    let site = Site::new("else", "/");
    for path in [
        "/missing",
        "/../secret.txt",
        "/%2e%2e/secret.txt",
        "/..%2fsecret.txt",
        "//etc/passwd",
        "/%00",
        "/%",
        "*",
    ] {
        let answer = site.ask(&format!("GET {path}"));
        assert!(answer.starts_with("HTTP/1.1 404 "), "{path}: {answer}");
    }
    assert!(site.ask("POST /").starts_with("HTTP/1.1 405 "));
    assert!(site.ask("").starts_with("HTTP/1.1 405 "));
}

#[test]
fn serves_below_a_path() {
    let site = Site::new("below", "/tools/vramscope/");
    assert!(site.server.url().ends_with("/tools/vramscope/"));
    assert!(site.ask("GET /tools/vramscope/").contains("<p>"));
    assert!(site.ask("GET /index.html").starts_with("HTTP/1.1 404 "));
}

#[test]
fn frees_its_port() {
    let site = Site::new("port", "/");
    let address = site.server.address;
    drop(site);
    let freed = (0..100).any(|_| {
        thread::sleep(std::time::Duration::from_millis(10));
        TcpListener::bind(address).is_ok()
    });
    assert!(freed);
}
