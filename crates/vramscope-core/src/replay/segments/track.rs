//! One pass over the trace: spans begin and end, and every allocation finds the pool that it lies in.

use std::sync::Arc;

use hashbrown::HashMap;

use super::before::{Ranges, cut, final_ranges, initial_ranges, kind_by_size};
use super::found::Found;
use super::{Faults, Owner, Segments, Span};
use crate::allocator::Config;
use crate::ids::{StackId, StreamId};
use crate::model::{Action, Device, PoolId, SegmentKind};
use crate::order;
use crate::replay::allocations::{Allocations, NEVER};
use crate::replay::live::Checkpoints;
use crate::replay::passes;

/// Follows reserved memory through a device's trace. `with_final_state`: its segments belong to the last event.
pub(in crate::replay) fn track(
    device: &Device,
    allocations: &Allocations,
    config: &Config,
    with_final_state: bool,
) -> Segments {
    let mut tracker = Tracker::new(device, config, with_final_state);
    tracker.place_started(allocations, 0);
    passes::for_each(device.events.len(), |event| {
        tracker.event(device, event);
        tracker.place_started(allocations, event as u32 + 1);
    });
    tracker.finish(device.events.len() as u32 + 1)
}

struct Tracker<'a> {
    device: &'a Device,
    config: &'a Config,
    with_final_state: bool,
    /// Spans reserved now, by address; `start` is when each began.
    now: Ranges,
    /// Spans that ended.
    ended: Vec<Span>,
    /// Final segments by address, and the event that made each for the last time: from then on its pool is known.
    survivors: HashMap<u64, (Owner, StackId, u32)>,
    /// Final expandable segments: they lend their pool to what is mapped inside them.
    last_ranges: Ranges,
    pools: Vec<(SegmentKind, PoolId)>,
    pool_index: HashMap<(SegmentKind, PoolId), u16>,
    pool_of: Vec<u16>,
    /// Where allocations were found last.
    found: Found,
    faults: Faults,
}

impl<'a> Tracker<'a> {
    fn new(device: &'a Device, config: &'a Config, with_final_state: bool) -> Self {
        let (now, last_ranges) = match with_final_state {
            true => (initial_ranges(device, config), final_ranges(device)),
            false => (Ranges::new(), Ranges::new()),
        };
        let mut survivors: HashMap<u64, (Owner, StackId, u32)> = HashMap::new();
        for span in last_ranges.values().filter(|span| !span.expandable) {
            survivors.insert(span.address, (span.owner, span.stack, 0));
        }
        for (event, action) in device.events.actions.iter().enumerate() {
            if *action == Action::SegmentAlloc
                && let Some(known) = survivors.get_mut(&device.events.addrs[event])
            {
                known.2 = event as u32;
            }
        }
        Tracker {
            device,
            config,
            with_final_state,
            now,
            ended: Vec::new(),
            survivors,
            last_ranges,
            pools: Vec::new(),
            pool_index: HashMap::new(),
            pool_of: Vec::new(),
            found: Found::default(),
            faults: Faults::default(),
        }
    }

    fn event(&mut self, device: &Device, event: usize) {
        let events = &device.events;
        let moment = event as u32 + 1;
        if !events.actions[event].is_segment_event() {
            return;
        }
        self.found.forget();
        let (address, size) = (events.addrs[event], events.sizes[event]);
        match events.actions[event] {
            Action::SegmentAlloc | Action::SegmentMap if size > 0 => {
                let expandable = events.actions[event] == Action::SegmentMap;
                let before = self.ended.len();
                self.end(address, size, moment);
                if self.ended.len() > before {
                    self.fault(size); // reserved twice: the end of the first is not recorded
                }
                let span = self.new_span(event, expandable);
                self.now.insert(address, span);
            }
            Action::SegmentFree | Action::SegmentUnmap if size > 0 => {
                let freed = self.end(address, size, moment);
                if freed < size {
                    self.unknown(event, size - freed);
                }
            }
            _ => {}
        }
    }

