//! One run: requests given to the allocator model, one after the other.
//!
//! It ends at the first request that was served when recorded and is not any more: what the program would do then, nobody knows.

use serde::Serialize;
use vramscope_core::allocator::{Allocator, BlockId, Config, Statistics};
use vramscope_core::replay::requests::{Requests, Step, StepKind, Wanted};

use crate::addresses::{Driver, Order};
use crate::curve::Curve;

/// A request that was not served.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Failed {
    /// Its event.
    pub event: u32,
    /// Bytes that the program asked for; for a request that failed when recorded, the bytes of the block that it needs.
    pub requested_bytes: u64,
}

/// A run under way; it can be run in pieces.
#[derive(Clone, Debug)]
pub struct Run {
    allocator: Allocator,
    driver: Driver,
    /// The next step.
    step: usize,
    /// The next of [`Requests::new_segments`].
    next_offer: usize,
    /// The block of each request, once it was served.
    blocks: Vec<Option<BlockId>>,
    /// The run broke off here.
    broke: Option<Failed>,
    /// Recorded failures: the first that fails here, too, and how many are served.
    repeated: Option<Failed>,
    avoided: u32,
    peak_event: u32,
    peak_bytes: u64,
    curve: Curve,
}

/// What came of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The allocator's counters; their peaks are those since the first event.
    pub statistics: Statistics,
    /// The event after which most was reserved for the first time.
    pub reserved_peak_event: u32,
    /// The first request that found no memory.
    pub oom: Option<Failed>,
    /// Bytes over time.
    pub curve: Curve,
}

impl Run {
    /// A run before the first event. `None` if what was there before contradicts itself.
    pub fn new(requests: &Requests, config: Config, order: Order) -> Option<Run> {
        let mut run = Run {
            allocator: Allocator::new(config),
            driver: Driver::new(requests, order),
            step: 0,
            next_offer: 0,
            blocks: vec![None; requests.wanted.len()],
            broke: None,
            repeated: None,
            avoided: 0,
            peak_event: 0,
            peak_bytes: 0,
            curve: Curve::new(requests.n_events),
        };
        for seed in requests.start.as_ref()? {
            for (id, block) in run.allocator.adopt(seed)? {
                *run.blocks.get_mut(id as usize)? = Some(block);
            }
        }
        run.allocator.reset_peaks();
        run.peak_bytes = run.statistics().reserved.current;
        run.curve.note(0, run.allocator.statistics());
        Some(run)
    }

    /// Takes the next so many steps. True when done.
    pub fn run(&mut self, requests: &Requests, steps: usize) -> bool {
        self.run_until(requests, self.step.saturating_add(steps), u32::MAX)
    }

    /// Takes the steps of the events before one.
    pub fn run_to_event(&mut self, requests: &Requests, event: u32) {
        self.run_until(requests, usize::MAX, event);
    }

    fn run_until(&mut self, requests: &Requests, end: usize, event: u32) -> bool {
        let end = end.min(requests.steps.len());
        while self.step < end && self.broke.is_none() {
            let step = requests.steps[self.step];
            if step.event >= event {
                break;
            }
            self.take(requests, step);
            self.step += 1;
        }
        self.broke.is_some() || self.step == requests.steps.len()
    }

    /// Steps taken.
    pub fn steps(&self) -> usize {
        self.step
    }

    /// The allocator as it is now.
    pub fn allocator(&self) -> &Allocator {
        &self.allocator
    }

    /// The allocator's counters; their peaks are those since the first event.
    pub fn statistics(&self) -> &Statistics {
        self.allocator.statistics()
    }

    /// The request, served when recorded, at which the run broke off.
    pub fn broke_off(&self) -> Option<Failed> {
        self.broke
    }

    /// The first request that found no memory.
    pub fn oom(&self) -> Option<Failed> {
        self.repeated.or(self.broke)
    }

