//! Snapshots out of bytes: a program run by the allocator model and recorded as PyTorch would, then damaged. For property tests and fuzzing.

use vramscope_core::allocator::{
    Allocator, BlockId, Config, PlainDriver, SegmentAction, SegmentEvent, Ticket,
};
use vramscope_core::ids::{StackId, StreamId};
use vramscope_core::model::{
    Action, Block, BlockState, Device, EventNotes, Frame, Segment, SegmentKind, Settings, Snapshot,
};

const MIB: u64 = 1 << 20;
const STREAMS: [u64; 3] = [0, 1, 0x7f00_0000_1000];
const POOLS: [(u64, u64); 4] = [(0, 0), (0, 0), (0, 1), (1, 0)];
const SIZES: [u64; 12] =
    [1, 512, 3_000, 700_000, MIB, MIB + 1, 3 * MIB, 9 * MIB + 777, 10 * MIB, 33 * MIB, 64 * MIB, 150 * MIB];

/// Bytes as choices; zeros when they are used up.
struct Choices<'a>(&'a [u8]);

impl Choices<'_> {
    fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[usize::from(self.byte()) % from.len()]
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A recorder around the model.
struct Recorder {
    allocator: Allocator,
    driver: PlainDriver,
    held: Vec<(BlockId, u64, u64, u64)>,
    waiting: Vec<(Ticket, u64, u64, u64)>,
    device: Device,
    stack: StackId,
}

/// A snapshot of a program: the first bytes choose settings, the others steps. `with_pools` lets it use private pools.
pub fn record(bytes: &[u8], with_pools: bool) -> Snapshot {
    let mut choices = Choices(bytes);
    let conf = choices.pick(&[
        "",
        "",
        "expandable_segments:True",
        "max_split_size_mb:40",
        "roundup_power2_divisions:4",
        "max_split_size_mb:64,max_non_split_rounding_mb:100",
        "expandable_segments:True,large_segment_size_mb:32",
    ]);
    let config = Config::parse(conf).expect("a sound text");
    let limit_bytes = choices.pick(&[None, None, Some(200 * MIB), Some(500 * MIB)]);
    let mut snapshot = Snapshot { streams: STREAMS.to_vec(), ..Snapshot::default() };
    snapshot.settings = Some(settings(conf, &config));
    let malloc = stack(&mut snapshot, "malloc");
    let empty_cache = stack(&mut snapshot, "emptyCache");
    let mut recorder = Recorder {
        allocator: Allocator::new(Config { limit_bytes, ..config }),
        driver: PlainDriver::default(),
        held: Vec::new(),
        waiting: Vec::new(),
        device: Device { has_segments: true, ..Device::default() },
        stack: malloc,
    };
    recorder.device.events.says_pools = with_pools;
    while !choices.is_empty() {
        match choices.byte() {
            0..=129 => {
                let pool = if with_pools { choices.pick(&POOLS) } else { (0, 0) };
                let (size, stream) = (choices.pick(&SIZES), choices.pick(&STREAMS));
                recorder.malloc(size, stream, pool);
            }
            130..=249 => {
                let at = usize::from(choices.byte());
                recorder.free(at, choices.byte() < 200);
            }
            _ => {
                recorder.complete_all();
                recorder.stack = empty_cache;
                recorder.allocator.clear_events();
                recorder.allocator.empty_cache(&mut recorder.driver);
                recorder.driver_calls();
                recorder.stack = malloc;
            }
        }
    }
    let mut device = recorder.finish();
    device.segments.sort_by_key(|segment| segment.address);
    snapshot.devices = vec![device];
    snapshot
}

fn settings(conf: &str, config: &Config) -> Settings {
    let divisions = config.power2_divisions.iter().enumerate();
    Settings {
        alloc_conf: Some(conf.into()),
        max_split_size: Some(i64::try_from(config.max_split_bytes).unwrap_or(-1)),
        expandable_segments: Some(config.expandable_segments),
        roundup_power2_divisions: divisions
            .map(|(interval, divisions)| ((1u32 << interval).to_string(), i64::from(*divisions)))
            .collect(),
        ..Settings::default()
    }
}

fn stack(snapshot: &mut Snapshot, name: &str) -> StackId {
    let (name, file) = (snapshot.strings.intern(name.as_bytes()), snapshot.strings.intern(b"a.cpp"));
    let frame = snapshot.stacks.intern_frame(Frame { name, file, line: 1 });
    snapshot.stacks.intern(&[frame])
}

