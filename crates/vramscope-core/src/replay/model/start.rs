//! What was there before the first event, as segments that an allocator can adopt (rule R13).

use hashbrown::{HashMap, HashSet};

use crate::allocator::sizes::{SMALL_BUFFER, SMALL_SIZE, round_size};
use crate::allocator::{Config, SeedBlock, SeedRange, SeedSegment};
use crate::model::{Action, Device, SegmentKind, Snapshot};
use crate::order;
use crate::replay::Replay;
use crate::replay::allocations::NEVER;
use crate::replay::segments::Owner;
use crate::replay::state::{SegmentNow, segments_at};

/// Bytes that a comparison has shown to belong to a block from before the first event, by its address.
pub(in crate::replay) type Remainders = HashMap<u64, u64>;

/// What was there before the first event.
#[derive(Default)]
pub(in crate::replay) struct Start {
    pub(in crate::replay) segments: Vec<SeedSegment>,
    /// Segments lie upon each other: nothing can be told.
    pub(in crate::replay) overlaps: bool,
    /// Blocks whose size is not certain: a remainder of up to 1 MiB may belong to each, and nothing shows it.
    pub(super) uncertain: HashSet<u64>,
}

/// Segments before the first event, with the real sizes of the blocks in them as far as anything shows them.
pub(in crate::replay) fn start(
    snapshot: &Snapshot,
    device: &Device,
    replay: &Replay,
    config: &Config,
    remainders: &Remainders,
) -> Start {
    let spans = segments_at(replay, 0);
    if spans.is_empty() {
        return Start::default();
    }
    let ends_before =
        |pair: &[SegmentNow]| pair[0].address.saturating_add(pair[0].size_bytes) <= pair[1].address;
    if !spans.windows(2).all(ends_before) {
        return Start { overlaps: true, ..Start::default() };
    }
    let mut uncertain = HashSet::new();
    let mut live = initial_blocks(device, replay, config);
    for (address, bytes) in remainders {
        if let Some(block) = at_address(&mut live, *address) {
            block.slack = block.slack.max(*bytes);
        }
    }
    let mut segments: Vec<SeedSegment> = Vec::new();
    let mut expandable: HashMap<Owner, usize> = HashMap::new();
    for span in &spans {
        let range = seed_range(span, &live, &mut uncertain);
        if span.expandable
            && let Some(&known) = expandable.get(&span.owner)
        {
            segments[known].ranges.push(range);
            continue;
        }
        let base = match span.expandable {
            true => {
                expandable.insert(span.owner, segments.len());
                span.address.min(lowest_mapping(device, &span.owner))
            }
            false => span.address,
        };
        segments.push(SeedSegment {
            base,
            ranges: vec![range],
            stream: snapshot.stream(span.owner.stream),
            owner: span.owner.pool,
            is_small: span.owner.kind == SegmentKind::Small,
            expandable: span.expandable,
        });
    }
    Start { segments, overlaps: false, uncertain }
}

/// What the replay already knows of blocks from before the first event beyond their rounded sizes.
pub(in crate::replay) fn known_remainders(replay: &Replay, config: &Config) -> Remainders {
    let rows = replay.allocations();
    let mut known = Remainders::new();
    replay.for_each_live(0, |id| {
        let more = replay.block_bytes(id).saturating_sub(round_size(rows.size_bytes(id), config));
        if more > 0 {
            known.insert(rows.address(id), more);
        }
    });
    known
}

/// Where the expandable segment of a stream and pool begins, as far as later mappings tell.
fn lowest_mapping(device: &Device, owner: &Owner) -> u64 {
    let events = &device.events;
    let maps = (0..events.len()).filter(|&event| events.actions[event] == Action::SegmentMap);
    let of_owner = maps.filter(|&event| {
        let is_small = events.sizes[event] == SMALL_BUFFER;
        events.streams[event] == owner.stream && is_small == (owner.kind == SegmentKind::Small)
    });
    of_owner.map(|event| events.addrs[event]).min().unwrap_or(u64::MAX)
}

/// A block before the first event; its size is known from the final state or follows from rounding.
struct InitialBlock {
    seed: SeedBlock,
    size_is_known: bool,
    /// Bytes behind it that something else shows to belong to it.
    slack: u64,
    slack_is_known: bool,
}

