//! The driver of the comparison: recorded requests in, first difference out.

mod compare;
mod learn;
mod prepare;

use hashbrown::{HashMap, HashSet};

use super::cause::Cause;
use super::hint::{Hint, Hints};
use super::limit::{self, LimitRange};
use super::recorded::RecordedDriver;
use super::start::{Remainders, start};
use super::{Difference, Model};
use crate::allocator::{Allocator, BlockId, Config, DEFAULT_POOL, Ticket};
use crate::model::{Action, Device, PoolId, Snapshot};
use crate::replay::Replay;
use crate::replay::blocks::BlockSizes;

/// A comparison under way; it can be run in pieces.
#[derive(Debug)]
pub struct Lockstep {
    allocator: Allocator,
    driver: RecordedDriver,
    limit: LimitRange,
    /// The next event.
    event: u32,
    /// The allocation whose alloc event comes next.
    next_allocation: u32,
    held: HashMap<u64, BlockId>,
    dropped: HashMap<u64, Ticket>,
    /// Driver calls since the last request.
    calls: Calls,
    /// Frees told in the middle of a request that synchronises; they are part of it.
    deferred: Vec<Ticket>,
    /// Real sizes of blocks, as far as the comparison has come.
    sizes: BlockSizes,
    difference: Option<Difference>,
    /// Blocks from before the first event whose size is not certain, by address, while they live.
    uncertain: HashSet<u64>,
    uncertain_blocks: u32,
    /// What earlier attempts have shown to belong to such blocks.
    remainders: Remainders,
    starts_again: bool,
    /// Events that attempts may still go through again.
    patience_events: u64,
    /// Private pools of what goes back to the driver, by event.
    private_frees: HashMap<u32, PoolId>,
    /// Events before which the program called `empty_cache()`.
    emptied_before: Vec<u32>,
}

/// Events that all attempts together may go through, as a multiple of the trace's.
const MOST_ATTEMPTED: u64 = 16;

/// Recorded driver calls that belong to the next request.
#[derive(Clone, Debug, Default)]
struct Calls {
    events: Vec<u32>,
    /// Those among them that `empty_cache()` made.
    by_program: Vec<u32>,
    /// Of some no stack tells who made them.
    by_somebody: bool,
}

/// A recorded request.
#[derive(Clone, Copy, Debug)]
struct Request {
    action: Action,
    event: u32,
    address: u64,
    size: u64,
    stream: u64,
    owner: PoolId,
}

/// What the comparison reads.
#[derive(Clone, Copy)]
struct Recorded<'a> {
    snapshot: &'a Snapshot,
    device: &'a Device,
    replay: &'a Replay,
}

impl Lockstep {
    /// A comparison before the first event.
    pub fn new(snapshot: &Snapshot, device: &Device, replay: &Replay) -> Lockstep {
        let mut config = Config::of(snapshot);
        let limit = limit::proven_limit(snapshot, device, replay);
        config.limit_bytes = limit.high_bytes;
        Lockstep::under(Recorded { snapshot, device, replay }, config, limit, Remainders::default())
    }

    fn under(recorded: Recorded<'_>, config: Config, limit: LimitRange, remainders: Remainders) -> Lockstep {
        let Recorded { snapshot, device, replay } = recorded;
        let start = start(snapshot, device, replay, &config, &remainders);
        let mut lockstep = Lockstep {
            allocator: Allocator::new(config),
            driver: RecordedDriver::new(),
            limit,
            event: 0,
            next_allocation: 0,
            held: HashMap::new(),
            dropped: HashMap::new(),
            calls: Calls::default(),
            deferred: Vec::new(),
            sizes: replay.block_sizes().clone(),
            difference: None,
            uncertain_blocks: start.uncertain.len() as u32,
            uncertain: start.uncertain,
            remainders,
            starts_again: false,
            patience_events: MOST_ATTEMPTED * device.events.len() as u64,
            private_frees: private_frees(replay),
            emptied_before: Vec::new(),
        };
        let adopted = !start.overlaps && start.segments.iter().all(|seed| lockstep.adopt(seed, replay));
        if !adopted {
            lockstep.difference = Some(Difference {
                event: 0,
                recorded: "segments or blocks that overlap".into(),
                expected: "segments and blocks side by side".into(),
                cause: Cause::UnclearStart,
            });
            return lockstep;
        }
        lockstep.allocator.reset_peaks();
        lockstep
    }

