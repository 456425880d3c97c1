//! A small static server for this machine: `cargo xtask serve`, and the browser tests, which read what was asked.

mod response;

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// Serves a folder until it is dropped.
pub struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    folder: PathBuf,
    /// Starts and ends with a slash; all else is not found.
    prefix: String,
    requests: Mutex<Vec<String>>,
    stopped: AtomicBool,
}

impl Server {
    /// Starts to serve `folder` on 127.0.0.1 below the path `prefix`, which is `/` or looks like `/some/path/`.
    /// Port 0 takes any free one.
    pub fn start(folder: &Path, prefix: &str, port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            folder: folder.canonicalize()?,
            prefix: prefix.to_owned(),
            requests: Mutex::default(),
            stopped: AtomicBool::new(false),
        });
        let accepting = Arc::clone(&shared);
        thread::spawn(move || accept(&listener, &accepting));
        Ok(Self { address, shared })
    }

    /// Where the page is.
    pub fn url(&self) -> String {
        format!("http://{}{}", self.address, self.shared.prefix)
    }

    /// The port it listens on.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Every request until now, as "GET /path?query", in the order of arrival.
    pub fn requests(&self) -> Vec<String> {
        self.shared.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.stopped.store(true, Ordering::Relaxed);
        // Wakes the thread that waits for a connection, so that it frees the port.
        let _ = TcpStream::connect(self.address);
    }
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    for stream in listener.incoming() {
        if shared.stopped.load(Ordering::Relaxed) {
            return;
        }
        let Ok(stream) = stream else { continue };
        let shared = Arc::clone(shared);
        // A browser that leaves in the middle of an answer is no error of ours.
        thread::spawn(move || drop(shared.answer(&stream)));
    }
}

impl Shared {
    fn answer(&self, stream: &TcpStream) -> io::Result<()> {
        // Browsers open connections ahead and may never use them: those end without a request.
        let Some(request) = vramscope_http::read(stream)? else { return Ok(()) };
        let line = format!("{} {}", request.method, request.target);
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).push(line);
        response::to(&request, &self.folder, &self.prefix).send(stream, request.method != "HEAD")
    }
}

#[cfg(test)]
mod tests;
