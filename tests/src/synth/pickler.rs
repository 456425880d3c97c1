//! Pickle opcodes as CPython 3.8 and later write them: protocol 4, frames, everything memoized by identity.

use std::io::{self, Write};

use vramscope_pickle::{Tree, Value};

const FRAME_BYTES: usize = 64 * 1024;
/// Items between MARK and APPENDS or SETITEMS.
pub(super) const BATCH: usize = 1000;
/// Real snapshots stay below 20.
const DEEPEST: u32 = 100;
const UNKNOWN: u32 = u32::MAX;

/// Writes values of a [`Tree`]. What it has written once, it refers to.
pub(super) struct Pickler<'a, W> {
    tree: &'a Tree,
    to: W,
    /// Opcodes of the present frame.
    frame: Vec<u8>,
    /// Handle to place in the memo.
    texts: Vec<u32>,
    containers: Vec<u32>,
    next: u32,
    depth: u32,
}

impl<'a, W: Write> Pickler<'a, W> {
    pub(super) fn start(tree: &'a Tree, mut to: W) -> io::Result<Self> {
        to.write_all(b"\x80\x04")?;
        let frame = Vec::with_capacity(2 * FRAME_BYTES);
        Ok(Pickler { tree, to, frame, texts: Vec::new(), containers: Vec::new(), next: 0, depth: 0 })
    }

    pub(super) fn stop(mut self) -> io::Result<()> {
        self.op(b".");
        self.end_frame()?;
        self.to.flush()
    }

    /// How many objects have been written.
    pub(super) fn memo_len(&self) -> u32 {
        self.next
    }

    /// Where an object stands in the memo.
    pub(super) fn place(&self, container: u32) -> Option<u32> {
        self.containers.get(container as usize).copied().filter(|place| *place != UNKNOWN)
    }

    /// Takes an object for a new one when it comes again.
    pub(super) fn forget(&mut self, container: u32) {
        if let Some(place) = self.containers.get_mut(container as usize) {
            *place = UNKNOWN;
        }
    }

    pub(super) fn op(&mut self, bytes: &[u8]) {
        self.frame.extend_from_slice(bytes);
    }

    pub(super) fn value(&mut self, value: Value) -> io::Result<()> {
        self.at_boundary()?;
        match value {
            Value::None => self.op(b"N"),
            Value::Bool(true) => self.op(b"\x88"),
            Value::Bool(false) => self.op(b"\x89"),
            Value::Int(int) => self.int(int),
            Value::Unsigned(int) => self.long(&[&int.to_le_bytes()[..], &[0]].concat()),
            Value::Float(float) => {
                self.op(b"G");
                self.op(&float.to_be_bytes());
            }
            Value::Text(text) => self.text(text)?,
            Value::List(list) => self.container(list, |pickler, items| {
                pickler.begin(b"]", Some(list))?;
                pickler.batches(items.len(), b"a", b"e", |pickler, at| pickler.value(items[at]))
            })?,
            Value::Dict(dict) => self.container(dict, |pickler, items| {
                pickler.begin(b"}", Some(dict))?;
                pickler.batches(items.len() / 2, b"s", b"u", |pickler, at| {
                    pickler.value(items[2 * at])?;
                    pickler.value(items[2 * at + 1])
                })?;
                // Python notices the end of a dict one batch late.
                if items.len() > 2 && (items.len() / 2).is_multiple_of(BATCH) {
                    pickler.op(b"(u");
                }
                Ok(())
            })?,
            Value::Tuple(tuple) => self.container(tuple, |pickler, items| pickler.tuple(tuple, items))?,
            Value::Opaque => {
                return Err(refused("the file holds bytes, sets or huge integers, which no snapshot has"));
            }
        }
        Ok(())
    }

