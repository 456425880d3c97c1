//! The timeline: what was alive, moment by moment, each allocation at its place.

use std::ops::Range;

use vramscope_core::replay::Replay;
use vramscope_core::replay::stacking::{Run, Stacking, for_each_run};

use crate::column::ColumnPainter;
use crate::geometry::{Rows, Show, View};
use crate::outline::paint_outline;
use crate::picture::{Picture, Strip};
use crate::pile::{Allocated, Pile, Things};
use crate::reserved::{PoolNow, Pools, Reserved, Spans, in_row, pool_in_row};
use crate::step_line::paint_step_line;
use crate::theme::{Colours, Palette};

/// Paints a part of the recording: every allocation (or segment, or pool), none left out, exact to the pixel.
///
/// A column shows the fullest moment of its range, so a peak one event long is seen at any zoom.
pub fn paint(replay: &Replay, view: &View, colours: &Colours, selected: Option<u32>) -> Picture {
    let view = view.clamped();
    match view.show {
        Show::Allocations => {
            let fullest = |range: Range<u32>| replay.fullest(range.start, range.end);
            paint_pile(replay, &view, colours, Allocated(replay), fullest, selected)
        }
        Show::Segments => {
            let reserved = Reserved::of(replay);
            paint_pile(replay, &view, colours, Spans::of(replay), |range| reserved.fullest(range), None)
        }
        Show::Pools => paint_pools(replay, &view, colours),
    }
}

/// Paints things piled up at the moment that `fullest` chooses for each column.
fn paint_pile<T: Things + Clone>(
    replay: &Replay,
    view: &View,
    colours: &Colours,
    things: T,
    fullest: impl Fn(Range<u32>) -> u32,
    selected: Option<u32>,
) -> Picture {
    let palette = Palette::new(colours);
    let mut painter = ColumnPainter::new(view.rows(), &palette, selected);
    // Slots are read beside the pile, not through it: it changes while it is visited.
    let mut pile = Pile::new(things.clone(), stacking(view));
    let mut picture = Picture::new(view.width, view.height);
    let mut strip = Strip::new(view.height);
    let mut reserved_edges = Vec::with_capacity(view.width as usize);
    let mut selected_edges = Vec::with_capacity(view.width as usize);
    let mut painted = None;
    for column in 0..view.width {
        let range = view.column_moments(replay, column);
        let moment = range.clone().map(&fullest);
        if painted == Some(moment) {
            strip.repeat(column);
        } else {
            paint_column(&mut pile, &things, moment, &mut painter, strip.column(column));
            painted = Some(moment);
        }
        strip.finish(column, &mut picture);
        selected_edges.push(painter.selected_edges());
        reserved_edges.push(range.map(|range| reserved_edge(replay, view, range)));
    }
    paint_reserved(replay, &mut picture, &reserved_edges, view, colours);
    paint_outline(&mut picture, &selected_edges, colours, view.scale);
    picture
}

/// Segments always lie as they came.
fn stacking(view: &View) -> Stacking {
    if view.show == Show::Allocations { view.stacking } else { Stacking::Age }
}

fn paint_column<T: Things>(
    pile: &mut Pile<T>,
    things: &T,
    moment: Option<u32>,
    painter: &mut ColumnPainter<'_>,
    pixels: &mut [u32],
) {
    painter.begin(pixels);
    if let Some(moment) = moment {
        pile.for_each(moment, |block| {
            painter.block(pixels, block.allocation, block.size_bytes, |id| things.slot(id));
        });
    }
}

/// Paints what is in use of each pool, and above it, hatched, the rest of what it has reserved.
fn paint_pools(replay: &Replay, view: &View, colours: &Colours) -> Picture {
    let (palette, reserved, rows) = (Palette::new(colours), Reserved::of(replay), view.rows());
    let mut pools = Pools::of(replay);
    let mut picture = Picture::new(view.width, view.height);
    let mut strip = Strip::new(view.height);
    let mut reserved_edges = Vec::with_capacity(view.width as usize);
    let (mut painted, mut now) = (None, Vec::new());
    for column in 0..view.width {
        let range = view.column_moments(replay, column);
        let moment = range.clone().map(|range| reserved.fullest(range));
        if painted != Some(moment) {
            now = moment.map_or_else(Vec::new, |moment| pools.at(moment).to_vec());
            painted = Some(moment);
        }
        let pixels = strip.column(column);
        pixels.fill(palette.background);
        for_each_edge(&now, rows, |pool, bottom, middle, top| {
            palette.pool(pixels, (column, bottom..middle, top), pool.slot);
        });
        strip.finish(column, &mut picture);
        reserved_edges.push(range.map(|range| reserved_edge(replay, view, range)));
    }
    paint_reserved(replay, &mut picture, &reserved_edges, view, colours);
    picture
}

/// Visits pools with the edges below them, above what is in use and above what is reserved.
fn for_each_edge(pools: &[PoolNow], rows: Rows, mut visit: impl FnMut(&PoolNow, i32, i32, i32)) {
    let mut bytes = 0u64;
    for pool in pools {
        let (used, end) = (bytes.saturating_add(pool.used_bytes), bytes.saturating_add(pool.height_bytes()));
        visit(pool, rows.edge(bytes), rows.edge(used), rows.edge(end));
        bytes = end;
    }
}

fn paint_reserved(
    replay: &Replay,
    picture: &mut Picture,
    edges: &[Option<i32>],
    view: &View,
    colours: &Colours,
) {
    if replay.reserved_max(0, replay.n_moments()) > 0 {
        paint_step_line(picture, edges, colours.reserved, view.scale);
    }
}

fn reserved_edge(replay: &Replay, view: &View, range: Range<u32>) -> i32 {
    view.rows().edge(replay.reserved_max(range.start, range.end))
}

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
    fn nothing(moment: u32) -> Self {
        Self { moment, run: None, span: None, pool: None }
    }
}

/// What lies under a pixel, `x_px` from the left and `y_px` from the top: exactly what [`paint`] drew there.
pub fn hit(replay: &Replay, view: &View, x_px: f64, y_px: f64) -> Hit {
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
        return Hit { run: run_in_row(replay, &view, moment, row), ..Hit::nothing(moment) };
    }
    let moment = Reserved::of(replay).fullest(range);
    match view.show {
        Show::Pools => {
            let pool = pool_in_row(Pools::of(replay).at(moment), rows, row);
            Hit { pool, ..Hit::nothing(moment) }
        }
        _ => {
            let span = in_row(&mut Pile::new(Spans::of(replay), Stacking::Age), moment, rows, row);
            Hit { span, ..Hit::nothing(moment) }
        }
    }
}

fn run_in_row(replay: &Replay, view: &View, moment: u32, row: i32) -> Option<Run> {
    let rows = view.rows();
    let mut found = None;
    for_each_run(replay, moment, view.stacking, |run| {
        if rows.edge(run.from_bytes) <= row && row < rows.edge(run.to_bytes) {
            found = Some(run);
        }
    });
    found
}

#[cfg(test)]
mod tests;
