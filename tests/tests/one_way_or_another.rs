//! Records and lists that are written like earlier ones are taken whole where enough bytes are at hand. What comes in pieces of a few
//! bytes never is: both ways must lead to the same snapshot or the same error, whatever the bytes are.

use std::ops::Range;

use vramscope_core::decode::{Decoder, Limits};
use vramscope_core::ids::{FrameId, StackId, StringId};
use vramscope_core::model::Snapshot;
use vramscope_tests::recordings;

/// Small recordings of every kind of writer: with and without memo ids that are written out, Python's and C++'s, protocols 0 to 5.
const NAMES: [&str; 10] = [
    "mempool",
    "no_history",
    "linear_inference",
    "segments_only_list",
    "oom_optimizer",
    "streams",
    "pickled_protocols_p2",
    "pickled_protocols_p4",
    "cpp_pickled",
    "pickled_protocols_p0",
];

/// Cases for each recording; `VRAMSCOPE_CASES` makes it more.
fn cases() -> u64 {
    std::env::var("VRAMSCOPE_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(60)
}

/// The same however many bytes have come: a limit that grows with them would be met at other places.
fn limits() -> Limits {
    let pickle = vramscope_pickle::Limits {
        max_stack: 1 << 20,
        max_memo: 1 << 20,
        ..vramscope_pickle::Limits::default()
    };
    Limits { pickle, max_containers: 1 << 20, max_values: 1 << 20, ..Limits::default() }
}

/// All that a file's bytes come to, in words.
fn outcome(bytes: &[u8], limits: Limits, expected: Option<u64>, mut piece: impl FnMut() -> usize) -> String {
    let mut decoder = Decoder::new("either way", limits);
    if let Some(expected) = expected {
        decoder.expect(expected);
    }
    let (mut rest, mut fed) = (bytes, Ok(()));
    while let (false, Ok(())) = (rest.is_empty(), &fed) {
        let (now, later) = rest.split_at(piece().clamp(1, rest.len()));
        fed = decoder.feed(now);
        rest = later;
    }
    match fed.and_then(|()| decoder.finish()) {
        Ok(snapshot) => words(snapshot),
        Err(error) => format!("{error:?}\n{}", words(decoder.finish_readable())),
    }
}

fn words(mut snapshot: Snapshot) -> String {
    // Of a file at fault it is the pieces that have been fed.
    snapshot.source.size_bytes = 0;
    let Snapshot { source, strings, stacks, streams, devices, settings, annotations, warnings, .. } =
        &snapshot;
    let frames: Vec<_> = (0..stacks.n_frames() as u32).map(FrameId).collect();
    let frames: Vec<_> = frames
        .iter()
        .map(|id| {
            let frame = stacks.frame(*id).unwrap();
            (strings.get(frame.name), strings.get(frame.file), frame.line, stacks.fx(*id))
        })
        .collect();
    let lists: Vec<_> = (0..stacks.n_stacks() as u32).map(|id| stacks.frames_of(StackId(id))).collect();
    let notes = devices.iter().flat_map(|device| &device.events.notes);
    let texts = notes.flat_map(|(_, notes)| [notes.compile_context, notes.user_metadata, notes.category]);
    let names = annotations.iter().map(|annotation| annotation.name);
    let texts: Vec<_> = texts.flatten().chain(names).map(|id: StringId| strings.get(id)).collect();
    format!(
        "{source:?} {streams:?} {settings:?} {annotations:?} {warnings:?} {:?} {} {frames:?} {lists:?} {texts:?} {devices:?}",
        snapshot.written_by_at_least, snapshot.partial
    )
}

/// Numbers that look random and are the same each time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ mixed >> 31) as usize % n.max(1)
    }

    fn pick<T: Clone>(&mut self, of: &[T]) -> Option<T> {
        of.get(self.below(of.len())).cloned()
    }
}

