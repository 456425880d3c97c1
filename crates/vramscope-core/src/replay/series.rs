//! Bytes over moments, with fast maxima.

use super::passes;
use super::segments::Span;
use crate::model::{Action, Events};
use crate::order;

/// A value for each moment, and a pyramid of where the maxima are.
#[derive(Clone, Debug)]
pub(super) struct Dense {
    values: Values,
    /// `levels[k][i]`: the first moment with the most in `i * 64^(k+1) .. (i + 1) * 64^(k+1)`.
    levels: Vec<Vec<u32>>,
}

/// Blocks are multiples of 512 bytes: sums of them need half the memory.
#[derive(Clone, Debug)]
enum Values {
    Bytes(Vec<u64>),
    Units(Vec<u32>),
}

const UNIT: u64 = 512;

impl Values {
    fn new(bytes: Vec<u64>) -> Self {
        let fits = |bytes: &u64| bytes.is_multiple_of(UNIT) && bytes / UNIT <= u64::from(u32::MAX);
        match bytes.iter().all(fits) {
            true => Values::Units(bytes.into_iter().map(|bytes| (bytes / UNIT) as u32).collect()),
            false => Values::Bytes(bytes),
        }
    }

    fn len(&self) -> usize {
        match self {
            Values::Bytes(bytes) => bytes.len(),
            Values::Units(units) => units.len(),
        }
    }

    /// The first moment with the most in each group of [`FAN`].
    fn first_level(&self) -> Vec<u32> {
        fn of<T: Ord + Copy>(values: &[T]) -> Vec<u32> {
            let groups = values.chunks(FAN).enumerate();
            groups.map(|(nth, group)| (nth * FAN + first_most(group)) as u32).collect()
        }
        match self {
            Values::Bytes(bytes) => of(bytes),
            Values::Units(units) => of(units),
        }
    }

    #[inline]
    fn at(&self, moment: u32) -> u64 {
        match self {
            Values::Bytes(bytes) => bytes.get(moment as usize).copied().unwrap_or(0),
            Values::Units(units) => units.get(moment as usize).map_or(0, |&units| u64::from(units) * UNIT),
        }
    }
}

const FAN: usize = 64;

impl Dense {
    /// `bytes` must not be empty.
    pub(super) fn new(bytes: Vec<u64>) -> Self {
        Dense::over(Values::new(bytes))
    }

    fn over(values: Values) -> Self {
        let mut levels: Vec<Vec<u32>> = Vec::new();
        let mut width = values.len();
        while width > FAN {
            let level: Vec<u32> = match levels.last() {
                None => values.first_level(),
                Some(below) => {
                    below.chunks(FAN).map(|chunk| best(&values, chunk.iter().copied()).unwrap_or(0)).collect()
                }
            };
            width = level.len();
            levels.push(level);
        }
        Dense { values, levels }
    }

    #[inline]
    pub(super) fn at(&self, moment: u32) -> u64 {
        self.values.at(moment)
    }

    /// The first moment in `from..to` with the most; `from` if the range is empty.
    pub(super) fn fullest(&self, from: u32, to: u32) -> u32 {
        let mut most: Option<(u64, u32)> = None;
        self.for_each_candidate(from as usize, to as usize, 0, &mut |moment| {
            let value = self.values.at(moment);
            if most.is_none_or(|(known, first)| value > known || value == known && moment < first) {
                most = Some((value, moment));
            }
        });
        most.map_or(from, |(_, moment)| moment)
    }

    /// Moments that stand for `from..to`, given in cells of a level (level 0: moments): whole groups by the level above.
    fn for_each_candidate(&self, from: usize, to: usize, level: usize, visit: &mut impl FnMut(u32)) {
        let mut each = |cells: std::ops::Range<usize>| match level {
            0 => cells.for_each(|cell| visit(cell as u32)),
            _ => {
                self.levels[level - 1].get(cells).unwrap_or_default().iter().for_each(|&moment| visit(moment))
            }
        };
        let (first_group, last_group) = (from.div_ceil(FAN), to / FAN);
        if first_group >= last_group || level >= self.levels.len() {
            return each(from..to);
        }
        each(from..first_group * FAN);
        each(last_group * FAN..to);
        self.for_each_candidate(first_group, last_group, level + 1, visit);
    }
}