    /// Requests that failed when recorded and are served here.
    pub fn avoided(&self) -> u32 {
        self.avoided
    }

    /// So far no limit had any effect: under a higher one everything would have gone the same way.
    pub fn limit_is_untouched(&self) -> bool {
        let config = self.allocator.config();
        let only_refuses = config.garbage_collection_threshold == 0.0 && config.max_split_bytes == u64::MAX;
        only_refuses && self.statistics().retries == 0 && self.oom().is_none()
    }

    /// From now on another limit holds.
    pub fn set_limit(&mut self, limit_bytes: u64) {
        let config = self.allocator.config().clone();
        self.allocator.reconfigure(Config { limit_bytes: Some(limit_bytes), ..config });
    }

    /// What came of it.
    pub fn outcome(&self) -> Outcome {
        Outcome {
            statistics: *self.statistics(),
            reserved_peak_event: self.peak_event,
            oom: self.oom(),
            curve: self.curve.finished(self.broke.is_none()),
        }
    }

    fn take(&mut self, requests: &Requests, step: Step) {
        match step.kind {
            StepKind::Alloc | StepKind::Oom => self.request(requests, step),
            StepKind::Free => {
                if let Some(id) = self.block_of(step.id) {
                    self.allocator.free(id);
                }
            }
            StepKind::FreeRequested => {
                if let Some(id) = self.block_of(step.id) {
                    self.allocator.free_requested(id);
                }
            }
            StepKind::FreeCompleted => {
                // A retry may have completed it.
                if let Some(id) = self.block_of(step.id)
                    && self.allocator.block(id).pending
                {
                    self.allocator.free_completed(self.allocator.ticket_of(id));
                }
            }
            StepKind::EmptyCache => self.allocator.empty_cache(&mut self.driver),
            StepKind::LetGo => {
                if let Some(pool) = requests.pools.get(step.id as usize) {
                    self.allocator.let_go(*pool);
                }
            }
        }
        self.allocator.clear_events();
        let statistics = self.allocator.statistics();
        if statistics.reserved.peak > self.peak_bytes {
            (self.peak_bytes, self.peak_event) = (statistics.reserved.peak, step.event);
        }
        self.curve.note(step.event, statistics);
    }

    /// The block of a request, unless somebody else has its place by now.
    fn block_of(&self, id: u32) -> Option<BlockId> {
        let block = self.blocks.get(id as usize).copied().flatten();
        block.filter(|block| self.allocator.block(*block).key == id)
    }

    fn request(&mut self, requests: &Requests, step: Step) {
        let Some(&Wanted { size_bytes, stream, pool }) = requests.wanted.get(step.id as usize) else {
            return;
        };
        let offers = requests.new_segments.get(self.next_offer..).unwrap_or_default();
        let passed = offers.iter().take_while(|(event, _)| *event < step.event).count();
        let offers = &offers[passed..];
        let mine = offers.iter().take_while(|(event, _)| *event == step.event);
        self.next_offer += passed;
        self.driver.offer(mine.map(|(_, address)| *address));
        let stream = requests.streams.get(stream as usize).copied().unwrap_or(0);
        let pool = requests.pools.get(pool as usize).copied().unwrap_or_default();
        let served = self.allocator.malloc(size_bytes, stream, pool, &mut self.driver);
        let failed = Failed { event: step.event, requested_bytes: size_bytes };
        match (step.kind, served) {
            (StepKind::Oom, Ok(id)) => {
                // The program went on without it.
                self.avoided += 1;
                self.allocator.free(id);
            }
            (StepKind::Oom, Err(_)) => {
                self.repeated.get_or_insert(failed);
            }
            (_, Ok(id)) => {
                self.allocator.name(id, step.id);
                if let Some(block) = self.blocks.get_mut(step.id as usize) {
                    *block = Some(id);
                }
            }
            (_, Err(_)) => self.broke = Some(failed),
        }
    }
}
