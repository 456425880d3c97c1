//! Rows of a comparison by line of code, with the stacks that pass through each.
//!
//! An edit seldom changes which line holds the memory, but often how that line is reached: such stacks have no like on the other side, and
//! only their line tells what shrank.

use std::cmp::Ordering;

use vramscope_core::order;

use super::diff::{Row, change};
use super::holdings::{HeldStack, Holdings};
use super::matching::{Match, Numbers};

/// Stacks listed below a line.
const MOST_STACKS: usize = 50;

/// Pairs of frames that are looked at to find those alike, in all: a tenth of a second. Two stacks with native frames have ten thousand.
const MOST_PAIRS: usize = 20_000_000;

/// A row with the largest stack of each side.
pub(super) struct Both<'a> {
    pub(super) row: Row,
    pub(super) a: Option<&'a HeldStack>,
    pub(super) b: Option<&'a HeldStack>,
}

/// A line of code: function, file and line.
type Place<'a> = (&'a str, &'a str);

fn place(stack: &HeldStack) -> Place<'_> {
    (&stack.name, &stack.at)
}

impl<'a> Both<'a> {
    /// Its line in A's text, or in B's.
    fn place(&self) -> Place<'a> {
        self.a.or(self.b).map_or(("", ""), place)
    }

    /// B's line and A's, if it stands elsewhere in B.
    fn moved(&self) -> Option<(Place<'a>, Place<'a>)> {
        let (a, b) = (place(self.a?), place(self.b?));
        (a != b).then_some((b, a))
    }
}

/// Lines with their stacks, largest change first.
pub(super) fn lines(a: &Holdings, b: &Holdings, numbers: &Numbers, all: &[Both<'_>]) -> Vec<Row> {
    // What B alone has stands with its line, wherever A has that.
    let mut moved: Vec<(Place<'_>, Place<'_>)> = all.iter().filter_map(Both::moved).collect();
    order::by(&mut moved, |x, y| x.cmp(y));
    let mut homes: Vec<Place<'_>> = all.iter().map(Both::place).collect();
    for (home, _) in homes.iter_mut().zip(all).filter(|(_, both)| both.a.is_none()) {
        let at = moved.partition_point(|(in_b, _)| in_b < home);
        if let Some((_, in_a)) = moved.get(at).filter(|(in_b, _)| in_b == home) {
            *home = *in_a;
        }
    }
    let places =
        order::of(all.len(), |x, y| homes[x].cmp(&homes[y]).then_with(|| by_size(&all[x].row, &all[y].row)));
    let same = |x: &u32, y: &u32| homes[*x as usize] == homes[*y as usize];
    let mut merging = Merging { a, b, numbers, pairs_left: MOST_PAIRS };
    let mut lines: Vec<Row> = places.chunk_by(same).map(|alike| line(&mut merging, all, alike)).collect();
    order::by(&mut lines, by_size);
    lines
}

/// The largest change first; of equal ones that which holds more.
pub(super) fn by_size(x: &Row, y: &Row) -> Ordering {
    let size = |row: &Row| (row.bytes.unsigned_abs(), row.count.unsigned_abs(), row.a_bytes.max(row.b_bytes));
    size(y).cmp(&size(x)).then_with(|| (&x.at, &x.name).cmp(&(&y.at, &y.name)))
}

/// Adds up the stacks of one line, which stand in order of their size.
fn line(merging: &mut Merging<'_>, all: &[Both<'_>], alike: &[u32]) -> Row {
    let alike = || alike.iter().filter_map(|at| all.get(*at as usize));
    let mut line = Row::default();
    // The largest stacks of each side: those that have no like are held against them.
    let (mut most_a, mut most_b, mut shown): (Option<&HeldStack>, Option<&HeldStack>, Option<&Row>) =
        (None, None, None);
    let larger =
        |most: Option<&HeldStack>, stack: &HeldStack| most.is_none_or(|most| stack.bytes > most.bytes);
    for both in alike() {
        let row = &both.row;
        line.a_bytes = line.a_bytes.saturating_add(row.a_bytes);
        line.b_bytes = line.b_bytes.saturating_add(row.b_bytes);
        line.a_count += row.a_count;
        line.b_count += row.b_count;
        most_a = both.a.filter(|stack| larger(most_a, stack)).or(most_a);
        most_b = both.b.filter(|stack| larger(most_b, stack)).or(most_b);
        if shown.is_none_or(|shown| row.a_bytes.max(row.b_bytes) > shown.a_bytes.max(shown.b_bytes)) {
            shown = Some(row);
        }
    }
    (line.bytes, line.count) = (change(line.a_bytes, line.b_bytes), change(line.a_count, line.b_count));
    (line.a_stack, line.b_stack) = (most_a.map(|stack| stack.id), most_b.map(|stack| stack.id));
    line.how = match (most_a, most_b) {
        (_, None) => Match::OnlyA,
        (None, _) => Match::OnlyB,
        _ if alike().any(|both| both.moved().is_some()) => Match::Moved,
        _ => Match::Stack,
    };
    if let Some(shown) = shown {
        line.category.clone_from(&shown.category);
        line.name.clone_from(&shown.name);
        line.at.clone_from(&shown.at);
    }
    line.n_stacks = alike().count() as u32;
    line.stacks = alike()
        .take(MOST_STACKS)
        .map(|both| {
            let frames = merging.merged(both.a.or(most_a), both.b.or(most_b), both.row.how);
            Row { frames, stack: Vec::new(), ..both.row.clone() }
        })
        .collect();
    line
}