/// Bytes of the opcode at the start of `bytes`, operands included.
fn opcode_len(bytes: &[u8]) -> usize {
    let byte = |at: usize| bytes.get(at).copied().map_or(0, usize::from);
    let word = byte(1) | byte(2) << 8 | byte(3) << 16 | byte(4) << 24;
    let lines = |n: usize| bytes.split_inclusive(|&byte| byte == b'\n').take(n).map(<[u8]>::len).sum();
    match bytes.first() {
        Some(b'\x80' | b'K' | b'h' | b'q') => 2,
        Some(b'M') => 3,
        Some(b'J' | b'j' | b'r') => 5,
        Some(b'G' | b'\x95') => 9,
        Some(b'\x8a' | b'\x8c' | b'U' | b'C') => 2 + byte(1),
        Some(b'X' | b'T' | b'B' | b'\x8b') => 5 + word,
        Some(b'I' | b'L' | b'F' | b'S' | b'V' | b'g' | b'p') => lines(1),
        Some(b'c' | b'i') => lines(2),
        _ => 1,
    }
}

/// A recording and where its parts are.
struct Parts {
    bytes: Vec<u8>,
    /// Where each opcode begins.
    opcodes: Vec<usize>,
    /// Innermost dicts and lists, from their opcode to the one that fills them.
    records: Vec<Range<usize>>,
}

impl Parts {
    fn of(bytes: Vec<u8>) -> Parts {
        let (mut at, mut opcodes, mut records, mut from) = (0, Vec::new(), Vec::new(), None);
        while at < bytes.len() {
            opcodes.push(at);
            let end = at + opcode_len(&bytes[at..]);
            match bytes[at] {
                b'}' | b']' => from = Some(at),
                b'u' | b'e' | b's' | b'a' => records.extend(from.take().map(|from| from..end)),
                _ => {}
            }
            at = end;
        }
        Parts { bytes, opcodes, records }
    }

    /// The recording with a few things changed.
    fn changed(&self, dice: &mut Dice) -> Vec<u8> {
        // Later changes stand earlier in the file, so that the places of what is still to be changed stay right.
        let mut places: Vec<usize> = (0..1 + dice.below(4)).map(|_| dice.below(self.opcodes.len())).collect();
        places.sort_unstable_by(|a, b| b.cmp(a));
        let mut bytes = self.bytes.clone();
        for place in places {
            self.change(&mut bytes, self.opcodes[place], dice);
        }
        bytes
    }

