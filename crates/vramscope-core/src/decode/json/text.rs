//! A text with its escapes, as its bytes arrive.

/// A text under construction: only used where it has escapes or is cut between pieces.
#[derive(Default)]
pub(super) struct Text {
    bytes: Vec<u8>,
    /// A high surrogate that waits for its low one.
    high: Option<u16>,
    /// Digits of a `\u` escape so far.
    digits: u8,
    unit: u16,
}

impl Text {
    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty() && self.high.is_none()
    }

    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Plain bytes.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        if !bytes.is_empty() {
            self.lone_surrogate();
            self.bytes.extend_from_slice(bytes);
        }
    }

    /// The byte after a backslash. `None` if there is no such escape, true if hexadecimal digits follow.
    pub(super) fn escape(&mut self, byte: u8) -> Option<bool> {
        let char = match byte {
            b'"' | b'\\' | b'/' => byte,
            b'b' => 8,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'u' => {
                (self.digits, self.unit) = (0, 0);
                return Some(true);
            }
            _ => return None,
        };
        self.push(&[char]);
        Some(false)
    }

    /// A digit of a `\u` escape. `None` if it is none, true if it was the last.
    pub(super) fn digit(&mut self, byte: u8) -> Option<bool> {
        let digit = char::from(byte).to_digit(16)?;
        self.unit = self.unit << 4 | digit as u16;
        self.digits += 1;
        if self.digits == 4 {
            self.code_unit(self.unit);
        }
        Some(self.digits == 4)
    }

    /// The whole text; leaves an empty one.
    pub(super) fn take(&mut self) -> Vec<u8> {
        self.lone_surrogate();
        std::mem::take(&mut self.bytes)
    }

    fn code_unit(&mut self, unit: u16) {
        if let (Some(high), 0xdc00..=0xdfff) = (self.high, unit) {
            self.high = None;
            let code = 0x1_0000 + ((u32::from(high) - 0xd800) << 10) + (u32::from(unit) - 0xdc00);
            self.push_char(char::from_u32(code));
            return;
        }
        self.lone_surrogate();
        match unit {
            0xd800..=0xdbff => self.high = Some(unit),
            _ => self.push_char(char::from_u32(u32::from(unit))),
        }
    }

    /// A surrogate without its other half is no character.
    fn lone_surrogate(&mut self) {
        if self.high.take().is_some() {
            self.push_char(None);
        }
    }

    fn push_char(&mut self, char: Option<char>) {
        let mut utf8 = [0; 4];
        let char = char.unwrap_or(char::REPLACEMENT_CHARACTER);
        self.bytes.extend_from_slice(char.encode_utf8(&mut utf8).as_bytes());
    }
}
