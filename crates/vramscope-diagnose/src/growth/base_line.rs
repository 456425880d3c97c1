//! The base line: how low memory falls between one step and the next. It does not depend on batch sizes.

use vramscope_core::order;

use crate::facts::Facts;
use crate::phases::Timetable;
use crate::thresholds::FEWEST_STEPS_OF_BASE_LINE;

/// How the base line moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct BaseLine {
    /// Median of the slopes of all pairs of steps, in bytes a step.
    pub(crate) slope_bytes: i64,
    /// Share of steps whose low is above the one before.
    pub(crate) rising_share: f64,
}

/// Pairs grow with the square of the steps: beyond this many only every so manyth counts.
const MOST_STEPS: usize = 400;

impl BaseLine {
    /// `None` with too few steps: the first brings states, the last still holds its outputs.
    pub(super) fn of(facts: &Facts<'_>, table: &Timetable) -> Option<Self> {
        let steps = &table.steps;
        if steps.len() < FEWEST_STEPS_OF_BASE_LINE {
            return None;
        }
        let lows: Vec<i64> = steps
            .windows(2)
            .skip(1)
            .take(steps.len().saturating_sub(2))
            .map(|pair| lowest(facts, pair[0].last_event, pair[1].first_event))
            .collect();
        let every = lows.len().div_ceil(MOST_STEPS).max(1);
        let some: Vec<i64> = lows.iter().copied().step_by(every).collect();
        let mut slopes: Vec<i64> = Vec::new();
        for (at, low) in some.iter().enumerate() {
            let later = some.iter().enumerate().skip(at + 1);
            slopes.extend(later.map(|(to, high)| (high - low) / ((to - at) * every) as i64));
        }
        // Signed numbers in their order as unsigned ones.
        order::by_number(&mut slopes, |slope| (*slope as u64) ^ (1 << 63));
        let rising = lows.windows(2).filter(|pair| pair[1] > pair[0]).count();
        Some(Self {
            slope_bytes: slopes.get(slopes.len() / 2).copied()?,
            rising_share: rising as f64 / (lows.len().max(2) - 1) as f64,
        })
    }
}

/// Least bytes alive after an event of a range.
fn lowest(facts: &Facts<'_>, first: u32, last: u32) -> i64 {
    let alive = (first..=last.max(first)).map(|event| facts.replay.requested_at(event + 1));
    alive.min().unwrap_or(0) as i64
}
