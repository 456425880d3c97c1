//! JSON from pieces of any length, byte by byte, with a list of open containers instead of recursion.

use vramscope_pickle::{Build, Refusal, Value};

use super::error::{Error, ErrorKind};
use super::text::Text;
use super::token;

/// What the reader asks of its builder beside what a pickle reader asks.
pub(in crate::decode) trait JsonBuild: Build {
    /// A key at the top level. The error is what the file is instead of a snapshot.
    fn top_key(&mut self, _key: u32) -> Result<(), &'static str> {
        Ok(())
    }

    /// Items of this container have been handed over. JSON names nothing twice, so if they have become part of a record,
    /// no handle above this one will be named again.
    fn settle(&mut self, _container: u32) {}
}

/// Reads one JSON value. What follows it is passed over.
pub(in crate::decode) struct Reader<B> {
    builder: B,
    max_text_bytes: u64,
    state: State,
    open: Vec<Open>,
    /// Items of the open containers that are not handed over yet.
    values: Vec<Value>,
    text: Text,
    /// The text at hand is a key.
    is_key: bool,
    token: Vec<u8>,
    /// Where the text or token at hand begins.
    begun_at: u64,
    /// Bytes dealt with before the piece at hand.
    position: u64,
    root: Option<Value>,
}

/// A container that is not closed.
struct Open {
    handle: u32,
    is_dict: bool,
    /// Where its items begin in `values`.
    from: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Start,
    Value,
    /// After `[`.
    ValueOrEnd,
    Key,
    /// After `{`.
    KeyOrEnd,
    Colon,
    CommaOrEnd,
    Text,
    /// After a backslash.
    Escape,
    /// In the digits of a `\u` escape.
    Digits,
    /// In a number or word.
    Token,
    Done,
}

/// Nesting of real files stays below ten.
const MAX_DEPTH: usize = 1_000;
/// Items handed over at once, as by Python's pickle writer.
const BATCH: usize = 1_000;

impl<B: JsonBuild> Reader<B> {
    pub(in crate::decode) fn new(builder: B, max_text_bytes: u64) -> Self {
        Reader {
            builder,
            max_text_bytes,
            state: State::Start,
            open: Vec::new(),
            values: Vec::new(),
            text: Text::default(),
            is_key: false,
            token: Vec::new(),
            begun_at: 0,
            position: 0,
            root: None,
        }
    }

    pub(in crate::decode) fn builder_mut(&mut self) -> &mut B {
        &mut self.builder
    }

    pub(in crate::decode) fn builder(&self) -> &B {
        &self.builder
    }

    pub(in crate::decode) fn into_builder(self) -> B {
        self.builder
    }

    /// The whole value, once it is there.
    pub(in crate::decode) fn root(&self) -> Option<Value> {
        self.root
    }

    /// Takes the next piece.
    pub(in crate::decode) fn feed(&mut self, piece: &[u8]) -> Result<(), Error> {
        let mut at = 0;
        while let Some(rest @ [byte, ..]) = piece.get(at..) {
            let before = self.state;
            let step = match before {
                State::Text => self.in_text(rest),
                State::Token => self.in_token(rest),
                State::Escape => self.escape(*byte).map(|()| 1),
                State::Digits => self.digit(*byte).map(|()| 1),
                State::Done => Ok(rest.len()),
                _ => self.structure(*byte),
            };
            let here = self.position + at as u64;
            if matches!(before, State::Text | State::Token) {
                // Wherever the file is cut into pieces, the place told is the same.
                at += step.map_err(|kind| Error { at: self.begun_at, kind })?;
            } else {
                at += step.map_err(|kind| Error { at: here, kind })?;
            }
            if !matches!(before, State::Text | State::Token | State::Escape | State::Digits) {
                self.begun_at = here;
            }
        }
        self.position += piece.len() as u64;
        Ok(())
    }

    /// Ends the input.
    pub(in crate::decode) fn end(&mut self) -> Result<(), Error> {
        let at = self.position;
        let error = |kind| Error { at, kind };
        // A number at the top ends with the input.
        if self.state == State::Token && self.open.is_empty() {
            self.end_token().map_err(error)?;
        }
        match self.root {
            Some(_) => Ok(()),
            None => Err(error(ErrorKind::Truncated { expected: self.due() })),
        }
    }

