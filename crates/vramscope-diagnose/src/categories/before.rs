//! What was there before recording and stays: by the sizes of gradients.

use vramscope_core::order;
use vramscope_core::replay::Category;

use super::Sorting;
use super::book::decide;
use crate::numbering::{Sums, key};

/// As many of a size as gradients have it are parameters; the rest of that size is optimizer state. Their sum is right, a single one a guess.
pub(super) fn sort(sorting: &mut Sorting<'_>) {
    let facts = sorting.facts;
    let Some(step) = sorting.table.steps.last().copied() else { return };
    let mut gradients = Sums::default();
    for id in facts.born_in(step.first_event, step.last_event) {
        if sorting.decision(id).category == Category::Gradient {
            gradients.add(key(facts.size_bytes(id)), 0);
        }
    }
    let unknown = |id: &u32| facts.is_kept(*id) && sorting.decision(*id).category == Category::Unknown;
    let old = facts.ids().take_while(|&id| facts.is_old(id)).filter(unknown);
    let mut by_size: Vec<(u64, u32)> = old.map(|id| (facts.size_bytes(id), id)).collect();
    order::pairs(&mut by_size);
    for of_size in by_size.chunk_by(|a, b| a.0 == b.0) {
        let size = of_size[0].0;
        let mut ids: Vec<u32> = of_size.iter().map(|(_, id)| *id).collect();
        let have = sorting.parameters.count(key(size));
        let wanted = gradients.count(key(size)).saturating_sub(have) as usize;
        if wanted == 0 {
            continue;
        }
        order::by_number(&mut ids, |&id| facts.replay.allocations().address(id));
        let ratio = ids.len() as f64 / wanted as f64;
        let clear = (ratio - ratio.round()).abs() < 0.05 && (1.0..=3.0).contains(&ratio.round());
        for (nth, &id) in ids.iter().enumerate() {
            let percent = if clear { 60 } else { 35 };
            sorting.set(
                id,
                match nth < wanted {
                    true => decide(
                        Category::Parameter,
                        percent,
                        "there before recording; as many as gradients of this size",
                    ),
                    false => decide(
                        Category::OptimizerState,
                        percent - 6,
                        "there before recording; more than gradients of this size",
                    ),
                },
            );
        }
    }
}