impl Recorder {
    fn event(&mut self, action: Action, address: u64, size: u64, stream: u64, pool: (u64, u64)) {
        let events = &mut self.device.events;
        if pool != (0, 0) {
            let notes = EventNotes { pool: Some(pool), ..EventNotes::default() };
            events.notes.push((events.actions.len() as u32, notes));
        }
        events.actions.push(action);
        events.addrs.push(address);
        events.sizes.push(size);
        events.streams.push(StreamId(STREAMS.iter().position(|known| *known == stream).unwrap_or(0) as u32));
        events.stacks.push(self.stack);
    }

    fn driver_calls(&mut self) {
        for SegmentEvent { action, size_bytes, address, stream } in self.allocator.events().to_vec() {
            let action = match action {
                SegmentAction::Alloc => Action::SegmentAlloc,
                SegmentAction::Free => Action::SegmentFree,
                SegmentAction::Map => Action::SegmentMap,
                SegmentAction::Unmap => Action::SegmentUnmap,
            };
            let pool = self.allocator.pool_at(address).unwrap_or((0, 0));
            self.event(action, address, size_bytes, stream, pool);
        }
    }

    fn malloc(&mut self, size: u64, stream: u64, pool: (u64, u64)) {
        self.complete_all();
        self.allocator.clear_events();
        let served = self.allocator.malloc(size, stream, pool, &mut self.driver);
        self.driver_calls();
        match served {
            Ok(id) => {
                let address = self.allocator.block(id).address;
                self.event(Action::Alloc, address, size, stream, pool);
                self.held.push((id, address, size, stream));
            }
            Err(oom) => self.event(Action::Oom, 1 << 20, oom.rounded_bytes, stream, pool),
        }
    }

    fn free(&mut self, at: usize, at_once: bool) {
        if self.held.is_empty() {
            return;
        }
        let (id, address, size, stream) = self.held.swap_remove(at % self.held.len());
        let Some(ticket) = self.allocator.free_requested(id) else { return };
        self.event(Action::FreeRequested, address, size, stream, (0, 0));
        self.waiting.push((ticket, address, size, stream));
        if at_once {
            self.complete_all();
        }
    }

    fn complete_all(&mut self) {
        for (ticket, address, size, stream) in std::mem::take(&mut self.waiting) {
            self.allocator.free_completed(ticket);
            self.event(Action::FreeCompleted, address, size, stream, (0, 0));
        }
    }

    /// The final segments, as PyTorch lists them.
    fn finish(mut self) -> Device {
        let mut blocks: Vec<_> = self.allocator.mapped_blocks().cloned().collect();
        blocks.sort_by_key(|block| block.address);
        for block in blocks {
            let stream =
                StreamId(STREAMS.iter().position(|known| *known == block.stream).unwrap_or(0) as u32);
            let pool = self.allocator.pool_at(block.address).unwrap_or((0, 0));
            if !self.allocator.continues_segment(&block) {
                let kind =
                    if self.allocator.is_small(&block) { SegmentKind::Small } else { SegmentKind::Large };
                self.device.segments.push(Segment {
                    address: block.address,
                    size_bytes: 0,
                    stream,
                    kind,
                    pool,
                    expandable: block.is_expandable(),
                    stack: self.stack,
                    forward_stack: None,
                    blocks: Vec::new(),
                });
            }
            let Some(segment) = self.device.segments.last_mut() else { continue };
            segment.size_bytes += block.size_bytes;
            segment.blocks.push(Block {
                address: block.address,
                size_bytes: block.size_bytes,
                requested_bytes: if block.is_free() { 0 } else { block.requested_bytes },
                state: match (block.allocated, block.pending) {
                    (true, _) => BlockState::Allocated,
                    (_, true) => BlockState::PendingFree,
                    _ => BlockState::Inactive,
                },
                stack: self.stack,
                forward_stack: None,
            });
        }
        self.device
    }
}

/// Damages a snapshot: events vanish, addresses and sizes change, segments go.
pub fn damage(snapshot: &mut Snapshot, bytes: &[u8]) {
    let mut choices = Choices(bytes);
    while !choices.is_empty() {
        let what = choices.byte() % 8;
        let (a, b) = (usize::from(choices.byte()), usize::from(choices.byte()));
        let Some(device) = snapshot.devices.first_mut() else { return };
        let n = device.events.len();
        if n == 0 {
            return;
        }
        let at = (a * 256 + b) % n;
        let events = &mut device.events;
        match what {
            0 => events.addrs[at] = events.addrs[b % n],
            1 => events.sizes[at] = SIZES[b % SIZES.len()],
            2 => events.actions[at] = events.actions[b % n],
            3 => events.addrs[at] = events.addrs[at].wrapping_add(512 * b as u64),
            4 => events.sizes[at] = 1 << (b % 46),
            5 => events.addrs[at] = u64::MAX - b as u64,
            6 => {
                device.segments.pop();
            }
            _ => snapshot.partial = true,
        }
    }
}
