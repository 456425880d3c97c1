//! Base64 from pieces of text of any length.

/// Decodes the standard alphabet. White space, also as JSON escapes it, and the backslashes that JSON may put before a `/`, are passed over.
#[derive(Debug, Default)]
pub(super) struct Base64 {
    bits: u32,
    /// Characters in `bits`.
    held: u8,
    /// Padding has come: the data end here.
    padded: bool,
    /// A backslash came just before.
    escaped: bool,
}

impl Base64 {
    /// Decodes characters onto `out`; the error is the place of the first that does not belong here.
    pub(super) fn feed(&mut self, text: &[u8], out: &mut Vec<u8>) -> Result<(), usize> {
        for (at, &byte) in text.iter().enumerate() {
            // `\n` and the like are white space in JSON; `\/` is a slash.
            if std::mem::take(&mut self.escaped) && matches!(byte, b'n' | b'r' | b't') {
                continue;
            }
            let Some(six) = value(byte) else {
                match byte {
                    b'=' => self.padded = true,
                    b'\\' => self.escaped = true,
                    b' ' | b'\t' | b'\r' | b'\n' => {}
                    _ => return Err(at),
                }
                continue;
            };
            if self.padded {
                return Err(at);
            }
            self.bits = self.bits << 6 | u32::from(six);
            self.held += 1;
            if self.held == 4 {
                out.extend_from_slice(&self.bits.to_be_bytes()[1..]);
                (self.bits, self.held) = (0, 0);
            }
        }
        Ok(())
    }

    /// The last one or two bytes, when the text was no multiple of four characters.
    pub(super) fn finish(&mut self, out: &mut Vec<u8>) {
        let [_, a, b, _] = (self.bits << (6 * (4 - u32::from(self.held)))).to_be_bytes();
        match self.held {
            2 => out.push(a),
            3 => out.extend_from_slice(&[a, b]),
            _ => {}
        }
        (self.bits, self.held) = (0, 0);
    }
}

fn value(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(text: &[u8], piece: usize) -> Result<Vec<u8>, usize> {
        let (mut base64, mut out) = (Base64::default(), Vec::new());
        for piece in text.chunks(piece) {
            base64.feed(piece, &mut out)?;
        }
        base64.finish(&mut out);
        Ok(out)
    }

    #[test]
    fn every_length_and_piece() {
        for (text, bytes) in [
            ("", &b""[..]),
            ("Zg==", b"f"),
            ("Zm8", b"fo"),
            ("Zm9v", b"foo"),
            ("Zm9v\nYg==", b"foob"),
            ("+\\/8=", b"\xfb\xff"),
            ("Zm9v\\r\\nYg==", b"foob"),
        ] {
            for piece in 1..6 {
                assert_eq!(decode(text.as_bytes(), piece).unwrap(), bytes, "{text}");
            }
        }
        assert_eq!(decode(b"Zm9v?", 99), Err(4));
        assert_eq!(decode(b"Zg==Zg", 99), Err(4));
    }
}
