//! What is asked for in a picture of the allocator's state, and the sizes that follow from it.

use serde::{Deserialize, Serialize};
use vramscope_core::replay::stacking::Stacking;

use crate::geometry::{MAX_AREA_PX, MAX_SIDE_PX, clamped_scale, one};

/// Which segments stand together under a heading.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Grouping {
    /// Those of one kind, private pool and stream: free memory of one group is of no use to another.
    #[default]
    PoolStream,
    /// All.
    None,
}

/// What comes first in a group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sorting {
    /// The largest segment.
    #[default]
    Size,
    /// The lowest address.
    Address,
    /// The segment with the most free bytes.
    Free,
    /// The segment that has been there longest.
    Age,
}

/// A part of the state and the size of its picture.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct StateView {
    /// The moment.
    pub moment: u32,
    /// Which segments stand together.
    #[serde(default)]
    pub group: Grouping,
    /// Their order.
    #[serde(default)]
    pub sort: Sorting,
    /// What live blocks are coloured by, as in the timeline.
    #[serde(default)]
    pub stacking: Stacking,
    /// Rows side by side; by default as many as stay wide enough.
    #[serde(default)]
    pub columns: Option<u32>,
    /// How many times wider than its column the widest segment is, from 1.
    #[serde(default = "one")]
    pub zoom: f64,
    /// Share of the widest segment that is hidden at the left, 0 to 1 − 1 / `zoom`.
    #[serde(default)]
    pub left: f64,
    /// How far it is scrolled down, in device pixels.
    #[serde(default)]
    pub top: f64,
    /// Columns of pixels, in device pixels.
    pub width: u32,
    /// Rows of pixels, in device pixels.
    pub height: u32,
    /// Device pixels for one CSS pixel.
    #[serde(default = "one")]
    pub scale: f64,
}

/// The most columns; more would be too narrow on any screen.
pub const MAX_COLUMNS: u32 = 4;
/// Beyond this a byte is many pixels wide in any segment that a device has.
const MAX_ZOOM: f64 = 1e9;
/// Further down than any state reaches, and still exact in pixels.
const LOWEST: f64 = 1e15;

const PITCH_CSS: f64 = 20.0;
const BAR_CSS: f64 = 16.0;
const HEADING_CSS: f64 = 34.0;
const GUTTER_CSS: f64 = 32.0;
const GAP_CSS: f64 = 24.0;
/// So few segments stand below each other.
const FEW_SEGMENTS: usize = 4;
/// Rows narrower than this get fewer columns.
const LEAST_BAR_CSS: f64 = 400.0;

impl StateView {
    /// The same view with every number finite and in order, and a size that can be painted.
    pub fn clamped(self) -> Self {
        let width = self.width.clamp(1, MAX_SIDE_PX);
        let height = self.height.clamp(1, (MAX_AREA_PX / width).clamp(1, MAX_SIDE_PX));
        let zoom = within(self.zoom, 1.0, MAX_ZOOM);
        let left = within(self.left, 0.0, 1.0 - 1.0 / zoom);
        let top = within(self.top, 0.0, LOWEST).round();
        let columns = self.columns.map(|columns| columns.clamp(1, MAX_COLUMNS));
        Self { width, height, zoom, left, top, columns, scale: clamped_scale(self.scale), ..self }
    }
}

fn within(value: f64, least: f64, most: f64) -> f64 {
    if value.is_nan() { least } else { value.clamp(least, most) }
}

/// Sizes in device pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sizes {
    /// From one row to the next.
    pub(super) pitch: i64,
    /// Height of a segment.
    pub(super) bar: i64,
    /// Height of the band above a group, for its heading.
    pub(super) heading: i64,
    /// Width left of each row, for the size of its segment.
    pub(super) gutter: i64,
    /// Columns.
    pub(super) columns: i64,
    /// From the left border of one column to that of the next.
    pub(super) stride: i64,
    /// Width of the widest segment at zoom 1.
    pub(super) width: i64,
}

impl Sizes {
    /// The sizes in a clamped view. `most` is how many segments the largest group has: a few are long ones, as expandable segments are,
    /// and get the whole width.
    pub(super) fn of(view: &StateView, most: usize) -> Self {
        let px = |css: f64| ((css * view.scale).round() as i64).max(1);
        let (pitch, bar) = (px(PITCH_CSS).max(2), px(BAR_CSS));
        let (gutter, gap, width) = (px(GUTTER_CSS), px(GAP_CSS), i64::from(view.width));
        let fitting = (width + gap) / (gutter + px(LEAST_BAR_CSS) + gap);
        let wanted = if most <= FEW_SEGMENTS { 1 } else { fitting };
        let columns = view.columns.map_or(wanted, i64::from).clamp(1, i64::from(MAX_COLUMNS));
        let column = ((width + gap) / columns - gap).max(gutter + 1);
        Self {
            pitch,
            bar: bar.min(pitch - 1),
            heading: px(HEADING_CSS),
            gutter,
            columns,
            stride: column + gap,
            width: column - gutter,
        }
    }

    /// The left border of a column's segments.
    pub(super) fn x(&self, column: i64) -> i64 {
        column * self.stride + self.gutter
    }
}
