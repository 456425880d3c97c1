//! What happened before a request: `empty_cache()`, and where new memory will lie.

use super::compare::{call, without_stream};
use super::{Calls, Lockstep, Recorded, Request};
use crate::allocator::DEFAULT_POOL;
use crate::model::{Action, PoolId};

impl Lockstep {
    /// Offers the recorded addresses, and gives back what was given back before the request.
    pub(super) fn prepare(&mut self, recorded: Recorded<'_>, request: Request, calls: &Calls) {
        let events = &recorded.device.events;
        let of = |wanted: [Action; 2]| {
            let calls = calls.events.iter().map(|&event| event as usize);
            calls.filter(move |&event| wanted.contains(&events.actions[event]))
        };
        let asks = matches!(request.action, Action::Alloc | Action::Oom);
        let first_map = of([Action::SegmentMap, Action::SegmentMap]).next();
        if let Some(event) = first_map.filter(|_| asks && self.allocator.config().expandable_segments) {
            self.allocator.learn_range(request.size, request.stream, request.owner, events.addrs[event]);
        }
        let new_memory = of([Action::SegmentAlloc, Action::SegmentMap]);
        self.driver.offer(new_memory.map(|event| (events.sizes[event], events.addrs[event])));
        let by_program = |event: &usize| calls.by_program.binary_search(&(*event as u32)).is_ok();
        let freed = || of([Action::SegmentFree, Action::SegmentUnmap]);
        let explicit: Vec<PoolId> = self.owners_of(freed().filter(by_program));
        if !explicit.is_empty() {
            self.let_go_of(&explicit, DEFAULT_POOL);
            self.allocator.empty_pools(&explicit, &mut self.driver);
            self.emptied_before.push(request.event);
        }
        let others: Vec<PoolId> = self.owners_of(freed().filter(|event| !by_program(event)));
        if !others.is_empty() {
            self.let_go_of(&others, request.owner);
            if !(asks && self.releases_itself(recorded, request, calls)) {
                self.allocator.empty_pools(&others, &mut self.driver);
                // Else a request did, at a limit that nothing proves.
                if calls.by_somebody && explicit.is_empty() {
                    self.emptied_before.push(request.event);
                }
            }
        }
    }

    /// Nobody holds a private pool any longer of which something was given back, except for the request itself.
    fn let_go_of(&mut self, owners: &[PoolId], except: PoolId) {
        for &owner in owners.iter().filter(|owner| **owner != except) {
            self.allocator.let_go(owner);
        }
    }

    /// Would the request give back by itself what was recorded? Tried on a copy.
    fn releases_itself(&self, recorded: Recorded<'_>, request: Request, calls: &Calls) -> bool {
        if self.allocator.config().limit_bytes.is_none() {
            return false; // nothing is ever refused
        }
        let (mut trial, mut driver) = (self.allocator.clone(), self.driver.clone());
        let _ = trial.malloc(request.size, request.stream, request.owner, &mut driver);
        let wanted = calls.events.iter().map(|&event| call(recorded.device, event));
        trial.events().iter().map(without_stream).eq(wanted)
    }

    /// The pools of what these events gave back, each once, in order.
    fn owners_of(&self, freed: impl Iterator<Item = usize>) -> Vec<PoolId> {
        let mut owners = Vec::new();
        for event in freed {
            let owner = self.private_frees.get(&(event as u32)).copied().unwrap_or(DEFAULT_POOL);
            if !owners.contains(&owner) {
                owners.push(owner);
            }
        }
        owners
    }
}
