//! Servers as processes of their own: `vramscope serve`, and requests written by hand.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};

use crate::program::vramscope;

/// A running `vramscope serve`, ended when dropped.
pub struct Serving {
    process: Child,
    /// The address that it printed.
    pub url: String,
}

impl Serving {
    /// Starts it with a viewer and files.
    pub fn start(viewer: &Path, files: &[&Path]) -> Serving {
        let mut command = vramscope();
        command.arg("serve").arg("--viewer").arg(viewer).args(files);
        let mut process = command.stdout(Stdio::piped()).spawn().expect("it starts");
        let mut lines = BufReader::new(process.stdout.take().expect("piped")).lines();
        let line = lines.next().expect("a line").expect("a text");
        // Nobody reads on: a full pipe would stop it.
        std::thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
        let url = line.strip_prefix("vramscope is at ").unwrap_or_else(|| panic!("{line}")).to_owned();
        Serving { process, url }
    }

    /// Host and port.
    pub fn host(&self) -> &str {
        self.url.trim_start_matches("http://").split('/').next().unwrap_or_default()
    }

    /// The path of the viewer: the secret between slashes.
    pub fn path(&self) -> String {
        format!("/{}/", self.url.trim_start_matches("http://").split('/').nth(1).unwrap_or_default())
    }

    /// The answer to a request for a path with these headers; the host is its own unless they name one.
    pub fn ask(&self, line: &str, headers: &[&str]) -> (String, Vec<u8>) {
        let own_host = format!("Host: {}", self.host());
        let named = headers.iter().any(|header| header.starts_with("Host:"));
        let host = if named { None } else { Some(own_host.as_str()) };
        let lines: Vec<&str> = host.into_iter().chain(headers.iter().copied()).collect();
        ask(self.host(), &format!("{line} HTTP/1.1\r\n{}\r\n\r\n", lines.join("\r\n")))
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Head and body of the answer to a request.
pub fn ask(address: &str, request: &str) -> (String, Vec<u8>) {
    let mut stream = TcpStream::connect(address).expect("a connection");
    stream.write_all(request.as_bytes()).expect("it is sent");
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    let end = answer.windows(4).position(|window| window == b"\r\n\r\n").unwrap_or(answer.len());
    let head = String::from_utf8_lossy(&answer[..end]).into_owned();
    (head, answer.get(end + 4..).unwrap_or_default().to_vec())
}