    /// What should come next.
    fn due(&self) -> &'static str {
        match self.state {
            State::Start | State::Value => "a value",
            State::ValueOrEnd => "a value or ]",
            State::Key => "a key in double quotes",
            State::KeyOrEnd => "a key in double quotes, or }",
            State::Colon => "a colon",
            State::CommaOrEnd if self.in_dict() => "a comma or }",
            State::CommaOrEnd => "a comma or ]",
            State::Text => "the end of a text",
            State::Escape => "one of \" \\ / b f n r t u after a backslash",
            State::Digits => "four hexadecimal digits",
            State::Token => "the rest of a number",
            State::Done => "nothing more",
        }
    }

    fn in_dict(&self) -> bool {
        self.open.last().is_some_and(|open| open.is_dict)
    }

    fn unexpected(&self, byte: u8) -> ErrorKind {
        if byte == b'\''
            && matches!(self.state, State::Key | State::KeyOrEnd | State::Value | State::ValueOrEnd)
        {
            return ErrorKind::Python;
        }
        let found =
            if byte.is_ascii_graphic() { char::from(byte).to_string() } else { format!("byte 0x{byte:02x}") };
        ErrorKind::Unexpected { expected: self.due(), found }
    }

    /// A byte between texts and tokens. Returns how many bytes it took: none if a token begins.
    fn structure(&mut self, byte: u8) -> Result<usize, ErrorKind> {
        if matches!(byte, b' ' | b'\t' | b'\r' | b'\n') {
            return Ok(1);
        }
        match (self.state, byte) {
            // A byte order mark.
            (State::Start, 0xef | 0xbb | 0xbf) => {}
            (State::Start | State::Value | State::ValueOrEnd, b'{') => self.push_container(true)?,
            (State::Start | State::Value | State::ValueOrEnd, b'[') => self.push_container(false)?,
            (State::Start | State::Value | State::ValueOrEnd | State::Key | State::KeyOrEnd, b'"') => {
                self.is_key = matches!(self.state, State::Key | State::KeyOrEnd);
                self.state = State::Text;
            }
            (
                State::Start | State::Value | State::ValueOrEnd,
                b'-' | b'0'..=b'9' | b'a'..=b'z' | b'I' | b'N',
            ) => {
                self.token.clear();
                self.state = State::Token;
                return Ok(0);
            }
            (State::Colon, b':') => self.state = State::Value,
            (State::CommaOrEnd, b',') => {
                self.state = if self.in_dict() { State::Key } else { State::Value };
            }
            (State::CommaOrEnd | State::KeyOrEnd, b'}') if self.in_dict() => self.close()?,
            (State::CommaOrEnd | State::ValueOrEnd, b']') if !self.in_dict() => self.close()?,
            _ => return Err(self.unexpected(byte)),
        }
        Ok(1)
    }

    fn push_container(&mut self, is_dict: bool) -> Result<(), ErrorKind> {
        if self.open.len() >= MAX_DEPTH {
            return Err(refused("levels of nesting", MAX_DEPTH as u64));
        }
        let handle = if is_dict { self.builder.dict() } else { self.builder.list() };
        let handle = handle.map_err(ErrorKind::Refused)?;
        self.open.push(Open { handle, is_dict, from: self.values.len() });
        self.state = if is_dict { State::KeyOrEnd } else { State::ValueOrEnd };
        Ok(())
    }

    fn close(&mut self) -> Result<(), ErrorKind> {
        self.hand_over()?;
        let Some(open) = self.open.pop() else { return Ok(()) };
        self.push_value(if open.is_dict { Value::Dict(open.handle) } else { Value::List(open.handle) })
    }

    /// Gives what is there of the innermost container to the builder.
    fn hand_over(&mut self) -> Result<(), ErrorKind> {
        let Some(open) = self.open.last() else { return Ok(()) };
        let items = self.values.get(open.from..).unwrap_or_default();
        if items.is_empty() {
            return Ok(());
        }
        let taken = match open.is_dict {
            true => self.builder.extend_dict(open.handle, items),
            false => self.builder.extend_list(open.handle, items),
        };
        taken.map_err(ErrorKind::Refused)?;
        self.builder.settle(open.handle);
        self.values.truncate(open.from);
        Ok(())
    }

    fn push_value(&mut self, value: Value) -> Result<(), ErrorKind> {
        let Some(open) = self.open.last() else {
            self.root = Some(value);
            self.state = State::Done;
            return Ok(());
        };
        let batch = if open.is_dict { 2 * BATCH } else { BATCH };
        let full = self.values.len() + 1 - open.from >= batch;
        self.values.push(value);
        self.state = State::CommaOrEnd;
        if full { self.hand_over() } else { Ok(()) }
    }

    /// Inside a text. Returns how many bytes were taken.
    fn in_text(&mut self, rest: &[u8]) -> Result<usize, ErrorKind> {
        let end = rest.iter().position(|&byte| matches!(byte, b'"' | b'\\'));
        let plain = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
        if (self.text.len() + plain.len()) as u64 > self.max_text_bytes {
            return Err(refused("bytes of text", self.max_text_bytes));
        }
        match end {
            Some(end) if rest.get(end) == Some(&b'"') => {
                if self.text.is_empty() {
                    self.push_text(plain)?;
                } else {
                    self.text.push(plain);
                    let whole = self.text.take();
                    self.push_text(&whole)?;
                }
                Ok(end + 1)
            }
            Some(end) => {
                self.text.push(plain);
                self.state = State::Escape;
                Ok(end + 1)
            }
            None => {
                self.text.push(plain);
                Ok(rest.len())
            }
        }
    }

    fn escape(&mut self, byte: u8) -> Result<(), ErrorKind> {
        self.state = match self.text.escape(byte) {
            Some(true) => State::Digits,
            Some(false) => State::Text,
            None => return Err(self.unexpected(byte)),
        };
        Ok(())
    }

    fn digit(&mut self, byte: u8) -> Result<(), ErrorKind> {
        match self.text.digit(byte) {
            Some(true) => self.state = State::Text,
            Some(false) => {}
            None => return Err(self.unexpected(byte)),
        }
        Ok(())
    }

    fn push_text(&mut self, utf8: &[u8]) -> Result<(), ErrorKind> {
        let handle = self.builder.text(utf8).map_err(ErrorKind::Refused)?;
        if !self.is_key {
            return self.push_value(Value::Text(handle));
        }
        if self.open.len() == 1 {
            self.builder.top_key(handle).map_err(|looks_like| ErrorKind::Foreign { looks_like })?;
        }
        self.values.push(Value::Text(handle));
        self.state = State::Colon;
        Ok(())
    }

    /// Inside a number or word. Returns how many bytes were taken.
    fn in_token(&mut self, rest: &[u8]) -> Result<usize, ErrorKind> {
        let belongs = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
        let len = rest.iter().position(|byte| !belongs(byte));
        let part = rest.get(..len.unwrap_or(rest.len())).unwrap_or_default();
        if self.token.len() + part.len() > token::LONGEST {
            return Err(refused("digits of a number", token::LONGEST as u64));
        }
        if len.is_some() && self.token.is_empty() {
            // All of it is in this piece.
            let value = token::value(part).ok_or_else(|| bad_token(part))?;
            self.push_value(value)?;
        } else {
            self.token.extend_from_slice(part);
            if len.is_some() {
                self.end_token()?;
            }
        }
        Ok(part.len())
    }

    fn end_token(&mut self) -> Result<(), ErrorKind> {
        let value = token::value(&self.token).ok_or_else(|| bad_token(&self.token))?;
        self.push_value(value)
    }
}

fn refused(what: &'static str, limit: u64) -> ErrorKind {
    ErrorKind::Refused(Refusal { what, limit })
}

fn bad_token(token: &[u8]) -> ErrorKind {
    let found = String::from_utf8_lossy(token.get(..40).unwrap_or(token)).into_owned();
    ErrorKind::Unexpected { expected: "a number, true, false or null", found }
}
