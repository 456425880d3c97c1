//! The blocks of a segment, pixel by pixel: which block each pixel shows.
//!
//! A pixel shows the state (live, waiting, free) that covers most of it, a live one in the colour slot that covers most, each through the block
//! that covers most. Free space is what the view is about, so free blocks too thin to win a pixel are summed up along a run of pixels and given their share, at least one.

use vramscope_core::model::BlockState;
use vramscope_core::replay::N_SLOTS;
use vramscope_core::replay::state::BlockNow;

use super::layout::Row;

/// The block that each pixel of a row shows, as an index into the state's blocks.
pub(super) type Cells = Vec<u32>;

/// A pixel of no block: its segment's blocks are not known.
pub(super) const NOTHING: u32 = u32::MAX;

/// Looks that blocks can have: each slot, awaiting free, free.
const N_LOOKS: usize = N_SLOTS + 2;
const PENDING: usize = N_SLOTS;
const FREE: usize = N_SLOTS + 1;

fn look(block: &BlockNow, slot: u8) -> usize {
    match block.state {
        BlockState::Allocated => usize::from(slot).min(N_SLOTS - 1),
        BlockState::PendingFree => PENDING,
        _ => FREE,
    }
}

/// Which block each pixel of a row shows; `first` is the index of its first block.
pub(super) fn cells(blocks: &[BlockNow], slots: &[u8], row: &Row<'_>, first: usize) -> Cells {
    let width = row.width.max(0) as usize;
    let mut walk = Walk::new(width);
    let before = blocks.partition_point(|block| row.px(end(block)) <= 0.0);
    for (at, block) in blocks.iter().enumerate().skip(before) {
        let from = row.px(block.address).max(0.0);
        if from >= width as f64 {
            break;
        }
        let to = row.px(end(block)).min(width as f64);
        let look = look(block, slots.get(at).copied().unwrap_or(0));
        walk.cover(from, to, look, (first + at) as u32);
    }
    walk.finish()
}

fn end(block: &BlockNow) -> u64 {
    block.address.saturating_add(block.size_bytes)
}

/// Goes along a row from the left; blocks come in order.
struct Walk {
    cells: Cells,
    /// The pixel that is being filled, and what covers it so far.
    at: usize,
    covered: [f64; N_LOOKS],
    /// For each look the block that covers most of this pixel, and how much.
    best: [(f64, u32); N_LOOKS],
    thin: ThinFree,
}

impl Walk {
    fn new(width: usize) -> Self {
        Self {
            cells: vec![NOTHING; width],
            at: 0,
            covered: [0.0; N_LOOKS],
            best: [(0.0, NOTHING); N_LOOKS],
            thin: ThinFree::default(),
        }
    }

    /// A block from one place to another, in pixels, both inside the row.
    fn cover(&mut self, from: f64, to: f64, look: usize, block: u32) {
        let (first, last) = (from as usize, to as usize);
        self.part(first, to.min(first as f64 + 1.0) - from, look, block);
        if last <= first {
            return;
        }
        let whole = first + 1..last;
        // A free block with pixels of its own needs no share of those that it has with others.
        self.thin.shown |= look == FREE && !whole.is_empty();
        self.end_pixel();
        if let Some(whole) = self.cells.get_mut(whole.clone()) {
            whole.fill(block);
        }
        if !whole.is_empty() {
            self.thin.end_run(&mut self.cells);
            self.thin.shown = look == FREE;
        }
        self.at = last;
        self.part(last, to - last as f64, look, block);
    }

    fn part(&mut self, at: usize, share: f64, look: usize, block: u32) {
        if at != self.at {
            self.end_pixel();
            self.at = at;
        }
        if share > 0.0 {
            self.covered[look] += share;
            if share > self.best[look].0 {
                self.best[look] = (share, block);
            }
        }
    }

    /// Settles the pixel that is being filled.
    fn end_pixel(&mut self) {
        let slots = &self.covered[..N_SLOTS];
        let live: f64 = slots.iter().sum();
        let fullest_slot =
            (1..N_SLOTS).fold(0, |best, slot| if slots[slot] > slots[best] { slot } else { best });
        let states = [(live, fullest_slot), (self.covered[PENDING], PENDING), (self.covered[FREE], FREE)];
        let winner = states.into_iter().reduce(|best, next| if next.0 > best.0 { next } else { best });
        let winner = winner.map_or(FREE, |(_, look)| look);
        let covered = self.covered[winner] > 0.0;
        if let Some(cell) = self.cells.get_mut(self.at).filter(|_| covered) {
            *cell = self.best[winner].1;
            let (free, (_, block)) = (self.covered[FREE], self.best[FREE]);
            let shown = winner == FREE;
            if free > 0.0 {
                self.thin.pixel(&mut self.cells, self.at, (free, block), shown);
            } else {
                self.thin.end_run(&mut self.cells);
            }
        }
        self.covered = [0.0; N_LOOKS];
        self.best = [(0.0, NOTHING); N_LOOKS];
    }

    fn finish(mut self) -> Cells {
        self.end_pixel();
        self.thin.end_run(&mut self.cells);
        self.cells
    }
}

/// Free space in a run of neighbouring pixels that all hold some.
#[derive(Default)]
struct ThinFree {
    /// Free pixels that were not shown yet.
    owed: f64,
    /// Some pixel of the run shows free space.
    shown: bool,
    /// The pixel of the run with the most of it: share, place, block.
    most: Option<(f64, usize, u32)>,
}

impl ThinFree {
    fn pixel(&mut self, cells: &mut Cells, at: usize, (share, block): (f64, u32), shown: bool) {
        self.owed += share;
        if self.most.is_none_or(|(most, ..)| share > most) {
            self.most = Some((share, at, block));
        }
        if shown || self.owed >= 1.0 {
            self.owed -= 1.0;
            self.shown = true;
            if let Some(cell) = cells.get_mut(at) {
                *cell = block;
            }
        }
    }

    fn end_run(&mut self, cells: &mut Cells) {
        if let Some((_, at, block)) = self.most.filter(|_| !self.shown)
            && let Some(cell) = cells.get_mut(at)
        {
            *cell = block;
        }
        *self = Self::default();
    }
}
