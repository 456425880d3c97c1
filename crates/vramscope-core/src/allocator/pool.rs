//! A pool: the free blocks of one kind and owner.

use std::collections::BTreeMap;

use super::blocks::{Block, BlockId};
use crate::model::PoolId;

/// R4: by stream, then size, then address.
pub(super) type FreeKey = (u64, u64, u64);

/// Blocks in an order. One type for all: each further one is ten kilobytes of the page.
pub(super) type BlockMap = BTreeMap<FreeKey, BlockId>;

#[derive(Clone, Debug)]
pub(super) struct Pool {
    pub(super) owner: PoolId,
    pub(super) is_small: bool,
    /// Mapped free blocks.
    pub(super) free: BlockMap,
    /// Empty parts of expandable segments, by stream and address; 0 stands between them.
    pub(super) unmapped: BlockMap,
    /// Searches so far; counted only while garbage collection is on (R4).
    pub(super) searches: u64,
}

impl Pool {
    pub(super) fn new(owner: PoolId, is_small: bool) -> Self {
        Pool { owner, is_small, free: BlockMap::new(), unmapped: BlockMap::new(), searches: 0 }
    }
}

pub(super) fn free_key(block: &Block) -> FreeKey {
    (block.stream, block.size_bytes, block.address)
}

impl super::Allocator {
    /// The pool that serves requests of a rounded size.
    pub(super) fn pool_for(&mut self, is_small: bool, owner: PoolId) -> u32 {
        let next = self.pools.len() as u32;
        let at = *self.pool_index.entry((owner, is_small)).or_insert(next);
        if at == next {
            self.pools.push(Pool::new(owner, is_small));
        }
        at
    }

    pub(super) fn pool(&self, at: u32) -> &Pool {
        &self.pools[at as usize]
    }

    pub(super) fn pool_mut(&mut self, at: u32) -> &mut Pool {
        &mut self.pools[at as usize]
    }

    /// Puts a block among the free ones; its age starts again.
    pub(super) fn insert_free(&mut self, id: BlockId) {
        let block = self.blocks.get_mut(id);
        let pool = &mut self.pools[block.pool as usize];
        block.free_since = pool.searches;
        pool.free.insert(free_key(block), id);
    }

    pub(super) fn remove_free(&mut self, id: BlockId) {
        let block = self.blocks.get(id);
        self.pools[block.pool as usize].free.remove(&free_key(block));
    }

    pub(super) fn insert_unmapped(&mut self, id: BlockId) {
        let block = self.blocks.get(id);
        self.pools[block.pool as usize].unmapped.insert((block.stream, 0, block.address), id);
    }

    pub(super) fn remove_unmapped(&mut self, id: BlockId) {
        let block = self.blocks.get(id);
        self.pools[block.pool as usize].unmapped.remove(&(block.stream, 0, block.address));
    }
}
