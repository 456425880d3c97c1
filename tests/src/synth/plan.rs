//! Which windows of a trace to repeat or to leave out.

use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use super::source::{Act, Step};

/// Shorter windows are no step of a program: one tensor that comes and goes, or a few.
const SHORTEST_WINDOW: usize = 100;

/// A stretch of the source that stands in the output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Events of the source.
    pub events: Range<usize>,
    /// It has been written before: its objects come anew.
    pub again: bool,
    /// Added to its times, in µs.
    pub shift_us: i64,
}

impl Part {
    /// How many events it has.
    pub fn len(&self) -> u64 {
        self.events.len() as u64
    }

    /// True if it has none.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }
}

/// The source repeats nothing: no two moments have the same live blocks.
#[derive(Debug, PartialEq, Eq)]
pub struct NoPlan;

impl fmt::Display for NoPlan {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(
            f,
            "this recording has no steps to repeat: no two moments, {SHORTEST_WINDOW} events or more apart, have the same \
             live blocks at the same addresses without a segment event between them. Take a recording of a loop that \
             has settled, such as training without a leak"
        )
    }
}

impl std::error::Error for NoPlan {}

/// The parts, in order, that make a trace of at least so many events. Fewer than the source has: the longest window that may go is left out,
/// if there is one.
///
/// # Errors
/// More events than the source has, and no window to repeat.
pub fn plan(steps: &[Step], at_least: u64) -> Result<Vec<Part>, NoPlan> {
    let windows = Windows::of(steps);
    let have = steps.len() as u64;
    if at_least <= have {
        let spare = (have - at_least) as usize;
        let left_out = windows.longest(spare).unwrap_or(steps.len()..steps.len());
        let kept = [0..left_out.start, left_out.end..steps.len()];
        let parts = kept.map(|events| Part { events, again: false, shift_us: 0 });
        return Ok(parts.into_iter().filter(|part| !part.is_empty()).collect());
    }
    let whole = windows.longest(usize::MAX).filter(|window| window.len() >= SHORTEST_WINDOW).ok_or(NoPlan)?;
    let mut missing = at_least - have;
    let mut repeats = Vec::new();
    let mut next = Some(whole);
    // The longest that still fits, as often as it fits, and so on; the last goes as little beyond as it can.
    while let Some(window) = next {
        let times = missing / window.len() as u64;
        missing -= times * window.len() as u64;
        repeats.push((window, times));
        next = windows.longest(missing as usize);
    }
    if missing > 0 {
        repeats.extend(windows.shortest(missing as usize).map(|window| (window, 1)));
    }
    repeats.retain(|(_, times)| *times > 0);
    repeats.sort_by_key(|(window, _)| window.end);
    Ok(parts(steps, &repeats))
}

/// Each window is repeated where it ends.
fn parts(steps: &[Step], repeats: &[(Range<usize>, u64)]) -> Vec<Part> {
    let mut parts = Vec::new();
    let (mut at, mut shift_us) = (0, 0);
    for (window, times) in repeats {
        parts.push(Part { events: at..window.end, again: false, shift_us });
        at = window.end;
        for _ in 0..*times {
            shift_us += duration_us(steps, window);
            parts.push(Part { events: window.clone(), again: true, shift_us });
        }
    }
    parts.push(Part { events: at..steps.len(), again: false, shift_us });
    parts.retain(|part| !part.is_empty());
    parts
}

/// From a window's first event to the first after it.
fn duration_us(steps: &[Step], window: &Range<usize>) -> i64 {
    let time = |event: usize| steps.get(event).and_then(|step| step.time_us);
    let end = time(window.end).or_else(|| Some(time(window.end.checked_sub(1)?)? + 1));
    match (time(window.start), end) {
        (Some(start), Some(end)) => end.saturating_sub(start).max(0),
        _ => 0,
    }
}

/// Moments in groups: in each the same blocks are alive, with no segment event between.
struct Windows {
    /// A group's mark, and the moment; sorted.
    moments: Vec<(u64, u32)>,
}

impl Windows {
    fn of(steps: &[Step]) -> Windows {
        let mut live = 0_u64;
        let mut stretch = 0_u64;
        let mut moments = Vec::with_capacity(steps.len() + 1);
        moments.push((mark(&(stretch, live)), 0));
        for (event, step) in steps.iter().enumerate() {
            let block = mark(&(step.addr, step.size, step.stream));
            let waiting = mark(&(step.addr, step.size, step.stream, "waiting"));
            // A sum of marks stands for a set: what comes and goes leaves no trace. Blocks from before the recording are in all sums.
            match step.act {
                Act::Alloc => live = live.wrapping_add(block),
                Act::FreeRequested => live = live.wrapping_sub(block).wrapping_add(waiting),
                Act::FreeCompleted => live = live.wrapping_sub(waiting),
                Act::Free => live = live.wrapping_sub(block),
                Act::Note => {}
                Act::Other => stretch += 1,
            }
            moments.push((mark(&(stretch, live)), event as u32 + 1));
        }
        moments.sort_unstable();
        Windows { moments }
    }

    fn groups(&self) -> impl Iterator<Item = &[(u64, u32)]> {
        self.moments.chunk_by(|a, b| a.0 == b.0)
    }

    /// The longest window of at most so many events; the first of several.
    fn longest(&self, at_most: usize) -> Option<Range<usize>> {
        let mut best: Option<Range<usize>> = None;
        for group in self.groups() {
            let mut start = 0;
            for &(_, end) in group {
                while (end - group[start].1) as usize > at_most {
                    start += 1;
                }
                keep(&mut best, group[start].1, end, |window, best| window > best);
            }
        }
        best
    }

    /// The shortest window of at least so many events; the first of several.
    fn shortest(&self, at_least: usize) -> Option<Range<usize>> {
        let mut best: Option<Range<usize>> = None;
        for group in self.groups() {
            let mut start = 0;
            for &(_, end) in group {
                if ((end - group[0].1) as usize) < at_least {
                    continue;
                }
                while group.get(start + 1).is_some_and(|next| (end - next.1) as usize >= at_least) {
                    start += 1;
                }
                keep(&mut best, group[start].1, end, |window, best| window < best);
            }
        }
        best
    }
}

fn keep(best: &mut Option<Range<usize>>, start: u32, end: u32, better: impl Fn(usize, usize) -> bool) {
    let window = start as usize..end as usize;
    let old = best.as_ref();
    let is_better = old.is_none_or(|old| {
        better(window.len(), old.len()) || window.len() == old.len() && window.start < old.start
    });
    if !window.is_empty() && is_better {
        *best = Some(window);
    }
}

fn mark(of: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}
