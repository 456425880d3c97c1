//! The picture of the allocator's state.

use std::ops::Range;

use vramscope_core::bits::Bits;
use vramscope_core::model::BlockState;
use vramscope_core::replay::state::BlockNow;

use super::layout::{Layout, Row};
use super::palette::{StateColours, StatePalette};
use crate::picture::{Picture, Rect};

/// What is marked in a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// An allocation.
    pub allocation: Option<u32>,
    /// A segment, by its address.
    pub segment: Option<u64>,
}

/// A chosen block at least this wide is outlined.
const OUTLINED_FROM_PX: i64 = 3;
/// A block at least this wide is parted from the next by a hairline.
const PARTED_FROM_PX: i64 = 3;
/// A block at least this wide shows what rounding lost, if that is a twentieth of it, however thin.
const CAPPED_FROM_PX: i64 = 6;
const CAPPED_FROM_SHARE: f64 = 0.05;

/// Width of frames in CSS pixels, and of the halo around what is selected. A selection's frame lies around it, that of a pinned segment half
/// on its bar, so that the frames of two rows do not touch.
const FRAME_CSS: f64 = 2.0;
const HALO_CSS: f64 = 1.0;

/// Paints what of a layout is in sight.
pub fn paint(layout: &Layout<'_>, colours: &StateColours, selection: Selection) -> Picture {
    paint_chosen(layout, colours, selection, None)
}

/// The same, where some allocations are chosen: they are outlined, those too thin for that ticked, and all others faded.
pub fn paint_chosen(
    layout: &Layout<'_>,
    colours: &StateColours,
    selection: Selection,
    chosen: Option<&Bits>,
) -> Picture {
    let view = &layout.view;
    let palette = StatePalette::new(colours, view.scale);
    let mut picture = Picture::new(view.width, view.height);
    picture.pixels.fill(palette.background.to_le_bytes());
    let mut painter = Painter { layout, palette, picture, chosen };
    layout.for_each_visible(|row| painter.row(&row));
    layout.for_each_visible(|row| painter.pin(&row));
    painter.select(selection);
    painter.picture
}

struct Painter<'a> {
    layout: &'a Layout<'a>,
    palette: StatePalette,
    picture: Picture,
    chosen: Option<&'a Bits>,
}

