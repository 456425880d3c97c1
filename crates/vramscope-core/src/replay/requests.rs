//! The recording as a stream of requests (rule R13): what the program asked of the allocator, apart from what came of it.
//!
//! Whoever wants to know what would have happened otherwise gives these steps to an [`Allocator`](crate::allocator::Allocator) of other
//! settings, or changes them first.

use hashbrown::HashMap;

use super::Replay;
use super::model::hint::{Hint, Hints};
use super::model::start::{known_remainders, start};
use crate::allocator::{Config, DEFAULT_POOL, SeedSegment};
use crate::model::{Action, Device, PoolId, Snapshot};

/// What the program did, in order.
#[derive(Clone, Debug, Default)]
pub struct Requests {
    /// Each in the order in which it happened.
    pub steps: Vec<Step>,
    /// What was wanted, by id: ids are those of [`Replay::allocations`], and after them one for each request that failed.
    pub wanted: Vec<Wanted>,
    /// Raw handles of streams.
    pub streams: Vec<u64>,
    /// Private pools; the first is the default one.
    pub pools: Vec<PoolId>,
    /// Segments that were there before the first event, as they were recorded; `None` if they contradict each other.
    pub start: Option<Vec<SeedSegment>>,
    /// Recorded addresses of new segments, with the event of the request that they were asked for.
    pub new_segments: Vec<(u32, u64)>,
    /// Events of the trace.
    pub n_events: u32,
}

/// One thing that the program did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The event at which it happened.
    pub event: u32,
    /// What it did.
    pub kind: StepKind,
    /// With what: an index into [`Requests::wanted`], or for [`StepKind::LetGo`] into [`Requests::pools`].
    pub id: u32,
}

/// What a program does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepKind {
    /// Asks for memory.
    Alloc,
    /// Asks for memory and did not get it when recorded.
    Oom,
    /// Drops a block that another stream still uses.
    FreeRequested,
    /// No stream uses a dropped block any longer.
    FreeCompleted,
    /// Both at once.
    Free,
    /// Calls `empty_cache()`.
    EmptyCache,
    /// Nobody holds a private pool any longer.
    LetGo,
}

impl StepKind {
    /// All, in the order of their codes.
    pub const ALL: [StepKind; 7] = [
        StepKind::Alloc,
        StepKind::Oom,
        StepKind::FreeRequested,
        StepKind::FreeCompleted,
        StepKind::Free,
        StepKind::EmptyCache,
        StepKind::LetGo,
    ];
}

/// A request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Bytes that the program asked for.
    pub size_bytes: u64,
    /// Index into [`Requests::streams`].
    pub stream: u32,
    /// Index into [`Requests::pools`].
    pub pool: u32,
}

impl Requests {
    /// Reads the events before `until` of a device.
    pub fn read(snapshot: &Snapshot, device: &Device, replay: &Replay, until: u32) -> Requests {
        let mut reader = Reader::new(snapshot, device, replay);
        let until = until.min(device.events.len() as u32);
        for event in 0..until {
            reader.event(event);
        }
        reader.end_calls(until, Action::Other);
        reader.complete_deferred(until);
        let mut requests = reader.requests;
        requests.n_events = until;
        requests
    }

    /// The first request that failed when recorded.
    pub fn first_oom(&self) -> Option<&Step> {
        self.steps.iter().find(|step| step.kind == StepKind::Oom)
    }

    /// How many requests there are, those that failed among them.
    pub fn count(&self) -> usize {
        self.steps.iter().filter(|step| matches!(step.kind, StepKind::Alloc | StepKind::Oom)).count()
    }
}

/// Recorded driver calls since the last request.
#[derive(Clone, Copy, Debug, Default)]
struct Calls {
    any: bool,
    gained: bool,
    lost_to_program: bool,
    /// No stack tells to whom.
    lost: bool,
}

struct Reader<'a> {
    device: &'a Device,
    replay: &'a Replay,
    hints: Hints<'a>,
    requests: Requests,
    /// The allocation whose alloc event comes next.
    next_allocation: u32,
    /// Allocations by address: those held, and those dropped and waited for.
    held: HashMap<u64, u32>,
    dropped: HashMap<u64, u32>,
    calls: Calls,
    /// Frees told in the middle of a request that synchronised when it was recorded.
    deferred: Vec<u32>,
    private_frees: HashMap<u32, PoolId>,
    offers: Vec<u64>,
}

impl<'a> Reader<'a> {
    fn new(snapshot: &'a Snapshot, device: &'a Device, replay: &'a Replay) -> Self {
        let config = Config::of(snapshot);
        let start = start(snapshot, device, replay, &config, &known_remainders(replay, &config));
        let mut reader = Reader {
            device,
            replay,
            hints: Hints::new(snapshot),
            requests: Requests { streams: snapshot.streams.clone(), ..Requests::default() },
            next_allocation: 0,
            held: HashMap::new(),
            dropped: HashMap::new(),
            calls: Calls::default(),
            deferred: Vec::new(),
            private_frees: super::model::private_frees(replay),
            offers: Vec::new(),
        };
        reader.pool(DEFAULT_POOL);
        reader.read_wanted();
        for block in start.segments.iter().flat_map(|seed| &seed.ranges).flat_map(|range| &range.blocks) {
            let map = if block.pending { &mut reader.dropped } else { &mut reader.held };
            map.insert(block.address, block.key);
        }
        reader.requests.start = (!start.overlaps).then_some(start.segments);
        reader
    }

