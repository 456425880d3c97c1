//! What a request gets: a file of the folder, or the reason why not.

use std::fs;
use std::io::{self, Write};
use std::net::TcpStream;
use std::path::{Component, Path, PathBuf};

use super::request::Request;

/// An answer, one for each connection.
pub struct Response {
    status: &'static str,
    mime: &'static str,
    body: Vec<u8>,
    with_body: bool,
}

/// Finds the answer.
pub fn to(request: &Request, folder: &Path, prefix: &str) -> Response {
    let with_body = match request.method.as_str() {
        "GET" => true,
        "HEAD" => false,
        _ => return Response::text("405 Method Not Allowed", true),
    };
    let file = request.path().and_then(|path| find(folder, path.strip_prefix(prefix)?));
    match file.and_then(|file| Some((mime(&file), fs::read(&file).ok()?))) {
        Some((mime, body)) => Response { status: "200 OK", mime, body, with_body },
        None => Response::text("404 Not Found", with_body),
    }
}

/// The file for a path below the folder; a folder stands for its `index.html`.
fn find(folder: &Path, path: &str) -> Option<PathBuf> {
    let inside =
        Path::new(path).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    if !inside {
        return None;
    }
    let mut file = folder.join(path);
    if path.is_empty() || path.ends_with('/') {
        file.push("index.html");
    }
    // A link may lead out of the folder.
    let file = file.canonicalize().ok()?;
    (file.starts_with(folder) && file.is_file()).then_some(file)
}

fn mime(file: &Path) -> &'static str {
    match file.extension().and_then(|extension| extension.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("json" | "webmanifest") => "application/json",
        Some("wasm") => "application/wasm",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("txt" | "md") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

impl Response {
    fn text(status: &'static str, with_body: bool) -> Self {
        Self { status, mime: "text/plain; charset=utf-8", body: status.into(), with_body }
    }

    /// Writes the answer and ends the connection.
    pub fn send(&self, mut stream: &TcpStream) -> io::Result<()> {
        let Self { status, mime, body, with_body } = self;
        // No cache: after a build the browser shall not show the page before it.
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Type: {mime}\r\nContent-Length: {}\r\nCache-Control: no-store\r\n\
             X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n",
            body.len()
        );
        stream.write_all(head.as_bytes())?;
        if *with_body {
            stream.write_all(body)?;
        }
        stream.flush()
    }
}
