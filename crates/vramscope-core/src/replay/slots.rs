//! Colour slots: the places with the most bytes at the peak, once for a recording. Zoom and cursor never re-assign them.

use hashbrown::HashMap;

use super::{Replay, Site};
use crate::ids::StackId;
use crate::model::Snapshot;
use crate::order;

/// Slots in all: [`SLOTS_BY_RANK`] and two neutral ones.
pub const N_SLOTS: usize = SLOTS_BY_RANK + 2;

/// Places that get a slot of their own. Seven hues can be told apart, also with colour-deficient vision.
pub const SLOTS_BY_RANK: usize = 7;

/// The first of the two neutral slots.
const NEUTRAL: u8 = SLOTS_BY_RANK as u8;

/// Which slot a stack has.
#[derive(Clone, Debug, Default)]
pub(super) struct Slots {
    /// By stack id.
    of_stack: Vec<u8>,
    /// By allocation: painting asks for millions.
    of_allocation: Vec<u8>,
    owners: Vec<(Site, u64)>,
}

impl Slots {
    pub(super) fn build(replay: &Replay, snapshot: &Snapshot) -> Self {
        let n_stacks = snapshot.stacks.n_stacks();
        let mut bytes_of_stack = vec![0u64; n_stacks];
        replay.for_each_live(replay.peak(), |id| {
            let stack = replay.allocations.stack(id).index();
            if let Some(bytes) = bytes_of_stack.get_mut(stack) {
                *bytes = bytes.saturating_add(replay.allocations.size_bytes(id));
            }
        });
        let sites: Vec<Site> = (0..n_stacks).map(|id| Site::of_stack(StackId(id as u32), snapshot)).collect();
        let mut bytes_of_site: HashMap<&Site, u64> = HashMap::new();
        for (site, bytes) in sites.iter().zip(&bytes_of_stack).filter(|(_, bytes)| **bytes > 0) {
            let sum = bytes_of_site.entry(site).or_default();
            *sum = sum.saturating_add(*bytes);
        }
        let mut ranking: Vec<(&Site, u64)> = bytes_of_site.into_iter().collect();
        order::by(&mut ranking, |a, b| b.1.cmp(&a.1).then_with(|| rank(a.0).cmp(&rank(b.0))));
        ranking.truncate(SLOTS_BY_RANK);
        let slots: HashMap<&Site, u8> =
            ranking.iter().enumerate().map(|(at, (site, _))| (*site, at as u8)).collect();
        let of_stack = sites.iter().enumerate().map(|(id, site)| match slots.get(site) {
            Some(&slot) => slot,
            None => NEUTRAL + (id % 2) as u8,
        });
        let of_stack: Vec<u8> = of_stack.collect();
        let stacks = &replay.allocations.columns.stacks;
        Slots {
            of_allocation: stacks
                .iter()
                .map(|stack| of_stack.get(stack.index()).copied().unwrap_or(NEUTRAL))
                .collect(),
            of_stack,
            owners: ranking.iter().map(|(site, bytes)| ((*site).clone(), *bytes)).collect(),
        }
    }

    #[inline]
    pub(super) fn of_stack(&self, stack: StackId) -> u8 {
        self.of_stack.get(stack.index()).copied().unwrap_or(NEUTRAL)
    }

    #[inline]
    pub(super) fn of_allocation(&self, id: u32) -> u8 {
        self.of_allocation.get(id as usize).copied().unwrap_or(NEUTRAL)
    }

    #[inline]
    pub(super) fn of_allocations(&self) -> &[u8] {
        &self.of_allocation
    }

    pub(super) fn owners(&self) -> &[(Site, u64)] {
        &self.owners
    }
}

/// A fixed order among places with equal bytes.
fn rank(site: &Site) -> (u8, u32, &str) {
    match site {
        Site::Line(id) => (0, id.0, ""),
        Site::AutogradNode(name) => (1, 0, name),
        Site::Operator(name) => (2, 0, name),
        Site::Unnamed => (3, 0, ""),
        Site::NoStack => (4, 0, ""),
    }
}
