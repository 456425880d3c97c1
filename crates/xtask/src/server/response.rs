//! What a request gets: a file of the folder, or the reason why not.

use std::fs;
use std::path::{Component, Path, PathBuf};

use vramscope_http::{Answer, Request, mime};

/// Finds the answer.
pub fn to(request: &Request, folder: &Path, prefix: &str) -> Answer {
    if !matches!(request.method.as_str(), "GET" | "HEAD") {
        return Answer::text("405 Method Not Allowed", "405 Method Not Allowed");
    }
    let file = request.path().and_then(|path| find(folder, path.strip_prefix(prefix)?));
    let answer = match file.and_then(|file| Some((mime(&file), fs::read(&file).ok()?))) {
        Some((mime, body)) => Answer::bytes("200 OK", mime, body),
        None => Answer::text("404 Not Found", "404 Not Found"),
    };
    // No cache: after a build the browser shall not show the page before it.
    answer.with("Cache-Control", "no-store").with("X-Content-Type-Options", "nosniff")
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
