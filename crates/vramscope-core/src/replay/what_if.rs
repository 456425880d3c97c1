//! The recorded requests under other settings: would they have been served, and how much memory would have been reserved?
//!
//! A driver over [`Allocator`]: requests and frees in the recorded order, with the streams and pools that the recording has. What happens
//! inside the allocator (driver calls, releases at the limit) is the model's own; only `empty_cache()`, which the program called, is
//! taken over. It ends at the first request that was served when recorded and is not any more: what the program would do then, nobody knows.

use hashbrown::HashMap;

use super::Replay;
use super::model::hint::{Hint, Hints};
use super::model::private_frees;
use super::model::start::{known_remainders, start};
use crate::allocator::{Allocator, BlockId, Config, DEFAULT_POOL, PlainDriver, Statistics, Ticket};
use crate::model::{Action, Device, PoolId, Snapshot};

/// A request that was served when recorded and is not under these settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FailedRequest {
    /// Its event.
    pub event: u32,
    /// Bytes of the block that it needs.
    pub rounded_bytes: u64,
}

/// A run under way; it can be run in pieces.
#[derive(Clone, Debug)]
pub struct WhatIf {
    allocator: Allocator,
    driver: PlainDriver,
    /// The next event, and the one before which it ends.
    event: u32,
    until: u32,
    /// The allocation whose alloc event comes next.
    next_allocation: u32,
    held: HashMap<u64, BlockId>,
    dropped: HashMap<u64, Ticket>,
    calls: Calls,
    /// Frees told in the middle of a request that synchronised when it was recorded.
    deferred: Vec<Ticket>,
    private_frees: HashMap<u32, PoolId>,
    failed: Option<FailedRequest>,
    last_oom_served: Option<bool>,
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

/// Far above every recorded address.
const INVENTED_BELOW: u64 = 1 << 62;

/// What a run reads.
#[derive(Clone, Copy)]
struct Recorded<'a> {
    snapshot: &'a Snapshot,
    device: &'a Device,
    replay: &'a Replay,
}

impl WhatIf {
    /// A run before the first event, over the events before `until`. What was there before them keeps its recorded layout. `None` if that
    /// contradicts itself.
    pub fn new(
        snapshot: &Snapshot,
        device: &Device,
        replay: &Replay,
        config: Config,
        until: u32,
    ) -> Option<WhatIf> {
        let start = start(snapshot, device, replay, &config, &known_remainders(replay, &config));
        let mut run = WhatIf {
            allocator: Allocator::new(config),
            driver: PlainDriver::new(INVENTED_BELOW),
            event: 0,
            until: until.min(device.events.len() as u32),
            next_allocation: 0,
            held: HashMap::new(),
            dropped: HashMap::new(),
            calls: Calls::default(),
            deferred: Vec::new(),
            private_frees: private_frees(replay),
            failed: None,
            last_oom_served: None,
        };
        if start.overlaps {
            return None;
        }
        for seed in &start.segments {
            for (allocation, id) in run.allocator.adopt(seed)? {
                let address = replay.allocations().address(allocation);
                match run.allocator.block(id).pending {
                    true => drop(run.dropped.insert(address, run.allocator.ticket_of(id))),
                    false => drop(run.held.insert(address, id)),
                }
            }
        }
        run.allocator.reset_peaks();
        Some(run)
    }

    /// Goes through the next so many events. True when done.
    pub fn run(&mut self, snapshot: &Snapshot, device: &Device, replay: &Replay, events: u32) -> bool {
        let recorded = Recorded { snapshot, device, replay };
        let mut hints = Hints::new(snapshot);
        let stop = self.event.saturating_add(events).min(self.until);
        while self.event < stop && self.failed.is_none() {
            self.step(recorded, &mut hints);
            self.event += 1;
        }
        self.failed.is_some() || self.event == self.until
    }

    /// The event that comes next.
    pub fn event(&self) -> u32 {
        self.event
    }

    /// The request at which it ended before its time.
    pub fn failed(&self) -> Option<FailedRequest> {
        self.failed
    }

    /// The last request that failed when recorded is served here; `None` before the first such.
    pub fn last_oom_served(&self) -> Option<bool> {
        self.last_oom_served
    }

    /// The allocator's counters: their peaks are those since the first event.
    pub fn statistics(&self) -> &Statistics {
        self.allocator.statistics()
    }

    /// So far no limit had any effect: under a higher one everything would have gone the same way.
    pub fn limit_is_untouched(&self) -> bool {
        let config = self.allocator.config();
        let only_refuses = config.garbage_collection_threshold == 0.0 && config.max_split_bytes == u64::MAX;
        let refused = self.statistics().retries > 0 || self.last_oom_served == Some(false);
        only_refuses && !refused && self.failed.is_none()
    }

