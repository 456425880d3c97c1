//! The timeline: what was alive, moment by moment, each allocation at its place.

use std::ops::Range;

use vramscope_core::replay::Replay;
use vramscope_core::replay::stacking::{Run, for_each_run};

use crate::column::ColumnPainter;
use crate::geometry::View;
use crate::outline::paint_outline;
use crate::picture::{Picture, Strip};
use crate::pile::Pile;
use crate::step_line::paint_step_line;
use crate::theme::{Colours, Palette};

/// Paints a part of the recording: every allocation, none left out, exact to the pixel.
///
/// A column shows the fullest moment of its range, so a peak one event long is seen at any zoom.
pub fn paint(replay: &Replay, view: &View, colours: &Colours, selected: Option<u32>) -> Picture {
    let view = view.clamped();
    let palette = Palette::new(colours);
    let mut painter = ColumnPainter::new(view.rows(), &palette, selected);
    let mut pile = Pile::new(replay, view.stacking);
    let mut picture = Picture::new(view.width, view.height);
    let mut strip = Strip::new(view.height);
    let mut reserved_edges = Vec::with_capacity(view.width as usize);
    let mut selected_edges = Vec::with_capacity(view.width as usize);
    let mut painted = None;
    for column in 0..view.width {
        let range = view.column_moments(replay, column);
        let moment = range.clone().map(|range| replay.fullest(range.start, range.end));
        if painted == Some(moment) {
            strip.repeat(column);
        } else {
            paint_column(&mut pile, moment, &mut painter, strip.column(column));
            painted = Some(moment);
        }
        strip.finish(column, &mut picture);
        selected_edges.push(painter.selected_edges());
        reserved_edges.push(range.map(|range| reserved_edge(replay, &view, range)));
    }
    if replay.reserved_max(0, replay.n_moments()) > 0 {
        paint_step_line(&mut picture, &reserved_edges, colours.reserved, view.scale);
    }
    paint_outline(&mut picture, &selected_edges, colours, view.scale);
    picture
}

fn paint_column(
    pile: &mut Pile<'_>,
    moment: Option<u32>,
    painter: &mut ColumnPainter<'_>,
    pixels: &mut [u32],
) {
    painter.begin(pixels);
    if let Some(moment) = moment {
        let replay = pile.replay();
        pile.for_each(moment, |block| {
            painter.block(pixels, block.allocation, block.size_bytes, |id| replay.slot_of(id));
        });
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
    /// The block there, none above all blocks.
    pub run: Option<Run>,
}

/// What lies under a pixel, `x_px` from the left and `y_px` from the top: exactly what [`paint`] drew there.
pub fn hit(replay: &Replay, view: &View, x_px: f64, y_px: f64) -> Hit {
    let view = view.clamped();
    let column = view.column_at(x_px);
    let Some(range) = view.column_moments(replay, column) else {
        let before = view.column_span(column).1 <= 0.0;
        return Hit { moment: if before { 0 } else { replay.end() }, run: None };
    };
    let moment = replay.fullest(range.start, range.end);
    let rows = view.rows();
    let row = rows.row_at(y_px);
    let mut found = None;
    for_each_run(replay, moment, view.stacking, |run| {
        if rows.edge(run.from_bytes) <= row && row < rows.edge(run.to_bytes) {
            found = Some(run);
        }
    });
    Hit { moment, run: found }
}

#[cfg(test)]
mod tests;