    fn change(&self, bytes: &mut Vec<u8>, at: usize, dice: &mut Dice) {
        let opcodes_like = |of: &[u8]| -> Vec<usize> {
            let near = self.opcodes.partition_point(|&opcode| opcode < at);
            let near = self.opcodes.get(near..(near + 200).min(self.opcodes.len())).unwrap_or_default();
            near.iter().copied().filter(|&opcode| of.contains(&self.bytes[opcode])).collect()
        };
        // Nothing before `at` has been changed yet; what is behind it may have moved.
        let record = self.records.partition_point(|record| record.start < at);
        let record = self.records.get(record).cloned().filter(|record| record.end <= bytes.len());
        match dice.below(12) {
            0 => {
                let at = at + dice.below(8);
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = dice.below(256) as u8;
                }
            }
            // Another opcode of the same length.
            1 => {
                let alike: &[u8] = match bytes[at] {
                    b'K' | b'h' | b'q' => b"Khq",
                    b'J' | b'j' | b'r' => b"Jjr",
                    b'X' | b'T' | b'B' => b"XTB",
                    b'\x8c' | b'U' | b'C' | b'\x8a' => b"\x8cUC\x8a",
                    _ => b"()]}eu.a\x94sNt0120\x88\x8f\x85\x86l",
                };
                bytes[at] = dice.pick(alike).unwrap();
            }
            // Another memo id: one before, one that is not there, one far ahead.
            2 | 3 => {
                let Some(at) = dice.pick(&opcodes_like(b"hjqr")) else { return };
                let id =
                    [dice.below(256) as u8, dice.below(3) as u8, dice.pick(b"\0\0\0\x01\xff").unwrap(), 0];
                let wide = matches!(bytes.get(at), Some(b'j' | b'r'));
                let operand = if wide { at + 1..at + 5 } else { at + 1..at + 2 };
                if let Some(operand) = bytes.get_mut(operand) {
                    operand.iter_mut().zip(id).for_each(|(to, from)| *to = from);
                }
            }
            // A PUT that writes over an earlier id, or leaves a gap, in the place of MEMOIZE or beside it.
            4 | 5 => {
                let Some(at) = dice.pick(&opcodes_like(b"\x94qr]}")) else { return };
                let low = dice.below(256) as u8;
                let put: &[u8] = match dice.below(4) {
                    0 => &[b'q', low],
                    1 => &[b'r', low, dice.below(4) as u8, 0, 0],
                    2 => &[b'r', low, low, dice.below(2) as u8, 0],
                    _ => &[b'r', low, low, low, low],
                };
                let memoize = bytes.get(at) == Some(&b'\x94') && dice.below(2) == 0;
                let at = if memoize { at..at + 1 } else { at + 1..at + 1 };
                if at.end <= bytes.len() {
                    bytes.splice(at, put.iter().copied());
                }
            }
            6 | 7 => {
                let Some(record) = record else { return };
                let again = bytes[record.clone()].repeat(1 + dice.below(3));
                let again = if dice.below(2) == 0 { [&again[..], b"0"].concat() } else { again };
                bytes.splice(record.start..record.start, again);
            }
            8 => {
                if let Some(record) = record {
                    bytes.drain(record);
                }
            }
            // Two records change places, or one takes the other's.
            9 => {
                let (Some(one), Some(other)) = (record, dice.pick(&self.records)) else { return };
                let other = self.bytes[other].to_vec();
                bytes.splice(one, other);
            }
            // Something that does not belong there.
            10 => {
                let what = dice.pick(&[
                    &b"(e"[..],
                    b"(u",
                    b"0",
                    b"2",
                    b"(",
                    b"K\x01",
                    b"N",
                    b"1",
                    b"]\x94",
                    b"h\0",
                    b"}\x94(",
                ]);
                bytes.splice(at..at, what.unwrap().iter().copied());
            }
            _ => bytes.truncate(at + dice.below(12)),
        }
    }
}

fn check(bytes: &[u8], limits: Limits, dice: &mut Dice, what: &str) {
    let small = 1 + dice.below(9);
    let slowly = outcome(bytes, limits, None, || small);
    for way in ["whole", "in pieces", "of a told size"] {
        let told = (way == "of a told size")
            .then(|| dice.pick(&[0, 1, u64::MAX, bytes.len() as u64 / 2, 10 * bytes.len() as u64]).unwrap());
        let found = match way {
            "in pieces" => {
                let mut sizes = Dice(dice.0);
                outcome(bytes, limits, told, || 1 + sizes.below(700))
            }
            _ => outcome(bytes, limits, told, || usize::MAX),
        };
        if found != slowly {
            let at = found.bytes().zip(slowly.bytes()).take_while(|(a, b)| a == b).count();
            let from = |text: &str| -> String {
                let text = &text.as_bytes()[at.saturating_sub(150).min(text.len())..];
                String::from_utf8_lossy(&text[..text.len().min(400)]).into_owned()
            };
            if let Ok(folder) = std::env::var("VRAMSCOPE_KEEP") {
                std::fs::write(format!("{folder}/{}.pickle", what.replace(' ', "_")), bytes).unwrap();
            }
            panic!("{what}, {way}:\n{}\nbut by pieces of {small} bytes:\n{}", from(&found), from(&slowly));
        }
    }
}

#[test]
fn what_is_taken_whole_is_what_it_was_piece_by_piece() {
    for (nth, name) in NAMES.into_iter().enumerate() {
        let parts = Parts::of(recordings::pickle(name));
        check(&parts.bytes, limits(), &mut Dice(nth as u64), name);
        let seed: u64 = std::env::var("VRAMSCOPE_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(0);
        for case in 0..cases() {
            let mut dice = Dice((seed << 48) | ((nth as u64) << 32) | case);
            let bytes = parts.changed(&mut dice);
            check(&bytes, limits(), &mut dice, &format!("{name} {case}"));
        }
    }
}
