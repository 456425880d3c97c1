//! Values to pickle, protocol 3. `serde-pickle` writes numbers, texts and settings; what it does not know is how to say a thing once and refer
//! to it after that, without which stacks would be written with every event: that is here.

use serde::Serialize;
use serde_pickle::{SerOptions, Serializer};

use super::{PIECE_BYTES, Sink};

/// Items of a list between two `APPENDS`, as Python writes them: other readers put them on a stack.
const BATCH: usize = 1000;

/// Where something was written first; nothing before that.
pub(super) type Seen = Option<u32>;

/// Pickle under construction.
pub(super) struct Pickler<'a, 's> {
    bytes: Vec<u8>,
    next: u32,
    sink: &'a mut Sink<'s>,
    /// The sink wants no more.
    stopped: bool,
}

impl<'a, 's> Pickler<'a, 's> {
    pub(super) fn new(sink: &'a mut Sink<'s>) -> Self {
        Pickler { bytes: b"\x80\x03".to_vec(), next: 0, sink, stopped: false }
    }

    /// A value that stands alone.
    pub(super) fn value(&mut self, value: &impl Serialize) {
        // Neither a vector nor what is written here can fail.
        let _ = value.serialize(&mut Serializer::new(&mut self.bytes, SerOptions::new()));
    }

    pub(super) fn number(&mut self, number: u64) {
        self.value(&number);
    }

    pub(super) fn text(&mut self, text: &str) {
        self.value(&text);
    }

    pub(super) fn pair(&mut self, (first, second): (u64, u64)) {
        self.number(first);
        self.number(second);
        self.bytes.push(b'\x86');
    }

    /// Refers to what was written before; false if it was not.
    pub(super) fn again(&mut self, seen: Seen) -> bool {
        match seen {
            Some(at) => self.numbered(b'h', b'j', at),
            None => return false,
        }
        true
    }

    /// Remembers what was written last.
    pub(super) fn remember(&mut self) -> Seen {
        let at = self.next;
        self.next += 1;
        self.numbered(b'q', b'r', at);
        Some(at)
    }

    fn numbered(&mut self, short: u8, long: u8, at: u32) {
        match u8::try_from(at) {
            Ok(at) => self.bytes.extend([short, at]),
            Err(_) => {
                self.bytes.push(long);
                self.bytes.extend(at.to_le_bytes());
            }
        }
    }

    /// A dict: keys and values in turn follow, then [`Pickler::end_dict`].
    pub(super) fn begin_dict(&mut self) {
        self.bytes.extend(b"}(");
    }

    pub(super) fn end_dict(&mut self) {
        self.bytes.push(b'u');
    }

    /// A list: items follow, each between [`Pickler::before_item`] and [`Pickler::after_item`].
    pub(super) fn begin_list(&mut self) {
        self.bytes.push(b']');
    }

    pub(super) fn before_item(&mut self, at: usize) {
        if at.is_multiple_of(BATCH) {
            self.bytes.push(b'(');
        }
    }

    /// Ends item `at` of so many; false if no more are wanted.
    pub(super) fn after_item(&mut self, at: usize, count: usize) -> bool {
        if at % BATCH == BATCH - 1 || at + 1 == count {
            self.bytes.push(b'e');
        }
        if self.bytes.len() >= PIECE_BYTES {
            self.flush();
        }
        !self.stopped
    }

    fn flush(&mut self) {
        self.stopped |= !(self.sink)(&self.bytes);
        self.bytes.clear();
    }

    /// Ends the pickle; false if the sink wanted no more.
    pub(super) fn finish(mut self) -> bool {
        self.bytes.push(b'.');
        if !self.stopped {
            self.flush();
        }
        !self.stopped
    }
}
