//! The two escaped texts of protocol 0, turned into UTF-8.

/// `UNICODE` writes "raw-unicode-escape": Latin-1 bytes, and `\uXXXX` or `\UXXXXXXXX` for the rest.
pub(crate) fn from_raw_unicode_escape(line: &[u8]) -> Vec<u8> {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let [byte, tail @ ..] = rest {
        match escape(rest) {
            Some((char, used)) => {
                out.push(char);
                rest = rest.get(used..).unwrap_or_default();
            }
            None => {
                out.push(char::from(*byte));
                rest = tail;
            }
        }
    }
    out.into_bytes()
}

/// A `\u` or `\U` escape at the start of `bytes`: its character and length. A lone surrogate becomes U+FFFD.
fn escape(bytes: &[u8]) -> Option<(char, usize)> {
    let digits = match bytes {
        [b'\\', b'u', ..] => bytes.get(2..6)?,
        [b'\\', b'U', ..] => bytes.get(2..10)?,
        _ => return None,
    };
    let code = u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    Some((char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), digits.len() + 2))
}

/// `STRING` writes Python 2's `repr`: quoted, with backslash escapes.
pub(crate) fn from_quoted(line: &[u8]) -> Vec<u8> {
    let line = line.trim_ascii();
    let inner = match line {
        [b'\'', inner @ .., b'\''] | [b'"', inner @ .., b'"'] => inner,
        other => other,
    };
    let mut out = Vec::with_capacity(inner.len());
    let mut rest = inner;
    while let [byte, tail @ ..] = rest {
        let (value, used) = if *byte == b'\\' { unescape(tail) } else { (*byte, 0) };
        out.push(value);
        rest = tail.get(used..).unwrap_or_default();
    }
    out
}

/// The byte that an escape stands for, and how many bytes follow its backslash.
fn unescape(after: &[u8]) -> (u8, usize) {
    match after {
        [b'n', ..] => (b'\n', 1),
        [b't', ..] => (b'\t', 1),
        [b'r', ..] => (b'\r', 1),
        [b'x', digits @ ..] => {
            let code = digits.get(..2).and_then(|two| std::str::from_utf8(two).ok());
            match code.and_then(|two| u8::from_str_radix(two, 16).ok()) {
                Some(byte) => (byte, 3),
                None => (b'x', 1),
            }
        }
        [other, ..] => (*other, 1),
        [] => (b'\\', 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raw_unicode_escape() {
        assert_eq!(from_raw_unicode_escape(b"a\\u00e9\\U0001f600\xe9"), "aé😀é".as_bytes());
        assert_eq!(from_raw_unicode_escape(b"C:\\u"), b"C:\\u");
        assert_eq!(from_raw_unicode_escape(b"\\ud800"), "\u{fffd}".as_bytes());
    }

    #[test]
    fn quoted() {
        assert_eq!(from_quoted(b"'a\\'b\\n\\x41'"), b"a'b\nA");
        assert_eq!(from_quoted(b"'\\"), b"'\\");
    }
}
