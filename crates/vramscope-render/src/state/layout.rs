//! Where each segment of a scene lies: groups below each other, rows filled column by column like a newspaper.
//!
//! Painter, hit test and labels go through here, so they agree to the pixel.

use std::ops::Range;

use vramscope_core::replay::state::{BlockNow, SegmentNow, State};

use super::cells::{Cells, NOTHING, cells};
use super::scene::{Group, Scene};
use super::view::{Sizes, StateView};
use crate::picture::Rect;

/// A scene laid out for a view: a few numbers for each group, none for each segment.
#[derive(Debug)]
pub struct Layout<'a> {
    pub(super) scene: &'a Scene,
    pub(super) view: StateView,
    pub(super) sizes: Sizes,
    pub(super) bands: Vec<Band<'a>>,
    /// Height of everything.
    pub(super) height: i64,
}

/// A group's place, from the top of everything, in device pixels.
#[derive(Debug)]
pub(super) struct Band<'a> {
    pub(super) group: &'a Group,
    /// Top of its heading.
    pub(super) y: i64,
    /// Heading and rows.
    pub(super) height: i64,
    /// Rows in each column but the last.
    pub(super) n_rows: usize,
    /// True scale: the same for every segment of the group.
    pub(super) bytes_per_px: f64,
    /// Bytes hidden at the left.
    pub(super) from_bytes: f64,
}

/// A segment's place, in device pixels; y from the top of everything, x and width as far as it is in sight.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row<'a> {
    pub(super) index: u32,
    pub(super) segment: &'a SegmentNow,
    pub(super) x: i64,
    pub(super) y: i64,
    pub(super) width: i64,
    pub(super) bytes_per_px: f64,
    pub(super) from_bytes: f64,
}

