//! What is alive, moved along from column to column.
//!
//! Columns ask for rising moments, and between two of them little changes. So the pile is kept, in the order in which
//! it is painted: what ended is dropped while visiting, what started is put on top of its list. This gives the same as
//! [`vramscope_core::replay::stacking::for_each_run`] for each moment by itself, several times faster.

use std::ops::RangeInclusive;

use vramscope_core::bits::Bits;
use vramscope_core::replay::stacking::{SlotsOf, Stacking};
use vramscope_core::replay::{N_SLOTS, Replay};

/// One allocation, or another thing, in the pile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) size_bytes: u64,
    pub(crate) end: u32,
    pub(crate) allocation: u32,
}

/// What can be piled up: rows in order of start, with a life, a size and a colour slot.
pub(crate) trait Things {
    /// How many.
    fn count(&self) -> u32;
    /// First moment at which it is alive.
    fn start(&self, id: u32) -> u32;
    /// First moment at which it is no longer alive.
    fn end(&self, id: u32) -> u32;
    /// Its height.
    fn size_bytes(&self, id: u32) -> u64;
    /// Its colour slot.
    fn slot(&self, id: u32) -> u8;
    /// It is to be seen however thin it is.
    #[inline]
    fn is_marked(&self, _id: u32) -> bool {
        false
    }
    /// Visits what is alive at a moment, in order of start.
    fn for_each_live(&self, moment: u32, visit: impl FnMut(u32));
}

/// The allocations of a device.
#[derive(Clone, Copy)]
pub(crate) struct Allocated<'a> {
    replay: &'a Replay,
    slots: SlotsOf<'a>,
    marked: Option<&'a Bits>,
}

impl<'a> Allocated<'a> {
    /// Coloured as they lie.
    pub(crate) fn new(replay: &'a Replay, stacking: Stacking, marked: Option<&'a Bits>) -> Self {
        Self { replay, slots: stacking.slots(replay), marked }
    }
}

impl Things for Allocated<'_> {
    fn count(&self) -> u32 {
        self.replay.allocations().len()
    }

    #[inline]
    fn start(&self, id: u32) -> u32 {
        self.replay.allocations().start(id)
    }

    #[inline]
    fn end(&self, id: u32) -> u32 {
        self.replay.allocations().end(id)
    }

    #[inline]
    fn size_bytes(&self, id: u32) -> u64 {
        self.replay.allocations().size_bytes(id)
    }

    #[inline]
    fn slot(&self, id: u32) -> u8 {
        self.slots.get(id)
    }

    #[inline]
    fn is_marked(&self, id: u32) -> bool {
        self.marked.is_some_and(|marked| marked.has(id))
    }

    #[inline]
    fn for_each_live(&self, moment: u32, visit: impl FnMut(u32)) {
        self.replay.for_each_live(moment, visit);
    }
}

/// More than so many allocations starting between two columns are not looked through: core's checkpoints know better.
const FEW: u32 = 4_096;

/// Blocks next to each other are kept together in this many, with what they have in common: of a pile of tens of thousands, most lie inside
/// one row of pixels, and are passed at once.
const TOGETHER: usize = 32;

/// Some blocks next to each other in a list, in order of start.
struct Group {
    blocks: Vec<Block>,
    size_bytes: u64,
    /// When the first of them ends.
    first_end: u32,
    /// One of them is marked.
    marked: bool,
}

impl Group {
    fn of(block: Block, marked: bool) -> Self {
        let mut blocks = Vec::with_capacity(TOGETHER);
        blocks.push(block);
        Self { blocks, size_bytes: block.size_bytes, first_end: block.end, marked }
    }

    fn push(&mut self, block: Block, marked: bool) {
        self.marked |= marked;
        self.blocks.push(block);
        self.size_bytes = self.size_bytes.saturating_add(block.size_bytes);
        self.first_end = self.first_end.min(block.end);
    }

    /// Drops what has ended.
    fn drop_ended(&mut self, moment: u32, things: &impl Things) {
        self.blocks.retain(|block| block.end > moment);
        self.marked = self.marked && self.blocks.iter().any(|block| things.is_marked(block.allocation));
        let sizes = self.blocks.iter().map(|block| block.size_bytes);
        self.size_bytes = sizes.fold(0, u64::saturating_add);
        self.first_end = self.blocks.iter().map(|block| block.end).min().unwrap_or(u32::MAX);
    }
}

