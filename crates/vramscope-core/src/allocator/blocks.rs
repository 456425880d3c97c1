//! Blocks and their neighbours, in an arena.

use std::num::NonZero;

/// A block; valid until it is merged into another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlockId(NonZero<u32>);

impl BlockId {
    /// Of the block at an index; `Option<BlockId>` takes no more room than this.
    fn at(index: usize) -> BlockId {
        BlockId(NonZero::<u32>::MIN.saturating_add(index as u32))
    }

    fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// A piece of a segment.
#[derive(Clone, Debug)]
pub struct Block {
    /// Start.
    pub address: u64,
    /// Bytes.
    pub size_bytes: u64,
    /// Bytes that the program asked for.
    pub requested_bytes: u64,
    /// Raw handle of the stream.
    pub stream: u64,
    /// The caller's name for what lives there: see [`super::Allocator::name`].
    pub key: u32,
    /// Held by the program.
    pub allocated: bool,
    /// Dropped by the program, still used by another stream.
    pub pending: bool,
    /// Backed by memory; false for the empty parts of an expandable segment.
    pub mapped: bool,
    pub(super) pool: u32,
    /// Index of its expandable segment.
    pub(super) range: Option<u32>,
    pub(super) prev: Option<BlockId>,
    pub(super) next: Option<BlockId>,
    /// The pool's count of searches when the block became free (R10).
    pub(super) free_since: u64,
    /// Its place among the waiting blocks.
    pub(super) ticket: u64,
}

impl Block {
    pub(super) fn new(address: u64, size_bytes: u64, stream: u64, pool: u32) -> Self {
        Block {
            address,
            size_bytes,
            requested_bytes: 0,
            stream,
            key: u32::MAX,
            allocated: false,
            pending: false,
            mapped: true,
            pool,
            range: None,
            prev: None,
            next: None,
            free_since: 0,
            ticket: 0,
        }
    }

    /// Only a part of its segment.
    pub fn is_split(&self) -> bool {
        self.prev.is_some() || self.next.is_some()
    }

    /// Neither held nor waited for.
    pub fn is_free(&self) -> bool {
        !self.allocated && !self.pending
    }

    /// Part of an expandable segment.
    pub fn is_expandable(&self) -> bool {
        self.range.is_some()
    }
}

/// All blocks. Places of blocks that are gone are used again.
#[derive(Clone, Debug, Default)]
pub(super) struct Blocks {
    all: Vec<Block>,
    used: Vec<bool>,
    unused: Vec<BlockId>,
}

impl Blocks {
    pub(super) fn add(&mut self, block: Block) -> BlockId {
        if let Some(id) = self.unused.pop() {
            self.all[id.index()] = block;
            self.used[id.index()] = true;
            return id;
        }
        self.all.push(block);
        self.used.push(true);
        BlockId::at(self.all.len() - 1)
    }

    pub(super) fn remove(&mut self, id: BlockId) {
        self.used[id.index()] = false;
        self.unused.push(id);
    }

    #[inline]
    pub(super) fn get(&self, id: BlockId) -> &Block {
        &self.all[id.index()]
    }

    #[inline]
    pub(super) fn get_mut(&mut self, id: BlockId) -> &mut Block {
        &mut self.all[id.index()]
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Block> {
        self.all.iter().zip(&self.used).filter(|(_, used)| **used).map(|(block, _)| block)
    }

    /// Puts a block between two neighbours.
    pub(super) fn link(&mut self, id: BlockId, prev: Option<BlockId>, next: Option<BlockId>) {
        let block = self.get_mut(id);
        (block.prev, block.next) = (prev, next);
        if let Some(prev) = prev {
            self.get_mut(prev).next = Some(id);
        }
        if let Some(next) = next {
            self.get_mut(next).prev = Some(id);
        }
    }
}