    /// Ends what is reserved in a range; parts outside of it go on. Returns how many bytes ended.
    fn end(&mut self, address: u64, size: u64, moment: u32) -> u64 {
        let (ended, mut bytes) = (&mut self.ended, 0);
        let stop = address.saturating_add(size);
        cut(&mut self.now, address, size, |span| {
            let from = span.address.max(address);
            let to = span.address.saturating_add(span.size_bytes).min(stop);
            bytes += to - from;
            ended.push(Span { address: from, size_bytes: to - from, end: moment, ..*span });
        });
        bytes
    }

    /// Memory goes back that was not known to be reserved. Without final segments it was there from the start.
    fn unknown(&mut self, event: usize, missing: u64) {
        let events = &self.device.events;
        if self.with_final_state || missing < events.sizes[event] {
            return self.fault(missing);
        }
        let expandable = events.actions[event] == Action::SegmentUnmap;
        let span = self.new_span(event, expandable);
        self.ended.push(Span { start: 0, end: event as u32 + 1, stack: StackId::EMPTY, ..span });
    }

    fn fault(&mut self, bytes: u64) {
        self.faults.segment_events += 1;
        self.faults.segment_bytes = self.faults.segment_bytes.saturating_add(bytes);
    }

    fn new_span(&self, event: usize, expandable: bool) -> Span {
        let events = &self.device.events;
        let (address, size_bytes) = (events.addrs[event], events.sizes[event]);
        let stream = events.streams[event];
        let guess = Owner {
            kind: kind_by_size(size_bytes, expandable, self.config),
            pool: events.notes_of(event as u32).pool.unwrap_or((0, 0)),
            stream,
        };
        let owner = match self.survivors.get(&address) {
            Some((owner, _, last)) if !expandable && event as u32 >= *last && owner.stream == stream => {
                *owner
            }
            _ if expandable && !events.says_pools => self.lent_owner(address, stream).unwrap_or(guess),
            _ => guess,
        };
        Span {
            start: event as u32 + 1,
            end: NEVER,
            address,
            size_bytes,
            owner,
            expandable,
            stack: events.stacks[event],
        }
    }

    /// The owner of the final expandable segment that holds an address.
    fn lent_owner(&self, address: u64, stream: StreamId) -> Option<Owner> {
        let (_, span) = self.last_ranges.range(..=address).next_back()?;
        let inside = span.expandable && address - span.address < span.size_bytes;
        (inside && span.owner.stream == stream).then_some(span.owner)
    }

    /// Finds the pools of the allocations that begin at a moment. They are in order of start.
    fn place_started(&mut self, allocations: &Allocations, moment: u32) {
        loop {
            let id = self.pool_of.len() as u32;
            if id >= allocations.len() || allocations.start(id) != moment {
                return;
            }
            let index = match self.found.get(allocations.address(id)) {
                Some(index) => index,
                None => self.find_pool(allocations, id),
            };
            self.pool_of.push(index);
        }
    }

    fn find_pool(&mut self, allocations: &Allocations, id: u32) -> u16 {
        let address = allocations.address(id);
        let outside = self.faults.outside;
        let pool = self.pool_at(allocations, id);
        let index = self.pool_index(pool);
        if !self.device.events.says_pools && self.faults.outside == outside {
            self.found.set(address, index);
        }
        index
    }

    fn pool_at(&mut self, allocations: &Allocations, id: u32) -> (SegmentKind, PoolId) {
        let address = allocations.address(id);
        let events = &self.device.events;
        let said = match events.says_pools && !allocations.before_recording(id) {
            true => Some(events.notes_of(allocations.start(id) - 1).pool.unwrap_or((0, 0))),
            false => None,
        };
        let around = self.now.range(..=address).next_back().map(|(_, span)| span);
        match around.filter(|span| address - span.address < span.size_bytes) {
            Some(span) => (span.owner.kind, said.unwrap_or(span.owner.pool)),
            None => {
                self.faults.outside += 1;
                self.faults.outside_bytes =
                    self.faults.outside_bytes.saturating_add(allocations.size_bytes(id));
                let small = allocations.size_bytes(id) <= 1 << 20;
                let kind = if small { SegmentKind::Small } else { SegmentKind::Large };
                (kind, said.unwrap_or((0, 0)))
            }
        }
    }

