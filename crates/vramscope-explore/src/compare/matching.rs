//! Which stacks of two recordings are the same.
//!
//! Level by level, from strict to loose; what a level pairs, the next ones leave alone. No tables: frames and stacks are sorted, and what is
//! equal stands together.

use std::cmp::Ordering;

use serde::Serialize;
use vramscope_core::order;

use super::holdings::{Frame, HeldStack, Holdings};
use super::trail::trail;

/// How a row of a comparison came about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Match {
    /// The same functions, files and lines.
    #[default]
    Stack,
    /// The same functions in other lines: the code was edited.
    Moved,
    /// The same line of the user, called another way.
    Line,
    /// The same function of the user.
    Function,
    /// Only A has it.
    OnlyA,
    /// Only B has it.
    OnlyB,
}

/// Stacks that are the same: of A and of B, by place.
#[derive(Debug, Default)]
pub(super) struct Pair {
    pub(super) how: Match,
    pub(super) a: Vec<u32>,
    pub(super) b: Vec<u32>,
}

/// What of a stack must be the same, and what of its frames.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    Whole,
    Python,
    /// From the innermost frame to the first line of the user.
    Own,
    /// That line alone.
    OwnAlone,
}

/// The levels: what is compared, whether lines count, and what it is called.
const LEVELS: [(Of, bool, Match); 5] = [
    (Of::Whole, true, Match::Stack),
    (Of::Python, true, Match::Stack),
    (Of::Whole, false, Match::Moved),
    (Of::Own, true, Match::Line),
    (Of::OwnAlone, false, Match::Function),
];

/// One side's stack: which side, its place, its number of each frame with and without lines.
struct Item<'a> {
    in_b: bool,
    at: u32,
    with_lines: Vec<u32>,
    without: Vec<u32>,
    stack: &'a HeldStack,
    kinds: Vec<u8>,
    lines: Vec<u32>,
    taken: bool,
}

/// All stacks of both, each in exactly one pair.
pub(super) fn pairs(a: &Holdings, b: &Holdings, numbers: &Numbers) -> Vec<Pair> {
    let mut items: Vec<Item<'_>> = Vec::new();
    for (in_b, side) in [(false, a), (true, b)] {
        for (at, stack) in (0..).zip(&side.stacks) {
            items.push(numbers.item(in_b, at, stack, side));
        }
    }
    let mut pairs = Vec::new();
    for (of, lines, how) in LEVELS {
        match_level(&mut items, &mut pairs, of, lines, how);
    }
    for item in items.iter().filter(|item| !item.taken) {
        let (how, a, b) = match item.in_b {
            false => (Match::OnlyA, vec![item.at], Vec::new()),
            true => (Match::OnlyB, Vec::new(), vec![item.at]),
        };
        pairs.push(Pair { how, a, b });
    }
    pairs
}

