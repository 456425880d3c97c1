//! B minus A: by category and by stack.

use serde::Serialize;
use serde_json::{Map, Value};
use vramscope_core::order;

use super::align::{Align, Aligned, aligned};
use super::holdings::{Frame, HeldStack, Holdings};
use super::lines::{Both, by_size, lines};
use super::matching::{Match, Numbers, Pair, pairs};
use super::sentence;

/// What changes from A to B. Signed numbers are B minus A.
#[derive(Clone, Debug, Serialize)]
pub struct Diff {
    /// 1.
    pub schema: u32,
    /// The change in one sentence.
    pub sentence: String,
    /// Requested bytes.
    pub total_bytes: i64,
    /// Requested bytes of A.
    pub a_bytes: u64,
    /// Requested bytes of B.
    pub b_bytes: u64,
    /// Change by category, by its name.
    pub by_category: Map<String, Value>,
    /// The same with both sides, largest change first; categories that neither has are left out.
    pub categories: Vec<CategoryChange>,
    /// Change by stack, largest first.
    pub by_stack: Vec<Row>,
    /// Change by line of code, largest first, each with its stacks. For those who show it: the command's JSON has the stacks alone.
    #[serde(skip)]
    pub by_line: Vec<Row>,
    /// Lines that changed, beyond the limit.
    #[serde(skip)]
    pub rest_lines: u32,
    /// Rows beyond the limit, and what they add up to.
    pub rest: CategoryChange,
    /// Rows beyond the limit.
    pub rest_count: u32,
    /// Both asked for the same sizes in the same order.
    pub same_requests: bool,
    /// Peak of reserved bytes.
    pub reserved_peak_bytes: i64,
    /// Requested bytes of both over the recording.
    pub curves: Aligned,
}

/// A category on both sides.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[allow(missing_docs)]
pub struct CategoryChange {
    pub name: String,
    pub bytes: i64,
    pub a_bytes: u64,
    pub b_bytes: u64,
}