impl Painter<'_> {
    fn row(&mut self, row: &Row<'_>) {
        let cells = self.layout.cells(row);
        let mut from = 0;
        for run in cells.chunk_by(|a, b| a == b) {
            let to = from + run.len();
            let parted = cells.get(to).and_then(|&next| self.layout.block(next)).is_some_and(is_live);
            let shown = from as i64..to as i64;
            from = to;
            let Some((&index, block)) =
                run.first().and_then(|index| Some((index, self.layout.block(*index)?)))
            else {
                continue;
            };
            match block.state {
                BlockState::Allocated => self.live(row, block, index, shown, parted),
                BlockState::PendingFree => self.hatched(row, shown, true),
                _ => self.hatched(row, shown, false),
            }
        }
        if let Some(chosen) = self.chosen {
            self.mark(row, &cells, chosen);
        }
    }

    /// Outlines what is chosen, in its own pixels; what has none gets a tick at its place.
    fn mark(&mut self, row: &Row<'_>, cells: &[u32], chosen: &Bits) {
        let is_chosen = |block: &BlockNow| block.allocation.is_some_and(|id| chosen.has(id));
        let mut from = 0;
        for run in cells.chunk_by(|a, b| a == b) {
            let shown = from..from + run.len() as i64;
            from = shown.end;
            let block = run.first().and_then(|index| self.layout.block(*index));
            if block.is_some_and(is_chosen) && run.len() as i64 >= OUTLINED_FROM_PX {
                let outer = self.layout.rect(row, &shown);
                let inner = outer.grown(-1);
                let inner = Rect { width: inner.width.max(0), height: inner.height.max(0), ..inner };
                self.picture.fill_between(outer, inner, self.palette.ink);
            }
        }
        let first = row.segment.blocks.start as u32;
        for (index, block) in (first..).zip(self.layout.blocks(row)) {
            let at = row.px(block.address).floor();
            let cell = cells.get(at as usize).filter(|_| at >= 0.0);
            // The pixel that it begins in may show another chosen one, which is mark enough.
            let seen = |cell: u32| cell == index || self.layout.block(cell).is_some_and(is_chosen);
            if is_chosen(block)
                && cell.is_some_and(|cell| !seen(*cell))
                && cells.get(at as usize + 1) != Some(&index)
            {
                self.fill(row, at as i64..at as i64 + 1, self.palette.ink);
            }
        }
    }

    /// A block in its colour, with what rounding lost at its end, or else a hairline before the next.
    fn live(&mut self, row: &Row<'_>, block: &BlockNow, index: u32, run: Range<i64>, parted: bool) {
        let slot = self.layout.slot(index);
        let faded = self.chosen.is_some_and(|chosen| !block.allocation.is_some_and(|id| chosen.has(id)));
        let palette = if faded { &self.palette.faded } else { &self.palette.blocks };
        let (body, hairline) = palette.block(slot, block.allocation.unwrap_or(0), f64::INFINITY);
        let cap = cap_from(row, block, &run);
        self.fill(row, run.start..cap, body);
        self.fill(row, cap..run.end, if faded { hairline.unwrap_or(body) } else { self.palette.rounding });
        if cap == run.end && parted && run.end - run.start >= PARTED_FROM_PX {
            self.fill(row, run.end - 1..run.end, hairline.unwrap_or(body));
        }
    }

    /// Free or waiting space: a hatch in a frame of a hairline.
    fn hatched(&mut self, row: &Row<'_>, run: Range<i64>, pending: bool) {
        let (palette, top) = (&self.palette, self.layout.top());
        let rect = self.layout.rect(row, &run);
        match pending {
            true => self.picture.each(rect, |x, y| palette.pending_at(x, y + top)),
            false => self.picture.each(rect, |x, y| palette.free_at(x, y + top)),
        }
        let sides = i64::from(rect.width >= PARTED_FROM_PX);
        let inner = Rect { x: rect.x + sides, width: rect.width - 2 * sides, ..rect };
        let inner = Rect { y: rect.y + 1, height: (rect.height - 2).max(0), ..inner };
        self.picture.fill_between(rect, inner, if pending { palette.pending } else { palette.free });
    }

    fn fill(&mut self, row: &Row<'_>, run: Range<i64>, pixel: u32) {
        self.picture.fill(self.layout.rect(row, &run), pixel);
    }

    /// Frames a segment that a few blocks keep.
    fn pin(&mut self, row: &Row<'_>) {
        if !row.segment.is_pinned() || row.width == 0 {
            return;
        }
        let frame = self.layout.px(FRAME_CSS);
        let rect = self.layout.rect(row, &(0..row.width));
        let outer = rect.grown(frame - frame / 2);
        let inner = rect.grown(-(frame / 2));
        let inner = Rect { width: inner.width.max(0), height: inner.height.max(0), ..inner };
        self.picture.fill_between(outer, inner, self.palette.pinned);
    }

    /// Frames what is selected: around it, with a halo, so that it stays as it is.
    fn select(&mut self, selection: Selection) {
        let segment = selection.segment.and_then(|address| self.layout.place_of_segment(address));
        let block = selection.allocation.and_then(|id| self.layout.place_of_allocation(id));
        for place in [segment, block].into_iter().flatten() {
            let inner = Rect { y: place.rect.y - self.layout.top(), ..place.rect };
            let frame = inner.grown(self.layout.px(FRAME_CSS));
            let halo = frame.grown(self.layout.px(HALO_CSS));
            self.picture.fill_between(halo, frame, self.palette.background);
            self.picture.fill_between(frame, inner, self.palette.ink);
        }
    }
}

fn is_live(block: &BlockNow) -> bool {
    block.state == BlockState::Allocated
}

/// Where in the pixels of a block the part begins that rounding lost; at their end if it is too thin to be shown.
fn cap_from(row: &Row<'_>, block: &BlockNow, run: &Range<i64>) -> i64 {
    let lost = block.size_bytes.saturating_sub(block.requested_bytes);
    let worth_a_pixel =
        lost as f64 >= CAPPED_FROM_SHARE * block.size_bytes as f64 && run.end - run.start >= CAPPED_FROM_PX;
    let lost_px = (lost as f64 / row.bytes_per_px).round() as i64;
    let cap_px = lost_px.max(i64::from(worth_a_pixel && lost > 0));
    if cap_px == 0 {
        return run.end;
    }
    let end_px = row.px(block.address.saturating_add(block.size_bytes)).round() as i64;
    // Right of what is in sight the block goes on: its end lies there, not at the border.
    let end = if end_px > run.end { end_px } else { run.end };
    // Something of the block itself stays, however much of it is lost.
    end.saturating_sub(cap_px).clamp(run.start.saturating_add(1), run.end)
}