    /// From now on another limit holds.
    pub fn set_limit(&mut self, limit_bytes: u64) {
        let config = self.allocator.config().clone();
        self.allocator.reconfigure(Config { limit_bytes: Some(limit_bytes), ..config });
    }

    fn step(&mut self, recorded: Recorded<'_>, hints: &mut Hints<'_>) {
        let (events, event) = (&recorded.device.events, self.event as usize);
        let (action, address) = (events.actions[event], events.addrs[event]);
        match action {
            Action::SegmentAlloc | Action::SegmentMap => {
                (self.calls.any, self.calls.gained) = (true, true);
            }
            Action::SegmentFree | Action::SegmentUnmap => self.went_back(hints.of(events.stacks[event])),
            Action::FreeCompleted if self.calls.any || !self.deferred.is_empty() => {
                let ticket = self.take_dropped(address);
                self.deferred.extend(ticket);
            }
            Action::FreeRequested => {
                self.end_calls(false);
                let id = self.held.remove(&address);
                if let Some(ticket) = id.and_then(|id| self.allocator.free_requested(id)) {
                    self.dropped.insert(address, ticket);
                }
            }
            Action::FreeCompleted | Action::Free => {
                self.end_calls(false);
                if let Some(ticket) = self.take_dropped(address) {
                    self.allocator.free_completed(ticket);
                }
            }
            Action::Alloc | Action::Oom => self.request(recorded, action),
            Action::Snapshot | Action::Annotate | Action::Other => {}
        }
    }

    fn went_back(&mut self, hint: Hint) {
        self.calls.any = true;
        match hint {
            Hint::EmptyCache => self.calls.lost_to_program = true,
            Hint::Unknown => self.calls.lost = true,
            Hint::Malloc => {}
        }
        if let Some(&owner) = self.private_frees.get(&self.event) {
            self.allocator.let_go(owner);
        }
    }

    /// What was given back before a request was given back by the program, if its stack says so, or if no request can have done it: one
    /// that gives memory back does so to get new memory.
    fn end_calls(&mut self, asks_in_vain: bool) {
        let calls = std::mem::take(&mut self.calls);
        if calls.lost_to_program || (calls.lost && !calls.gained && !asks_in_vain) {
            self.allocator.empty_cache(&mut self.driver);
            self.allocator.clear_events();
        }
        if !asks_in_vain {
            self.complete_deferred();
        }
    }

    fn complete_deferred(&mut self) {
        for ticket in std::mem::take(&mut self.deferred) {
            self.allocator.free_completed(ticket);
        }
    }

    fn request(&mut self, recorded: Recorded<'_>, action: Action) {
        let (events, event) = (&recorded.device.events, self.event as usize);
        let deferred = std::mem::take(&mut self.deferred);
        self.end_calls(action == Action::Oom);
        self.deferred = deferred;
        let owner = self.owner(recorded, action);
        let stream = recorded.snapshot.stream(events.streams[event]);
        let served = self.allocator.malloc(events.sizes[event], stream, owner, &mut self.driver);
        self.allocator.clear_events();
        self.complete_deferred();
        match (action, served) {
            (Action::Oom, Ok(id)) => {
                // The program went on without it.
                self.last_oom_served = Some(true);
                if let Some(ticket) = self.allocator.free_requested(id) {
                    self.allocator.free_completed(ticket);
                }
            }
            (Action::Oom, Err(_)) => self.last_oom_served = Some(false),
            (_, Ok(id)) => drop(self.held.insert(events.addrs[event], id)),
            (_, Err(oom)) => {
                let rounded_bytes = oom.rounded_bytes;
                self.failed = Some(FailedRequest { event: self.event, rounded_bytes });
            }
        }
    }

    /// The private pool of a request: that of the segment in which its block lay, or what the recorder says.
    fn owner(&mut self, recorded: Recorded<'_>, action: Action) -> PoolId {
        if action == Action::Oom {
            return recorded.device.events.notes_of(self.event).pool.unwrap_or(DEFAULT_POOL);
        }
        let rows = recorded.replay.allocations();
        while self.next_allocation < rows.len() && rows.start(self.next_allocation) <= self.event {
            self.next_allocation += 1;
        }
        recorded.replay.segments().pool_of(self.next_allocation).1
    }

    /// A dropped block; one whose request was not recorded is dropped now.
    fn take_dropped(&mut self, address: u64) -> Option<Ticket> {
        self.dropped.remove(&address).or_else(|| {
            let id = self.held.remove(&address)?;
            self.allocator.free_requested(id)
        })
    }
}