/// Who visits a pile.
pub(crate) trait Visitor {
    /// The next block.
    fn block(&mut self, block: &Block);

    /// The next blocks together, given their bytes, a range that holds their ids, and whether one is marked. False: they are to be visited
    /// one by one.
    fn pass(&mut self, bytes: u64, ids: RangeInclusive<u32>, marked: bool) -> bool;
}

/// Visits every block by itself.
struct EachBlock<F>(F);

impl<F: FnMut(&Block)> Visitor for EachBlock<F> {
    #[inline(always)]
    fn block(&mut self, block: &Block) {
        self.0(block);
    }

    #[inline(always)]
    fn pass(&mut self, _bytes: u64, _ids: RangeInclusive<u32>, _marked: bool) -> bool {
        false
    }
}

/// The things alive at a moment, from the bottom to the top.
pub(crate) struct Pile<T> {
    things: T,
    stacking: Stacking,
    /// One for each slot, or all in the first; each in order of start.
    lists: [Vec<Group>; N_SLOTS],
    at: Option<u32>,
    /// Id of the first thing that starts after the moment.
    next: u32,
}

impl<T: Things> Pile<T> {
    pub(crate) fn new(things: T, stacking: Stacking) -> Self {
        Self { things, stacking, lists: Default::default(), at: None, next: 0 }
    }

    /// Visits each block of what is alive at a moment, from the bottom to the top. Cheap if the moment is not before the last one.
    pub(crate) fn for_each(&mut self, moment: u32, visit: impl FnMut(&Block)) {
        self.visit(moment, &mut EachBlock(visit));
    }

    /// Visits what is alive at a moment, from the bottom to the top, several blocks at once where the visitor lets them pass.
    #[inline(always)]
    pub(crate) fn visit(&mut self, moment: u32, visitor: &mut impl Visitor) {
        self.move_to(moment);
        for list in &mut self.lists {
            let mut emptied = false;
            for group in list.iter_mut() {
                if group.first_end <= moment {
                    group.drop_ended(moment, &self.things);
                }
                let (Some(first), Some(last)) = (group.blocks.first(), group.blocks.last()) else {
                    emptied = true;
                    continue;
                };
                if !visitor.pass(group.size_bytes, first.allocation..=last.allocation, group.marked) {
                    group.blocks.iter().for_each(|block| visitor.block(block));
                }
            }
            if emptied {
                join(list);
            }
        }
    }

    fn move_to(&mut self, moment: u32) {
        let next = self.first_after(moment);
        let few = next.checked_sub(self.next).is_some_and(|started| started <= FEW);
        if few && self.at.is_some_and(|at| at <= moment) {
            let Self { things, lists, stacking, .. } = self;
            (self.next..next).for_each(|id| put(things, lists, *stacking, id, moment));
        } else {
            self.lists.iter_mut().for_each(Vec::clear);
            let Self { things, lists, stacking, .. } = self;
            things.for_each_live(moment, |id| put(things, lists, *stacking, id, moment));
        }
        self.next = next;
        self.at = Some(moment);
    }

    /// The number of things that have started by a moment.
    fn first_after(&self, moment: u32) -> u32 {
        let (mut low, mut high) = (0, self.things.count());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.things.start(middle) <= moment { low = middle + 1 } else { high = middle }
        }
        low
    }
}

fn put<T: Things>(things: &T, lists: &mut [Vec<Group>; N_SLOTS], stacking: Stacking, id: u32, moment: u32) {
    let end = things.end(id);
    if end > moment {
        let list = match stacking {
            Stacking::Stack | Stacking::Category => usize::from(things.slot(id)).min(N_SLOTS - 1),
            Stacking::Age => 0,
        };
        let block = Block { size_bytes: things.size_bytes(id), end, allocation: id };
        match lists[list].last_mut().filter(|group| group.blocks.len() < TOGETHER) {
            Some(group) => group.push(block, things.is_marked(id)),
            None => lists[list].push(Group::of(block, things.is_marked(id))),
        }
    }
}

/// Drops empty groups, and joins those that have become small with the one below.
fn join(list: &mut Vec<Group>) {
    let before = std::mem::take(list);
    for group in before {
        match list.last_mut().filter(|last| last.blocks.len() + group.blocks.len() <= TOGETHER) {
            Some(last) => group.blocks.iter().for_each(|block| last.push(*block, group.marked)),
            None => list.push(group),
        }
    }
    list.retain(|group| !group.blocks.is_empty());
}
