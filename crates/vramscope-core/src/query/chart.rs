//! Series for a chart: as many columns as it has pixels, each the maximum of its range.

use serde::Serialize;

use crate::replay::{Axis, Recording};

/// Columns of a chart, left to right.
#[derive(Clone, Debug, Serialize)]
#[allow(missing_docs)]
pub struct Chart {
    /// Left edge of each column, in the axis' unit.
    pub x: Vec<f64>,
    /// Right edge of the last.
    pub x_end: f64,
    pub requested: Vec<u64>,
    /// Bytes of blocks held by the program; null unless the allocator model agrees.
    pub allocated: Option<Vec<u64>>,
    pub reserved: Vec<u64>,
}

/// Most columns that are worth making: no screen is wider.
const MAX_COLUMNS: u32 = 16_384;

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
    let whole = replay.extent(axis);
    let from = x0.filter(|x| x.is_finite()).unwrap_or(0.0).clamp(0.0, whole);
    let to = x1.filter(|x| x.is_finite()).unwrap_or(whole).clamp(from, whole);
    let columns = columns.clamp(1, MAX_COLUMNS);
    let edge = |column: u32| from + (to - from) * f64::from(column) / f64::from(columns);
    let mut chart =
        Chart { x: Vec::new(), x_end: to, requested: Vec::new(), allocated: None, reserved: Vec::new() };
    let mut allocated = Vec::new();
    for column in 0..columns {
        let Some(moments) = replay.moments_between(axis, edge(column), edge(column + 1)) else { continue };
        chart.x.push(edge(column));
        chart.requested.push(replay.requested_at(replay.fullest(moments.start, moments.end)));
        allocated.extend(replay.allocated_max(moments.start, moments.end));
        chart.reserved.push(replay.reserved_max(moments.start, moments.end));
    }
    chart.allocated = (!allocated.is_empty()).then_some(allocated);
    Some(chart)
}