    fn read_wanted(&mut self) {
        let (rows, segments) = (self.replay.allocations(), self.replay.segments());
        let pools: Vec<u32> = segments.pools().iter().map(|(_, pool)| self.pool(*pool)).collect();
        self.requests.wanted = (0..rows.len())
            .map(|id| Wanted {
                size_bytes: rows.size_bytes(id),
                stream: rows.stream(id).0,
                pool: pools.get(usize::from(segments.pool_index(id))).copied().unwrap_or(0),
            })
            .collect();
    }

    fn pool(&mut self, pool: PoolId) -> u32 {
        let pools = &mut self.requests.pools;
        let at = pools.iter().position(|known| *known == pool);
        at.unwrap_or_else(|| {
            pools.push(pool);
            pools.len() - 1
        }) as u32
    }

    fn push(&mut self, event: u32, kind: StepKind, id: u32) {
        let steps = &mut self.requests.steps;
        if kind == StepKind::FreeCompleted
            && let Some(last) = steps.last_mut()
            && (last.kind, last.id) == (StepKind::FreeRequested, id)
        {
            last.kind = StepKind::Free;
            return;
        }
        steps.push(Step { event, kind, id });
    }

    fn event(&mut self, event: u32) {
        let events = &self.device.events;
        let (action, address) = (events.actions[event as usize], events.addrs[event as usize]);
        match action {
            Action::SegmentAlloc => {
                (self.calls.any, self.calls.gained) = (true, true);
                self.offers.push(address);
            }
            Action::SegmentMap => (self.calls.any, self.calls.gained) = (true, true),
            Action::SegmentFree | Action::SegmentUnmap => self.went_back(event),
            Action::FreeCompleted if self.calls.any || !self.deferred.is_empty() => {
                let id = self.take_dropped(event, address);
                self.deferred.extend(id);
            }
            Action::FreeRequested => {
                self.end_calls(event, action);
                if let Some(id) = self.held.remove(&address) {
                    self.push(event, StepKind::FreeRequested, id);
                    self.dropped.insert(address, id);
                }
                self.complete_deferred(event);
            }
            Action::FreeCompleted | Action::Free => {
                self.end_calls(event, action);
                if let Some(id) = self.take_dropped(event, address) {
                    self.push(event, StepKind::FreeCompleted, id);
                }
                self.complete_deferred(event);
            }
            Action::Alloc | Action::Oom => self.request(event, action),
            Action::Snapshot | Action::Annotate | Action::Other => {}
        }
    }

    fn went_back(&mut self, event: u32) {
        self.calls.any = true;
        match self.hints.of(self.device.events.stacks[event as usize]) {
            Hint::EmptyCache => self.calls.lost_to_program = true,
            Hint::Unknown => self.calls.lost = true,
            Hint::Malloc => {}
        }
        if let Some(&owner) = self.private_frees.get(&event) {
            let pool = self.pool(owner);
            self.push(event, StepKind::LetGo, pool);
        }
    }

    /// What was given back before a request was given back by the program, if the checked model or its stack says so, or if no request
    /// can have done it: one that gives memory back does so to get new memory.
    fn end_calls(&mut self, event: u32, action: Action) {
        let calls = std::mem::take(&mut self.calls);
        self.offers.clear();
        let model = self.replay.model().filter(|model| model.applies && event <= model.agreeing_events);
        let emptied = match model {
            Some(model) => model.emptied_before.binary_search(&event).is_ok(),
            None => calls.lost_to_program || (calls.lost && !calls.gained && action != Action::Oom),
        };
        if emptied {
            self.push(event, StepKind::EmptyCache, 0);
        }
    }

    fn complete_deferred(&mut self, event: u32) {
        for id in std::mem::take(&mut self.deferred) {
            self.push(event, StepKind::FreeCompleted, id);
        }
    }

    fn request(&mut self, event: u32, action: Action) {
        let offers = self.offers.iter().map(|address| (event, *address));
        self.requests.new_segments.extend(offers);
        self.end_calls(event, action);
        let address = self.device.events.addrs[event as usize];
        if action == Action::Oom {
            let id = self.failed(event);
            self.push(event, StepKind::Oom, id);
        } else {
            let Some(id) = self.allocation(event) else { return self.complete_deferred(event) };
            // A block at the same address was freed, though nothing says when.
            if let Some(lost) = self.held.insert(address, id) {
                self.push(event, StepKind::FreeRequested, lost);
                self.push(event, StepKind::FreeCompleted, lost);
            }
            self.push(event, StepKind::Alloc, id);
        }
        self.complete_deferred(event);
    }

    fn allocation(&mut self, event: u32) -> Option<u32> {
        let rows = self.replay.allocations();
        rows.go_on(&mut self.next_allocation, event);
        (self.next_allocation < rows.len()).then_some(self.next_allocation)
    }

    /// A request that was not served; it has no allocation.
    fn failed(&mut self, event: u32) -> u32 {
        let events = &self.device.events;
        let stream = events.streams[event as usize].0;
        let pool = self.pool(events.notes_of(event).pool.unwrap_or(DEFAULT_POOL));
        let size_bytes = events.sizes[event as usize];
        self.requests.wanted.push(Wanted { size_bytes, stream, pool });
        self.requests.wanted.len() as u32 - 1
    }

    /// A dropped block; one whose request was not recorded is dropped now.
    fn take_dropped(&mut self, event: u32, address: u64) -> Option<u32> {
        self.dropped.remove(&address).or_else(|| {
            let id = self.held.remove(&address)?;
            self.push(event, StepKind::FreeRequested, id);
            Some(id)
        })
    }
}
