//! Reading a request: its first line is all that matters to a static server.

use std::io::{self, BufRead, BufReader, Read};
use std::net::TcpStream;
use std::time::Duration;

const HEAD_LIMIT: u64 = 64 * 1024;
const PATIENCE: Duration = Duration::from_secs(10);

/// The first line of a request.
pub struct Request {
    /// `GET`, `HEAD` or what we refuse.
    pub method: String,
    /// Path and query as sent.
    pub target: String,
}

impl Request {
    /// The path, decoded; `None` if that is no text.
    pub fn path(&self) -> Option<String> {
        let path = self.target.split(['?', '#']).next()?;
        percent_decode(path)
    }
}

/// Reads the head of a request; `None` if the connection ends before one.
pub fn read(stream: &TcpStream) -> io::Result<Option<Request>> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut lines = BufReader::new(stream.take(HEAD_LIMIT)).lines();
    let Some(first) = lines.next().transpose()? else { return Ok(None) };
    for header in lines {
        if header?.is_empty() {
            break;
        }
    }
    let mut words = first.split(' ');
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    Ok(Some(Request { method: method.to_owned(), target: target.to_owned() }))
}

fn percent_decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits = std::str::from_utf8(rest.get(..2)?).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = &rest[2..];
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::percent_decode;

    #[test]
    fn decodes_what_is_encoded() {
        assert_eq!(percent_decode("/a%20b%C3%A9").as_deref(), Some("/a bé"));
        assert_eq!(percent_decode("/%ff"), None);
        assert_eq!(percent_decode("/%2"), None);
        assert_eq!(percent_decode("/%é"), None);
    }
}