    fn adopt(&mut self, seed: &crate::allocator::SeedSegment, replay: &Replay) -> bool {
        let Some(blocks) = self.allocator.adopt(seed) else { return false };
        for (allocation, id) in blocks {
            let block = self.allocator.block(id);
            self.sizes.set(allocation, block.size_bytes);
            let address = replay.allocations().address(allocation);
            if block.pending {
                self.dropped.insert(address, self.allocator.ticket_of(id));
            } else {
                self.held.insert(address, id);
            }
        }
        true
    }

    /// Compares the next so many events. True when done.
    pub fn run(&mut self, snapshot: &Snapshot, device: &Device, replay: &Replay, events: u32) -> bool {
        let recorded = Recorded { snapshot, device, replay };
        let mut hints = Hints::new(snapshot);
        let n_events = device.events.len() as u32;
        let until = self.event.saturating_add(events).min(n_events);
        while self.event < until && self.difference.is_none() {
            self.step(recorded, &mut hints);
            self.event += 1;
            if self.starts_again {
                let (config, remainders) =
                    (self.allocator.config().clone(), std::mem::take(&mut self.remainders));
                *self = Lockstep::under(recorded, config, self.limit, remainders);
                return false;
            }
        }
        if self.event == n_events && self.difference.is_none() {
            self.finish_trace(recorded);
        }
        self.difference.is_some() || self.event == n_events
    }

    /// The allocator as it is now.
    pub fn allocator(&self) -> &Allocator {
        &self.allocator
    }

    /// No request is half told: the allocator stands where the recording does.
    pub fn is_between_requests(&self) -> bool {
        self.calls.events.is_empty() && self.deferred.is_empty()
    }

    /// The event that comes next.
    pub fn event(&self) -> u32 {
        self.event
    }

    fn step(&mut self, recorded: Recorded<'_>, hints: &mut Hints<'_>) {
        let (events, event) = (&recorded.device.events, self.event as usize);
        let action = events.actions[event];
        match action {
            Action::SegmentAlloc | Action::SegmentMap => self.calls.events.push(self.event),
            Action::SegmentFree | Action::SegmentUnmap => {
                self.calls.events.push(self.event);
                match hints.of(events.stacks[event]) {
                    Hint::EmptyCache => self.calls.by_program.push(self.event),
                    Hint::Unknown => self.calls.by_somebody = true,
                    Hint::Malloc => {}
                }
            }
            Action::Alloc | Action::FreeRequested | Action::FreeCompleted | Action::Free | Action::Oom => {
                let request = Request {
                    action,
                    event: self.event,
                    address: events.addrs[event],
                    size: events.sizes[event],
                    stream: recorded.snapshot.stream(events.streams[event]),
                    owner: self.owner(recorded, action),
                };
                self.request(recorded, request);
            }
            Action::Snapshot | Action::Annotate | Action::Other => {}
        }
    }

    /// The private pool of a request: that of the segment in which its block lies, or what the recorder says.
    fn owner(&mut self, recorded: Recorded<'_>, action: Action) -> PoolId {
        let rows = recorded.replay.allocations();
        match action {
            Action::Alloc => {
                rows.go_on(&mut self.next_allocation, self.event);
                recorded.replay.segments().pool_of(self.next_allocation).1
            }
            Action::Oom => recorded.device.events.notes_of(self.event).pool.unwrap_or(DEFAULT_POOL),
            _ => DEFAULT_POOL,
        }
    }

