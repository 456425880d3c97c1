//! Feeding: pieces of input in, opcodes carried out, the unfinished tail kept for the next piece.

use crate::cursor::{Cursor, Halt};
use crate::memo::Memo;
use crate::runs::Runs;
use crate::shapes::Shapes;
use crate::stack::Stack;
use crate::{Build, Error, ErrorKind, Limits, Value, opcode};

/// Reads one pickle from pieces of input of any length. See the [crate] for an example.
pub struct Reader<B> {
    pub(crate) builder: B,
    pub(crate) limits: Limits,
    pub(crate) stack: Stack,
    pub(crate) memo: Memo,
    pub(crate) runs: Runs,
    pub(crate) shapes: Shapes,
    pub(crate) protocol: Option<u8>,
    /// Bytes of an opaque value still to be passed over.
    pub(crate) skip: u64,
    root: Option<Value>,
    /// Bytes dealt with, `carry` not included.
    position: u64,
    /// An opcode whose operands have not all arrived.
    carry: Vec<u8>,
    waiting: Waiting,
}

/// What the opcode in `carry` waits for.
#[derive(Clone, Copy)]
enum Waiting {
    /// This many bytes in all.
    Bytes(u64),
    /// A line end.
    Line,
}

impl<B: Build> Reader<B> {
    /// A reader at the start of a pickle.
    pub fn new(builder: B, limits: Limits) -> Self {
        Reader {
            builder,
            limits,
            stack: Stack::new(limits),
            memo: Memo::default(),
            runs: Runs::default(),
            shapes: Shapes::default(),
            protocol: None,
            skip: 0,
            root: None,
            position: 0,
            carry: Vec::new(),
            waiting: Waiting::Bytes(1),
        }
    }

    /// Takes the next piece. What follows STOP is ignored.
    ///
    /// # Errors
    /// The first fault of the file. The reader is then of no more use; what was built so far is in [`Reader::builder`].
    pub fn feed(&mut self, piece: &[u8]) -> Result<(), Error> {
        let mut rest = piece;
        while !self.carry.is_empty() && !rest.is_empty() {
            let (taken, enough) = self.top_up(rest);
            let (head, tail) = rest.split_at_checked(taken).unwrap_or((rest, &[]));
            self.carry.extend_from_slice(head);
            rest = tail;
            if !enough {
                return self.check_line_length();
            }
            let carry = std::mem::take(&mut self.carry);
            let used = self.run(&carry)?;
            self.carry.extend_from_slice(carry.get(used..).unwrap_or_default());
        }
        if self.carry.is_empty() {
            let used = self.run(rest)?;
            self.carry.extend_from_slice(rest.get(used..).unwrap_or_default());
        }
        Ok(())
    }

    /// True once STOP has been read.
    pub fn is_done(&self) -> bool {
        self.root.is_some()
    }

    /// The root value, once STOP has been read.
    pub fn root(&self) -> Option<Value> {
        self.root
    }

    /// Bytes taken in so far.
    pub fn position(&self) -> u64 {
        self.position + self.carry.len() as u64
    }

    /// The protocol that the pickle declares; `None` for 0 and 1, which do not.
    pub fn protocol(&self) -> Option<u8> {
        self.protocol
    }

