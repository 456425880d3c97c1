//! One column of a timeline picture: blocks to rows.

use std::ops::{Range, RangeInclusive};

use crate::geometry::Rows;
use crate::marks::Marks;
use crate::theme::Palette;

/// Fills columns with blocks, each upon the one before.
pub(crate) struct ColumnPainter<'a> {
    rows: Rows,
    palette: &'a Palette,
    selected: Option<u32>,
    /// Bytes painted so far, and the edge nearest to them.
    bytes: u64,
    edge: i32,
    /// Fewer bytes leave the edge where it is.
    threshold: u64,
    thresholds: Vec<u64>,
    /// Edges of the selected block, if it is alive here.
    selected_edges: Option<Range<i32>>,
    marks: Option<Marks<'a>>,
}

impl<'a> ColumnPainter<'a> {
    pub(crate) fn new(
        rows: Rows,
        palette: &'a Palette,
        selected: Option<u32>,
        marks: Option<Marks<'a>>,
    ) -> Self {
        let thresholds = rows.thresholds();
        Self {
            rows,
            palette,
            selected,
            bytes: 0,
            edge: 0,
            threshold: 0,
            thresholds,
            selected_edges: None,
            marks,
        }
    }

    /// What is marked, if anything is.
    pub(crate) fn marks(&mut self) -> Option<&mut Marks<'a>> {
        self.marks.as_mut()
    }

    /// Ends a column: what is marked gets its outline.
    pub(crate) fn end(&mut self, pixels: &mut [u32]) {
        let edge = self.edge;
        if let Some(marks) = &mut self.marks {
            marks.end(pixels, edge);
        }
    }

    /// Starts a column: nothing but background.
    pub(crate) fn begin(&mut self, pixels: &mut [u32]) {
        pixels.fill(self.palette.background);
        self.bytes = 0;
        self.edge = self.rows.edge(0);
        self.threshold = self.threshold_of(self.edge);
        self.selected_edges = None;
    }

    /// Paints a block upon the last one. `pixels` run from the bottom to the top.
    ///
    /// A block that rounds to no row paints nothing, but brings the edge of the next nearer: no byte is dropped.
    // Once for each block of each column: a call would cost a third of the picture.
    #[inline(always)]
    pub(crate) fn block(
        &mut self,
        pixels: &mut [u32],
        allocation: u32,
        size_bytes: u64,
        slot_of: impl Fn(u32) -> u8,
    ) {
        // The very last number stays free: it is no threshold.
        self.bytes = self.bytes.saturating_add(size_bytes).min(u64::MAX - 1);
        let moves = self.bytes >= self.threshold;
        if !moves && self.selected != Some(allocation) && self.marks.is_none() {
            return;
        }
        let bottom = self.edge;
        let top = match moves {
            false => bottom,
            true if self.bytes < self.threshold_of(bottom + 1) => bottom + 1,
            true => self.rows.edge(self.bytes),
        };
        if self.selected == Some(allocation) {
            self.selected_edges = Some(bottom..top);
        }
        if moves {
            if top > 0 && bottom < self.rows.height() {
                let (slot, height_px) = (slot_of(allocation), self.rows.height_px(size_bytes));
                match &mut self.marks {
                    None => fill(pixels, bottom..top, self.palette.block(slot, allocation, height_px)),
                    Some(marks) => {
                        marks.block(pixels, bottom..top, self.palette, (slot, allocation, height_px));
                    }
                }
            }
            self.edge = top;
            self.threshold = self.threshold_of(top);
        } else if let Some(marks) = &mut self.marks {
            marks.thin(allocation, bottom);
        }
    }

    /// Takes several blocks at once if none of them moves the edge and none is the selected one; `ids` are theirs and maybe others'.
    #[inline(always)]
    pub(crate) fn pass(&mut self, bytes: u64, ids: RangeInclusive<u32>, marked: bool) -> bool {
        let bytes = self.bytes.saturating_add(bytes).min(u64::MAX - 1);
        if bytes >= self.threshold || self.selected.is_some_and(|selected| ids.contains(&selected)) {
            return false;
        }
        self.bytes = bytes;
        if marked && let Some(marks) = &mut self.marks {
            marks.tick(self.edge);
        }
        true
    }

    #[inline]
    fn threshold_of(&self, edge: i32) -> u64 {
        self.thresholds.get((edge + Rows::MARGIN) as usize).copied().unwrap_or(u64::MAX)
    }

    /// Edges of the selected block in the column painted last.
    pub(crate) fn selected_edges(&self) -> Option<Range<i32>> {
        self.selected_edges.clone()
    }
}

/// Fills what is visible of some rows with a body; the uppermost is the hairline.
#[inline]
pub(crate) fn fill(pixels: &mut [u32], rows: Range<i32>, (body, hairline): (u32, Option<u32>)) {
    let bottom = rows.start.max(0) as usize;
    let top = rows.end.max(0) as usize;
    let visible = top.min(pixels.len());
    if let Some(rows) = pixels.get_mut(bottom..visible) {
        rows.fill(body);
    }
    if let (Some(hairline), Some(row)) = (hairline, pixels.get_mut(top - 1)) {
        *row = hairline;
    }
}

#[cfg(test)]
mod tests;
