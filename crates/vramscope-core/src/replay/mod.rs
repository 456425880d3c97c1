//! The recording played: allocations with their lives, series of bytes, and what is alive at any moment.
//!
//! A *moment* is a state between events: moment 0 is before the first, moment *m* after event *m* − 1. A trace of N events has N + 1 moments.

mod allocations;
mod axis;
mod blocks;
mod filter;
mod labels;
mod live;
pub mod model;
mod pairing;
mod passes;
mod recording;
pub mod requests;
pub mod segments;
mod series;
mod site;
mod slots;
pub mod stacking;
pub mod state;
mod times;

pub use allocations::Allocations;
pub use axis::Axis;
pub use filter::Filter;
pub use labels::{Category, Labels, N_CATEGORIES, OWN_SLOT, Phase, PhaseSpan, Rule, Step};
pub use recording::{CheckProgress, Recording};
pub use site::{Site, operator};
pub use slots::{N_SLOTS, SLOTS_BY_RANK};

use std::sync::Arc;

use crate::allocator::Config;
use crate::ids::StackId;
use crate::model::{Action, Device, Snapshot};
use blocks::BlockSizes;
use live::Checkpoints;
use model::{Cause, Lockstep, Model};
use segments::Segments;
use series::{Dense, Steps, alive_bytes};
use slots::Slots;
use times::Times;

/// What is known of the past before the first event, and what contradicts itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct History {
    /// Requested bytes of allocations that were there before the first event.
    pub baseline_bytes: u64,
    /// Frees of allocations that the trace does not begin.
    pub unmatched_frees: u64,
    /// Their requested bytes.
    pub unmatched_bytes: u64,
    /// Live blocks of the final state that no event mentions.
    pub untraced_blocks: u64,
    /// Their requested bytes.
    pub untraced_bytes: u64,
    /// Frees at an address that was already free: the alloc was lost. Such an allocation counts from its first free event on.
    pub lost_allocs: u64,
    /// Their requested bytes.
    pub lost_alloc_bytes: u64,
    /// Allocations that an event placed on a live one: its free was lost.
    pub lost_frees: u64,
    /// Requested bytes of those whose free was lost.
    pub lost_free_bytes: u64,
    /// Moments at which more bytes are requested than reserved.
    pub impossible_moments: u64,
    /// The most by which they exceed.
    pub impossible_bytes: u64,
    /// Allocations alive at the end of the trace that the final segments do not have, and the other way round.
    pub contradictions: u64,
    /// Their requested bytes.
    pub contradiction_bytes: u64,
    /// Blocks whose size in the final segments differs from the traced one.
    pub resized_blocks: u64,
    /// By how many bytes in all.
    pub resized_bytes: u64,
    /// Frees carry the stack of their alloc, not their own (context='alloc').
    pub frees_have_alloc_stacks: bool,
}

/// One device, replayed.
#[derive(Debug)]
pub struct Replay {
    n_moments: u32,
    allocations: Allocations,
    /// Where only some allocations are kept: all that lie in the segments, as what is left out is not free for that.
    held: Option<(Checkpoints, Allocations)>,
    requested: Dense,
    reserved: Steps,
    checkpoints: Checkpoints,
    segments: Arc<Segments>,
    block_sizes: Arc<BlockSizes>,
    /// Bytes of blocks allocated, and active, at each moment; once the allocator model agrees.
    block_series: Option<(Dense, Dense)>,
    model: Option<Arc<Model>>,
    slots: Arc<Slots>,
    labels: Option<Arc<Labels>>,
    /// Colour slots that follow from the labels, by allocation.
    category_slots: Arc<Vec<u8>>,
    times: Arc<Times>,
    first_time_us: Option<i64>,
    history: History,
    ooms: Vec<u32>,
    peak: u32,
    /// The final segments belong to the last event.
    has_final_state: bool,
}

impl Replay {
    fn build(device: &Device, snapshot: &Snapshot) -> Replay {
        let n_moments = device.events.len() as u32 + 1;
        let with_final_state = !snapshot.partial && device.has_segments;
        let pairing::Paired { allocations, history } = pairing::pair(device, with_final_state);
        let requested = alive_bytes(n_moments, allocations.len(), |id| {
            (allocations.start(id), allocations.end(id), allocations.size_bytes(id))
        });
        let final_reserved = with_final_state.then(|| device.final_reserved_bytes());
        let config = Config::of(snapshot);
        let reserved = Steps::reserved(&device.events, final_reserved);
        let checkpoints = Checkpoints::build(&allocations, n_moments);
        let peak = requested.fullest(0, n_moments);
        let mut replay = Replay {
            n_moments,
            slots: Arc::default(),
            labels: None,
            category_slots: Arc::default(),
            segments: Arc::new(segments::track(device, &allocations, &config, with_final_state)),
            block_sizes: Arc::new(BlockSizes::estimate(device, &allocations, &config, with_final_state)),
            block_series: None,
            model: None,
            allocations,
            held: None,
            requested,
            reserved,
            checkpoints,
            times: Arc::new(Times::rising(&device.events.times_us)),
            first_time_us: device.events.times_us.first().copied(),
            history,
            ooms: oom_events(device),
            peak,
            has_final_state: with_final_state,
        };
        replay.slots = Arc::new(Slots::build(&replay, snapshot));
        // Without final segments the reserved bytes are only a lower bound.
        if final_reserved.is_some() {
            replay.find_impossible_moments();
        }
        replay
    }

