//! Dicts that are written like one before: the same keys and opcodes, other numbers.
//!
//! The records of a file have a few shapes. One that matches is taken as a whole: a comparison of some words instead of a step for each
//! opcode. A shape goes from the opcode of the dict to its last pair, or to a list that is the last value.

use crate::Value;
use crate::guess::Guess;
use crate::memo::Memo;
use crate::opcode::*;
use crate::patience::Patience;

/// Shapes that are kept. Real files have some twenty.
const MOST: usize = 64;
/// Pairs of a shape, at most.
const MOST_PAIRS: usize = 32;
/// Dicts without a match before they are compared with all shapes and learnt seldom.
const PATIENCE: u32 = 256;

/// How a dict is written.
pub(crate) struct Shape {
    /// The bytes to compare, and which of their bits count, by words.
    words: Vec<(u64, u64)>,
    /// Bytes of the dict so far.
    pub(crate) len: usize,
    /// A list follows, as the last value; else the end of the dict.
    pub(crate) then_list: bool,
    /// Keys, which stay, and values, which [`Shape::read`] fills in.
    pub(crate) items: Vec<Value>,
    fields: Vec<Field>,
    /// Texts among the values: place among the items, and where they are written. They are memoised.
    pub(crate) texts: Vec<(usize, std::ops::Range<usize>)>,
    /// Came again since the hand of the clock passed.
    used: bool,
}

/// A value: where it goes, and how it is read.
#[derive(Clone, Copy)]
struct Field {
    item: usize,
    at: usize,
    kind: Kind,
}

#[derive(Clone, Copy)]
enum Kind {
    /// Little-endian, of so many bytes, without sign.
    Unsigned(u8),
    /// With sign.
    Signed(u8),
    /// A reference to the memo, of so many bytes.
    Reference(u8),
}

/// The shapes met. Their keys are memo entries: when one is written over, [`Shapes::clear`].
pub(crate) struct Shapes {
    shapes: Vec<Shape>,
    guess: Guess,
    /// Next to be looked at when a place is needed.
    hand: usize,
    patience: Patience,
}

impl Default for Shapes {
    fn default() -> Self {
        Shapes { shapes: Vec::new(), guess: Guess::default(), hand: 0, patience: Patience::new(PATIENCE) }
    }
}

impl Shapes {
    /// The shape that `bytes` begins with.
    #[inline]
    pub(crate) fn find(&mut self, bytes: &[u8]) -> Option<&mut Shape> {
        let guessed = self.guess.next();
        let fits = |id: &u32| self.shapes.get(*id as usize).is_some_and(|shape| shape.fits(bytes));
        let id = match guessed.into_iter().find(fits) {
            Some(id) => id,
            None if !self.patience.allows() => return None,
            None => (0..self.shapes.len() as u32).find(fits)?,
        };
        self.patience.hit();
        self.guess.came(id, guessed);
        let shape = self.shapes.get_mut(id as usize)?;
        shape.used = true;
        Some(shape)
    }

    /// Learns the shape of the dict that `bytes` begins with, if it has one.
    pub(crate) fn learn(&mut self, bytes: &[u8], memo: &Memo) {
        if self.patience.passed_over() {
            return;
        }
        self.patience.miss();
        let Some(shape) = Shape::of(bytes, memo) else { return };
        if self.shapes.len() < MOST {
            self.shapes.push(shape);
            return;
        }
        // The first that was not used since it was last looked at makes room.
        while let Some(known) = self.shapes.get_mut(self.hand) {
            let place = self.hand;
            self.hand = (self.hand + 1) % MOST;
            if !std::mem::take(&mut known.used) {
                self.shapes[place] = shape;
                return;
            }
        }
    }

    /// Forgets everything: a memo entry has another value now.
    pub(crate) fn clear(&mut self) {
        // The guess may stay, since what it says is compared: a file may write over its memo again and again. So may the patience.
        self.shapes.clear();
        self.hand = 0;
    }
}

impl Shape {
    fn of(bytes: &[u8], memo: &Memo) -> Option<Shape> {
        let mut writer = Writer { bytes, at: 0, mask: Vec::new() };
        for opcode in [EMPTY_DICT, MEMOIZE, MARK] {
            writer.opcode(opcode)?;
        }
        let (mut items, mut fields, mut texts) = (Vec::new(), Vec::new(), Vec::new());
        let then_list = loop {
            match writer.peek()? {
                SETITEMS if !items.is_empty() => break false,
                _ if items.len() >= 2 * MOST_PAIRS => return None,
                _ => items.push(writer.key(memo)?),
            }
            let item = items.len();
            match writer.peek()? {
                EMPTY_LIST => {
                    items.push(Value::None);
                    break true;
                }
                SHORT_BINUNICODE => texts.push((item, writer.text()?)),
                opcode => fields.push(writer.field(item, opcode)?),
            }
            items.push(Value::None);
        };
        let len = writer.at;
        let words = words(bytes.get(..len)?, &writer.mask);
        Some(Shape { words, len, then_list, items, fields, texts, used: false })
    }

    #[inline]
    fn fits(&self, bytes: &[u8]) -> bool {
        let (chunks, _) = bytes.as_chunks::<8>();
        chunks.len() >= self.words.len()
            && self
                .words
                .iter()
                .zip(chunks)
                .all(|((word, mask), chunk)| (u64::from_le_bytes(*chunk) ^ word) & mask == 0)
    }

