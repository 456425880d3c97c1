//! What lies under a pixel, where something lies, and what lies next to it.

use serde::Deserialize;
use vramscope_core::replay::state::BlockNow;

use super::layout::{Layout, Row};
use crate::picture::Rect;

/// What was painted at a pixel, as indices into the state's segments and blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateHit {
    /// The segment.
    pub segment: usize,
    /// The block, if the segment's blocks are known.
    pub block: Option<usize>,
}

/// Where something lies, in device pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// `y` from the top of everything, `x` from the left border of the picture; cut to its column.
    pub(crate) rect: Rect,
    /// Index of the segment.
    pub segment: usize,
}

impl Place {
    /// Left border, from that of the picture.
    pub fn x(&self) -> i64 {
        self.rect.x
    }

    /// Top, from that of everything.
    pub fn y(&self) -> i64 {
        self.rect.y
    }

    /// Width, at least a pixel.
    pub fn width(&self) -> i64 {
        self.rect.width
    }

    /// Height.
    pub fn height(&self) -> i64 {
        self.rect.height
    }
}

/// A direction in the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum Towards {
    Up,
    Down,
    Left,
    Right,
}

impl Layout<'_> {
    /// What lies under a pixel of the picture, `x_px` from the left and `y_px` from the top: exactly what was painted there.
    pub fn hit(&self, x_px: f64, y_px: f64) -> Option<StateHit> {
        let inside = |at: f64, side: u32| at >= 0.0 && at < f64::from(side);
        if !inside(x_px, self.view.width) || !inside(y_px, self.view.height) {
            return None;
        }
        let (x, y) = (x_px as i64, y_px as i64 + self.top());
        let row = self.row_at(x, y)?;
        let index = self.cells(&row).get((x - row.x) as usize).copied();
        let block = index.filter(|&index| self.block(index).is_some());
        Some(StateHit { segment: row.index as usize, block: block.map(|index| index as usize) })
    }

    /// Where an allocation's block lies.
    pub fn place_of_allocation(&self, allocation: u32) -> Option<Place> {
        let (segment, block) = self.scene.state.find(allocation)?;
        let row = self.row_of(segment)?;
        let block = self.scene.state.blocks.get(block)?;
        Some(Place { rect: self.block_rect(&row, block), segment })
    }

    /// Where the segment that holds an address lies.
    pub fn place_of_segment(&self, address: u64) -> Option<Place> {
        let segment = self.scene.segment_at(address)?;
        let row = self.row_of(segment)?;
        let rect = Rect { x: row.x, y: row.y, width: row.width.max(1), height: self.sizes.bar };
        Some(Place { rect, segment })
    }

    /// A block's place in its row; at least a pixel, at the border if it is not in sight.
    fn block_rect(&self, row: &Row<'_>, block: &BlockNow) -> Rect {
        let edge = |address| (row.px(address).round() as i64).clamp(0, row.width.max(1));
        let from = edge(block.address).min(row.width.max(1) - 1);
        let to = edge(block.address.saturating_add(block.size_bytes)).max(from + 1);
        Rect { x: row.x + from, y: row.y, width: to - from, height: self.sizes.bar }
    }

    /// The row of a segment.
    fn row_of(&self, segment: usize) -> Option<Row<'_>> {
        let index = u32::try_from(segment).ok()?;
        let (band, nth) = self.bands.iter().find_map(|band| {
            let nth = band.group.segments.iter().position(|&other| other == index)?;
            Some((band, nth))
        })?;
        self.row(band, nth / band.n_rows, nth % band.n_rows)
    }

    /// The block that holds an address, as an index.
    pub fn block_at(&self, address: u64) -> Option<usize> {
        let segment = self.scene.state.segments.get(self.scene.segment_at(address)?)?;
        let blocks = self.scene.state.blocks_of(segment);
        let after = blocks.partition_point(|block| block.address <= address);
        Some(segment.blocks.start + after.checked_sub(1)?)
    }

    /// The first block that is in sight.
    pub fn first_block(&self) -> Option<usize> {
        let mut first = None;
        self.for_each_visible(|row| {
            if first.is_none() && row.y >= self.top() && !row.segment.blocks.is_empty() {
                first = Some(row.segment.blocks.start);
            }
        });
        first
    }

    /// The block next to one: in its segment, or in the segment before or after it, at the same place as near as can be.
    pub fn neighbour(&self, block: usize, towards: Towards) -> Option<usize> {
        let state = &self.scene.state;
        let segment = state.segments.iter().position(|segment| segment.blocks.contains(&block))?;
        let range = state.segments.get(segment)?.blocks.clone();
        match towards {
            Towards::Left => block.checked_sub(1).filter(|block| range.contains(block)),
            Towards::Right => block.checked_add(1).filter(|block| range.contains(block)),
            Towards::Up => self.across(segment, block, -1),
            Towards::Down => self.across(segment, block, 1),
        }
    }

    fn across(&self, segment: usize, block: usize, step: isize) -> Option<usize> {
        let row = self.row_of(segment)?;
        let rect = self.block_rect(&row, self.scene.state.blocks.get(block)?);
        let middle = rect.x - row.x + rect.width / 2;
        let order: Vec<u32> = self.bands.iter().flat_map(|band| &band.group.segments).copied().collect();
        let mut at = order.iter().position(|&index| index as usize == segment)?;
        loop {
            at = at.checked_add_signed(step)?;
            let row = self.row_of(*order.get(at)? as usize)?;
            let blocks = self.blocks(&row);
            let after = blocks.partition_point(|block| row.px(block.address) <= middle as f64);
            if !blocks.is_empty() {
                return Some(row.segment.blocks.start + after.saturating_sub(1));
            }
        }
    }
}
