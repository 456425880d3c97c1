//! Pairing of alloc and free, and what was there before the first event.
//!
//! Rules: snapshot format reference, section 7.2. An address is not an identity; a map from address to its live allocation is.

use std::sync::Arc;

use hashbrown::HashMap;

use super::History;
use super::allocations::{Allocations, Columns, NEVER};
use super::passes;
use crate::ids::{StackId, StreamId};
use crate::model::{Action, BlockState, Device};

pub(super) struct Paired {
    pub(super) allocations: Allocations,
    pub(super) history: History,
}

/// What the map holds for an address that was used and is free.
const FREED: u32 = u32::MAX;
/// What it holds once a final block has been found there.
const CONFIRMED: u32 = u32::MAX - 1;

/// Allocations under construction. Ids are in order of discovery until [`Pairing::finish`] puts the old ones first.
#[derive(Default)]
struct Pairing {
    rows: Columns,
    ends: Vec<u32>,
    /// Live allocation by address, or [`FREED`].
    at_address: HashMap<u64, u32>,
    last_freed: Option<u32>,
    same_stacks: u64,
    own_stacks: u64,
    history: History,
}

/// Pairs the events of a device. `with_final_state`: its segments belong to the last event.
pub(super) fn pair(device: &Device, with_final_state: bool) -> Paired {
    let events = &device.events;
    let mut pairing = Pairing::default();
    let counts = Counts::of(&events.actions);
    let request_frees = requests_free(device, &counts, with_final_state);
    let requests_recorded = !counts.skip_requests();
    pairing.reserve(counts.allocs);
    passes::for_each(events.len(), |event| {
        let moment = event as u32 + 1;
        let row = || (events.addrs[event], events.sizes[event], events.streams[event], events.stacks[event]);
        match events.actions[event] {
            Action::Alloc => pairing.alloc(moment, row()),
            Action::FreeRequested if request_frees => pairing.free(moment, row()),
            Action::FreeRequested => pairing.release(moment, row()),
            Action::FreeCompleted => pairing.complete(moment, row(), requests_recorded),
            Action::Free => pairing.free(moment, row()),
            _ => {}
        }
    });
    if with_final_state {
        pairing.compare_with_blocks(device);
    }
    pairing.finish()
}

/// How many events of a kind there are.
#[derive(Default)]
struct Counts {
    allocs: usize,
    requests: usize,
    completed: usize,
    frees: usize,
}

impl Counts {
    fn of(actions: &[Action]) -> Self {
        let mut counts = Counts::default();
        passes::for_each(actions.len(), |event| match actions[event] {
            Action::Alloc => counts.allocs += 1,
            Action::FreeRequested => counts.requests += 1,
            Action::FreeCompleted => counts.completed += 1,
            Action::Free => counts.frees += 1,
            _ => {}
        });
        counts
    }

    /// `skip_actions` left `free_requested` out. A single completed free without its request is only a ring that was cut between the two.
    fn skip_requests(&self) -> bool {
        self.completed > 1 && self.requests == 0
    }
}

/// With `skip_actions` a trace may have no `free_completed` at all; then the request is what frees, unless blocks really wait.
fn requests_free(device: &Device, counts: &Counts, with_final_state: bool) -> bool {
    let waiting = device.active_blocks().any(|(_, block)| block.state == BlockState::PendingFree);
    counts.completed == 0 && counts.frees == 0 && !(with_final_state && waiting)
}

type Row = (u64, u64, StreamId, StackId);

impl Pairing {
    /// Room for so many allocations: columns that double would take twice as much.
    fn reserve(&mut self, allocations: usize) {
        let Columns { starts, releases, sizes, addresses, stacks, streams } = &mut self.rows;
        starts.reserve_exact(allocations);
        releases.reserve_exact(allocations);
        sizes.reserve_exact(allocations);
        addresses.reserve_exact(allocations);
        stacks.reserve_exact(allocations);
        streams.reserve_exact(allocations);
        self.ends.reserve_exact(allocations);
    }

    fn live_at(&self, address: u64) -> Option<u32> {
        self.at_address.get(&address).copied().filter(|id| *id != FREED)
    }

    /// Takes the live allocation from its address.
    fn take(&mut self, address: u64) -> Option<u32> {
        let cell = self.at_address.get_mut(&address)?;
        let id = std::mem::replace(cell, FREED);
        (id != FREED).then_some(id)
    }

    fn push(&mut self, start: u32, (address, size, stream, stack): Row) -> u32 {
        let id = self.rows.starts.len() as u32;
        self.rows.starts.push(start);
        self.ends.push(NEVER);
        self.rows.releases.push(NEVER);
        self.rows.sizes.push(size);
        self.rows.addresses.push(address);
        self.rows.stacks.push(stack);
        self.rows.streams.push(stream);
        id
    }

    /// An allocation that was there before the first event.
    fn push_old(&mut self, row: Row) -> u32 {
        self.history.baseline_bytes = self.history.baseline_bytes.saturating_add(row.1);
        self.push(0, row)
    }

    fn alloc(&mut self, moment: u32, row: Row) {
        let id = self.push(moment, row);
        let before = self.at_address.insert(row.0, id);
        if let Some(lost) = before.filter(|lost| *lost != FREED) {
            self.history.lost_frees += 1;
            add(&mut self.history.lost_free_bytes, self.rows.sizes[lost as usize]);
            self.ends[lost as usize] = moment;
        }
    }

