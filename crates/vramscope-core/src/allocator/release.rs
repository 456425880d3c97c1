//! R8 giving memory back, R10 garbage collection.

use super::blocks::{Block, BlockId};
use super::pool::FreeKey;
use super::{Addresses, Allocator, DEFAULT_POOL, SegmentAction, SegmentEvent};
use crate::model::PoolId;

impl Allocator {
    /// R8b: `torch.cuda.empty_cache()`, and what a request at its limit does (`release_cached_blocks`).
    pub fn empty_cache(&mut self, addresses: &mut dyn Addresses) {
        let mut owners = vec![DEFAULT_POOL];
        owners.extend_from_slice(&self.freeable);
        self.empty_pools(&owners, addresses);
    }

    /// R8b for some pools only. Waiting blocks are completed first.
    pub fn empty_pools(&mut self, owners: &[PoolId], addresses: &mut dyn Addresses) {
        self.complete_all();
        for &owner in owners {
            // Default pools: large, then small. Private ones: small, then large.
            let order = if owner == DEFAULT_POOL { [false, true] } else { [true, false] };
            for is_small in order {
                if let Some(&pool) = self.pool_index.get(&(owner, is_small)) {
                    self.release_pool(pool, addresses);
                }
            }
        }
    }

    /// Whole free segments go back, then the free pages of expandable ones (`release_blocks`).
    fn release_pool(&mut self, pool: u32, addresses: &mut dyn Addresses) {
        let free = || self.pool(pool).free.values().copied();
        let is_expandable = |id: &BlockId| self.blocks.get(*id).is_expandable();
        let expandable: Vec<BlockId> = free().filter(is_expandable).collect();
        let whole: Vec<BlockId> =
            free().filter(|id| !is_expandable(id) && !self.blocks.get(*id).is_split()).collect();
        for id in whole {
            self.release(id, addresses);
        }
        // Unmapping a block merges only unmapped neighbours into it: the other ids stay valid.
        for id in expandable {
            self.unmap(id);
        }
    }

    /// A whole free segment goes back to the driver.
    fn release(&mut self, id: BlockId, addresses: &mut dyn Addresses) {
        self.remove_free(id);
        let Block { address, size_bytes, stream, .. } = *self.blocks.get(id);
        self.blocks.remove(id);
        addresses.free(address, size_bytes);
        self.statistics.segments.down(1);
        self.give_back(SegmentEvent { action: SegmentAction::Free, size_bytes, address, stream });
    }

    /// Counts memory that went to the driver.
    pub(super) fn give_back(&mut self, event: SegmentEvent) {
        self.total_bytes = self.total_bytes.saturating_sub(event.size_bytes);
        self.statistics.reserved.down(event.size_bytes);
        self.statistics.driver_frees += 1;
        self.events.push(event);
    }

    /// R8a: gives back just enough blocks that are too large to split (`release_available_cached_blocks`). What was released stays so
    /// even if it was not enough.
    pub(super) fn release_oversize(
        &mut self,
        pool: u32,
        stream: u64,
        rounded: u64,
        addresses: &mut dyn Addresses,
    ) -> bool {
        let max_split = self.config.max_split_bytes;
        if max_split == u64::MAX {
            return false;
        }
        let want = rounded.max(max_split);
        let from: FreeKey = (stream, want, 0);
        let above = self.pool(pool).free.range(from..).next().map(|(key, id)| (*key, *id));
        if let Some((key, id)) = above
            && key.0 == stream
            && !self.blocks.get(id).is_expandable()
        {
            self.release(id, addresses);
            return true;
        }
        let below = self.pool(pool).free.range(..from).rev();
        let oversize = below.take_while(|(key, _)| key.0 == stream && key.1 >= max_split);
        let candidates: Vec<(u64, BlockId)> = oversize.map(|(key, id)| (key.1, *id)).collect();
        let mut released = 0u64;
        for (size, id) in candidates {
            if released >= want {
                break;
            }
            if !self.blocks.get(id).is_expandable() {
                released = released.saturating_add(size);
                self.release(id, addresses);
            }
        }
        released >= want
    }

    /// R10: above a share of the limit, whole free segments of the default large pool go back, those older than the average first
    /// (`garbage_collect_cached_blocks`).
    pub(super) fn collect_garbage(&mut self, addresses: &mut dyn Addresses) {
        let limit = self.config.limit_bytes.unwrap_or(u64::MAX);
        let threshold = (self.config.garbage_collection_threshold * limit as f64) as u64;
        if self.total_bytes <= threshold {
            return;
        }
        let target = self.total_bytes - threshold;
        let pool = self.pool_for(false, DEFAULT_POOL);
        let searches = self.pool(pool).searches;
        let whole = |this: &Self| -> Vec<(BlockId, u64)> {
            let free = this.pool(pool).free.values().map(|id| (*id, this.blocks.get(*id)));
            free.filter(|(_, block)| !block.is_split())
                .map(|(id, block)| (id, searches.saturating_sub(block.free_since)))
                .collect()
        };
        let mut candidates = whole(self);
        let mut age: u64 = candidates.iter().map(|(_, age)| *age).sum();
        let (mut reclaimed, mut freed) = (0u64, true);
        while reclaimed < target && freed && !candidates.is_empty() {
            let mean = age as f64 / candidates.len() as f64;
            let (old, young): (Vec<_>, Vec<_>) =
                candidates.into_iter().partition(|(_, age)| *age as f64 >= mean);
            freed = !old.is_empty();
            for (id, its_age) in old {
                reclaimed = reclaimed.saturating_add(self.blocks.get(id).size_bytes);
                age -= its_age;
                self.release(id, addresses);
            }
            candidates = young;
        }
    }
}
