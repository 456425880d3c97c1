//! Where things lie in a timeline picture: columns ↔ moments, rows ↔ bytes.
//!
//! The painter and whoever asks what is under a pixel go through here, so they agree to the pixel.

use std::ops::Range;

use serde::{Deserialize, Serialize};
pub use vramscope_core::replay::Axis;
use vramscope_core::replay::Replay;
use vramscope_core::replay::stacking::Stacking;

/// The longest side of a picture; larger requests are cut.
pub const MAX_SIDE_PX: u32 = 16_384;
/// The most pixels in a picture: one 8K screen and a little more.
pub const MAX_AREA_PX: u32 = 40_000_000;
/// Beyond this, positions are cut: nothing a recording holds lies there.
const FARTHEST: f64 = 2e19;

/// A part of the recording and the size of its picture.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct View {
    /// What x counts.
    pub axis: Axis,
    /// Left border, in units of the axis.
    pub x0: f64,
    /// Right border, in units of the axis.
    pub x1: f64,
    /// Lower border, in bytes.
    pub y0: f64,
    /// Upper border, in bytes.
    pub y1: f64,
    /// Columns, in device pixels.
    pub width: u32,
    /// Rows, in device pixels.
    pub height: u32,
    /// How allocations lie upon each other.
    pub stacking: Stacking,
    /// Device pixels for one CSS pixel: how wide a line is.
    #[serde(default = "one")]
    pub scale: f64,
    /// What is piled up.
    #[serde(default)]
    pub show: Show,
}

/// What a timeline shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Show {
    /// Allocations, coloured by place.
    #[default]
    Allocations,
    /// Segments as the driver gave them, the oldest at the bottom, coloured by pool.
    Segments,
    /// Pools: what is in use, and above it the rest of what each has reserved.
    Pools,
}

/// By default a CSS pixel is a device pixel.
pub(crate) fn one() -> f64 {
    1.0
}

impl View {
    /// The same view with every number finite, borders in order and a size that can be painted.
    pub fn clamped(self) -> Self {
        let (x0, x1) = clamped_span(self.x0, self.x1);
        let (y0, y1) = clamped_span(self.y0, self.y1);
        let width = self.width.clamp(1, MAX_SIDE_PX);
        let height = self.height.clamp(1, (MAX_AREA_PX / width).clamp(1, MAX_SIDE_PX));
        Self { x0, x1, y0, y1, width, height, scale: clamped_scale(self.scale), ..self }
    }

    /// Where a column begins and ends on the axis.
    pub(crate) fn column_span(&self, column: u32) -> (f64, f64) {
        let at = |column: f64| self.x0 + column * (self.x1 - self.x0) / f64::from(self.width.max(1));
        (at(f64::from(column)), at(f64::from(column) + 1.0))
    }

    /// The moments that a column stands for, none if it lies outside of the recording.
    ///
    /// Every moment between the borders of the view is in some column, also one that lasts no time at all.
    pub fn column_moments(&self, replay: &Replay, column: u32) -> Option<Range<u32>> {
        let (from, to) = self.column_span(column);
        replay.moments_between(self.axis, from, to)
    }

    /// The column of a pixel.
    pub fn column_at(&self, x_px: f64) -> u32 {
        (x_px.floor() as u32).min(self.width.saturating_sub(1))
    }

    /// The rows of this view.
    pub fn rows(&self) -> Rows {
        Rows {
            y0: self.y0,
            rows_per_byte: f64::from(self.height) / (self.y1 - self.y0),
            height: self.height as i32,
        }
    }
}

/// Rows of a picture, counted from the bottom; an edge is the border between two rows.
#[derive(Clone, Copy, Debug)]
pub struct Rows {
    y0: f64,
    rows_per_byte: f64,
    height: i32,
}

impl Rows {
    /// Edges outside of the picture stay this near to it.
    pub(crate) const MARGIN: i32 = 64;

    /// The edge nearest to a number of bytes. Rising with the bytes, so blocks fill what lies between their edges
    /// and a column as a whole is as high as its sum, whatever the blocks round to.
    #[inline]
    pub fn edge(&self, bytes: u64) -> i32 {
        // The cast cuts toward zero and saturates: with the margin added, that is the floor for all that counts.
        let from_margin = (bytes as f64 - self.y0) * self.rows_per_byte + (0.5 + f64::from(Self::MARGIN));
        (from_margin as i32).clamp(0, self.height + 2 * Self::MARGIN) - Self::MARGIN
    }

    /// For each edge, from [`Rows::MARGIN`] below the picture on, the fewest bytes whose edge lies above it.
    pub(crate) fn thresholds(&self) -> Vec<u64> {
        let highest = self.height + Self::MARGIN;
        let threshold = |edge| if edge < highest { self.first_above(edge) } else { u64::MAX };
        (-Self::MARGIN..=highest).map(threshold).collect()
    }

    /// The fewest bytes whose edge lies above `edge`: near to where it is on paper, then searched, because it must agree
    /// with [`Rows::edge`] to the byte.
    fn first_above(&self, edge: i32) -> u64 {
        let bytes = (f64::from(edge) + 0.5) / self.rows_per_byte;
        let slack = (bytes.abs() + self.y0.abs()) * 1e-12 + 2.0;
        let (mut low, mut high) = ((bytes + self.y0 - slack) as u64, (bytes + self.y0 + slack) as u64);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.edge(middle) <= edge { low = middle + 1 } else { high = middle }
        }
        low
    }

    /// The height of a number of bytes in pixels, not rounded.
    #[inline]
    pub fn height_px(&self, bytes: u64) -> f64 {
        bytes as f64 * self.rows_per_byte
    }

    /// The row of a pixel, given from the top.
    pub fn row_at(&self, y_px: f64) -> i32 {
        self.height - 1 - (y_px.floor() as i32).clamp(0, self.height - 1)
    }

    /// Number of rows.
    pub fn height(&self) -> i32 {
        self.height
    }
}

/// Device pixels for one CSS pixel, within reason.
pub(crate) fn clamped_scale(scale: f64) -> f64 {
    if scale.is_finite() { scale.clamp(0.25, 8.0) } else { 1.0 }
}

/// Finite borders in order, whatever was asked for.
pub(crate) fn clamped_span(from: f64, to: f64) -> (f64, f64) {
    let from = if from.is_finite() { from.clamp(-FARTHEST, FARTHEST) } else { 0.0 };
    let to = if to.is_finite() { to.clamp(-FARTHEST, FARTHEST) } else { from };
    // Narrower than this, floating point no longer parts one column from the next.
    let least = (from.abs() * 1e-12).max(1e-3);
    if to - from >= least { (from, to) } else { (from, from + least.max(1.0)) }
}

#[cfg(test)]
pub(crate) mod tests;
