//! What is there to be had, and for whom: the viewer and the listed files, for the browser window that was given the printed address.
//!
//! Three doors, one behind the other. The *host* must be this machine by number or as localhost: a name that somebody else points here
//! (DNS rebinding) is none of ours. The *origin* must be this page: other pages of the same browser are refused. The *path* must begin with
//! the secret of this run.

use std::fs::File;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use vramscope_http::{Answer, Body, OutOfRange, Request};

/// The viewer, and the files that it may read.
pub(super) struct Site {
    viewer: Vec<u8>,
    files: Vec<PathBuf>,
    address: SocketAddr,
    token: String,
}

impl Site {
    /// The viewer of one file may make no connection at all; here it may make those to this server.
    pub(super) fn new(viewer: &str, files: Vec<PathBuf>, address: SocketAddr, token: String) -> Self {
        let viewer = viewer.replacen("connect-src 'none'", "connect-src 'self'", 1).into_bytes();
        Site { viewer, files, address, token }
    }

    /// The address to open.
    pub(super) fn url(&self) -> String {
        let host = match self.address.ip() {
            ip if ip.is_unspecified() => "127.0.0.1".to_owned(),
            IpAddr::V4(ip) => ip.to_string(),
            IpAddr::V6(ip) => format!("[{ip}]"),
        };
        let sources = (0..self.files.len()).map(|at| format!("src={}", encoded(&self.path_of(at), "/")));
        let fragment = sources.collect::<Vec<_>>().join("&");
        let mark = if fragment.is_empty() { "" } else { "#" };
        format!("http://{host}:{}/{}/{mark}{fragment}", self.address.port(), self.token)
    }

    /// Nobody but this machine can reach it.
    pub(super) fn is_local(&self) -> bool {
        self.address.ip().is_loopback()
    }

    /// Where a file is below the token.
    fn path_of(&self, at: usize) -> String {
        let name = self.files.get(at).and_then(|path| path.file_name()).unwrap_or_default();
        format!("files/{at}/{}", encoded(&name.to_string_lossy(), ""))
    }

    /// The answer to a request.
    pub(super) fn answer(&self, request: &Request) -> Answer {
        let answer = self.refusal(request).unwrap_or_else(|| self.found(request));
        answer
            .with("Cache-Control", "no-store")
            .with("X-Content-Type-Options", "nosniff")
            .with("Referrer-Policy", "no-referrer")
            .with("Cross-Origin-Resource-Policy", "same-origin")
            .with("Cross-Origin-Opener-Policy", "same-origin")
            .with("X-Frame-Options", "DENY")
    }

    fn refusal(&self, request: &Request) -> Option<Answer> {
        if !matches!(request.method.as_str(), "GET" | "HEAD") {
            return Some(
                Answer::text("405 Method Not Allowed", "Only GET and HEAD are answered.")
                    .with("Allow", "GET, HEAD"),
            );
        }
        let host = request.header("host").unwrap_or_default();
        if !self.is_ours(host) {
            return Some(Answer::text(
                "421 Misdirected Request",
                "This server answers only to the address that it printed.",
            ));
        }
        let from_elsewhere = (request.has("origin")
            && request.header("origin") != Some(&format!("http://{host}")))
            || (request.has("sec-fetch-site")
                && !matches!(request.header("sec-fetch-site"), Some("same-origin" | "none")));
        from_elsewhere.then(|| Answer::text("403 Forbidden", "Other pages may not ask here."))
    }

    /// This machine by number or as localhost, and the port.
    fn is_ours(&self, host: &str) -> bool {
        let (name, port) = match host.rsplit_once(':') {
            Some((name, port)) if !port.ends_with(']') => (name, port.parse().ok()),
            _ => (host, Some(80)),
        };
        let number: Option<IpAddr> = name.trim_start_matches('[').trim_end_matches(']').parse().ok();
        let bound = self.address.ip();
        let known = match number {
            // Open to other machines: by whatever number they reach it.
            Some(ip) => ip == bound || bound.is_unspecified(),
            None => name.eq_ignore_ascii_case("localhost") && (bound.is_loopback() || bound.is_unspecified()),
        };
        known && port == Some(self.address.port())
    }

    fn found(&self, request: &Request) -> Answer {
        let target = request.target.split(['?', '#']).next().unwrap_or_default();
        let inside = target
            .strip_prefix('/')
            .and_then(|path| path.split_once('/'))
            .filter(|(token, _)| self.knows(token));
        match inside {
            None => Answer::text(
                "404 Not Found",
                "Nothing is here. Open the address that vramscope serve printed.",
            ),
            Some((_, "")) => Answer::bytes("200 OK", "text/html; charset=utf-8", self.viewer.clone()),
            Some((_, path)) => match (0..self.files.len()).find(|&at| self.path_of(at) == path) {
                Some(at) => self.file(at, request),
                None => Answer::text("404 Not Found", "This file was not offered."),
            },
        }
    }

    /// Takes as long whatever differs.
    fn knows(&self, token: &str) -> bool {
        let differing =
            token.bytes().zip(self.token.bytes()).fold(0, |differing, (a, b)| differing | (a ^ b));
        token.len() == self.token.len() && differing == 0
    }

    fn file(&self, at: usize, request: &Request) -> Answer {
        let opened = File::open(&self.files[at]).and_then(|file| Ok((file.metadata()?, file)));
        let (size, file) = match opened {
            Ok((meta, file)) if meta.is_file() => (meta.len(), file),
            _ => return Answer::text("410 Gone", "The file can no longer be read."),
        };
        let (status, range) = match request.range(size) {
            Ok(None) => ("200 OK", 0..size),
            Ok(Some(range)) => ("206 Partial Content", range),
            Err(OutOfRange) => {
                return Answer::text("416 Range Not Satisfiable", "The file is shorter.")
                    .with("Content-Range", format!("bytes */{size}"));
            }
        };
        let part = format!("bytes {}-{}/{size}", range.start, range.end.saturating_sub(1));
        let body = Body::File { file, from: range.start, bytes: range.end - range.start };
        let headers = vec![
            ("Content-Type", "application/octet-stream".to_owned()),
            ("Accept-Ranges", "bytes".to_owned()),
        ];
        let answer = Answer { status, headers, body };
        if status.starts_with("206") { answer.with("Content-Range", part) } else { answer }
    }
}

/// Percent signs for all that has a meaning in an address, but for what is `kept`.
fn encoded(text: &str, kept: &str) -> String {
    let plain =
        |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) || kept.as_bytes().contains(&byte);
    text.bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}