    /// Fills in the numbers and references of a dict that fits; false if a reference leads nowhere.
    #[inline]
    pub(crate) fn read(&mut self, bytes: &[u8], memo: &Memo) -> bool {
        for field in &self.fields {
            // Eight bytes from there lie inside: the words that were compared, or more, are at hand.
            let Some(word) = bytes.get(field.at..).and_then(|rest| rest.first_chunk::<8>()) else {
                return false;
            };
            let word = u64::from_le_bytes(*word);
            let value = match field.kind {
                Kind::Unsigned(width) => Value::Int((word & low_bytes(width)) as i64),
                Kind::Signed(width) => {
                    let unused = 64 - 8 * u32::from(width);
                    Value::Int((word << unused) as i64 >> unused)
                }
                Kind::Reference(width) => match memo.get((word & low_bytes(width)) as u32) {
                    Some(value) => value,
                    None => return false,
                },
            };
            if let Some(item) = self.items.get_mut(field.item) {
                *item = value;
            }
        }
        true
    }
}

/// A mask of so many low bytes, fewer than eight.
#[inline]
fn low_bytes(width: u8) -> u64 {
    (1 << (8 * width)) - 1
}

fn words(bytes: &[u8], mask: &[u8]) -> Vec<(u64, u64)> {
    let word = |chunk: &[u8]| {
        let mut word = [0; 8];
        word.iter_mut().zip(chunk).for_each(|(to, from)| *to = *from);
        u64::from_le_bytes(word)
    };
    bytes.chunks(8).zip(mask.chunks(8)).map(|(bytes, mask)| (word(bytes), word(mask))).collect()
}

/// Goes through a dict and notes which bytes are the same in all of its shape.
struct Writer<'a> {
    bytes: &'a [u8],
    at: usize,
    mask: Vec<u8>,
}

impl Writer<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn opcode(&mut self, opcode: u8) -> Option<()> {
        (self.peek()? == opcode).then(|| self.pass(1, 0xff))
    }

    fn pass(&mut self, bytes: usize, mask: u8) {
        self.at += bytes;
        self.mask.resize(self.at, mask);
    }

    fn key(&mut self, memo: &Memo) -> Option<Value> {
        let rest = self.bytes.get(self.at..)?;
        let (id, len) = match *rest {
            [BINGET, id, ..] => (u32::from(id), 2),
            [LONG_BINGET, a, b, c, d, ..] => (u32::from_le_bytes([a, b, c, d]), 5),
            _ => return None,
        };
        self.pass(len, 0xff);
        memo.get(id)
    }

    fn text(&mut self) -> Option<std::ops::Range<usize>> {
        let len = usize::from(*self.bytes.get(self.at + 1)?);
        self.pass(2, 0xff);
        let range = self.at..self.at + len;
        self.pass(len, 0);
        self.opcode(MEMOIZE)?;
        Some(range)
    }

    fn field(&mut self, item: usize, opcode: u8) -> Option<Field> {
        let (before, kind, width) = match opcode {
            BININT1 => (1, Kind::Unsigned(1), 1),
            BININT2 => (1, Kind::Unsigned(2), 2),
            BININT => (1, Kind::Signed(4), 4),
            BINGET => (1, Kind::Reference(1), 1),
            LONG_BINGET => (1, Kind::Reference(4), 4),
            LONG1 => {
                let width = self.bytes.get(self.at + 1).copied().filter(|width| (1..=8).contains(width))?;
                (2, Kind::Signed(width), width)
            }
            _ => return None,
        };
        self.pass(before, 0xff);
        let at = self.at;
        self.pass(usize::from(width), 0);
        Some(Field { item, at, kind })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memo() -> Memo {
        let mut memo = Memo::default();
        (0..3).for_each(|handle| memo.push(Value::Text(handle)));
        memo
    }

    #[test]
    fn numbers_differ_and_the_shape_is_the_same() {
        let (mut shapes, memo) = (Shapes::default(), memo());
        let first = b"}\x94(h\x00K\x05h\x01\x8a\x02\x00\x80h\x02J\xff\xff\xff\xffu..........";
        assert!(shapes.find(first).is_none());
        shapes.learn(first, &memo);
        let second = b"}\x94(h\x00K\xffh\x01\x8a\x02\x01\x7fh\x02J\x01\x00\x00\x00u..........";
        let shape = shapes.find(second).unwrap();
        assert!(shape.read(second, &memo) && !shape.then_list);
        let [zero, one, two] = [0, 1, 2].map(Value::Text);
        assert_eq!(shape.items, [zero, Value::Int(255), one, Value::Int(0x7f01), two, Value::Int(1)]);
        assert_eq!(second[shape.len], SETITEMS);
        for other in [&b"}\x94(h\x01K\x05h\x01"[..], b"}\x94(h\x00M\x05\x00", &second[..20]] {
            assert!(shapes.find(other).is_none());
        }
    }

    #[test]
    fn a_reference_to_nothing_is_no_match() {
        let (mut shapes, memo) = (Shapes::default(), memo());
        shapes.learn(b"}\x94(h\x00h\x01h\x02]..........", &memo);
        let bytes = b"}\x94(h\x00h\x09h\x02]..........";
        let shape = shapes.find(bytes).unwrap();
        assert!(shape.then_list && !shape.read(bytes, &memo));
    }

    #[test]
    fn shapes_that_come_again_stay() {
        let (mut shapes, memo) = (Shapes::default(), memo());
        let often = b"}\x94(h\x00K\x05u..........";
        shapes.learn(often, &memo);
        for len in 0..200_u8 {
            let text =
                [b"}\x94(h\x00\x8c", &[len][..], &vec![b'x'; usize::from(len)], b"\x94u........"].concat();
            shapes.patience = Patience::new(PATIENCE);
            shapes.learn(&text, &memo);
            assert!(shapes.find(often).is_some());
        }
        assert_eq!(shapes.shapes.len(), MOST);
    }
}
