//! R9: expandable segments (`find_expandable_block`, `map_block`, `try_allocate_expandable_block`, `unmap_block`).

use super::blocks::{Block, BlockId};
use super::sizes::{SMALL_BUFFER, SMALL_SIZE, round_size, round_up};
use super::{Addresses, Allocator, SegmentAction, SegmentEvent};
use crate::model::PoolId;

/// A long stretch of reserved addresses that is mapped page by page.
#[derive(Clone, Debug)]
pub(super) struct VirtualRange {
    pub(super) base: u64,
    pub(super) size_bytes: u64,
    pub(super) page_bytes: u64,
    /// Its address is not known from a recording yet.
    pub(super) is_invented: bool,
    pub(super) pool: u32,
    pub(super) stream: u64,
}

impl VirtualRange {
    /// The pages that hold so many bytes from an address on.
    fn pages(&self, address: u64, size: u64) -> u64 {
        let begin = address.saturating_sub(self.base) / self.page_bytes;
        let end = address.saturating_add(size).saturating_sub(self.base).div_ceil(self.page_bytes);
        (end - begin).saturating_mul(self.page_bytes)
    }

    /// The pages wholly inside a stretch: start and bytes; none if bytes is 0.
    fn pages_inside(&self, address: u64, size: u64) -> (u64, u64) {
        let begin = address.saturating_sub(self.base).div_ceil(self.page_bytes);
        let end = address.saturating_add(size).saturating_sub(self.base) / self.page_bytes;
        (self.base.saturating_add(begin * self.page_bytes), end.saturating_sub(begin) * self.page_bytes)
    }
}

impl Allocator {
    /// Maps until a free block of the size stands somewhere, and takes it. What was mapped before a failure stays mapped.
    pub(super) fn expand(
        &mut self,
        pool: u32,
        stream: u64,
        rounded: u64,
        addresses: &mut dyn Addresses,
    ) -> Option<BlockId> {
        let mut block = self.find_room(pool, stream, rounded, addresses);
        if !self.blocks.get(block).mapped {
            let first = rounded.min(self.blocks.get(block).size_bytes);
            self.map(block, first)?;
        }
        while self.blocks.get(block).size_bytes < rounded {
            let missing = rounded - self.blocks.get(block).size_bytes;
            let next = self.blocks.get(block).next?;
            if self.blocks.get(next).mapped {
                return None; // cannot be: room was counted over free and unmapped blocks
            }
            let size = missing.min(self.blocks.get(next).size_bytes);
            self.map(next, size)?;
            block = next; // it swallowed the block before it
        }
        self.remove_free(block);
        Some(block)
    }

    /// The first free or unmapped block from which free and unmapped ones reach far enough; a new range if there is none.
    fn find_room(&mut self, pool: u32, stream: u64, rounded: u64, addresses: &mut dyn Addresses) -> BlockId {
        let unmapped = self.pool(pool).unmapped.range((stream, 0, 0)..);
        for (_, &id) in unmapped.take_while(|(key, _)| key.0 == stream) {
            let before = self.blocks.get(id).prev.filter(|prev| self.blocks.get(*prev).is_free());
            let start = before.unwrap_or(id);
            let (mut room, mut at) = (0u64, Some(start));
            while let Some(block) = at.map(|id| self.blocks.get(id)).filter(|block| block.is_free()) {
                room = room.saturating_add(block.size_bytes);
                if room >= rounded {
                    return start;
                }
                at = block.next;
            }
        }
        self.new_range(pool, stream, addresses)
    }

    fn page_bytes(&self, is_small: bool) -> u64 {
        if is_small { SMALL_BUFFER } else { self.config.large_segment_bytes }
    }

    fn new_range(&mut self, pool: u32, stream: u64, addresses: &mut dyn Addresses) -> BlockId {
        let page_bytes = self.page_bytes(self.pool(pool).is_small);
        let size = round_up(self.config.device_bytes + self.config.device_bytes / 8, page_bytes);
        let (base, is_invented) = addresses.range(size);
        let size = size.min(u64::MAX - base);
        let range = VirtualRange { base, size_bytes: size, page_bytes, is_invented, pool, stream };
        let mut block = Block::new(base, size, stream, pool);
        block.mapped = false;
        block.range = Some(self.ranges.len() as u32);
        self.ranges.push(range);
        let id = self.blocks.add(block);
        self.insert_unmapped(id);
        id
    }