    fn request(&mut self, recorded: Recorded<'_>, request: Request) {
        if request.action == Action::FreeCompleted
            && (!self.calls.events.is_empty() || !self.deferred.is_empty())
        {
            // Memory went back and only then frees completed: the middle of a request at its limit.
            if let Some(ticket) = self.take_dropped(request.address) {
                self.deferred.push(ticket);
            }
            return;
        }
        let calls = std::mem::take(&mut self.calls);
        self.allocator.clear_events();
        self.prepare(recorded, request, &calls);
        let served = self.serve(request);
        let address = served.map(|id| self.allocator.block(id).address);
        for ticket in std::mem::take(&mut self.deferred) {
            self.allocator.free_completed(ticket);
        }
        if let Some((event, recorded_text, expected)) = self.compare(recorded, request, &calls, address) {
            if self.learn_remainder(request, served) {
                return;
            }
            let cause = self.likely_cause(recorded, request, address);
            self.difference = Some(Difference { event, recorded: recorded_text, expected, cause });
        }
    }

    /// Lets the model do what was requested. The block that it hands out, if it does.
    fn serve(&mut self, request: Request) -> Option<BlockId> {
        match request.action {
            Action::Alloc | Action::Oom => {
                let served = self
                    .allocator
                    .malloc(request.size, request.stream, request.owner, &mut self.driver)
                    .ok()?;
                let size = self.allocator.block(served).size_bytes;
                if request.action == Action::Alloc {
                    self.held.insert(request.address, served);
                    self.sizes.set(self.next_allocation, size);
                }
                Some(served)
            }
            Action::FreeRequested => {
                let ticket =
                    self.held.remove(&request.address).and_then(|id| self.allocator.free_requested(id))?;
                self.dropped.insert(request.address, ticket);
                None
            }
            _ => {
                self.uncertain.remove(&request.address);
                if let Some(ticket) = self.take_dropped(request.address) {
                    self.allocator.free_completed(ticket);
                }
                None
            }
        }
    }

    /// A dropped block; one whose request was not recorded is dropped now.
    fn take_dropped(&mut self, address: u64) -> Option<Ticket> {
        self.dropped.remove(&address).or_else(|| {
            let id = self.held.remove(&address)?;
            self.allocator.free_requested(id)
        })
    }

    /// Driver calls after the last request.
    fn finish_trace(&mut self, recorded: Recorded<'_>) {
        let event = recorded.device.events.len() as u32;
        if !self.is_between_requests() {
            let action = Action::Other;
            let nothing = Request { action, event, address: 0, size: 0, stream: 0, owner: DEFAULT_POOL };
            self.request(recorded, nothing);
        }
        let has_end = recorded.device.has_segments && !recorded.snapshot.partial;
        if has_end && self.difference.is_none() && !self.starts_again {
            self.difference = self.compare_end(recorded, event);
        }
    }

    /// The outcome.
    pub(in crate::replay) fn finish(self, device: &Device) -> (Model, BlockSizes) {
        let checked_events = device.events.len() as u32;
        let split = self.allocator.statistics().inactive_split;
        let model = Model {
            applies: true,
            checked_events,
            agreeing_events: self.difference.as_ref().map_or(checked_events, |difference| difference.event),
            inactive_split: self.difference.is_none().then_some((split.peak, split.current)),
            difference: self.difference,
            limit: self.limit,
            uncertain_blocks: self.uncertain_blocks,
            emptied_before: self.emptied_before,
        };
        (model, self.sizes)
    }
}

/// Private pools of spans that end, by the event that ends them.
pub(in crate::replay) fn private_frees(replay: &Replay) -> HashMap<u32, PoolId> {
    let ended = replay.segments().spans().iter().filter(|span| span.end != u32::MAX && span.end > 0);
    let private = ended.filter(|span| span.owner.pool != DEFAULT_POOL);
    private.map(|span| (span.end - 1, span.owner.pool)).collect()
}
