//! R4: the free block that serves a request best (`get_free_block`).

use super::Allocator;
use super::blocks::{Block, BlockId};
use super::pool::FreeKey;

impl Allocator {
    /// Takes the best free block out of a pool.
    pub(super) fn take_fit(&mut self, pool: u32, stream: u64, rounded: u64) -> Option<BlockId> {
        if self.config.collects_garbage() {
            self.pool_mut(pool).searches += 1;
        }
        let id = self.fit(pool, stream, rounded)?;
        self.remove_free(id);
        Some(id)
    }

    fn fit(&self, pool: u32, stream: u64, rounded: u64) -> Option<BlockId> {
        let from: FreeKey = (stream, rounded, 0);
        let mut candidates =
            self.pool(pool).free.range(from..).take_while(|(key, _)| key.0 == stream).map(|(_, id)| *id);
        let mut best = candidates.next()?;
        if self.block(best).is_expandable() {
            best = match self.config.expandable_segments {
                true => self.shortest_reach(best, candidates),
                false => candidates.find(|id| !self.block(*id).is_expandable())?,
            };
        }
        let (size, config) = (self.block(best).size_bytes, &self.config);
        let is_oversize = match rounded < config.max_split_bytes {
            true => size >= config.max_split_bytes,
            false => size >= rounded.saturating_add(config.max_non_split_rounding_bytes),
        };
        (!is_oversize).then_some(best)
    }

    /// Among expandable blocks one that can grow least is taken first.
    fn shortest_reach(&self, first: BlockId, others: impl Iterator<Item = BlockId>) -> BlockId {
        let mut best = first;
        for next in others {
            let is_better = self.block(best).is_expandable() && self.reach(next) < self.reach(best);
            if !is_better {
                break;
            }
            best = next;
        }
        best
    }

    /// A block's size with the unmapped room behind it.
    fn reach(&self, id: BlockId) -> u64 {
        let block = self.block(id);
        let behind = block.next.map(|next| self.block(next)).filter(|next: &&Block| !next.mapped);
        block.size_bytes.saturating_add(behind.map_or(0, |next| next.size_bytes))
    }
}
