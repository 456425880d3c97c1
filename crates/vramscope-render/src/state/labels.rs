//! What the page needs to set text upon the picture.

use serde::Serialize;
use vramscope_core::model::BlockState;

use super::layout::{Layout, Row};
use super::paint::Selection;

/// What is in sight, in device pixels from the picture's corner.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[allow(missing_docs)]
pub struct StateLayout {
    /// Height of everything.
    pub height: u64,
    pub columns: u32,
    pub groups: Vec<GroupPlace>,
    pub rows: Vec<RowPlace>,
}

/// A group: its heading and rows.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[allow(missing_docs)]
pub struct GroupPlace {
    pub key: String,
    pub y: i64,
    pub height: i64,
    /// Bytes that are as wide as a column at zoom 1.
    pub full_width_bytes: u64,
}

/// A segment.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[allow(missing_docs)]
pub struct RowPlace {
    pub segment: String,
    pub x: i64,
    pub y: i64,
    pub width: i64,
    pub height: i64,
    pub bytes: u64,
    pub pinned: bool,
    pub selected: bool,
    pub labels: Vec<Label>,
}

/// Room for the size of a block.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[allow(missing_docs)]
pub struct Label {
    pub x: i64,
    pub width: i64,
    pub bytes: u64,
    /// "allocated", "pending" or "free".
    pub state: &'static str,
    /// Colour slot of a block in use.
    pub slot: Option<u8>,
}

/// Room for the shortest size, in CSS pixels: "4.7".
const LEAST_LABEL_CSS: f64 = 26.0;

/// A block's state as the page names it.
pub fn state_name(state: BlockState) -> &'static str {
    match state {
        BlockState::Allocated => "allocated",
        BlockState::PendingFree => "pending",
        BlockState::Inactive | BlockState::Other => "free",
    }
}

impl Layout<'_> {
    /// Places of all that is in sight. `stream` gives the raw handle of a group's stream.
    pub fn places(
        &self,
        selection: Selection,
        stream: impl Fn(vramscope_core::ids::StreamId) -> u64,
    ) -> StateLayout {
        let groups = self.visible_bands().iter().map(|band| GroupPlace {
            key: super::group_key(band.group.owner, band.group.owner.map_or(0, |owner| stream(owner.stream))),
            y: band.y - self.top(),
            height: band.height,
            full_width_bytes: band.group.widest_bytes,
        });
        let groups = groups.collect();
        let segment = selection.segment.and_then(|address| self.scene.segment_at(address));
        let holder =
            selection.allocation.and_then(|id| self.scene.state.find(id)).map(|(segment, _)| segment);
        let mut rows = Vec::new();
        self.for_each_visible(|row| {
            let index = Some(row.index as usize);
            rows.push(self.row_place(&row, index == segment || index == holder));
        });
        StateLayout { height: self.height(), columns: self.columns(), groups, rows }
    }

    fn row_place(&self, row: &Row<'_>, selected: bool) -> RowPlace {
        RowPlace {
            segment: format!("0x{:x}", row.segment.address),
            x: row.x,
            y: row.y - self.top(),
            width: row.width,
            height: self.sizes.bar,
            bytes: row.segment.size_bytes,
            pinned: row.segment.is_pinned(),
            selected,
            labels: self.labels(row),
        }
    }

    fn labels(&self, row: &Row<'_>) -> Vec<Label> {
        let least = self.px(LEAST_LABEL_CSS);
        let (mut labels, mut x) = (Vec::new(), row.x);
        for run in self.cells(row).chunk_by(|a, b| a == b) {
            let width = run.len() as i64;
            let first = run.first().copied().filter(|_| width >= least);
            if let Some((cell, block)) = first.and_then(|cell| Some((cell, self.block(cell)?))) {
                let slot = block.allocation.map(|_| self.slot(cell));
                labels.push(Label {
                    x,
                    width,
                    bytes: block.size_bytes,
                    state: state_name(block.state),
                    slot,
                });
            }
            x += width;
        }
        labels
    }
}
