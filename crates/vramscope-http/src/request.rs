//! Reading the head of a request.

use std::io::{self, BufRead, BufReader, Read};
use std::net::TcpStream;
use std::ops::Range;
use std::time::Duration;

const HEAD_LIMIT: u64 = 64 * 1024;
const PATIENCE: Duration = Duration::from_secs(10);

/// The head of a request.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// `GET`, `HEAD` or what we refuse.
    pub method: String,
    /// Path and query as sent.
    pub target: String,
    /// Names in lower case, and values.
    pub headers: Vec<(String, String)>,
}

impl Request {
    /// The path, decoded; `None` if that is no text.
    pub fn path(&self) -> Option<String> {
        let path = self.target.split(['?', '#']).next()?;
        percent_decode(path)
    }

    /// The value of a header; `None` if it is not there, or more than once with different values.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut values =
            self.headers.iter().filter(|(known, _)| known == name).map(|(_, value)| value.as_str());
        let first = values.next()?;
        values.all(|other| other == first).then_some(first)
    }

    /// True if a header is there at all.
    pub fn has(&self, name: &str) -> bool {
        self.headers.iter().any(|(known, _)| known == name)
    }

    /// The bytes that are wanted of so many: `Ok(None)` for all of them.
    ///
    /// # Errors
    /// The range lies outside.
    pub fn range(&self, of: u64) -> Result<Option<Range<u64>>, OutOfRange> {
        // Several ranges, and units that are not known, may be passed over: the answer is then the whole.
        let Some((first, last)) =
            self.header("range").and_then(|range| range.strip_prefix("bytes=")?.split_once('-'))
        else {
            return Ok(None);
        };
        let range = match (first.trim().parse::<u64>(), last.trim().parse::<u64>()) {
            (Ok(first), Ok(last)) if first <= last => first..last.saturating_add(1).min(of),
            (Ok(first), Err(_)) if last.trim().is_empty() => first..of,
            (Err(_), Ok(count)) if first.trim().is_empty() => of.saturating_sub(count)..of,
            _ => return Ok(None),
        };
        if range.start < range.end { Ok(Some(range)) } else { Err(OutOfRange) }
    }
}

/// A range that lies outside of what there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfRange;

/// Reads the head of a request; `None` if the connection ends before one.
pub fn read(stream: &TcpStream) -> io::Result<Option<Request>> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut lines = BufReader::new(stream.take(HEAD_LIMIT)).lines();
    let Some(first) = lines.next().transpose()? else { return Ok(None) };
    let mut headers = Vec::new();
    for header in lines {
        let header = header?;
        if header.is_empty() {
            break;
        }
        if let Some((name, value)) = header.split_once(':') {
            headers.push((name.trim().to_ascii_lowercase(), value.trim().to_owned()));
        }
    }
    let mut words = first.split(' ');
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    Ok(Some(Request { method: method.to_owned(), target: target.to_owned(), headers }))
}

/// A text without its percent signs; `None` if it is none.
pub fn percent_decode(text: &str) -> Option<String> {
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
    use super::*;

    #[test]
    fn decodes_what_is_encoded() {
        assert_eq!(percent_decode("/a%20b%C3%A9").as_deref(), Some("/a bé"));
        assert_eq!(percent_decode("/%ff"), None);
        assert_eq!(percent_decode("/%2"), None);
        assert_eq!(percent_decode("/%é"), None);
    }

    #[test]
    fn ranges() {
        let asked = |value: &str| {
            Request { headers: vec![("range".into(), value.into())], ..Request::default() }.range(100)
        };
        assert_eq!(asked("bytes=0-9"), Ok(Some(0..10)));
        assert_eq!(asked("bytes=90-"), Ok(Some(90..100)));
        assert_eq!(asked("bytes=-5"), Ok(Some(95..100)));
        assert_eq!(asked("bytes=5-1000"), Ok(Some(5..100)));
        assert_eq!(asked("bytes=100-"), Err(OutOfRange));
        assert_eq!(asked("bytes=5-18446744073709551615"), Ok(Some(5..100)));
        for whole in ["bytes=9-0", "lines=1-2", "bytes=0-1,3-4", "bytes", "bytes=-"] {
            assert_eq!(asked(whole), Ok(None), "{whole}");
        }
    }

    #[test]
    fn a_header_that_contradicts_itself_is_none() {
        let host = |values: &[&str]| {
            let headers = values.iter().map(|value| ("host".to_owned(), (*value).to_owned())).collect();
            Request { headers, ..Request::default() }.header("host").map(str::to_owned)
        };
        assert_eq!((host(&["a"]), host(&["a", "b"]), host(&[])), (Some("a".into()), None, None));
    }
}
