//! What lies under a pixel of the timeline.

use vramscope_core::replay::Replay;
use vramscope_core::replay::stacking::{Piled, Run, Stacking};

use crate::geometry::{Rows, Show, View};
use crate::pile::Pile;
use crate::reserved::{PoolNow, Pools, Reserved, Spans, in_row, pool_in_row};

/// What is drawn at a pixel: the moment of its column and the block of its row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// The moment that the column shows; the nearest one outside of the recording.
    pub moment: u32,
    /// The allocation there, none above all.
    pub run: Option<Run>,
    /// The span there, where segments are shown.
    pub span: Option<u32>,
    /// The pool there, where pools are shown.
    pub pool: Option<PoolNow>,
}

impl Hit {
    pub(super) fn nothing(moment: u32) -> Self {
        Self { moment, run: None, span: None, pool: None }
    }
}

/// What lies under a pixel, `x_px` from the left and `y_px` from the top: exactly what [`super::paint`] drew there.
pub fn hit(replay: &Replay, view: &View, x_px: f64, y_px: f64) -> Hit {
    Looked::default().hit(replay, view, x_px, y_px)
}

/// What was looked up for the last hit, kept for the next: a pointer that moves stays near. All of one replay.
#[derive(Debug, Default)]
pub struct Looked {
    pile: Option<Piled>,
    reserved: Option<Reserved>,
    pools: Option<(u32, Vec<PoolNow>)>,
}

impl Looked {
    /// As [`hit`].
    pub fn hit(&mut self, replay: &Replay, view: &View, x_px: f64, y_px: f64) -> Hit {
        let view = view.clamped();
        let column = view.column_at(x_px);
        let Some(range) = view.column_moments(replay, column) else {
            let before = view.column_span(column).1 <= 0.0;
            return Hit::nothing(if before { 0 } else { replay.end() });
        };
        let rows = view.rows();
        let row = rows.row_at(y_px);
        if view.show == Show::Allocations {
            let moment = replay.fullest(range.start, range.end);
            let run = run_in_row(self.pile(replay, moment, view.stacking).runs(), rows, row);
            return Hit { run, ..Hit::nothing(moment) };
        }
        let moment = self.reserved.get_or_insert_with(|| Reserved::of(replay)).fullest(range);
        match view.show {
            Show::Pools => {
                Hit { pool: pool_in_row(self.pools(replay, moment), rows, row), ..Hit::nothing(moment) }
            }
            _ => {
                let span = in_row(&mut Pile::new(Spans::of(replay), Stacking::Age), moment, rows, row);
                Hit { span, ..Hit::nothing(moment) }
            }
        }
    }

    /// What is alive at a moment, piled up.
    pub fn pile(&mut self, replay: &Replay, moment: u32, stacking: Stacking) -> &Piled {
        let kept = self.pile.take().filter(|pile| pile.is_at(moment, stacking));
        self.pile.insert(kept.unwrap_or_else(|| Piled::at(replay, moment, stacking)))
    }

    fn pools(&mut self, replay: &Replay, moment: u32) -> &[PoolNow] {
        let kept = self.pools.take().filter(|(at, _)| *at == moment);
        let found = kept.unwrap_or_else(|| (moment, Pools::of(replay).at(moment).to_vec()));
        &self.pools.insert(found).1
    }
}

/// The run that was painted at a row. Edges rise with the bytes, so it can be searched.
fn run_in_row(runs: &[Run], rows: Rows, row: i32) -> Option<Run> {
    let at = runs.partition_point(|run| rows.edge(run.to_bytes) <= row);
    runs.get(at).copied().filter(|run| rows.edge(run.from_bytes) <= row)
}
