//! Series for a chart: as many columns as it has pixels, each the maximum of its range.

use serde::Serialize;

use crate::replay::stacking::Stacking;
use crate::replay::{Axis, N_SLOTS, Recording, Replay};

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
    /// By colour slot of the category, from the bottom: bytes of each column, at its fullest moment. They add up to `requested`. Null before
    /// there are labels.
    pub categories: Option<Vec<Vec<u64>>>,
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
    let mut chart = Chart {
        x: Vec::new(),
        x_end: to,
        requested: Vec::new(),
        allocated: None,
        reserved: Vec::new(),
        categories: None,
    };
    let (mut allocated, mut fullest) = (Vec::new(), Vec::new());
    for column in 0..columns {
        let Some(moments) = replay.moments_between(axis, edge(column), edge(column + 1)) else { continue };
        chart.x.push(edge(column));
        fullest.push(replay.fullest(moments.start, moments.end));
        chart.requested.extend(fullest.last().map(|moment| replay.requested_at(*moment)));
        allocated.extend(replay.allocated_max(moments.start, moments.end));
        chart.reserved.push(replay.reserved_max(moments.start, moments.end));
    }
    chart.categories = replay.labels().map(|_| by_category(replay, &fullest));
    chart.allocated = (!allocated.is_empty()).then_some(allocated);
    Some(chart)
}

/// Bytes in each slot at rising moments: one pass over all allocations, of which most begin and end between two moments.
fn by_category(replay: &Replay, moments: &[u32]) -> Vec<Vec<u64>> {
    let (rows, slots) = (replay.allocations(), Stacking::Category.slots(replay));
    // What begins and ends at each moment; two's complement makes a fall the sum with its negative.
    let mut series = vec![vec![0u64; moments.len()]; N_SLOTS];
    let mut first = 0;
    for id in 0..rows.len() {
        let (start, end) = (rows.start(id), rows.end(id));
        while moments.get(first).is_some_and(|moment| *moment < start) {
            first += 1;
        }
        let Some(&moment) = moments.get(first) else { break };
        if end <= moment {
            continue;
        }
        let after = first + moments[first..].partition_point(|moment| *moment < end);
        let series = &mut series[usize::from(slots.get(id)).min(N_SLOTS - 1)];
        series[first] = series[first].wrapping_add(rows.size_bytes(id));
        if let Some(cell) = series.get_mut(after) {
            *cell = cell.wrapping_sub(rows.size_bytes(id));
        }
    }
    for series in &mut series {
        let mut sum = 0u64;
        for cell in series.iter_mut() {
            sum = sum.wrapping_add(*cell);
            *cell = sum;
        }
    }
    series
}