/// The first of the candidates with the largest value.
fn best(values: &Values, candidates: impl Iterator<Item = u32>) -> Option<u32> {
    let mut best: Option<(u64, u32)> = None;
    for moment in candidates {
        let value = values.at(moment);
        if best.is_none_or(|(most, _)| value > most) {
            best = Some((value, moment));
        }
    }
    best.map(|(_, moment)| moment)
}

/// Where the largest value stands first.
fn first_most<T: Ord + Copy>(values: &[T]) -> usize {
    let mut most = 0;
    for (at, value) in values.iter().enumerate() {
        if *value > values[most] {
            most = at;
        }
    }
    most
}

/// Bytes of what is alive, at each moment. `life` gives first moment, moment of the end, and bytes of an id below `n`.
pub(super) fn alive_bytes(n_moments: u32, n: u32, life: impl Fn(u32) -> (u32, u32, u64)) -> Dense {
    if let Some(units) = alive_units(n_moments, n, &life) {
        return Dense::over(Values::Units(units));
    }
    // Differences first; two's complement makes a fall of `size` the sum with its negative.
    let mut series = vec![0u64; n_moments as usize];
    passes::for_each(n as usize, |id| {
        let (start, end, size) = life(id as u32);
        if start < end {
            if let Some(cell) = series.get_mut(start as usize) {
                *cell = cell.wrapping_add(size);
            }
            if let Some(cell) = series.get_mut(end as usize) {
                *cell = cell.wrapping_sub(size);
            }
        }
    });
    let mut sum = 0u64;
    passes::for_each(series.len(), |moment| {
        sum = sum.wrapping_add(series[moment]);
        series[moment] = sum;
    });
    Dense::new(series)
}

/// The same in units of 512 bytes, if every size is a multiple and no sum is beyond 32 bits: half the memory, also on the way.
fn alive_units(n_moments: u32, n: u32, life: impl Fn(u32) -> (u32, u32, u64)) -> Option<Vec<u32>> {
    // Where some are odd, they are so early.
    if !(0..n.min(1_000)).all(|id| life(id).2.is_multiple_of(UNIT)) {
        return None;
    }
    let (mut series, mut fits, mut odd) = (vec![0u32; n_moments as usize], true, false);
    // What began and what ended at a moment, as a signed difference.
    let mut change = |moment: u32, units: i64| {
        if let Some(cell) = series.get_mut(moment as usize) {
            let changed = i32::try_from(i64::from(*cell as i32) + units);
            fits &= changed.is_ok();
            *cell = changed.unwrap_or(0) as u32;
        }
    };
    passes::for_each(n as usize, |id| {
        let (start, end, size) = life(id as u32);
        odd |= !size.is_multiple_of(UNIT);
        if start < end {
            // No size is beyond 64 TiB (`decode`); one that is would not fit either way.
            let units = (size / UNIT).min(1 << 40) as i64;
            change(start, units);
            change(end, -units);
        }
    });
    let mut sum = 0i64;
    passes::for_each(series.len(), |moment| {
        sum += i64::from(series[moment] as i32);
        fits &= u32::try_from(sum).is_ok();
        series[moment] = sum as u32;
    });
    (fits && !odd).then_some(series)
}

/// A value that changes seldom: the moments at which it does.
#[derive(Clone, Debug)]
pub(super) struct Steps {
    /// First moment of each value; the first is 0.
    moments: Vec<u32>,
    values: Vec<u64>,
}

impl Steps {
    /// Reserved bytes: what the driver gave minus what it got back. The end is known from the final segments; without
    /// them the start is the least that keeps every moment at 0 or more.
    pub(super) fn reserved(events: &Events, final_bytes: Option<u64>) -> Self {
        let mut change: i128 = 0;
        let mut lowest: i128 = 0;
        let mut changes = vec![(0u32, 0i128)];
        passes::for_each(events.len(), |event| {
            let size = || i128::from(events.sizes[event]);
            change += match events.actions[event] {
                Action::SegmentAlloc | Action::SegmentMap => size(),
                Action::SegmentFree | Action::SegmentUnmap => -size(),
                _ => return,
            };
            lowest = lowest.min(change);
            changes.push((event as u32 + 1, change));
        });
        let start = match final_bytes {
            Some(end) => (i128::from(end) - change).max(-lowest),
            None => -lowest,
        };
        let value = |change: i128| u64::try_from(start + change).unwrap_or(u64::MAX);
        Steps {
            moments: changes.iter().map(|(moment, _)| *moment).collect(),
            values: changes.iter().map(|(_, change)| value(*change)).collect(),
        }
    }

