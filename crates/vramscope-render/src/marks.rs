//! What an expression chose in a picture of allocations: outlined, and what it did not choose faded.

use std::ops::Range;

use vramscope_core::bits::Bits;
use vramscope_core::replay::Replay;

use crate::column::fill;
use crate::theme::{Colours, Palette};

/// What is lower or narrower has no room for an outline.
pub(crate) const OUTLINED_FROM_PX: f64 = 3.0;

/// Marks while columns are painted from left to right.
pub(crate) struct Marks<'a> {
    chosen: &'a Bits,
    replay: &'a Replay,
    faded: Palette,
    ink: u32,
    /// An allocation that lives shorter is too narrow for an outline.
    least_moments: f64,
    /// A row at which something chosen lies that is thinner than a row.
    tick: Option<i32>,
    /// The last block painted is chosen.
    below: bool,
    /// For each row of this column and of the one before the block outlined there, counted from 1.
    owners: [Vec<u32>; 2],
    /// Something in this column parts it from a copy of it.
    has_sides: bool,
    first: bool,
}

impl<'a> Marks<'a> {
    pub(crate) fn new(chosen: &'a Bits, replay: &'a Replay, colours: &Colours, height: u32) -> Self {
        Self {
            chosen,
            replay,
            faded: Palette::faded(colours),
            ink: colours.reserved.pixel(),
            least_moments: 0.0,
            tick: None,
            below: false,
            owners: [vec![0; height as usize], vec![0; height as usize]],
            has_sides: false,
            first: true,
        }
    }

    /// Starts a column; what lives for fewer moments gets no outline in it.
    pub(crate) fn begin(&mut self, least_moments: f64) {
        self.least_moments = least_moments;
        (self.tick, self.below) = (None, false);
        self.owners.swap(0, 1);
        self.owners[0].fill(0);
    }

    /// The next column looks the same.
    pub(crate) fn is_repeated(&self) -> bool {
        !self.has_sides
    }

    /// Paints a block: slot, id, height before rounding.
    pub(crate) fn block(
        &mut self,
        pixels: &mut [u32],
        rows: Range<i32>,
        palette: &Palette,
        (slot, allocation, height_px): (u8, u32, f64),
    ) {
        let chosen = self.chosen.has(allocation);
        let palette = if chosen { palette } else { &self.faded };
        fill(pixels, rows.clone(), palette.block(slot, allocation, height_px));
        if chosen && f64::from(rows.end - rows.start) >= OUTLINED_FROM_PX && self.is_wide(allocation) {
            for row in [rows.start, rows.end - 1] {
                self.ink(pixels, row);
            }
            let visible = rows.start.max(0) as usize..(rows.end as usize).min(pixels.len());
            if let Some(owners) = self.owners[0].get_mut(visible) {
                owners.fill(allocation.wrapping_add(1));
            }
        } else if !chosen && !self.below && self.tick == Some(rows.start) {
            self.ink(pixels, rows.start);
        }
        (self.tick, self.below) = (None, chosen);
    }

    fn is_wide(&self, allocation: u32) -> bool {
        let rows = self.replay.allocations();
        let end = rows.end(allocation).min(self.replay.n_moments());
        f64::from(end.saturating_sub(rows.start(allocation))) >= self.least_moments
    }

    /// A block that takes no row.
    pub(crate) fn thin(&mut self, allocation: u32, edge: i32) {
        if self.chosen.has(allocation) {
            self.tick(edge);
        }
    }

    /// Something chosen at an edge takes no row.
    pub(crate) fn tick(&mut self, edge: i32) {
        self.tick = Some(edge);
    }

    /// Ends a column: the sides of what is outlined, and what is thin above all.
    pub(crate) fn end(&mut self, pixels: &mut [u32], edge: i32) {
        if !self.below && self.tick == Some(edge) {
            self.ink(pixels, edge);
        }
        self.has_sides = false;
        if std::mem::replace(&mut self.first, false) {
            return;
        }
        let [now, before] = &self.owners;
        for ((now, before), pixel) in now.iter().zip(before).zip(pixels) {
            if now != before {
                *pixel = self.ink;
                self.has_sides = true;
            }
        }
    }

    fn ink(&self, pixels: &mut [u32], row: i32) {
        if let Some(pixel) = usize::try_from(row).ok().and_then(|row| pixels.get_mut(row)) {
            *pixel = self.ink;
        }
    }
}
