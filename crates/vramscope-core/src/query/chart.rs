//! Series for a chart: as many columns as it has pixels, each the maximum of its range.

use serde::Serialize;

use super::Axis;
use crate::replay::{Recording, Replay};

/// Columns of a chart, left to right.
#[derive(Clone, Debug, Serialize)]
#[allow(missing_docs)]
pub struct Chart {
    /// Left edge of each column, in the axis' unit.
    pub x: Vec<f64>,
    /// Right edge of the last.
    pub x_end: f64,
    pub requested: Vec<u64>,
    pub reserved: Vec<u64>,
}

/// Most columns that are worth making: no screen is wider.
const MAX_COLUMNS: u32 = 16_384;

/// The whole axis: all moments, or the duration in µs (at least 1).
pub(crate) fn extent(replay: &Replay, axis: Axis) -> f64 {
    match axis {
        Axis::Event => f64::from(replay.n_moments()),
        Axis::Time => replay.duration_us().unwrap_or(0).max(1) as f64,
    }
}

/// Series over `x0..x1`, or over the whole recording.
pub fn chart(
    recording: &Recording,
    device: i64,
    axis: Axis,
    columns: u32,
    x0: Option<f64>,
    x1: Option<f64>,
) -> Option<Chart> {
    let (_, replay) = recording.device(device)?;
    let axis = if replay.duration_us().is_none() { Axis::Event } else { axis };
    let whole = extent(replay, axis);
    let from = x0.filter(|x| x.is_finite()).unwrap_or(0.0).clamp(0.0, whole);
    let to = x1.filter(|x| x.is_finite()).unwrap_or(whole).clamp(from, whole);
    let columns = columns.clamp(1, MAX_COLUMNS);
    let edge = |column: u32| from + (to - from) * f64::from(column) / f64::from(columns);
    let mut chart = Chart { x: Vec::new(), x_end: to, requested: Vec::new(), reserved: Vec::new() };
    for column in 0..columns {
        let (first, last) = match axis {
            Axis::Event => (edge(column) as u32, edge(column + 1).ceil() as u32),
            Axis::Time => {
                let first = replay.moment_at_time(edge(column) as i64);
                (first, replay.moment_at_time(edge(column + 1).ceil() as i64 - 1) + 1)
            }
        };
        chart.x.push(edge(column));
        chart.requested.push(replay.requested_at(replay.fullest(first, last)));
        chart.reserved.push(replay.reserved_max(first, last));
    }
    Some(chart)
}