    fn release(&mut self, moment: u32, row: Row) {
        let id = self.live_at(row.0).unwrap_or_else(|| self.unmatched(moment, row));
        self.rows.releases[id as usize] = moment;
    }

    /// What was there before and completes without a request was waited for from the start, if requests are recorded.
    fn complete(&mut self, moment: u32, row: Row, requests_recorded: bool) {
        self.free(moment, row);
        let Some(id) = self.last_freed.filter(|_| requests_recorded) else { return };
        if self.rows.starts[id as usize] == 0 && self.rows.releases[id as usize] == moment {
            self.rows.releases[id as usize] = 0;
        }
    }

    /// Does a free carry the stack of its alloc (context='alloc') or its own?
    fn compare_stacks(&mut self, id: u32, stack: StackId) {
        if self.rows.starts[id as usize] > 0 && stack != StackId::EMPTY {
            let same = self.rows.stacks[id as usize] == stack;
            self.same_stacks += u64::from(same);
            self.own_stacks += u64::from(!same);
        }
    }

    fn free(&mut self, moment: u32, row: Row) {
        let id = match self.take(row.0) {
            Some(id) => id,
            None => {
                let id = self.unmatched(moment, row);
                self.at_address.insert(row.0, FREED);
                id
            }
        };
        self.compare_stacks(id, row.3);
        self.ends[id as usize] = moment;
        self.last_freed = Some(id);
        if self.rows.releases[id as usize] == NEVER {
            self.rows.releases[id as usize] = moment;
        }
    }

    /// A free without alloc: the allocation existed before the first event. If its address was already freed in this trace, its
    /// alloc was lost somewhere in between: nothing is known of its life but the end.
    fn unmatched(&mut self, moment: u32, row: Row) -> u32 {
        let id = if self.at_address.contains_key(&row.0) {
            self.history.lost_allocs += 1;
            add(&mut self.history.lost_alloc_bytes, row.1);
            self.push(moment, row)
        } else {
            self.history.unmatched_frees += 1;
            add(&mut self.history.unmatched_bytes, row.1);
            self.push_old(row)
        };
        self.at_address.insert(row.0, id);
        id
    }

    /// Blocks that are live in the final state but in no event existed throughout.
    fn compare_with_blocks(&mut self, device: &Device) {
        for (segment, block) in device.active_blocks() {
            match self.at_address.insert(block.address, CONFIRMED) {
                // Freed in the trace, or a second block at the address.
                Some(FREED | CONFIRMED) => self.contradiction(block.requested_bytes),
                Some(id) => {
                    let difference = self.rows.sizes[id as usize].abs_diff(block.requested_bytes);
                    self.history.resized_blocks += u64::from(difference > 0);
                    add(&mut self.history.resized_bytes, difference);
                }
                None => {
                    self.history.untraced_blocks += 1;
                    add(&mut self.history.untraced_bytes, block.requested_bytes);
                    let id =
                        self.push_old((block.address, block.requested_bytes, segment.stream, block.stack));
                    if block.state == BlockState::PendingFree {
                        self.rows.releases[id as usize] = 0;
                    }
                }
            }
        }
        let ids = self.at_address.values().copied();
        let unconfirmed: Vec<u32> = ids.filter(|id| !matches!(*id, FREED | CONFIRMED)).collect();
        for id in unconfirmed {
            self.contradiction(self.rows.sizes[id as usize]);
        }
    }

    fn contradiction(&mut self, bytes: u64) {
        self.history.contradictions += 1;
        add(&mut self.history.contradiction_bytes, bytes);
    }

    /// Puts the allocations that were there before the first event in front.
    fn finish(self) -> Paired {
        let mut history = self.history;
        history.frees_have_alloc_stacks = self.same_stacks > 0 && self.own_stacks == 0;
        let (rows, ends) = (self.rows, self.ends);
        let (columns, ends) = match rows.starts.is_sorted_by_key(|&start| start > 0) {
            true => (rows, ends),
            false => {
                let ids = || 0..ends.len() as u32;
                let old = ids().filter(|&id| rows.starts[id as usize] == 0);
                let order: Vec<u32> = old.chain(ids().filter(|&id| rows.starts[id as usize] > 0)).collect();
                (reordered(rows, &order), reorder(ends, &order))
            }
        };
        Paired { allocations: Allocations { columns: Arc::new(columns), ends }, history }
    }
}

/// Takes each column and gives it back in another order: never all of them twice.
fn reordered(rows: Columns, order: &[u32]) -> Columns {
    Columns {
        starts: reorder(rows.starts, order),
        releases: reorder(rows.releases, order),
        sizes: reorder(rows.sizes, order),
        addresses: reorder(rows.addresses, order),
        stacks: reorder(rows.stacks, order),
        streams: reorder(rows.streams, order),
    }
}

fn add(sum: &mut u64, bytes: u64) {
    *sum = sum.saturating_add(bytes);
}

fn reorder<T: Copy>(column: Vec<T>, order: &[u32]) -> Vec<T> {
    order.iter().map(|&id| column[id as usize]).collect()
}
