//! A model of PyTorch's CUDA caching allocator, exact to the byte and the address.
//!
//! It knows sizes, streams, pools and addresses, and nothing of snapshots: give it the requests of a program and it does what the
//! allocator of PyTorch 2.11 does with them. The rules are numbered R1 to R12; each file says which ones it holds. Sources are functions
//! of `DeviceCachingAllocator` in `c10/cuda/CUDACachingAllocator.cpp` unless said otherwise.
//!
//! | file | rules |
//! |---|---|
//! | `sizes` | R1 constants, R2 rounding a request, R3 size of a segment |
//! | `fit` | R4 pools and best fit |
//! | `malloc` | R5 order of steps, R6 handing out a block |
//! | `free` | R7 free and merge |
//! | `release` | R8 giving memory back, R10 garbage collection |
//! | `expandable` | R9 expandable segments |
//! | `addresses` | R11 where the driver puts segments |
//! | `config`, `parse` | R12 settings |
//!
//! A device has one allocator; nothing is shared between devices.

mod addresses;
mod blocks;
mod config;
mod expandable;
mod fit;
mod free;
mod malloc;
mod parse;
mod pool;
mod release;
mod seed;
pub mod sizes;

pub use addresses::{Addresses, PlainDriver};
pub use blocks::{Block, BlockId};
pub use config::Config;
pub use free::Ticket;
pub use parse::ConfigError;
pub use seed::{SeedBlock, SeedRange, SeedSegment};

use hashbrown::HashMap;

use crate::model::PoolId;
use blocks::Blocks;
use expandable::VirtualRange;
use pool::{BlockMap, Pool};

/// The default pool.
pub const DEFAULT_POOL: PoolId = (0, 0);

/// What the allocator asked of the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SegmentAction {
    /// `segment_alloc`
    Alloc,
    /// `segment_free`
    Free,
    /// `segment_map`
    Map,
    /// `segment_unmap`
    Unmap,
}

/// One call of the driver, as PyTorch records it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentEvent {
    /// What was asked.
    pub action: SegmentAction,
    /// Bytes.
    pub size_bytes: u64,
    /// Start address.
    pub address: u64,
    /// Raw handle of the stream.
    pub stream: u64,
}

/// A request that could not be served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfMemory {
    /// The rounded request.
    pub rounded_bytes: u64,
}

/// A counter with its highest value, as in `torch.cuda.memory_stats()`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stat {
    /// Now.
    pub current: u64,
    /// The most so far.
    pub peak: u64,
}

impl Stat {
    fn up(&mut self, bytes: u64) {
        self.current = self.current.saturating_add(bytes);
        self.peak = self.peak.max(self.current);
    }

    fn down(&mut self, bytes: u64) {
        self.current = self.current.saturating_sub(bytes);
    }
}

/// PyTorch's counters, in bytes; all but `segments` and `retries`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// `reserved_bytes`
    pub reserved: Stat,
    /// `allocated_bytes`
    pub allocated: Stat,
    /// `active_bytes`
    pub active: Stat,
    /// `requested_bytes`
    pub requested: Stat,
    /// `inactive_split_bytes`
    pub inactive_split: Stat,
    /// `segment`, a count.
    pub segments: Stat,
    /// `num_alloc_retries`, a count.
    pub retries: u64,
    /// `num_device_alloc`, a count.
    pub driver_allocs: u64,
    /// `num_device_free`, a count.
    pub driver_frees: u64,
}

impl Statistics {
    /// Takes the present as the highest values, as `reset_peak_memory_stats()` does.
    pub fn reset_peaks(&mut self) {
        let Statistics { reserved, allocated, active, requested, inactive_split, segments, .. } = self;
        for stat in [reserved, allocated, active, requested, inactive_split, segments] {
            stat.peak = stat.current;
        }
    }
}

/// The allocator of one device.
#[derive(Clone, Debug)]
pub struct Allocator {
    config: Config,
    blocks: Blocks,
    pools: Vec<Pool>,
    pool_index: HashMap<(PoolId, bool), u32>,
    /// Private pools that no graph or `MemPool` holds any longer, in the order in which they are released.
    freeable: Vec<PoolId>,
    ranges: Vec<VirtualRange>,
    /// Blocks that the program dropped and another stream still uses, by their tickets: in the order in which they were dropped.
    waiting: BlockMap,
    next_ticket: u64,
    /// Bytes that count against the limit.
    total_bytes: u64,
    statistics: Statistics,
    events: Vec<SegmentEvent>,
}

impl Allocator {
    /// An allocator that holds nothing.
    pub fn new(config: Config) -> Self {
        Allocator {
            config,
            blocks: Blocks::default(),
            pools: Vec::new(),
            pool_index: HashMap::new(),
            freeable: Vec::new(),
            ranges: Vec::new(),
            waiting: BlockMap::new(),
            next_ticket: 0,
            total_bytes: 0,
            statistics: Statistics::default(),
            events: Vec::new(),
        }
    }

    /// Its settings.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Changes the settings of a running program, as `_set_allocator_settings` does.
    pub fn reconfigure(&mut self, config: Config) {
        self.config = config;
    }

    /// PyTorch's counters.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// Takes the present as the highest values.
    pub fn reset_peaks(&mut self) {
        self.statistics.reset_peaks();
    }

    /// A block.
    pub fn block(&self, id: BlockId) -> &Block {
        self.blocks.get(id)
    }

    /// Names what lives in a block, for [`Allocator::mapped_blocks`].
    pub fn name(&mut self, id: BlockId, key: u32) {
        self.blocks.get_mut(id).key = key;
    }

    /// What was asked of the driver since [`Allocator::clear_events`].
    pub fn events(&self) -> &[SegmentEvent] {
        &self.events
    }

    /// Forgets what was asked of the driver.
    pub fn clear_events(&mut self) {
        self.events.clear();
    }

    /// A private pool that nobody holds any longer: its memory may be given back (R8b).
    pub fn let_go(&mut self, pool: PoolId) {
        if pool != DEFAULT_POOL && !self.freeable.contains(&pool) {
            self.freeable.push(pool);
        }
    }

    /// The private pool of the block that holds an address.
    pub fn pool_at(&self, address: u64) -> Option<PoolId> {
        let mut blocks =
            self.blocks.iter().filter(|block| address.wrapping_sub(block.address) < block.size_bytes);
        blocks.next().map(|block| self.pool(block.pool).owner)
    }

    /// A block serves the small pool.
    pub fn is_small(&self, block: &Block) -> bool {
        self.pool(block.pool).is_small
    }

    /// The private pool that a block serves.
    pub fn owner_of(&self, block: &Block) -> PoolId {
        self.pool(block.pool).owner
    }

    /// A block continues the segment of the block before it; else a segment begins with it.
    pub fn continues_segment(&self, block: &Block) -> bool {
        block.prev.is_some_and(|prev| self.blocks.get(prev).mapped)
    }

    /// For a block just handed out: the address of the live block before it, and the bytes of the free piece that it was taken from.
    pub fn piece_behind(&self, id: BlockId) -> Option<(u64, u64)> {
        let block = self.blocks.get(id);
        let before = self.blocks.get(block.prev?);
        let rest = block.next.map(|next| self.blocks.get(next)).filter(|next| next.is_free() && next.mapped);
        let piece = block.size_bytes.saturating_add(rest.map_or(0, |rest| rest.size_bytes));
        (!before.is_free()).then_some((before.address, piece))
    }

    /// Every mapped block of every segment, in no order.
    pub fn mapped_blocks(&self) -> impl Iterator<Item = &Block> {
        self.blocks.iter().filter(|block| block.mapped)
    }
}
