//! What a file is wrapped in, by its first bytes, never by its name.

use std::io::Write;

use flate2::write::MultiGzDecoder;

/// Bytes looked at to tell what a file is.
pub(super) const HEAD: usize = 512;

/// What the first bytes say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Pickle,
    Gzip,
    /// Something else: its code and what it looks like.
    Other {
        looks_like: String,
    },
}

/// Tells what a file is. `head` is its first [`HEAD`] bytes or all of it.
pub(super) fn sniff(head: &[u8]) -> Kind {
    let other = |looks_like: &str| Kind::Other { looks_like: looks_like.into() };
    match head {
        [0x80, 0..=9, ..] => Kind::Pickle,
        [0x1f, 0x8b, ..] => Kind::Gzip,
        [b'P', b'K', 3, 4, ..] => other("a zip archive, such as a PyTorch checkpoint written by torch.save"),
        [b'S', b'Q', b'L', b'i', b't', b'e', ..] => other("an SQLite database"),
        [0x7f, b'E', b'L', b'F', ..] => other("a program"),
        [b'%', b'P', b'D', b'F', ..] => other("a PDF document"),
        [0x89, b'P', b'N', b'G', ..] => other("a PNG picture"),
        [0xff, 0xd8, 0xff, ..] => other("a JPEG picture"),
        [0x93, b'N', b'U', b'M', b'P', b'Y', ..] => other("a NumPy array"),
        [0xfd, b'7', b'z', b'X', b'Z', ..] => other("an xz archive; unpack it first"),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => other("a zstd archive; unpack it first"),
        // Protocols 0 and 1 start with a container: a dict or a list, marked or empty.
        [b'(', b'd' | b'l', ..] | [b'}' | b']', ..] => Kind::Pickle,
        _ => Kind::Other { looks_like: sniff_text(head) },
    }
}

fn sniff_text(head: &[u8]) -> String {
    let text = String::from_utf8_lossy(head);
    let start = text.trim_start_matches('\u{feff}').trim_start();
    if start.starts_with('{') || start.starts_with('[') {
        let trace = text.contains("traceEvents") || text.contains("\"ph\"");
        return if trace { "a profiler trace in JSON" } else { "JSON" }.into();
    }
    if start.to_ascii_lowercase().starts_with("<!doctype") || start.to_ascii_lowercase().starts_with("<html")
    {
        return "an HTML page".into();
    }
    // The head may end inside a character.
    let whole = match std::str::from_utf8(head) {
        Ok(text) => Some(text),
        Err(error) if error.error_len().is_none() => std::str::from_utf8(&head[..error.valid_up_to()]).ok(),
        Err(_) => None,
    };
    let is_text =
        |text: &str| !text.is_empty() && !text.chars().any(|c| c.is_control() && !c.is_whitespace());
    if whole.is_some_and(is_text) {
        return "plain text".into();
    }
    let bytes: Vec<String> = head.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    format!("nothing known; it starts with the bytes {}", bytes.join(" "))
}

/// Unpacks gzip as it arrives, in bounded steps.
pub(super) struct Gunzip {
    inner: MultiGzDecoder<Vec<u8>>,
    failed: bool,
}

/// What is wrong with packed bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// They do not unpack, or their check sum differs.
    Damaged,
    /// Something that is no gzip follows the end.
    Trailing,
}

/// Bytes given to the unpacker at once. Deflate expands 1,032-fold at most, so a step makes at most 16 MiB.
const STEP: usize = 16 << 10;

impl Gunzip {
    pub(super) fn new() -> Self {
        Gunzip { inner: MultiGzDecoder::new(Vec::new()), failed: false }
    }

    /// Unpacks a piece and hands on what comes out, step by step. The outer error is the unpacker's; what came out before it
    /// has been handed on.
    pub(super) fn feed<E>(
        &mut self,
        piece: &[u8],
        mut sink: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<Result<(), E>, Fault> {
        if self.failed {
            return Err(Fault::Trailing);
        }
        for step in piece.chunks(STEP) {
            let unpacked = self.inner.write_all(step).and_then(|()| self.inner.flush());
            let out = std::mem::take(self.inner.get_mut());
            if let Err(error) = sink(&out) {
                return Ok(Err(error));
            }
            if let Err(error) = unpacked {
                self.failed = true;
                // flate2 tells a wrong header from wrong data only in words.
                let trailing = error.to_string().contains("header");
                return Err(if trailing { Fault::Trailing } else { Fault::Damaged });
            }
        }
        Ok(Ok(()))
    }

    /// Ends the input: true if the last member is whole and its check sum agrees (or a fault was told already).
    pub(super) fn finish(&mut self) -> bool {
        self.failed || self.inner.try_finish().is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn looks_like(head: &[u8]) -> String {
        match sniff(head) {
            Kind::Other { looks_like } => looks_like,
            kind => format!("{kind:?}"),
        }
    }

    #[test]
    fn by_content() {
        assert_eq!(sniff(b"\x80\x04\x95"), Kind::Pickle);
        assert_eq!(sniff(b"(dp0\n"), Kind::Pickle);
        assert_eq!(sniff(b"}q\x00("), Kind::Pickle);
        assert_eq!(sniff(b"\x1f\x8b\x08"), Kind::Gzip);
        assert_eq!(looks_like(b" {\"traceEvents\": []}"), "a profiler trace in JSON");
        assert_eq!(looks_like(b"<!DOCTYPE html>"), "an HTML page");
        assert_eq!(looks_like("# vramscope – größer\n".as_bytes()), "plain text");
        assert_eq!(looks_like(&"größer".as_bytes()[..3]), "plain text");
        assert_eq!(looks_like(b"\x00\x01"), "nothing known; it starts with the bytes 00 01");
    }
}
