//! The opcodes that real files are made of, without a detour for each.
//!
//! Nine in ten bytes of a snapshot are records with the same keys and lists of the same frames. What is rare, cut by the end of a piece
//! or at fault is left to [`Reader::step`], which can do everything and has the words for what is wrong.

use crate::cursor::Halt;
use crate::opcode::*;
use crate::reader::Reader;
use crate::{Build, Value};

/// Bytes that an opcode of this loop looks at, at most; texts and runs of references look further by themselves.
const WINDOW: usize = 10;

impl<B: Build> Reader<B> {
    /// Carries out what it can from `at` on, and moves `at`. On an error `at` is the opcode at fault.
    pub(crate) fn quick(&mut self, input: &[u8], at: &mut usize) -> Result<(), Halt> {
        while let Some(rest) = input.get(*at..)
            && let Some(head) = rest.first_chunk::<WINDOW>()
        {
            let value = match head[0] {
                LONG_BINGET => match self.memo.get(four(head)) {
                    Some(value) => (value, 5),
                    None => break,
                },
                BINGET => match self.memo.get(u32::from(head[1])) {
                    Some(value) => (value, 2),
                    None => break,
                },
                BININT1 => (Value::Int(i64::from(head[1])), 2),
                BININT2 => (Value::Int(i64::from(u16::from_le_bytes([head[1], head[2]]))), 3),
                BININT => (Value::Int(i64::from(four(head) as i32)), 5),
                LONG1 if (1..=8).contains(&head[1]) => (short_long(head), 2 + usize::from(head[1])),
                SHORT_BINUNICODE => {
                    let end = 2 + usize::from(head[1]);
                    let Some(utf8) = rest.get(2..end) else { break };
                    (Value::Text(self.builder.text(utf8)?), end)
                }
                EMPTY_DICT => match self.dict_of_known_shape(rest, at)? {
                    true => continue,
                    false => (Value::Dict(self.builder.dict()?), 1),
                },
                MEMOIZE => {
                    self.memoize()?;
                    *at += 1;
                    continue;
                }
                MARK => {
                    self.stack.mark()?;
                    *at += 1;
                    continue;
                }
                SETITEMS => {
                    self.set_items()?;
                    *at += 1;
                    continue;
                }
                EMPTY_LIST => match self.list_of_references(rest, at)? {
                    true => continue,
                    false => break,
                },
                _ => break,
            };
            self.stack.push(value.0)?;
            *at += value.1;
        }
        Ok(())
    }

    /// Takes a dict that is written like one before, and moves `at`; false if it is none. If what follows is not as expected, the dict stays
    /// open.
    fn dict_of_known_shape(&mut self, rest: &[u8], at: &mut usize) -> Result<bool, Halt> {
        let Some(shape) = self.shapes.find(rest) else {
            self.shapes.learn(rest, &self.memo);
            return Ok(false);
        };
        let memoised = self.memo.len() + shape.texts.len() + 2;
        if memoised > self.limits.max_memo || !shape.read(rest, &self.memo) {
            return Ok(false);
        }
        let handle = self.builder.dict()?;
        self.memo.push(Value::Dict(handle));
        for (item, range) in &shape.texts {
            let text = Value::Text(self.builder.text(rest.get(range.clone()).unwrap_or_default())?);
            self.memo.push(text);
            if let Some(item) = shape.items.get_mut(*item) {
                *item = text;
            }
        }
        let mut taken = shape.len;
        *at += taken;
        let mut ends = true;
        if shape.then_list {
            let run = rest.get(taken..).and_then(|rest| rest.strip_prefix(&[EMPTY_LIST, MEMOIZE, MARK]));
            let known = run.and_then(|run| self.runs.find(run));
            match (known, shape.items.last_mut()) {
                (Some((token, len)), Some(item)) => {
                    *item = Value::List(self.builder.list_again(token)?);
                    self.memo.push(*item);
                    taken += 3 + len;
                    *at += 3 + len;
                }
                _ => ends = false,
            }
        }
        let whole = ends && rest.get(taken) == Some(&SETITEMS);
        if whole {
            self.builder.extend_dict(handle, &shape.items)?;
            self.stack.push(Value::Dict(handle))?;
            *at += 1;
            return Ok(true);
        }
        self.stack.push(Value::Dict(handle))?;
        self.stack.mark()?;
        let known = shape.items.len() - usize::from(!ends);
        for item in shape.items.iter().take(known) {
            self.stack.push(*item)?;
        }
        Ok(true)
    }

