//! Allocations grouped by the place that made them.

use hashbrown::HashMap;

use crate::facts::Facts;

/// Numbers for places: that of the stack, or without a stack one for each size.
#[derive(Default)]
pub(super) struct Places {
    sizes: HashMap<u64, u32>,
}

/// Where numbers of sizes begin.
const SIZES: u32 = 1 << 31;

impl Places {
    pub(super) fn number(&mut self, facts: &Facts<'_>, id: u32) -> u32 {
        match facts.site(id) {
            0 => {
                let next = SIZES + self.sizes.len() as u32;
                *self.sizes.entry(facts.size_bytes(id)).or_insert(next)
            }
            site => site,
        }
    }
}

/// Some allocations by place, each group in order of birth.
pub(super) fn grouped(facts: &Facts<'_>, ids: impl Iterator<Item = u32>) -> Vec<Vec<u32>> {
    let mut places = Places::default();
    let mut packed: Vec<u64> =
        ids.map(|id| u64::from(places.number(facts, id)) << 32 | u64::from(id)).collect();
    packed.sort_unstable();
    let groups = packed.chunk_by(|a, b| a >> 32 == b >> 32);
    groups.map(|group| group.iter().map(|packed| *packed as u32).collect()).collect()
}