fn match_level(items: &mut [Item<'_>], pairs: &mut Vec<Pair>, of: Of, lines: bool, how: Match) {
    let left: Vec<(Vec<u32>, usize)> = items
        .iter()
        .enumerate()
        .filter(|(_, item)| !item.taken)
        .filter_map(|(at, item)| Some((item.key(of, lines)?, at)))
        .collect();
    let places = order::of(left.len(), |x, y| left[x].0.cmp(&left[y].0));
    for alike in places.chunk_by(|x, y| left[*x as usize].0 == left[*y as usize].0) {
        let side = |in_b: bool| {
            alike
                .iter()
                .map(|at| left[*at as usize].1)
                .filter(|at| items[*at].in_b == in_b)
                .collect::<Vec<_>>()
        };
        let (mut a, mut b) = (side(false), side(true));
        if a.is_empty() || b.is_empty() {
            continue;
        }
        // Edits move lines, but seldom change their order.
        let each = how == Match::Moved && a.len() == b.len();
        if each {
            for side in [&mut a, &mut b] {
                order::by(side, |x, y| items[*x].lines.cmp(&items[*y].lines));
            }
        }
        for &at in a.iter().chain(&b) {
            items[at].taken = true;
        }
        let place = |at: &usize| items[*at].at;
        match each {
            true => pairs.extend(a.iter().zip(&b).map(|(a, b)| Pair {
                how,
                a: vec![place(a)],
                b: vec![place(b)],
            })),
            false => {
                pairs.push(Pair { how, a: a.iter().map(place).collect(), b: b.iter().map(place).collect() });
            }
        }
    }
}

impl Item<'_> {
    /// What must be equal; `None` if the stack has no such part.
    fn key(&self, of: Of, lines: bool) -> Option<Vec<u32>> {
        let numbers = if lines { &self.with_lines } else { &self.without };
        let own = self.kinds.iter().position(|kind| *kind == OWN);
        let part: Vec<u32> = match of {
            // A stack without frames is one like any other.
            Of::Whole => numbers.clone(),
            Of::Python => numbers
                .iter()
                .zip(&self.kinds)
                .filter(|(_, kind)| **kind != NATIVE)
                .map(|(n, _)| *n)
                .collect(),
            Of::Own => numbers.iter().take(own? + 1).copied().collect(),
            Of::OwnAlone => vec![*numbers.get(own?)?],
        };
        (of == Of::Whole || !part.is_empty())
            .then_some(part)
            .filter(|_| of == Of::Whole || !self.stack.frames.is_empty())
    }
}

const OWN: u8 = 0;
const NATIVE: u8 = 3;

/// A number for each different frame of both: with its line, and without.
pub(super) struct Numbers {
    with_lines: Vec<u32>,
    without: Vec<u32>,
    /// Frames of A come first.
    n_a: usize,
}

impl Numbers {
    pub(super) fn of(a: &Holdings, b: &Holdings) -> Numbers {
        let frames: Vec<(&Frame, String)> =
            a.frames.iter().chain(&b.frames).map(|frame| (frame, trail(&frame.file))).collect();
        let name =
            |x: usize, y: usize| (&frames[x].0.name, &frames[x].1).cmp(&(&frames[y].0.name, &frames[y].1));
        let line = |x: usize, y: usize| name(x, y).then(frames[x].0.line.cmp(&frames[y].0.line));
        let places = order::of(frames.len(), line);
        let (mut with_lines, mut without) = (vec![0; frames.len()], vec![0; frames.len()]);
        let mut numbers = (0, 0);
        for at in 0..places.len() {
            let here = places[at] as usize;
            if let Some(before) = at.checked_sub(1).map(|before| places[before] as usize) {
                numbers.0 += u32::from(line(before, here) != Ordering::Equal);
                numbers.1 += u32::from(name(before, here) != Ordering::Equal);
            }
            (with_lines[here], without[here]) = numbers;
        }
        Numbers { with_lines, without, n_a: a.frames.len() }
    }

    /// Whether a frame of A and one of B are the same, in the same line or in any.
    pub(super) fn same(&self, in_a: u32, in_b: u32, with_lines: bool) -> bool {
        let numbers = if with_lines { &self.with_lines } else { &self.without };
        let of_a = numbers.get(in_a as usize).filter(|_| (in_a as usize) < self.n_a);
        of_a.is_some() && of_a == numbers.get(self.n_a + in_b as usize)
    }

    fn item<'a>(&self, in_b: bool, at: u32, stack: &'a HeldStack, side: &Holdings) -> Item<'a> {
        let shift = if in_b { self.n_a } else { 0 };
        // Holdings may come from outside: a place that is none is left out.
        let known: Vec<usize> = stack
            .frames
            .iter()
            .map(|frame| *frame as usize)
            .filter(|frame| *frame < side.frames.len())
            .collect();
        Item {
            in_b,
            at,
            with_lines: known.iter().map(|frame| self.with_lines[shift + frame]).collect(),
            without: known.iter().map(|frame| self.without[shift + frame]).collect(),
            stack,
            kinds: known.iter().map(|frame| side.frames[*frame].kind).collect(),
            lines: known.iter().map(|frame| side.frames[*frame].line).collect(),
            taken: false,
        }
    }
}