    /// Other limits from here on. What is held already stays.
    pub fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
        self.stack.set_limits(limits);
    }

    /// Makes room for what is to come, as many times what has come: for files of a known length.
    pub fn make_room(&mut self, times: f64) {
        self.memo.make_room(times);
    }

    /// The builder, to change how it goes on.
    pub fn builder_mut(&mut self) -> &mut B {
        &mut self.builder
    }

    /// What has been built so far.
    pub fn builder(&self) -> &B {
        &self.builder
    }

    /// Gives the builder back, for instance after an error.
    pub fn into_builder(self) -> B {
        self.builder
    }

    /// Ends the input: the root value and the builder.
    ///
    /// # Errors
    /// [`ErrorKind::Truncated`] when STOP has not come.
    pub fn finish(self) -> Result<(Value, B), Error> {
        match self.root {
            Some(root) => Ok((root, self.builder)),
            None => Err(self.truncated()),
        }
    }

    /// The error that [`Reader::finish`] would give now.
    pub fn truncated(&self) -> Error {
        let kind = match self.carry.first() {
            None if self.skip > 0 => ErrorKind::Truncated {
                opcode: Some("BINBYTES"),
                opcode_at: self.position,
                expected: self.skip,
                found: 0,
            },
            None => ErrorKind::Truncated { opcode: None, opcode_at: self.position, expected: 0, found: 0 },
            Some(&byte) if opcode::FORBIDDEN.contains(&byte) => {
                return Error { at: self.position, kind: self.refusal(byte, &self.carry) };
            }
            Some(&byte) => {
                let found = self.carry.len() as u64 - 1;
                let expected = match self.waiting {
                    Waiting::Bytes(bytes) => bytes.saturating_sub(1),
                    Waiting::Line => found + 1,
                };
                ErrorKind::Truncated { opcode: opcode::name(byte), opcode_at: self.position, expected, found }
            }
        };
        Error { at: self.position(), kind }
    }

    /// How many bytes of `rest` the carried opcode wants, and whether it can go on with them.
    fn top_up(&self, rest: &[u8]) -> (usize, bool) {
        match self.waiting {
            Waiting::Bytes(bytes) => {
                let missing = bytes.saturating_sub(self.carry.len() as u64);
                match usize::try_from(missing) {
                    Ok(missing) if missing <= rest.len() => (missing, true),
                    _ => (rest.len(), false),
                }
            }
            Waiting::Line => match rest.iter().position(|&byte| byte == b'\n') {
                Some(at) => (at + 1, true),
                None => (rest.len(), false),
            },
        }
    }

    fn check_line_length(&self) -> Result<(), Error> {
        let found = self.carry.len() as u64;
        if matches!(self.waiting, Waiting::Line) && found > self.limits.max_text_bytes {
            let kind = ErrorKind::Refused {
                what: "bytes of text",
                limit: self.limits.max_text_bytes,
                found: Some(found),
            };
            return Err(Error { at: self.position, kind });
        }
        Ok(())
    }

    /// Carries out every opcode that is whole in `input`; returns how many bytes they took.
    fn run(&mut self, input: &[u8]) -> Result<usize, Error> {
        let mut at = 0;
        let ended = self.run_opcodes(input, &mut at);
        self.position += at as u64;
        match ended {
            Ok(()) => {}
            Err(Halt::NeedBytes(bytes)) => self.waiting = Waiting::Bytes(bytes),
            Err(Halt::NeedLine) => self.waiting = Waiting::Line,
            Err(Halt::Fail(kind)) => return Err(Error { at: self.position, kind: *kind }),
        }
        Ok(at)
    }

    /// The same; `at` ends behind the last opcode that was carried out.
    fn run_opcodes(&mut self, input: &[u8], at: &mut usize) -> Result<(), Halt> {
        loop {
            if self.root.is_some() {
                *at = input.len();
                return Ok(());
            }
            if self.skip > 0 {
                let step = usize::try_from(self.skip).unwrap_or(usize::MAX).min(input.len() - *at);
                self.skip -= step as u64;
                *at += step;
            } else {
                self.quick(input, at)?;
            }
            let Some(rest @ [byte, ..]) = input.get(*at..) else { return Err(Halt::NeedBytes(1)) };
            let mut cursor = Cursor::after_opcode(rest);
            self.step(*byte, &mut cursor)?;
            *at += cursor.consumed();
        }
    }

    pub(crate) fn stop(&mut self) -> Result<(), Halt> {
        self.root = Some(self.stack.pop("STOP")?);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Tree;

    fn read(bytes: &[u8], piece: usize) -> String {
        let mut reader = Reader::new(Tree::default(), Limits::default());
        let fed = bytes.chunks(piece).try_for_each(|piece| reader.feed(piece));
        let result = fed.and_then(|()| reader.finish());
        format!(
            "{:?}",
            result.map(|(root, tree)| (
                root,
                tree.len(),
                (0..tree.len() as u32).map(|id| tree.items(id).to_vec()).collect::<Vec<_>>()
            ))
        )
    }

    #[test]
    fn a_refusal_names_what_it_refuses_however_it_arrives() {
        let bytes = b"\x80\x02cos\nsystem\n.";
        for piece in 1..bytes.len() {
            assert!(read(bytes, piece).contains("os.system"), "{}", read(bytes, piece));
        }
        assert!(read(b"\x80\x02cos\nsys", 1).contains("Forbidden"), "also when it is cut");
    }

    #[test]
    fn a_fault_has_its_own_place_however_it_arrives() {
        let far = b"\x80\x04(\x8c\x01a\x94]r\x00\x00\xff\x00(h\x00et.";
        assert!(
            read(far, 99).contains("at: 8, kind: BadMemo { opcode: \"LONG_BINPUT\""),
            "{}",
            read(far, 99)
        );
        assert_eq!(read(far, 99), read(far, 1));
    }

    /// Lists of references, again and again, some of them as long as a stack.
    fn lists() -> impl Strategy<Value = Vec<u8>> {
        let reference = prop_oneof![
            (0u8..12).prop_map(|id| vec![b'h', id]),
            (0u8..12).prop_map(|id| vec![b'j', id, 0, 0, 0])
        ];
        let run = proptest::collection::vec(reference, 1..6).prop_map(|parts| parts.concat());
        let puts = vec![&b"\x94"[..], b"q\x03", b"q\x0b", b"r\x0c\x00\x00\x00", b"r\x00\x00\xff\x00", b""];
        let put = proptest::sample::select(puts);
        let list = (put, run, proptest::sample::select(vec![&b"e"[..], b"e", b"e(K\x07e", b"K\x01e", b""]))
            .prop_map(|(put, run, end)| [b"]", put, b"(", &run, end].concat());
        let some = proptest::collection::vec(list, 1..4);
        (some, proptest::collection::vec(0usize..4, 1..40)).prop_map(|(lists, order)| {
            let again = order.into_iter().filter_map(|at| lists.get(at));
            again.flat_map(|list| list.iter().copied()).collect()
        })
    }

    /// Dicts like those of events, again and again, with other numbers.
    fn records() -> impl Strategy<Value = Vec<u8>> {
        let key = (0u8..10).prop_map(|id| vec![b'h', id]);
        let value = prop_oneof![
            any::<u8>().prop_map(|n| vec![b'K', n]),
            any::<[u8; 2]>().prop_map(|n| [b"M".as_slice(), &n].concat()),
            any::<[u8; 4]>().prop_map(|n| [b"J".as_slice(), &n].concat()),
            proptest::collection::vec(any::<u8>(), 0..10).prop_map(|n| [
                b"\x8a".as_slice(),
                &[n.len() as u8],
                &n
            ]
            .concat()),
            (0u8..14).prop_map(|id| vec![b'h', id]),
            (0u8..14).prop_map(|id| vec![b'j', id, 0, 0, 0]),
            "[a-c]{0,3}".prop_map(|text| [b"\x8c", &[text.len() as u8], text.as_bytes(), b"\x94"].concat()),
            Just(b"N".to_vec()),
        ];
        let pairs =
            proptest::collection::vec((key, value).prop_map(|(key, value)| [key, value].concat()), 0..6);
        let list = proptest::sample::select(vec![
            &b""[..],
            b"h\x01]\x94(h\x02h\x03e",
            b"h\x01]\x94(h\x02h\x04e",
            b"h\x01]\x94(h\x02h\x04e(h\x02e",
            b"h\x01]\x94",
            b"h\x01](K\x01e",
        ]);
        let end = proptest::sample::select(vec![&b"u"[..], b"u", b"u", b"h\x01K\x02u", b"u0"]);
        let record = (pairs, list, end)
            .prop_map(|(pairs, list, end)| [b"}\x94(".as_slice(), &pairs.concat(), list, end].concat());
        let some = proptest::collection::vec(record, 1..4);
        (some, proptest::collection::vec((0usize..4, any::<u8>()), 1..40)).prop_map(|(records, order)| {
            let again = order.into_iter().filter_map(|(at, byte)| Some((records.get(at)?.clone(), byte)));
            let changed = again.flat_map(|(mut record, byte)| {
                // One operand or opcode differs, most often a number's.
                let at = usize::from(byte) % record.len();
                if byte % 3 == 0 && record[at] < b' ' {
                    record[at] = byte & 7;
                }
                record
            });
            changed.collect()
        })
    }

    /// Opcodes that matter, operands at random.
    fn soup() -> impl Strategy<Value = Vec<u8>> {
        let opcode =
            proptest::sample::select(b"\x80(.01Ne)]}aesutKMJX\x8c\x8ahjqr\x94cI\n\x95gpV\x85\x86".to_vec());
        proptest::collection::vec(prop_oneof![3 => opcode, 1 => any::<u8>()], 0..60)
    }

    proptest! {
        /// Byte by byte nothing is known again: the short way must lead to the same place.
        #[test]
        fn known_lists_are_what_they_were(lists in lists(), piece in 1usize..400) {
            let bytes = [b"\x80\x04(", b"\x8c\x01a\x94".repeat(10).as_slice(), &lists, b"t."].concat();
            prop_assert_eq!(read(&bytes, piece), read(&bytes, 1));
        }

        #[test]
        fn records_of_a_known_shape_are_what_they_say(records in records(), piece in 1usize..400) {
            let bytes = [b"\x80\x04(", b"\x8c\x01a\x94".repeat(10).as_slice(), &records, b"t."].concat();
            prop_assert_eq!(read(&bytes, piece), read(&bytes, 1));
        }

        #[test]
        fn pieces_do_not_matter(bytes in soup(), piece in 1usize..9) {
            let bytes = [b"\x80\x04".as_slice(), &bytes].concat();
            prop_assert_eq!(read(&bytes, piece), read(&bytes, usize::MAX));
        }
    }
}
