//! What is alive, moved along from column to column.
//!
//! Columns ask for rising moments, and between two of them little changes. So the pile is kept, in the order in which
//! it is painted: what ended is dropped while visiting, what started is put on top of its list. This gives the same as
//! [`vramscope_core::replay::stacking::for_each_run`] for each moment by itself, several times faster.

use vramscope_core::replay::stacking::Stacking;
use vramscope_core::replay::{N_SLOTS, Replay};

/// One allocation in the pile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) size_bytes: u64,
    pub(crate) end: u32,
    pub(crate) allocation: u32,
}

/// More than so many allocations starting between two columns are not looked through: core's checkpoints know better.
const FEW: u32 = 4_096;

/// The allocations alive at a moment, from the bottom to the top.
pub(crate) struct Pile<'a> {
    replay: &'a Replay,
    stacking: Stacking,
    /// One for each slot, or all in the first; each in order of start.
    lists: [Vec<Block>; N_SLOTS],
    at: Option<u32>,
    /// Id of the first allocation that starts after the moment.
    next: u32,
}

impl<'a> Pile<'a> {
    pub(crate) fn new(replay: &'a Replay, stacking: Stacking) -> Self {
        Self { replay, stacking, lists: Default::default(), at: None, next: 0 }
    }

    pub(crate) fn replay(&self) -> &'a Replay {
        self.replay
    }

    /// Visits what is alive at a moment, from the bottom to the top. Cheap if the moment is not before the last one.
    #[inline]
    pub(crate) fn for_each(&mut self, moment: u32, mut visit: impl FnMut(&Block)) {
        self.move_to(moment);
        for list in &mut self.lists {
            let mut n_alive = 0;
            for at in 0..list.len() {
                let block = list[at];
                if block.end > moment {
                    list[n_alive] = block;
                    n_alive += 1;
                    visit(&block);
                }
            }
            list.truncate(n_alive);
        }
    }

    fn move_to(&mut self, moment: u32) {
        let next = self.first_after(moment);
        let few = next.checked_sub(self.next).is_some_and(|started| started <= FEW);
        if few && self.at.is_some_and(|at| at <= moment) {
            (self.next..next).for_each(|allocation| self.put(allocation, moment));
        } else {
            self.lists.iter_mut().for_each(Vec::clear);
            let replay = self.replay;
            replay.for_each_live(moment, |allocation| self.put(allocation, moment));
        }
        self.next = next;
        self.at = Some(moment);
    }

    fn put(&mut self, allocation: u32, moment: u32) {
        let allocations = self.replay.allocations();
        let end = allocations.end(allocation);
        if end > moment {
            let list = match self.stacking {
                Stacking::Stack => usize::from(self.replay.slot_of(allocation)).min(N_SLOTS - 1),
                Stacking::Age => 0,
            };
            self.lists[list].push(Block { size_bytes: allocations.size_bytes(allocation), end, allocation });
        }
    }

    /// The number of allocations that have started by a moment.
    fn first_after(&self, moment: u32) -> u32 {
        let allocations = self.replay.allocations();
        let (mut low, mut high) = (0, allocations.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if allocations.start(middle) <= moment { low = middle + 1 } else { high = middle }
        }
        low
    }
}