    /// Reserved bytes of some spans only.
    pub(super) fn of_spans<'a>(spans: impl Iterator<Item = &'a Span>) -> Self {
        let mut changes: Vec<(u32, i128)> = vec![(0, 0)];
        for span in spans {
            let size = i128::from(span.size_bytes);
            changes.extend([(span.start, size), (span.end, -size)]);
        }
        order::by_number(&mut changes, |(moment, _)| (*moment).into());
        let mut sum = 0;
        let mut steps = Steps { moments: Vec::new(), values: Vec::new() };
        for change in changes.chunk_by(|a, b| a.0 == b.0) {
            sum += change.iter().map(|(_, bytes)| bytes).sum::<i128>();
            steps.moments.push(change[0].0);
            steps.values.push(u64::try_from(sum).unwrap_or(0));
        }
        // What is never given back "ends" behind the last moment.
        steps
    }

    fn step_at(&self, moment: u32) -> usize {
        self.moments.partition_point(|&first| first <= moment).saturating_sub(1)
    }

    pub(super) fn at(&self, moment: u32) -> u64 {
        self.values.get(self.step_at(moment)).copied().unwrap_or(0)
    }

    pub(super) fn max_in(&self, from: u32, to: u32) -> u64 {
        let last = self.step_at(to.saturating_sub(1).max(from));
        let steps = self.values.get(self.step_at(from)..=last).unwrap_or_default();
        steps.iter().copied().max().unwrap_or(0)
    }

    /// The least of all.
    pub(super) fn least(&self) -> u64 {
        self.values.iter().copied().min().unwrap_or(0)
    }

    /// The first moment with the most.
    pub(super) fn fullest(&self) -> u32 {
        let most = self.values.iter().copied().max().unwrap_or(0);
        let at = self.values.iter().position(|&value| value == most).unwrap_or(0);
        self.moments.get(at).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn fullest_is_the_first_maximum(
            values in proptest::collection::vec(0u64..50, 1..9_000),
            a in 0usize..9_000,
            b in 0usize..9_000,
        ) {
            let dense = Dense::new(values.clone());
            let (from, to) = (a.min(b).min(values.len() - 1), a.max(b).clamp(1, values.len()));
            prop_assume!(from < to);
            let most = *values[from..to].iter().max().unwrap();
            let first = from + values[from..to].iter().position(|value| *value == most).unwrap();
            prop_assert_eq!(dense.fullest(from as u32, to as u32), first as u32);
        }
    }

    proptest! {
        #[test]
        fn units_are_what_bytes_are(
            lives in proptest::collection::vec((0u32..50, 0u32..60, 0u64..9), 0..60),
            large in 0u64..3,
        ) {
            // From 2^31 units on the sums no longer fit.
            let size = |units: u64| (units * UNIT) << (large * 14);
            let life = |id: u32| lives.get(id as usize).map_or((0, 0, 0), |&(from, to, units)| (from, to, size(units)));
            let dense = alive_bytes(50, lives.len() as u32, life);
            for moment in 0..50 {
                let alive = lives.iter().filter(|(from, to, _)| *from <= moment && moment < *to);
                prop_assert_eq!(dense.at(moment), alive.map(|(.., units)| size(*units)).sum::<u64>());
            }
        }
    }

    #[test]
    fn reserved_ends_at_the_final_segments() {
        let events = Events {
            actions: vec![Action::SegmentAlloc, Action::Alloc, Action::SegmentFree],
            sizes: vec![20, 5, 30],
            ..Events::default()
        };
        let with_end = Steps::reserved(&events, Some(40));
        assert_eq!([0, 1, 2, 3].map(|moment| with_end.at(moment)), [50, 70, 70, 40]);
        assert_eq!((with_end.max_in(0, 4), with_end.max_in(3, 4), with_end.fullest()), (70, 40, 1));
        let without = Steps::reserved(&events, None);
        assert_eq!([0, 1, 2, 3].map(|moment| without.at(moment)), [10, 30, 30, 0]);
    }
}