    fn pool_index(&mut self, pool: (SegmentKind, PoolId)) -> u16 {
        let next = self.pools.len().min(MAX_POOLS - 1) as u16;
        let index = *self.pool_index.entry(pool).or_insert(next);
        if usize::from(index) == self.pools.len() {
            self.pools.push(pool);
        }
        index
    }

    /// What is reserved at the end, beside the final segments.
    fn compare_end(&mut self) {
        let own: u64 = self.device.final_reserved_bytes();
        let distinct = self.last_ranges.values().fold(0u64, |sum, span| sum.saturating_add(span.size_bytes));
        let overlap = overlapping_bytes(&self.last_ranges).saturating_add(own.saturating_sub(distinct));
        let (now, last) = (joined(&self.now), joined(&self.last_ranges));
        let (mut only, mut bytes) = (u64::from(overlap > 0), overlap);
        for (these, others) in [(&now, &last), (&last, &now)] {
            for (address, size) in these {
                let known = others.binary_search_by_key(address, |(other, _)| *other);
                let known = known.ok().and_then(|at| others.get(at)).map(|(_, size)| *size);
                if known == Some(*size) {
                    continue;
                }
                let known = known.unwrap_or(0);
                only += 1;
                bytes = bytes.saturating_add(size.saturating_sub(known));
            }
        }
        (self.faults.end_mismatches, self.faults.end_bytes) = (only, bytes);
        for segment in &self.device.segments {
            let blocks = segment.blocks.iter().fold(0u64, |sum, block| sum.saturating_add(block.size_bytes));
            // Lists of one pool may leave blocks out altogether.
            let gap = if segment.blocks.is_empty() { 0 } else { blocks.abs_diff(segment.size_bytes) };
            let short = segment.blocks.iter().filter(|block| block.is_active());
            let short = short.fold(0u64, |sum, block| {
                sum.saturating_add(block.requested_bytes.saturating_sub(block.size_bytes))
            });
            self.faults.misfits += u64::from(gap > 0) + u64::from(short > 0);
            self.faults.misfit_bytes = self.faults.misfit_bytes.saturating_add(gap).saturating_add(short);
        }
    }

    fn finish(mut self, n_moments: u32) -> Segments {
        if self.with_final_state {
            self.compare_end();
        }
        let mut spans = std::mem::take(&mut self.ended);
        spans.extend(self.now.values().copied());
        for Span { owner, .. } in &spans {
            self.pool_index((owner.kind, owner.pool));
        }
        // Order of start; what ended in the moment in which it began was never reserved between events.
        order::by_number(&mut spans, |span| span.address);
        order::by_number(&mut spans, |span| span.start.into());
        let checkpoints = Checkpoints::build(&spans, n_moments);
        let pool_of = Arc::new(self.pool_of);
        Segments { spans, checkpoints, pools: self.pools, pool_of, faults: self.faults }
    }
}

/// Different pools that can be told apart; no job has a thousandth of that.
const MAX_POOLS: usize = 1 << 16;

/// Reserved memory as ranges that do not touch, by address.
fn joined(ranges: &Ranges) -> Vec<(u64, u64)> {
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for span in ranges.values() {
        match runs.last_mut() {
            Some((start, size)) if start.saturating_add(*size) == span.address => {
                *size = size.saturating_add(span.size_bytes);
            }
            _ => runs.push((span.address, span.size_bytes)),
        }
    }
    runs
}

/// Bytes that lie in more than one range.
fn overlapping_bytes(ranges: &Ranges) -> u64 {
    let (mut end, mut bytes) = (0u64, 0u64);
    for span in ranges.values() {
        let stop = span.address.saturating_add(span.size_bytes);
        bytes = bytes.saturating_add(end.min(stop).saturating_sub(span.address));
        end = end.max(stop);
    }
    bytes
}