/// By address, each once.
type InitialBlocks = Vec<InitialBlock>;

fn at_address(blocks: &mut InitialBlocks, address: u64) -> Option<&mut InitialBlock> {
    let at = blocks.binary_search_by_key(&address, |block| block.seed.address).ok()?;
    blocks.get_mut(at)
}

fn initial_blocks(device: &Device, replay: &Replay, config: &Config) -> InitialBlocks {
    let rows = replay.allocations();
    let last: HashMap<u64, u64> =
        device.active_blocks().map(|(_, block)| (block.address, block.size_bytes)).collect();
    let mut blocks = InitialBlocks::new();
    replay.for_each_live(0, |id| {
        let survivor = if rows.end(id) == NEVER { last.get(&rows.address(id)) } else { None };
        let rounded = round_size(rows.size_bytes(id), config);
        let seed = SeedBlock {
            address: rows.address(id),
            size_bytes: survivor.copied().unwrap_or(rounded),
            requested_bytes: rows.size_bytes(id),
            pending: rows.release(id) == 0,
            key: id,
        };
        blocks.push(InitialBlock {
            seed,
            size_is_known: survivor.is_some(),
            slack: 0,
            slack_is_known: false,
        });
    });
    order::by_number(&mut blocks, |block| block.seed.address);
    // Of several at one address the last counts.
    blocks.dedup_by(|later, kept| {
        let same = later.seed.address == kept.seed.address;
        if same {
            std::mem::swap(later, kept);
        }
        same
    });
    find_slack(device, &mut blocks);
    blocks
}

/// Unsplit remainders, seen from what happens behind a block: a free block is handed out from its start, so the first allocation behind
/// such a block shows where free space really began, at most 1 MiB after the block's rounded end.
fn find_slack(device: &Device, blocks: &mut InitialBlocks) {
    let mut ends: Vec<(u64, u64)> = blocks
        .iter()
        .filter(|block| !block.size_is_known)
        .map(|block| (block.seed.address.saturating_add(block.seed.size_bytes), block.seed.address))
        .collect();
    order::by_number(&mut ends, |(end, _)| *end);
    let mut waiting: HashSet<u64> = ends.iter().map(|(_, block)| *block).collect();
    let events = &device.events;
    for event in 0..events.len() {
        if waiting.is_empty() {
            return;
        }
        let address = events.addrs[event];
        match events.actions[event] {
            Action::FreeCompleted | Action::Free => {
                waiting.remove(&address);
            }
            Action::Alloc => {
                let before = ends.partition_point(|(end, _)| *end <= address);
                let Some((end, block)) = before.checked_sub(1).and_then(|at| ends.get(at)) else { continue };
                if address - end <= SMALL_SIZE
                    && waiting.remove(block)
                    && let Some(block) = at_address(blocks, *block)
                {
                    (block.slack, block.slack_is_known) = (address - end, true);
                }
            }
            _ => {}
        }
    }
}

fn seed_range(span: &SegmentNow, live: &InitialBlocks, uncertain: &mut HashSet<u64>) -> SeedRange {
    let end = span.address.saturating_add(span.size_bytes);
    let has_remainders = span.owner.kind == SegmentKind::Large && !span.expandable;
    let from = live.partition_point(|block| block.seed.address < span.address);
    let inside: Vec<&InitialBlock> =
        live[from..].iter().take_while(|block| block.seed.address < end).collect();
    let blocks = inside.iter().enumerate().map(|(at, block)| {
        let mut seed = block.seed;
        if has_remainders && !block.size_is_known {
            let next = inside.get(at + 1).map_or(end, |next| next.seed.address);
            let behind = (next - seed.address).saturating_sub(seed.size_bytes);
            seed.size_bytes = match behind <= SMALL_SIZE {
                true => next - seed.address,
                false => {
                    if !block.slack_is_known {
                        uncertain.insert(seed.address);
                    }
                    seed.size_bytes.saturating_add(block.slack)
                }
            };
        }
        seed
    });
    SeedRange { address: span.address, size_bytes: span.size_bytes, blocks: blocks.collect() }
}
