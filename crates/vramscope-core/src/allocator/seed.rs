//! Adopting memory that was there before the first request.

use super::Allocator;
use super::blocks::{Block, BlockId};
use crate::model::PoolId;

/// A live block of an adopted segment.
#[derive(Clone, Copy, Debug)]
pub struct SeedBlock {
    /// Start.
    pub address: u64,
    /// Bytes, after rounding and splitting.
    pub size_bytes: u64,
    /// Bytes that the program asked for.
    pub requested_bytes: u64,
    /// Already dropped by the program, but waited for.
    pub pending: bool,
    /// The caller's name for it.
    pub key: u32,
}

/// Reserved memory and the live blocks in it, by address.
#[derive(Clone, Debug, Default)]
pub struct SeedRange {
    /// Start.
    pub address: u64,
    /// Bytes.
    pub size_bytes: u64,
    /// Live blocks.
    pub blocks: Vec<SeedBlock>,
}

/// One segment, or all mapped stretches of one expandable segment, by address.
#[derive(Clone, Debug)]
pub struct SeedSegment {
    /// Where the segment (or its range of addresses) begins.
    pub base: u64,
    /// Its mapped stretches; exactly one if it is not expandable.
    pub ranges: Vec<SeedRange>,
    /// Raw handle of the stream.
    pub stream: u64,
    /// Private pool.
    pub owner: PoolId,
    /// Small pool.
    pub is_small: bool,
    /// Expandable.
    pub expandable: bool,
}

/// Addresses behind an adopted expandable segment that it may grow into: more than any card has.
const ROOM: u64 = 1 << 60;

impl Allocator {
    /// Adopts a segment. Returns the blocks by the caller's names; `None` if its blocks overlap or lie outside of it.
    pub fn adopt(&mut self, segment: &SeedSegment) -> Option<Vec<(u32, BlockId)>> {
        let pool = self.pool_for(segment.is_small, segment.owner);
        let room = ROOM.min(u64::MAX - segment.base);
        let range = segment.expandable.then(|| self.adopted_range(segment.base, room, pool, segment.stream));
        let mut chain =
            Chain { allocator: self, stream: segment.stream, pool, range, last: None, at: segment.base };
        let mut named = Vec::new();
        for stretch in &segment.ranges {
            chain.gap_until(stretch.address, false)?;
            for seed in &stretch.blocks {
                chain.gap_until(seed.address, true)?;
                named.push((seed.key, chain.push(seed.size_bytes, true, Some(seed))?));
            }
            chain.gap_until(stretch.address.checked_add(stretch.size_bytes)?, true)?;
        }
        let end = segment.base + room;
        if segment.expandable {
            chain.gap_until(end, false)?;
        }
        let is_split = chain.is_split();
        self.count_adopted(segment, &named, is_split);
        Some(named)
    }

    fn count_adopted(&mut self, segment: &SeedSegment, named: &[(u32, BlockId)], is_split: bool) {
        let reserved = segment.ranges.iter().fold(0u64, |sum, range| sum.saturating_add(range.size_bytes));
        self.total_bytes = self.total_bytes.saturating_add(reserved);
        let statistics = &mut self.statistics;
        statistics.reserved.up(reserved);
        let mut active = 0u64;
        for (_, id) in named {
            let block = self.blocks.get(*id);
            active = active.saturating_add(block.size_bytes);
            if block.allocated {
                statistics.allocated.up(block.size_bytes);
            }
            statistics.active.up(block.size_bytes);
            statistics.requested.up(block.requested_bytes);
        }
        if !segment.expandable {
            statistics.segments.up(1);
            if is_split {
                statistics.inactive_split.up(reserved.saturating_sub(active));
            }
        }
    }
}

/// Blocks of a segment, pushed from its start on.
struct Chain<'a> {
    allocator: &'a mut Allocator,
    stream: u64,
    pool: u32,
    range: Option<u32>,
    last: Option<BlockId>,
    at: u64,
}

impl Chain<'_> {
    /// Fills up to an address with a free or unmapped block; `None` if that lies behind.
    fn gap_until(&mut self, address: u64, mapped: bool) -> Option<()> {
        let size = address.checked_sub(self.at)?;
        if size > 0 {
            self.push(size, mapped, None)?;
        }
        Some(())
    }

    fn push(&mut self, size: u64, mapped: bool, seed: Option<&SeedBlock>) -> Option<BlockId> {
        let end = self.at.checked_add(size)?;
        let mut block = Block::new(self.at, size, self.stream, self.pool);
        (block.mapped, block.range) = (mapped, self.range);
        if let Some(seed) = seed {
            (block.allocated, block.pending) = (!seed.pending, seed.pending);
            (block.requested_bytes, block.key) = (seed.requested_bytes, seed.key);
        }
        let allocator = &mut *self.allocator;
        if block.pending {
            block.ticket = allocator.next_ticket;
            allocator.next_ticket += 1;
        }
        let (is_free, pending, ticket) = (block.is_free(), block.pending, block.ticket);
        let id = allocator.blocks.add(block);
        allocator.blocks.link(id, self.last, None);
        match (is_free, mapped) {
            (true, true) => allocator.insert_free(id),
            (true, false) => allocator.insert_unmapped(id),
            _ if pending => {
                allocator.waiting.insert((0, 0, ticket), id);
            }
            _ => {}
        }
        (self.last, self.at) = (Some(id), end);
        Some(id)
    }

    /// There is more than one block.
    fn is_split(&self) -> bool {
        self.last.is_some_and(|id| self.allocator.blocks.get(id).is_split())
    }
}