    fn container(
        &mut self,
        handle: u32,
        write: impl FnOnce(&mut Self, &'a [Value]) -> io::Result<()>,
    ) -> io::Result<()> {
        if let Some(place) = self.place(handle) {
            self.get(place);
            return Ok(());
        }
        if self.depth == DEEPEST {
            return Err(refused("the file nests deeper than any snapshot"));
        }
        self.depth += 1;
        let tree = self.tree;
        write(self, tree.items(handle))?;
        self.depth -= 1;
        Ok(())
    }

    /// A new list or dict. With a handle it can be referred to.
    pub(super) fn begin(&mut self, opcode: &[u8], handle: Option<u32>) -> io::Result<()> {
        self.at_boundary()?;
        self.op(opcode);
        self.memoize(handle, |pickler| &mut pickler.containers);
        Ok(())
    }

    fn tuple(&mut self, handle: u32, items: &[Value]) -> io::Result<()> {
        if items.is_empty() {
            self.op(b")");
            return Ok(());
        }
        if items.len() > 3 {
            self.op(b"(");
        }
        for item in items {
            self.value(*item)?;
        }
        self.op(match items.len() {
            1 => b"\x85",
            2 => b"\x86",
            3 => b"\x87",
            _ => b"t",
        });
        self.memoize(Some(handle), |pickler| &mut pickler.containers);
        Ok(())
    }

    /// Items in batches, as `save_list` and `save_dict` part them; a single one without a mark.
    pub(super) fn batches(
        &mut self,
        len: usize,
        single: &[u8],
        several: &[u8],
        mut item: impl FnMut(&mut Self, usize) -> io::Result<()>,
    ) -> io::Result<()> {
        if len == 1 {
            item(self, 0)?;
            self.op(single);
            return Ok(());
        }
        for at in 0..len {
            if at.is_multiple_of(BATCH) {
                self.op(b"(");
            }
            item(self, at)?;
            if (at + 1).is_multiple_of(BATCH) || at + 1 == len {
                self.op(several);
            }
        }
        Ok(())
    }

    fn int(&mut self, int: i64) {
        if let Ok(byte) = u8::try_from(int) {
            self.op(&[b'K', byte]);
        } else if let Ok(short) = u16::try_from(int) {
            self.op(b"M");
            self.op(&short.to_le_bytes());
        } else if let Ok(word) = i32::try_from(int) {
            self.op(b"J");
            self.op(&word.to_le_bytes());
        } else {
            self.long(&int.to_le_bytes());
        }
    }

    /// Two's complement, little end first, without bytes that say nothing.
    fn long(&mut self, bytes: &[u8]) {
        let mut bytes = bytes;
        while let [rest @ .., before, last] = bytes {
            let sign = if before & 0x80 == 0 { 0 } else { 0xff };
            if *last != sign {
                break;
            }
            bytes = &bytes[..rest.len() + 1];
        }
        self.op(&[0x8a, bytes.len() as u8]);
        self.op(bytes);
    }

    fn text(&mut self, text: u32) -> io::Result<()> {
        if let Some(place) = self.texts.get(text as usize).copied().filter(|place| *place != UNKNOWN) {
            self.get(place);
            return Ok(());
        }
        let bytes = self.tree.text_bytes(text);
        match (u8::try_from(bytes.len()), u32::try_from(bytes.len())) {
            (Ok(short), _) => self.op(&[0x8c, short]),
            (_, Ok(long)) => {
                if bytes.len() >= FRAME_BYTES {
                    self.end_frame()?;
                }
                self.op(b"X");
                self.op(&long.to_le_bytes());
            }
            _ => return Err(refused("the file holds a text of 4 GiB")),
        }
        if bytes.len() >= FRAME_BYTES {
            // Long ones stand between frames.
            self.to.write_all(&self.frame)?;
            self.frame.clear();
            self.to.write_all(bytes)?;
        } else {
            self.op(bytes);
        }
        self.memoize(Some(text), |pickler| &mut pickler.texts);
        Ok(())
    }

    fn memoize(&mut self, handle: Option<u32>, table: impl Fn(&mut Self) -> &mut Vec<u32>) {
        self.op(b"\x94");
        if let Some(handle) = handle {
            let place = self.next;
            let table = table(self);
            if table.len() <= handle as usize {
                table.resize(handle as usize + 1, UNKNOWN);
            }
            table[handle as usize] = place;
        }
        self.next += 1;
    }

    fn get(&mut self, place: u32) {
        match u8::try_from(place) {
            Ok(byte) => self.op(&[b'h', byte]),
            Err(_) => {
                self.op(b"j");
                self.op(&place.to_le_bytes());
            }
        }
    }

    fn at_boundary(&mut self) -> io::Result<()> {
        if self.frame.len() >= FRAME_BYTES { self.end_frame() } else { Ok(()) }
    }

    /// Frames of fewer than four bytes are not worth their head.
    fn end_frame(&mut self) -> io::Result<()> {
        if self.frame.len() >= 4 {
            self.to.write_all(&[0x95])?;
            self.to.write_all(&(self.frame.len() as u64).to_le_bytes())?;
        }
        self.to.write_all(&self.frame)?;
        self.frame.clear();
        Ok(())
    }
}

pub(super) fn refused(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}
