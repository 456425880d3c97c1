//! Colours of the allocator's state, and the patterns that tell states apart without them.

use crate::theme::{Colour, Colours, Palette};

/// The colours of a picture of the allocator's state.
#[derive(Clone, Debug, PartialEq)]
pub struct StateColours {
    /// Those of the timeline: live blocks look the same in both.
    pub blocks: Colours,
    /// Hatch and frame of free blocks.
    pub free: Colour,
    /// Crossed hatch of blocks that await another stream.
    pub pending: Colour,
    /// What rounding lost, at the end of a block.
    pub rounding: Colour,
    /// Frame of segments that a few blocks keep.
    pub pinned: Colour,
    /// Frame of what is selected.
    pub ink: Colour,
}

/// Distance between lines of a hatch in CSS pixels, across.
const HATCH_CSS: f64 = 6.0;

/// Ready-made pixels.
pub(super) struct StatePalette {
    pub(super) blocks: Palette,
    /// Of blocks that an expression does not choose.
    pub(super) faded: Palette,
    pub(super) background: u32,
    pub(super) free: u32,
    pub(super) pending: u32,
    pub(super) rounding: u32,
    pub(super) pinned: u32,
    pub(super) ink: u32,
    period: i64,
    line: i64,
}

impl StatePalette {
    pub(super) fn new(colours: &StateColours, scale: f64) -> Self {
        Self {
            blocks: Palette::new(&colours.blocks),
            faded: Palette::faded(&colours.blocks),
            background: colours.blocks.background.pixel(),
            free: colours.free.pixel(),
            pending: colours.pending.pixel(),
            rounding: colours.rounding.pixel(),
            pinned: colours.pinned.pixel(),
            ink: colours.ink.pixel(),
            period: ((HATCH_CSS * scale).round() as i64).max(3),
            line: (scale.round() as i64).max(1),
        }
    }

    /// The hatch of free space at a place; it does not depend on where a block begins, so it goes on through neighbours.
    pub(super) fn free_at(&self, x: i64, y: i64) -> u32 {
        if self.rises(x, y) { self.free } else { self.background }
    }

    /// The crossed hatch of a block that awaits another stream.
    pub(super) fn pending_at(&self, x: i64, y: i64) -> u32 {
        if self.rises(x, y) || self.rises(x, -y) { self.pending } else { self.background }
    }

    /// On a line of a hatch that rises to the right.
    fn rises(&self, x: i64, y: i64) -> bool {
        (x + y).rem_euclid(self.period) < self.line
    }
}