    pub(super) fn adopted_range(&mut self, base: u64, size_bytes: u64, pool: u32, stream: u64) -> u32 {
        let page_bytes = self.page_bytes(self.pool(pool).is_small);
        self.ranges.push(VirtualRange { base, size_bytes, page_bytes, is_invented: false, pool, stream });
        self.ranges.len() as u32 - 1
    }

    /// Maps the pages that hold `size` bytes from the start of an unmapped block; the tail stays unmapped.
    fn map(&mut self, id: BlockId, size: u64) -> Option<()> {
        let block = self.blocks.get(id).clone();
        let range = &self.ranges[block.range? as usize];
        let mapped = range.pages(block.address, size).min(block.size_bytes);
        if mapped == 0 || self.total_bytes.saturating_add(mapped) > self.config.device_bytes {
            return None;
        }
        self.remove_unmapped(id);
        if mapped < block.size_bytes {
            let mut rest =
                Block::new(block.address + mapped, block.size_bytes - mapped, block.stream, block.pool);
            (rest.mapped, rest.range) = (false, block.range);
            let rest = self.blocks.add(rest);
            self.blocks.link(rest, Some(id), block.next);
            self.insert_unmapped(rest);
        }
        let now = self.blocks.get_mut(id);
        (now.mapped, now.size_bytes) = (true, mapped);
        let (prev, next) = (now.prev, now.next);
        self.try_merge(id, prev);
        self.try_merge(id, next);
        self.insert_free(id);
        let action = SegmentAction::Map;
        self.reserve(SegmentEvent {
            action,
            size_bytes: mapped,
            address: block.address,
            stream: block.stream,
        });
        Some(())
    }

    /// Unmaps the whole pages inside a free block; what remains before and after them stays free. An empty range is given up.
    pub(super) fn unmap(&mut self, id: BlockId) {
        let block = self.blocks.get(id).clone();
        let Some(range) = block.range else { return };
        let (address, size) = self.ranges[range as usize].pages_inside(block.address, block.size_bytes);
        if size == 0 {
            return;
        }
        self.remove_free(id);
        let before = address - block.address;
        let after = block.size_bytes - before - size;
        if before > 0 {
            let piece = self.blocks.add(self.piece(&block, block.address, before));
            self.blocks.link(piece, block.prev, Some(id));
            self.insert_free(piece);
        }
        if after > 0 {
            let piece = self.blocks.add(self.piece(&block, address + size, after));
            self.blocks.link(piece, Some(id), block.next);
            self.insert_free(piece);
        }
        let now = self.blocks.get_mut(id);
        (now.address, now.size_bytes, now.mapped) = (address, size, false);
        let (prev, next) = (now.prev, now.next);
        self.try_merge(id, prev);
        self.try_merge(id, next);
        if self.blocks.get(id).is_split() {
            self.insert_unmapped(id);
        } else {
            self.blocks.remove(id); // the whole range is empty
            self.ranges[range as usize].size_bytes = 0;
        }
        let action = SegmentAction::Unmap;
        self.give_back(SegmentEvent { action, size_bytes: size, address, stream: block.stream });
    }

    fn piece(&self, of: &Block, address: u64, size: u64) -> Block {
        let mut piece = Block::new(address, size, of.stream, of.pool);
        piece.range = of.range;
        piece
    }

    /// A range reserved by a request that then failed has no recorded address until its first mapping: the mapping of a later
    /// request tells it.
    pub fn learn_range(&mut self, size_bytes: u64, stream: u64, owner: PoolId, address: u64) {
        let is_small = round_size(size_bytes, &self.config) <= SMALL_SIZE;
        let pool = self.pool_for(is_small, owner);
        let known = |range: &VirtualRange| {
            range.pool == pool
                && range.stream == stream
                && address.wrapping_sub(range.base) < range.size_bytes
        };
        if self.ranges.iter().any(known) {
            return;
        }
        let of_stream =
            self.pool(pool).unmapped.range((stream, 0, 0)..).take_while(|(key, _)| key.0 == stream);
        let empty = of_stream.map(|(_, id)| *id).find(|id| {
            let block = self.blocks.get(*id);
            !block.is_split() && block.range.is_some_and(|range| self.ranges[range as usize].is_invented)
        });
        let Some(id) = empty else { return };
        self.remove_unmapped(id);
        let block = self.blocks.get_mut(id);
        block.address = address;
        block.size_bytes = block.size_bytes.min(u64::MAX - address);
        if let Some(range) = block.range {
            let size = block.size_bytes;
            let range = &mut self.ranges[range as usize];
            (range.base, range.size_bytes, range.is_invented) = (address, size, false);
        }
        self.insert_unmapped(id);
    }
}
