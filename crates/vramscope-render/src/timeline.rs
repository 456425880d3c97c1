//! The timeline: what was alive, moment by moment, each allocation at its place.

mod hit;

pub use hit::{Hit, Looked, hit};

use std::ops::{Range, RangeInclusive};

use vramscope_core::bits::Bits;
use vramscope_core::replay::Replay;
use vramscope_core::replay::stacking::Stacking;

use crate::column::ColumnPainter;
use crate::geometry::{Axis, Rows, Show, View};
use crate::marks::{Marks, OUTLINED_FROM_PX};
use crate::outline::paint_outline;
use crate::picture::{Picture, Strip};
use crate::pile::{Allocated, Block, Pile, Things, Visitor};
use crate::reserved::{PoolNow, Pools, Reserved, Spans};
use crate::step_line::paint_step_line;
use crate::theme::{Colours, Palette};

/// Paints a part of the recording: every allocation (or segment, or pool), none left out, exact to the pixel.
///
/// A column shows the fullest moment of its range, so a peak one event long is seen at any zoom.
pub fn paint(replay: &Replay, view: &View, colours: &Colours, selected: Option<u32>) -> Picture {
    paint_chosen(replay, view, colours, selected, None)
}

/// The same, where some allocations are chosen: they are outlined, those too thin for that ticked, and all others faded.
pub fn paint_chosen(
    replay: &Replay,
    view: &View,
    colours: &Colours,
    selected: Option<u32>,
    chosen: Option<&Bits>,
) -> Picture {
    let view = view.clamped();
    match view.show {
        Show::Allocations => {
            let fullest = |range: Range<u32>| replay.fullest(range.start, range.end);
            let things = Allocated::new(replay, view.stacking, chosen);
            let marks = chosen.map(|chosen| Marks::new(chosen, replay, colours, view.height));
            paint_pile(replay, &view, colours, things, fullest, (selected, marks))
        }
        Show::Segments => {
            let reserved = Reserved::of(replay);
            let fullest = |range: Range<u32>| reserved.fullest(range);
            paint_pile(replay, &view, colours, Spans::of(replay), fullest, (None, None))
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
    (selected, marks): (Option<u32>, Option<Marks<'_>>),
) -> Picture {
    let palette = Palette::new(colours);
    let mut painter = ColumnPainter::new(view.rows(), &palette, selected, marks);
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
        if painted == Some(moment) && painter.marks().is_none_or(|marks| marks.is_repeated()) {
            strip.repeat(column);
        } else {
            if let Some(marks) = painter.marks() {
                marks.begin(moments_of(view, range.as_ref()) * OUTLINED_FROM_PX);
            }
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

/// How many moments a column stands for, part of one or one in whole.
fn moments_of(view: &View, range: Option<&Range<u32>>) -> f64 {
    match view.axis {
        Axis::Event => (view.x1 - view.x0) / f64::from(view.width.max(1)),
        Axis::Time => range.map_or(0, |range| range.end.saturating_sub(range.start + 1)).into(),
    }
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
        pile.visit(moment, &mut Column { painter, pixels, things });
    }
    painter.end(pixels);
}

/// A column while a pile is painted into it.
struct Column<'a, 'b, T> {
    painter: &'a mut ColumnPainter<'b>,
    pixels: &'a mut [u32],
    things: &'a T,
}

impl<T: Things> Visitor for Column<'_, '_, T> {
    #[inline(always)]
    fn block(&mut self, block: &Block) {
        self.painter.block(self.pixels, block.allocation, block.size_bytes, |id| self.things.slot(id));
    }

    #[inline(always)]
    fn pass(&mut self, bytes: u64, ids: RangeInclusive<u32>, marked: bool) -> bool {
        self.painter.pass(bytes, ids, marked)
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

#[cfg(test)]
mod tests;