impl<'a> Layout<'a> {
    /// What is laid out.
    pub fn state(&self) -> &'a State {
        self.scene.state()
    }

    /// Lays out a scene, which must be arranged.
    pub fn new(scene: &'a Scene, view: &StateView) -> Self {
        let view = view.clamped();
        let most = scene.groups.iter().map(|group| group.segments.len()).max().unwrap_or(0);
        let sizes = Sizes::of(&view, most);
        let (mut bands, mut y) = (Vec::with_capacity(scene.groups.len()), 0);
        for group in &scene.groups {
            let n_rows = group.segments.len().div_ceil(sizes.columns as usize);
            let height = sizes.heading + n_rows as i64 * sizes.pitch;
            let bytes_per_px = group.widest_bytes as f64 / (sizes.width as f64 * view.zoom);
            let from_bytes = group.widest_bytes as f64 * view.left;
            bands.push(Band { group, y, height, n_rows, bytes_per_px, from_bytes });
            y += height;
        }
        Self { scene, view, sizes, bands, height: y }
    }

    /// Height of everything, in device pixels.
    pub fn height(&self) -> u64 {
        self.height as u64
    }

    /// Columns of segments side by side.
    pub fn columns(&self) -> u32 {
        self.sizes.columns as u32
    }

    /// What is laid out.
    pub fn scene(&self) -> &'a Scene {
        self.scene
    }

    pub(super) fn top(&self) -> i64 {
        self.view.top as i64
    }

    /// The bands in sight.
    pub(super) fn visible_bands(&self) -> &[Band<'a>] {
        let (top, bottom) = (self.top(), self.top() + i64::from(self.view.height));
        let first = self.bands.partition_point(|band| band.y + band.height <= top);
        let end = self.bands.partition_point(|band| band.y < bottom);
        self.bands.get(first..end.max(first)).unwrap_or_default()
    }

    /// Visits the rows in sight.
    pub(super) fn for_each_visible(&self, mut visit: impl FnMut(Row<'a>)) {
        for band in self.visible_bands() {
            let lines = self.visible_lines(band);
            for column in 0..self.sizes.columns as usize {
                for line in lines.clone() {
                    if let Some(row) = self.row(band, column, line) {
                        visit(row);
                    }
                }
            }
        }
    }

    /// Lines of a band that the picture shows some of; frames reach a few pixels out, so one more at each end.
    fn visible_lines(&self, band: &Band<'_>) -> Range<usize> {
        let from_rows = self.top() - band.y - self.sizes.heading;
        let first = (from_rows.div_euclid(self.sizes.pitch) - 1).max(0);
        let end = (from_rows + i64::from(self.view.height)).div_euclid(self.sizes.pitch) + 2;
        (first as usize).min(band.n_rows)..(end.max(0) as usize).min(band.n_rows)
    }

    /// The row at a place in a band, if a segment lies there.
    pub(super) fn row(&self, band: &Band<'a>, column: usize, line: usize) -> Option<Row<'a>> {
        let nth = (line < band.n_rows).then(|| column.checked_mul(band.n_rows)?.checked_add(line))??;
        let &index = band.group.segments.get(nth)?;
        let segment = self.scene.state.segments.get(index as usize)?;
        Some(Row {
            index,
            segment,
            x: self.sizes.x(column as i64),
            y: band.y + self.sizes.heading + line as i64 * self.sizes.pitch,
            width: self.row_width(band, segment),
            bytes_per_px: band.bytes_per_px,
            from_bytes: band.from_bytes,
        })
    }

    /// No segment is so small that it has no pixel, unless it ends left of what is in sight.
    fn row_width(&self, band: &Band<'_>, segment: &SegmentNow) -> i64 {
        let end_px = (segment.size_bytes as f64 - band.from_bytes) / band.bytes_per_px;
        // A hair beyond a border is an error of rounding, no byte.
        let rounded = end_px.round();
        let edge = if (end_px - rounded).abs() < 1e-6 { rounded } else { end_px.ceil() };
        (edge as i64).clamp(i64::from(end_px > 0.0), self.sizes.width)
    }

    /// The row whose bar covers a point, `y` from the top of everything.
    pub(super) fn row_at(&self, x: i64, y: i64) -> Option<Row<'a>> {
        let band = self.bands.get(self.bands.partition_point(|band| band.y <= y).checked_sub(1)?)?;
        let from_rows = y - band.y - self.sizes.heading;
        if from_rows < 0 || x < 0 || from_rows % self.sizes.pitch >= self.sizes.bar {
            return None;
        }
        let column = (x / self.sizes.stride).min(self.sizes.columns - 1);
        let row = self.row(band, column as usize, (from_rows / self.sizes.pitch) as usize)?;
        (row.x..row.x + row.width).contains(&x).then_some(row)
    }

    /// The blocks of a row, pixel by pixel.
    pub(super) fn cells(&self, row: &Row<'_>) -> Cells {
        let blocks = row.segment.blocks.clone();
        let slots = self.scene.slots.get(blocks.clone()).unwrap_or_default();
        cells(self.blocks(row), slots, row, blocks.start)
    }

    pub(super) fn blocks(&self, row: &Row<'_>) -> &'a [BlockNow] {
        self.scene.state.blocks_of(row.segment)
    }

    /// The block that a cell shows.
    pub(super) fn block(&self, cell: u32) -> Option<&'a BlockNow> {
        self.scene.state.blocks.get(cell as usize).filter(|_| cell != NOTHING)
    }

    /// The colour slot of the block that a cell shows.
    pub(super) fn slot(&self, cell: u32) -> u8 {
        self.scene.slots.get(cell as usize).copied().unwrap_or(0)
    }

    /// Some pixels of a row in the picture.
    pub(super) fn rect(&self, row: &Row<'_>, run: &Range<i64>) -> Rect {
        let (x, width) = (row.x + run.start, run.end - run.start);
        Rect { x, y: row.y - self.top(), width, height: self.sizes.bar }
    }

    /// CSS pixels in device pixels, at least one.
    pub(super) fn px(&self, css: f64) -> i64 {
        ((css * self.view.scale).round() as i64).max(1)
    }
}

impl Row<'_> {
    /// Where an address lies in the row, in device pixels from the row's left end.
    pub(super) fn px(&self, address: u64) -> f64 {
        (address.saturating_sub(self.segment.address) as f64 - self.from_bytes) / self.bytes_per_px
    }
}