    fn find_impossible_moments(&mut self) {
        // Where even the peaks are in order nothing has to be counted.
        if self.requested_at(self.peak) <= self.reserved.least() {
            return;
        }
        for moment in 0..self.n_moments {
            let excess = self.requested_at(moment).saturating_sub(self.reserved_at(moment));
            self.history.impossible_moments += u64::from(excess > 0);
            self.history.impossible_bytes = self.history.impossible_bytes.max(excess);
        }
    }

    /// Moments of the recording: events + 1.
    pub fn n_moments(&self) -> u32 {
        self.n_moments
    }

    /// Every allocation, in order of start.
    pub fn allocations(&self) -> &Allocations {
        &self.allocations
    }

    /// Takes what the comparison with the allocator model came to.
    fn finish_check(&mut self, device: &Device, check: Lockstep) {
        let (model, sizes) = check.finish(device);
        let mut sizes = sizes;
        if !model.agrees() && self.has_final_state {
            sizes.take_final(device, &self.allocations);
        }
        self.block_sizes = Arc::new(sizes);
        if model.agrees() && model.uncertain_blocks == 0 {
            self.block_series = Some(self.sum_blocks());
        }
        self.model = Some(Arc::new(model));
    }

    fn block_sizes(&self) -> &BlockSizes {
        &self.block_sizes
    }

    /// Bytes of blocks allocated and active at each moment.
    fn sum_blocks(&self) -> (Dense, Dense) {
        let rows = &self.allocations;
        let allocated = alive_bytes(self.n_moments, rows.len(), |id| {
            (rows.start(id), rows.end(id).min(rows.release(id)), self.block_bytes(id))
        });
        let active = alive_bytes(self.n_moments, rows.len(), |id| {
            (rows.start(id), rows.end(id), self.block_bytes(id))
        });
        (allocated, active)
    }

    /// What the allocator model makes of the recording; `None` until it was checked.
    pub fn model(&self) -> Option<&Model> {
        self.model.as_deref()
    }

    /// Bytes of blocks held by the program at a moment (`allocated_bytes`); `None` unless the allocator model agrees.
    pub fn allocated_at(&self, moment: u32) -> Option<u64> {
        self.block_series.as_ref().map(|(allocated, _)| allocated.at(self.clamp(moment)))
    }

    /// Bytes of blocks held by the program or waited for at a moment (`active_bytes`); `None` unless the allocator model agrees.
    pub fn active_at(&self, moment: u32) -> Option<u64> {
        self.block_series.as_ref().map(|(_, active)| active.at(self.clamp(moment)))
    }

    /// The most allocated bytes in `from..to`; `None` unless the allocator model agrees.
    pub fn allocated_max(&self, from: u32, to: u32) -> Option<u64> {
        let (allocated, _) = self.block_series.as_ref()?;
        let from = self.clamp(from);
        Some(allocated.at(allocated.fullest(from, to.clamp(from + 1, self.n_moments))))
    }

    /// The first moments with the most allocated and active bytes.
    pub fn block_peaks(&self) -> Option<(u32, u32)> {
        let fullest = |series: &Dense| series.fullest(0, self.n_moments);
        self.block_series.as_ref().map(|(allocated, active)| (fullest(allocated), fullest(active)))
    }

    /// The sizes of all blocks alive at a moment are the allocator's own; else some are estimated by rounding.
    pub fn sizes_are_exact(&self, moment: u32) -> bool {
        self.model().is_some_and(|model| {
            let end_differs = model.difference.as_ref().is_some_and(|it| it.cause == Cause::FinalSegments);
            model.applies && moment <= model.agreeing_events && !end_differs && model.uncertain_blocks == 0
        })
    }

    /// The stack of an allocation is that of its free: its alloc was not recorded.
    pub fn stack_is_of_free(&self, allocation: u32) -> bool {
        self.allocations.before_recording(allocation)
            && self.allocations.end(allocation) <= self.end()
            && self.allocations.stack(allocation) != StackId::EMPTY
            && !self.history.frees_have_alloc_stacks
    }