/// Puts two stacks together.
struct Merging<'a> {
    a: &'a Holdings,
    b: &'a Holdings,
    numbers: &'a Numbers,
    pairs_left: usize,
}

impl Merging<'_> {
    /// Frames of two stacks in one list, innermost first: each with 0 if both have it, 1 or 2 if only A's or only B's does, and its place in
    /// the holdings.
    fn merged(&mut self, in_a: Option<&HeldStack>, in_b: Option<&HeldStack>, how: Match) -> Vec<(u8, u32)> {
        let with_lines = !matches!(how, Match::Moved | Match::Function);
        let known = |held: &Holdings, stack: Option<&HeldStack>| -> Vec<u32> {
            let frames = stack.map(|stack| stack.frames.as_slice()).unwrap_or_default();
            frames.iter().copied().filter(|frame| (*frame as usize) < held.frames.len()).collect()
        };
        let (xs, ys) = (known(self.a, in_a), known(self.b, in_b));
        let same = |x: u32, y: u32| self.numbers.same(x, y, with_lines);
        let inner = xs.iter().zip(&ys).take_while(|(x, y)| same(**x, **y)).count();
        let ends = xs[inner..].iter().rev().zip(ys[inner..].iter().rev());
        let outer = ends.take_while(|(x, y)| same(**x, **y)).count();
        let (middle, end) = (xs.len() - outer, ys.len() - outer);
        let between = self.between(&xs[inner..middle], &ys[inner..end], with_lines);
        [part(0, &xs[..inner]), between, part(0, &xs[middle..])].concat()
    }

    /// With what counts most of what can be in both in one order (the longest common subsequence, weighed). When too much was looked at, all are
    /// of one side.
    fn between(&mut self, xs: &[u32], ys: &[u32], with_lines: bool) -> Vec<(u8, u32)> {
        let pairs = xs.len().saturating_mul(ys.len());
        if pairs > self.pairs_left {
            return [part(1, xs), part(2, ys)].concat();
        }
        self.pairs_left -= pairs;
        let same = |x: u32, y: u32| self.numbers.same(x, y, with_lines);
        // By places in both: what those alike come to from there on.
        let width = ys.len() + 1;
        let mut alike = vec![0u64; (xs.len() + 1) * width];
        for (x, of_a) in xs.iter().enumerate().rev() {
            let weight = self.a.frames.get(*of_a as usize).map_or(0, |frame| weight(frame.kind));
            for (y, of_b) in ys.iter().enumerate().rev() {
                let at = x * width + y;
                let apart = alike[at + width].max(alike[at + 1]);
                let together = if same(*of_a, *of_b) { alike[at + width + 1] + weight } else { 0 };
                alike[at] = apart.max(together);
            }
        }
        let (mut x, mut y, mut merged) = (0, 0, Vec::new());
        while let (Some(&of_a), Some(&of_b)) = (xs.get(x), ys.get(y)) {
            let at = x * width + y;
            if alike[at] == alike[at + width] {
                merged.push((1, of_a));
                x += 1;
            } else if alike[at] == alike[at + 1] {
                merged.push((2, of_b));
                y += 1;
            } else {
                merged.push((0, of_a));
                (x, y) = (x + 1, y + 1);
            }
        }
        [merged, part(1, &xs[x..]), part(2, &ys[y..])].concat()
    }
}

/// That a line of the user's is in both tells more than any frames of libraries, and these more than the interpreter's.
fn weight(kind: u8) -> u64 {
    match kind {
        0 => 1 << 32,
        1 | 2 => 1 << 16,
        _ => 1,
    }
}

fn part(side: u8, of: &[u32]) -> Vec<(u8, u32)> {
    of.iter().map(|frame| (side, *frame)).collect()
}
