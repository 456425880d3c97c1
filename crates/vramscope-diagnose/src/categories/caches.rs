//! Caches that grow by replacement: the next, larger block of a place is born shortly before this one dies.

use vramscope_core::order;
use vramscope_core::replay::{Category, Phase};

use super::Sorting;
use super::book::decide;
use crate::facts::NONE;
use crate::thresholds::{
    FEWEST_LINKS, FEWEST_OF_CACHE, LINK_EVENTS, LINK_GROWTH_BYTES, SHORTEST_LINK_EVENTS,
};

/// Every rule that says so has it.
pub(super) const WORD: &str = "key-value cache";

pub(super) fn find(sorting: &mut Sorting<'_>) {
    let infers = sorting.table.work.iter().any(|run| run.phase == Phase::Inference);
    if sorting.table.trains() && !infers {
        return;
    }
    let facts = sorting.facts;
    let may_be_cache = |id: &u32| {
        let decision = sorting.decision(*id);
        let fits = matches!(
            decision.category,
            Category::Temporary | Category::Other | Category::Unknown | Category::Input
        );
        fits && !facts.is_old(*id) && !decision.why.starts_with(super::workspaces::WORD)
    };
    // By stack, and among those of one stack in order of birth.
    let mut by_stack: Vec<(u64, u32)> =
        facts.ids().filter(may_be_cache).map(|id| (u64::from(facts.stack(id).0), id)).collect();
    order::pairs(&mut by_stack);
    let mut found = Vec::new();
    for place in by_stack.chunk_by(|a, b| a.0 == b.0).filter(|place| place.len() >= FEWEST_OF_CACHE) {
        let ids: Vec<u32> = place.iter().map(|(_, id)| *id).collect();
        chains(sorting, &ids, &mut found);
    }
    for id in found {
        sorting.set(id, decide(Category::Other, 70, "key-value cache: grows by replacement"));
    }
}

/// Links of chains that are long enough.
fn chains(sorting: &Sorting<'_>, ids: &[u32], found: &mut Vec<u32>) {
    let facts = sorting.facts;
    let mut before = vec![NONE; ids.len()];
    for (at, &id) in ids.iter().enumerate() {
        if let Some(next) = replaced_by(sorting, ids, at).filter(|_| facts.death(id) != NONE) {
            before[next] = at as u32;
        }
    }
    let mut links = vec![0u32; ids.len()];
    let mut is_cache = vec![false; ids.len()];
    for at in 0..ids.len() {
        // A link stands before what replaces it, so its own count is known.
        links[at] = match before[at] {
            NONE => 0,
            earlier => links[earlier as usize] + 1,
        };
        let mut link = at as u32;
        while links[at] >= FEWEST_LINKS && link != NONE && !is_cache[link as usize] {
            is_cache[link as usize] = true;
            link = before[link as usize];
        }
    }
    found.extend(ids.iter().zip(is_cache).filter(|(_, is_cache)| *is_cache).map(|(id, _)| *id));
}

/// The newest of the place as one dies, if it was born just before and is somewhat larger.
fn replaced_by(sorting: &Sorting<'_>, ids: &[u32], at: usize) -> Option<usize> {
    let facts = sorting.facts;
    let (id, death) = (ids[at], facts.death(ids[at]));
    let next = ids.partition_point(|&other| facts.birth(other) < death).checked_sub(1)?;
    let (size, larger) = (facts.size_bytes(id), facts.size_bytes(ids[next]));
    let soon = death.checked_sub(facts.birth(ids[next])).is_some_and(|events| events <= LINK_EVENTS);
    let grows = size < larger && larger <= size.saturating_mul(2).saturating_add(LINK_GROWTH_BYTES);
    (next > at && soon && grows && death - facts.birth(id) >= SHORTEST_LINK_EVENTS).then_some(next)
}