    /// Takes a list that holds nothing but references to the memo and is whole in `rest`, and moves `at`; false if it is another list.
    ///
    /// Most such lists have been there before (one training step is like another), so equal bytes are looked for first: with the memo only
    /// growing, they are equal items.
    fn list_of_references(&mut self, rest: &[u8], at: &mut usize) -> Result<bool, Halt> {
        let (put, lead) = match *rest {
            [_, MEMOIZE, MARK, ..] => (Some(("MEMOIZE", self.memo.len() as u64)), 3),
            [_, BINPUT, id, MARK, ..] => (Some(("BINPUT", u64::from(id))), 4),
            [_, LONG_BINPUT, a, b, c, d, MARK, ..] => {
                (Some(("LONG_BINPUT", u64::from(u32::from_le_bytes([a, b, c, d])))), 7)
            }
            [_, MARK, ..] => (None, 2),
            _ => return Ok(false),
        };
        if put.is_some_and(|(_, id)| id < self.memo.len() as u64) {
            // It takes the place of another value, perhaps of one in the run.
            return Ok(false);
        }
        let run = rest.get(lead..).unwrap_or_default();
        let known = self.runs.find(run);
        let Some(len) = known.map(|(_, len)| len).or_else(|| self.runs.found_len()) else { return Ok(false) };
        let list = match known {
            Some((token, _)) => self.builder.list_again(token)?,
            None => self.builder.list()?,
        };
        self.stack.push(Value::List(list))?;
        *at += 1;
        if let Some((opcode, id)) = put {
            self.put(opcode, id)?;
        }
        *at += lead - 2;
        if known.is_some() {
            *at += 1 + len;
            return Ok(true);
        }
        self.stack.mark()?;
        let whole = run.get(..len).unwrap_or_default();
        let taken = self.get_run(whole);
        *at += 1 + taken;
        if taken + 1 < len {
            // A reference to nothing: the next step says so.
            return Ok(true);
        }
        self.append_items()?;
        *at += 1;
        if let Some(token) = self.builder.remember(list) {
            self.runs.learn(whole, token);
        }
        Ok(true)
    }

    /// Pushes the memo reads at the start of `bytes`, as far as they are whole and sound; returns how many bytes they took.
    fn get_run(&mut self, bytes: &[u8]) -> usize {
        let mut rest = bytes;
        loop {
            let (id, after) = match rest {
                [LONG_BINGET, a, b, c, d, after @ ..] => (u32::from_le_bytes([*a, *b, *c, *d]), after),
                [BINGET, id, after @ ..] => (u32::from(*id), after),
                _ => break,
            };
            let Some(value) = self.memo.get(id) else { break };
            if self.stack.push(value).is_err() {
                break;
            }
            rest = after;
        }
        bytes.len() - rest.len()
    }
}

/// The four bytes after the opcode.
fn four(head: &[u8; WINDOW]) -> u32 {
    u32::from_le_bytes([head[1], head[2], head[3], head[4]])
}

/// LONG1 of one to eight bytes.
fn short_long(head: &[u8; WINDOW]) -> Value {
    let [_, len, word @ ..] = *head;
    let unused = 64 - 8 * u32::from(len);
    Value::Int((u64::from_le_bytes(word) << unused) as i64 >> unused)
}
