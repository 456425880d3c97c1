//! R5 the steps of a request, R6 handing out a block (`malloc`, `alloc_block`, `should_split`, `alloc_found_block`).

use super::blocks::{Block, BlockId};
use super::sizes::{MIN_BLOCK, SMALL_SIZE, round_size, segment_size};
use super::{Addresses, Allocator, DEFAULT_POOL, OutOfMemory, SegmentAction, SegmentEvent};
use crate::model::PoolId;

impl Allocator {
    /// R5. Frees that completed before the request have been told by [`Allocator::free_completed`].
    ///
    /// # Errors
    /// The limit (or the card) has no room; what was released on the way stays released.
    pub fn malloc(
        &mut self,
        size_bytes: u64,
        stream: u64,
        owner: PoolId,
        addresses: &mut dyn Addresses,
    ) -> Result<BlockId, OutOfMemory> {
        let rounded = round_size(size_bytes, &self.config);
        let pool = self.pool_for(rounded <= SMALL_SIZE, owner);
        let found = match self.take_fit(pool, stream, rounded) {
            Some(id) => Some(id),
            None => self.new_memory(pool, stream, rounded, addresses),
        };
        let found = found.ok_or(OutOfMemory { rounded_bytes: rounded })?;
        Ok(self.hand_out(found, rounded, size_bytes))
    }

    /// Steps 2 to 5: memory from the driver, after giving some back if need be. The search for a free block is not repeated.
    fn new_memory(
        &mut self,
        pool: u32,
        stream: u64,
        rounded: u64,
        addresses: &mut dyn Addresses,
    ) -> Option<BlockId> {
        let owner = self.pool(pool).owner;
        if self.config.collects_garbage() {
            self.collect_garbage(addresses);
        }
        if let Some(id) = self.ask_driver(pool, stream, rounded, addresses) {
            return Some(id);
        }
        if self.release_oversize(pool, stream, rounded, addresses)
            && let Some(id) = self.ask_driver(pool, stream, rounded, addresses)
        {
            return Some(id);
        }
        // While a graph is captured nothing is released; that a request is for a private pool stands for it.
        if owner != DEFAULT_POOL {
            return None;
        }
        self.empty_cache(addresses);
        self.statistics.retries += 1;
        self.ask_driver(pool, stream, rounded, addresses)
    }

    /// A segment, or room in an expandable one, if the limit allows.
    fn ask_driver(
        &mut self,
        pool: u32,
        stream: u64,
        rounded: u64,
        addresses: &mut dyn Addresses,
    ) -> Option<BlockId> {
        let asked = segment_size(rounded, &self.config);
        let total = self.total_bytes.saturating_add(asked);
        if self.config.limit_bytes.is_some_and(|limit| total > limit) {
            return None;
        }
        if self.config.expandable_segments {
            return self.expand(pool, stream, rounded, addresses);
        }
        if total > self.config.device_bytes {
            return None;
        }
        let address = addresses.segment(asked);
        let id = self.blocks.add(Block::new(address, asked, stream, pool));
        self.reserve(SegmentEvent { action: SegmentAction::Alloc, size_bytes: asked, address, stream });
        self.statistics.segments.up(1);
        Some(id)
    }

    /// Counts memory that came from the driver.
    pub(super) fn reserve(&mut self, event: SegmentEvent) {
        self.total_bytes = self.total_bytes.saturating_add(event.size_bytes);
        self.statistics.reserved.up(event.size_bytes);
        self.statistics.driver_allocs += 1;
        self.events.push(event);
    }

    /// R6: cuts the rest off if it is worth keeping. The program gets the lower part.
    fn hand_out(&mut self, found: BlockId, rounded: u64, requested: u64) -> BlockId {
        let (was_split, is_expandable) = (self.block(found).is_split(), self.block(found).is_expandable());
        let size = self.block(found).size_bytes;
        let splits = self.should_split(found, rounded);
        let id = if splits { self.split(found, rounded) } else { found };
        if !is_expandable {
            match (was_split, splits) {
                (true, true) => self.statistics.inactive_split.down(rounded),
                (true, false) => self.statistics.inactive_split.down(size),
                (false, true) => self.statistics.inactive_split.up(size - rounded),
                (false, false) => {}
            }
        }
        let block = self.blocks.get_mut(id);
        block.allocated = true;
        block.requested_bytes = requested;
        self.statistics.allocated.up(block.size_bytes);
        self.statistics.active.up(block.size_bytes);
        self.statistics.requested.up(requested);
        id
    }

    fn should_split(&self, found: BlockId, rounded: u64) -> bool {
        let block = self.block(found);
        let rest = block.size_bytes.saturating_sub(rounded);
        if self.pool(block.pool).is_small || self.config.expandable_segments {
            return rest >= MIN_BLOCK;
        }
        rounded < self.config.max_split_bytes && rest > SMALL_SIZE
    }

    /// The lower part of a block, of exactly this size; the rest becomes free.
    fn split(&mut self, rest: BlockId, size: u64) -> BlockId {
        let block = self.blocks.get_mut(rest);
        let lower = Block { size_bytes: size, prev: None, next: None, ..block.clone() };
        let prev = block.prev;
        block.address = block.address.saturating_add(size);
        block.size_bytes -= size;
        let id = self.blocks.add(lower);
        self.blocks.link(id, prev, Some(rest));
        self.insert_free(rest);
        id
    }
}