    /// Notes that the allocator model does not hold for this device.
    fn finish_without_check(&mut self) {
        self.model = Some(Arc::new(Model { applies: false, ..Model::default() }));
    }

    /// Reserved memory over time, and the pool of every allocation.
    pub fn segments(&self) -> &Segments {
        &self.segments
    }

    /// Bytes that an allocation takes in its segment: rounded, and with what was not worth cutting off.
    #[inline]
    pub fn block_bytes(&self, allocation: u32) -> u64 {
        self.block_sizes.get(allocation)
    }

    /// Requested bytes of what is alive at a moment.
    pub fn requested_at(&self, moment: u32) -> u64 {
        self.requested.at(self.clamp(moment))
    }

    /// Bytes held from the driver at a moment.
    pub fn reserved_at(&self, moment: u32) -> u64 {
        self.reserved.at(self.clamp(moment))
    }

    /// The first moment in `from..to` with the most requested bytes. An empty range gives `from`.
    pub fn fullest(&self, from: u32, to: u32) -> u32 {
        let from = self.clamp(from);
        self.requested.fullest(from, to.clamp(from + 1, self.n_moments))
    }

    /// The most reserved bytes in `from..to`.
    pub fn reserved_max(&self, from: u32, to: u32) -> u64 {
        let from = self.clamp(from);
        self.reserved.max_in(from, to.clamp(from + 1, self.n_moments))
    }

    /// The first moment with the most reserved bytes.
    pub fn reserved_peak(&self) -> u32 {
        self.reserved.fullest()
    }

    /// The first moment with the most requested bytes.
    pub fn peak(&self) -> u32 {
        self.peak
    }

    /// The last moment.
    pub fn end(&self) -> u32 {
        self.n_moments - 1
    }

    /// Visits what is alive at a moment, in order of start.
    pub fn for_each_live(&self, moment: u32, visit: impl FnMut(u32)) {
        self.checkpoints.for_each_live(&self.allocations, self.clamp(moment), visit);
    }

    /// Visits what lies in the segments at a moment, in order of start: what is alive, and what was left out beside it.
    pub(crate) fn for_each_held(&self, moment: u32, visit: impl FnMut(u32)) {
        match &self.held {
            Some((checkpoints, rows)) => checkpoints.for_each_live(rows, self.clamp(moment), visit),
            None => self.for_each_live(moment, visit),
        }
    }

    /// How many allocations are alive at a moment.
    pub fn n_live(&self, moment: u32) -> u32 {
        let mut n = 0;
        self.for_each_live(moment, |_| n += 1);
        n
    }

    /// Colour slot of an allocation: 0 to [`N_SLOTS`] − 1.
    #[inline]
    pub fn slot_of(&self, allocation: u32) -> u8 {
        self.slots.of_allocation(allocation)
    }

    /// Colour slots by place, by allocation.
    #[inline]
    pub fn slots_by_place(&self) -> &[u8] {
        self.slots.of_allocations()
    }

    /// Colour slots by category, by allocation: none before there are labels.
    #[inline]
    pub fn category_slots(&self) -> &[u8] {
        &self.category_slots
    }

    /// Colour slot of a stack.
    pub fn slot_of_stack(&self, stack: StackId) -> u8 {
        self.slots.of_stack(stack)
    }

    /// The places that own the first slots, most bytes at the peak first, with those bytes.
    pub fn slot_owners(&self) -> &[(Site, u64)] {
        self.slots.owners()
    }

    /// What a diagnosis says of allocations and events; `None` until there is one.
    pub fn labels(&self) -> Option<&Labels> {
        self.labels.as_deref()
    }

    /// Microseconds from the first event to when a moment begins; `None` without times.
    pub fn time_at(&self, moment: u32) -> Option<i64> {
        let event = self.clamp(moment).saturating_sub(1) as usize;
        self.times.get(event)
    }

    /// The last moment that has begun at a time; 0 before the first event or without times.
    pub fn moment_at_time(&self, us: i64) -> u32 {
        self.times.happened_by(us) as u32
    }

    /// Microseconds from the first to the last event.
    pub fn duration_us(&self) -> Option<i64> {
        self.times.last()
    }

    /// Time of the first event since the epoch.
    pub fn first_time_us(&self) -> Option<i64> {
        self.first_time_us
    }

    /// What is known of the past, and what contradicts itself.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// Events that could not be served.
    pub fn ooms(&self) -> &[u32] {
        &self.ooms
    }

    fn clamp(&self, moment: u32) -> u32 {
        moment.min(self.n_moments - 1)
    }
}

fn oom_events(device: &Device) -> Vec<u32> {
    let actions = &device.events.actions;
    let mut ooms = Vec::new();
    passes::for_each(actions.len(), |event| {
        if actions[event] == Action::Oom {
            ooms.push(event as u32);
        }
    });
    ooms
}