/// A stack on both sides, or a line of code with all that pass through it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[allow(missing_docs)]
pub struct Row {
    pub bytes: i64,
    pub count: i64,
    pub a_bytes: u64,
    pub b_bytes: u64,
    pub a_count: u64,
    pub b_count: u64,
    /// How the two were found to be the same.
    #[serde(rename = "match")]
    pub how: Match,
    /// Of most of its bytes, on the side that has more.
    pub category: String,
    /// The line of code that stands for it.
    pub name: String,
    pub at: String,
    /// The stack that holds most, by its id in its own recording; null if that side has none.
    pub a_stack: Option<u32>,
    pub b_stack: Option<u32>,
    /// Of the side that has more, innermost first.
    pub stack: Vec<Frame>,
    /// Of a line: how many stacks pass through it, and the first of them.
    #[serde(skip_serializing_if = "is_zero")]
    pub n_stacks: u32,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stacks: Vec<Row>,
    /// Of a stack below a line, innermost first: the frames of both sides, 0 for those that both have, 1 for A's and 2 for B's; and their places
    /// in the holdings. One without its like is held against the largest of the other side.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub frames: Vec<(u8, u32)>,
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// What changes from A to B, with at most `limit` rows by stack.
pub fn diff(a: &Holdings, b: &Holdings, align: Align, limit: usize) -> Diff {
    let mut categories = categories(a, b);
    let by_category = categories.iter().map(|each| (each.name.clone(), each.bytes.into())).collect();
    categories.retain(|each| each.a_bytes > 0 || each.b_bytes > 0);
    order::by(&mut categories, |x, y| y.bytes.unsigned_abs().cmp(&x.bytes.unsigned_abs()));
    let numbers = Numbers::of(a, b);
    let both: Vec<Both<'_>> = pairs(a, b, &numbers).iter().map(|pair| row(a, b, pair)).collect();
    let mut by_line = lines(a, b, &numbers, &both);
    let changed = by_line.iter().filter(|row| row.bytes != 0 || row.count != 0).count();
    by_line.truncate(limit);
    let mut by_stack: Vec<Row> = both.into_iter().map(|both| both.row).collect();
    order::by(&mut by_stack, by_size);
    let mut rest = CategoryChange::default();
    for row in by_stack.iter().skip(limit) {
        rest.a_bytes = rest.a_bytes.saturating_add(row.a_bytes);
        rest.b_bytes = rest.b_bytes.saturating_add(row.b_bytes);
        rest.bytes = rest.bytes.wrapping_add(row.bytes);
    }
    let rest_count = by_stack.len().saturating_sub(limit) as u32;
    by_stack.truncate(limit);
    let same_requests = a.requests.count > 0 && a.requests == b.requests;
    let reserved_peak_bytes = change(a.peak.reserved_bytes, b.peak.reserved_bytes);
    let mut diff = Diff {
        schema: 1,
        sentence: String::new(),
        total_bytes: change(a.total_bytes, b.total_bytes),
        a_bytes: a.total_bytes,
        b_bytes: b.total_bytes,
        by_category,
        categories,
        by_stack,
        by_line,
        rest_lines: changed.saturating_sub(limit) as u32,
        rest,
        rest_count,
        same_requests,
        reserved_peak_bytes,
        curves: aligned(&a.curve, &b.curve, align),
    };
    diff.sentence = sentence::of_diff(a, b, &diff);
    diff
}

pub(super) fn change(a: u64, b: u64) -> i64 {
    (b as i64).wrapping_sub(a as i64)
}

fn categories(a: &Holdings, b: &Holdings) -> Vec<CategoryChange> {
    let mut all: Vec<CategoryChange> = Vec::new();
    for (in_b, part) in
        a.categories.iter().map(|part| (false, part)).chain(b.categories.iter().map(|part| (true, part)))
    {
        let at = all.iter().position(|each| each.name == part.name).unwrap_or_else(|| {
            all.push(CategoryChange { name: part.name.clone(), ..CategoryChange::default() });
            all.len() - 1
        });
        let Some(each) = all.get_mut(at) else { continue };
        let side = if in_b { &mut each.b_bytes } else { &mut each.a_bytes };
        *side = side.saturating_add(part.bytes);
        each.bytes = change(each.a_bytes, each.b_bytes);
    }
    all
}

/// Sums of one side of a pair, and its largest stack.
fn side<'a>(held: &'a Holdings, places: &[u32]) -> (u64, u64, Option<&'a HeldStack>) {
    let stacks = places.iter().filter_map(|at| held.stacks.get(*at as usize));
    stacks.fold((0, 0, None), |(bytes, count, most), stack| {
        let larger = most.is_none_or(|most: &HeldStack| stack.bytes > most.bytes);
        (
            bytes.saturating_add(stack.bytes),
            count + u64::from(stack.count),
            if larger { Some(stack) } else { most },
        )
    })
}

fn row<'a>(a: &'a Holdings, b: &'a Holdings, pair: &Pair) -> Both<'a> {
    let (a_bytes, a_count, a_stack) = side(a, &pair.a);
    let (b_bytes, b_count, b_stack) = side(b, &pair.b);
    // A shows it unless B alone has it, or has more.
    let shown = if b_bytes > a_bytes || a_stack.is_none() { b_stack.map(|stack| (b, stack)) } else { None };
    let shown = shown.or(a_stack.map(|stack| (a, stack)));
    let mut row = Row {
        bytes: change(a_bytes, b_bytes),
        count: change(a_count, b_count),
        a_bytes,
        b_bytes,
        a_count,
        b_count,
        how: pair.how,
        a_stack: a_stack.map(|stack| stack.id),
        b_stack: b_stack.map(|stack| stack.id),
        ..Row::default()
    };
    if let Some((held, stack)) = shown {
        row.category.clone_from(&stack.category);
        row.name.clone_from(&stack.name);
        row.at.clone_from(&stack.at);
        row.stack = stack.frames.iter().filter_map(|at| held.frames.get(*at as usize)).cloned().collect();
    }
    Both { row, a: a_stack, b: b_stack }
}
