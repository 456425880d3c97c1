//! Answers, and how they are sent.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::net::TcpStream;
use std::path::Path;

/// What is sent after the head.
#[derive(Debug)]
pub enum Body {
    /// Bytes at hand.
    Bytes(Vec<u8>),
    /// So many bytes of a file from a place on, sent in pieces.
    File {
        /// Open for reading.
        file: File,
        /// First byte.
        from: u64,
        /// How many.
        bytes: u64,
    },
}

/// An answer, one for each connection.
#[derive(Debug)]
pub struct Answer {
    /// "200 OK".
    pub status: &'static str,
    /// Beside length and end of the connection.
    pub headers: Vec<(&'static str, String)>,
    /// What was asked for, or why it is not there.
    pub body: Body,
}

impl Answer {
    /// Bytes of a kind.
    pub fn bytes(status: &'static str, mime: &str, body: Vec<u8>) -> Self {
        Answer { status, headers: vec![("Content-Type", mime.to_owned())], body: Body::Bytes(body) }
    }

    /// A sentence as plain text.
    pub fn text(status: &'static str, text: &str) -> Self {
        Answer::bytes(status, "text/plain; charset=utf-8", format!("{text}\n").into_bytes())
    }

    /// With another header.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// Writes the answer and ends the connection.
    ///
    /// # Errors
    /// The other side left, or the file can no longer be read.
    pub fn send(self, mut stream: &TcpStream, with_body: bool) -> io::Result<()> {
        let length = match &self.body {
            Body::Bytes(bytes) => bytes.len() as u64,
            Body::File { bytes, .. } => *bytes,
        };
        let mut head =
            format!("HTTP/1.1 {}\r\nContent-Length: {length}\r\nConnection: close\r\n", self.status);
        for (name, value) in &self.headers {
            head += &format!("{name}: {value}\r\n");
        }
        stream.write_all((head + "\r\n").as_bytes())?;
        match self.body {
            _ if !with_body => {}
            Body::Bytes(bytes) => stream.write_all(&bytes)?,
            Body::File { mut file, from, bytes } => {
                file.seek(SeekFrom::Start(from))?;
                io::copy(&mut file.take(bytes), &mut stream)?;
            }
        }
        stream.flush()
    }
}

/// The kind of a file, by its ending.
pub fn mime(file: &Path) -> &'static str {
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
