//! Allocations grouped by the place that made them.

use vramscope_core::order;

use crate::facts::Facts;
use crate::numbering::{Numbering, key};

/// Numbers for places: that of the stack, or without a stack one for each size.
#[derive(Default)]
pub(super) struct Places {
    sizes: Numbering,
}

/// Where numbers of sizes begin.
const SIZES: u32 = 1 << 31;

impl Places {
    pub(super) fn number(&mut self, facts: &Facts<'_>, id: u32) -> u32 {
        match facts.site(id) {
            0 => SIZES + self.sizes.of(key(facts.size_bytes(id))) as u32,
            site => site,
        }
    }
}

/// Some allocations by place, each group in order of birth.
pub(super) fn grouped(facts: &Facts<'_>, ids: impl Iterator<Item = u32>) -> Vec<Vec<u32>> {
    let mut places = Places::default();
    let mut pairs: Vec<(u64, u32)> = ids.map(|id| (u64::from(places.number(facts, id)), id)).collect();
    order::pairs(&mut pairs);
    let groups = pairs.chunk_by(|a, b| a.0 == b.0);
    groups.map(|group| group.iter().map(|(_, id)| *id).collect()).collect()
}
