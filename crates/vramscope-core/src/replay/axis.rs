//! What an x axis counts, and which moments lie in a piece of it. Pictures, charts and hit tests go through here, so they agree.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::Replay;

/// What an x axis counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Axis {
    /// Moments.
    #[default]
    Event,
    /// Microseconds since the first event.
    Time,
}

impl Replay {
    /// The axis that can be drawn: without times, the one of moments.
    pub fn usable(&self, axis: Axis) -> Axis {
        if self.duration_us().is_none() { Axis::Event } else { axis }
    }

    /// Length of the whole axis: all moments, or the duration in µs (at least 1).
    pub fn extent(&self, axis: Axis) -> f64 {
        match self.usable(axis) {
            Axis::Event => f64::from(self.n_moments()),
            Axis::Time => self.duration_us().unwrap_or(0).max(1) as f64,
        }
    }

    /// The moments in force somewhere in `from..to` of an axis; `None` outside of the recording.
    pub fn moments_between(&self, axis: Axis, from: f64, to: f64) -> Option<Range<u32>> {
        match self.usable(axis) {
            Axis::Event => event_moments(from, to, self.n_moments()),
            Axis::Time => time_moments(
                from,
                to,
                self.n_moments(),
                |moment| self.time_at(moment),
                |us| self.moment_at_time(us),
            ),
        }
    }
}

fn event_moments(from: f64, to: f64, n_moments: u32) -> Option<Range<u32>> {
    if to <= 0.0 || from >= f64::from(n_moments) || n_moments == 0 {
        return None;
    }
    let start = (from.floor().max(0.0) as u32).min(n_moments - 1);
    let end = (to.ceil().max(0.0) as u32).clamp(start + 1, n_moments);
    Some(start..end)
}

/// Times are given as what each moment begins at, so that tests need no recording.
fn time_moments(
    from: f64,
    to: f64,
    n_moments: u32,
    time_at: impl Fn(u32) -> Option<i64>,
    moment_at: impl Fn(i64) -> u32,
) -> Option<Range<u32>> {
    let last = n_moments.checked_sub(1)?;
    let duration = time_at(last)?.max(1) as f64;
    if to <= 0.0 || from > duration {
        return None;
    }
    // Times are whole microseconds. Before `from`, the last that began at or before ⌈from⌉ − 1 is in force.
    let mut start = if from <= 0.0 { 0 } else { moment_at(from.ceil() as i64 - 1).min(last) };
    if start < last
        && time_at(start).is_some_and(|us| (us as f64) < from)
        && time_at(start + 1).is_some_and(|us| us as f64 == from)
    {
        start += 1; // it ended exactly where the column begins
    }
    // The last moment lasts no time; the column that reaches it shows it.
    let end = if to >= duration { n_moments } else { moment_at(to.ceil() as i64 - 1).min(last) + 1 };
    Some(start..end.max(start + 1))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Borders of equal columns between two places.
    fn columns(x0: f64, x1: f64, width: u32) -> impl Iterator<Item = (f64, f64)> {
        let at = move |column: u32| x0 + (x1 - x0) * f64::from(column) / f64::from(width);
        (0..width).map(move |column| (at(column), at(column + 1)))
    }

    fn event_columns(x0: f64, x1: f64, width: u32, n_moments: u32) -> Vec<Option<Range<u32>>> {
        columns(x0, x1, width).map(|(from, to)| event_moments(from, to, n_moments)).collect()
    }

    /// Six events: three in one microsecond, then a gap of a second.
    const BEGINS_US: [i64; 7] = [0, 0, 5, 5, 5, 1_000_000, 1_000_010];

    fn time_columns(x0: f64, x1: f64, width: u32) -> Vec<Option<Range<u32>>> {
        let time_at = |moment: u32| BEGINS_US.get(moment as usize).copied();
        let moment_at = |us| BEGINS_US.partition_point(|&begin| begin <= us).saturating_sub(1) as u32;
        let n_moments = BEGINS_US.len() as u32;
        columns(x0, x1, width)
            .map(|(from, to)| time_moments(from, to, n_moments, time_at, moment_at))
            .collect()
    }

    #[test]
    fn as_many_columns_as_moments_is_one_each() {
        let each: Vec<_> = (0..5).map(|moment| Some(moment..moment + 1)).collect();
        assert_eq!(event_columns(0.0, 5.0, 5, 5), each);
    }

    #[test]
    fn columns_outside_of_the_recording_are_empty() {
        assert_eq!(event_columns(-2.0, 4.0, 6, 2), [None, None, Some(0..1), Some(1..2), None, None]);
    }

    #[test]
    fn zoomed_in_columns_share_a_moment() {
        assert_eq!(event_columns(3.0, 4.0, 4, 9), vec![Some(3..4); 4]);
    }

    #[test]
    fn a_column_of_time_holds_all_events_of_its_microsecond() {
        let columns = time_columns(0.0, 10.0, 10);
        assert_eq!(columns[0], Some(0..2));
        assert_eq!(columns[4], Some(1..2));
        assert_eq!(columns[5], Some(2..5));
        assert_eq!(columns[6], Some(4..5));
    }

    #[test]
    fn a_gap_shows_what_was_alive_before_it() {
        let columns = time_columns(0.0, 1_000_010.0, 4);
        assert_eq!(columns, [Some(0..5), Some(4..5), Some(4..5), Some(4..7)]);
    }

    #[test]
    fn a_recording_of_no_duration_is_one_microsecond_wide() {
        assert_eq!(time_moments(0.5, 0.6, 4, |_| Some(0), |_| 3), Some(3..4));
    }

    proptest! {
        #[test]
        fn ranges_are_never_empty_or_outside(from in any::<f64>(), span in 0.0..1e20f64, n_moments in any::<u32>()) {
            let to = from + span;
            let time = time_moments(from, to, n_moments, |moment| Some(i64::from(moment)), |us| us as u32);
            for range in [event_moments(from, to, n_moments), time].into_iter().flatten() {
                prop_assert!(range.start < range.end && range.end <= n_moments);
            }
        }

        #[test]
        fn no_moment_between_the_borders_is_left_out(
            n_moments in 1u32..500,
            width in 1u32..200,
            x in 0.0..0.9f64,
            span in 0.01..1.0f64,
        ) {
            let n = f64::from(n_moments);
            let mut next = (x * n).floor() as u32;
            for range in event_columns(x * n, (x + span) * n, width, n_moments).into_iter().flatten() {
                prop_assert!(range.start <= next, "{range:?} leaves out {next}");
                next = next.max(range.end);
            }
            prop_assert!(next >= (((x + span) * n).floor() as u32).min(n_moments));
        }
    }
}
