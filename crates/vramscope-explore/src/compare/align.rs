//! Two curves on one axis.

use serde::{Deserialize, Serialize};

use super::holdings::{Curve, Piece};
use super::thresholds::CURVE_POINTS;

/// What stands below what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Align {
    /// Step below step.
    #[default]
    Step,
    /// Event below event.
    Event,
    /// Time since the first event.
    Time,
}

/// Both curves in columns of one width.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Aligned {
    /// What was done: by event where one of them has no steps, or no times.
    pub align: Align,
    /// Requested bytes of A in each column; null where it has ended.
    pub a: Vec<Option<u64>>,
    /// The same of B.
    pub b: Vec<Option<u64>>,
    /// What the axis ends at: moments, µs, or columns.
    pub end: u64,
    /// Where steps begin, as a part of the width, and what they are called.
    pub marks: Vec<(f64, String)>,
}

/// Both curves; by event if they cannot be aligned as asked.
pub(super) fn aligned(a: &Curve, b: &Curve, align: Align) -> Aligned {
    match align {
        Align::Step if !a.by_step.is_empty() && !b.by_step.is_empty() => by_step(a, b),
        Align::Time if !a.by_time.is_empty() && !b.by_time.is_empty() => {
            let end = |curve: &Curve| curve.duration_us.unwrap_or(0).unsigned_abs();
            stretched(Align::Time, (&a.by_time, end(a)), (&b.by_time, end(b)))
        }
        _ => {
            let end = |curve: &Curve| u64::from(curve.events) + 1;
            stretched(Align::Event, (&a.by_event, end(a)), (&b.by_event, end(b)))
        }
    }
}

/// Each as long as it is, the longer one over the whole width.
fn stretched(align: Align, a: (&[u64], u64), b: (&[u64], u64)) -> Aligned {
    let end = a.1.max(b.1).max(1);
    let columns = u64::from(CURVE_POINTS);
    let side = |(values, own_end): (&[u64], u64)| {
        let own = (u128::from(columns) * u128::from(own_end)).div_ceil(u128::from(end)) as u64;
        let points = resampled(values, own.min(columns) as usize);
        points.into_iter().map(Some).chain(std::iter::repeat(None)).take(columns as usize).collect()
    };
    Aligned { align, a: side(a), b: side(b), end, marks: Vec::new() }
}

/// So many columns, each the most of what falls into it.
fn resampled(values: &[u64], columns: usize) -> Vec<u64> {
    let edge = |at: usize| at * values.len() / columns.max(1);
    let most = |at: usize| {
        let (from, to) = (edge(at), edge(at + 1).max(edge(at) + 1).min(values.len()));
        values.get(from..to).unwrap_or_default().iter().copied().max().unwrap_or(0)
    };
    if values.is_empty() { Vec::new() } else { (0..columns).map(most).collect() }
}

/// What lies before the first step below what lies before the first step, each step below its like, and what lies after.
fn by_step(a: &Curve, b: &Curve) -> Aligned {
    let split = |curve: &'_ Curve| {
        let mut pieces = curve.by_step.clone();
        let after = if pieces.len() > 2 { pieces.pop() } else { None };
        let steps = pieces.split_off(1.min(pieces.len()));
        (pieces.pop().unwrap_or_default(), steps, after.unwrap_or_default())
    };
    let (a, b) = (split(a), split(b));
    let steps = a.1.len().max(b.1.len());
    let step = |side: &[Piece], at: usize| side.get(at).cloned().unwrap_or_default();
    let mut rows = vec![(String::new(), a.0, b.0)];
    rows.extend((0..steps).map(|at| (format!("step {}", at + 1), step(&a.1, at), step(&b.1, at))));
    rows.push(("after".into(), a.2, b.2));
    let events = |(_, a, b): &(String, Piece, Piece)| u64::from(a.events.max(b.events));
    // Steps are of one width, as long as an average one; what lies around them is as long as it is beside that.
    let in_steps: u64 = rows.iter().skip(1).take(steps).map(events).sum();
    let one = (in_steps / steps.max(1) as u64).max(1);
    let mut aligned = Aligned { align: Align::Step, ..Aligned::default() };
    let weight = |at: usize, row: &(String, Piece, Piece)| match at {
        at if at > 0 && at <= steps => one,
        _ => events(row).min(one),
    };
    let all: u64 = rows.iter().enumerate().map(|(at, row)| weight(at, row)).sum::<u64>().max(1);
    let mut starts = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let weight = weight(at, row);
        if weight == 0 {
            continue;
        }
        let columns = ((u64::from(CURVE_POINTS) * weight).div_ceil(all) as usize).max(2);
        starts.push((aligned.a.len(), row.0.clone()));
        for (to, piece) in [(&mut aligned.a, &row.1), (&mut aligned.b, &row.2)] {
            let points = resampled(&piece.bytes, columns);
            to.extend(points.into_iter().map(Some).chain(std::iter::repeat(None)).take(columns));
        }
    }
    let columns = aligned.a.len().max(1) as f64;
    aligned.end = aligned.a.len() as u64;
    aligned.marks = starts
        .into_iter()
        .map(|(at, name)| (at as f64 / columns, name))
        .filter(|mark| !mark.1.is_empty())
        .collect();
    aligned
}
