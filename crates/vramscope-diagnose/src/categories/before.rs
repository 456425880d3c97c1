//! What was there before recording and stays: by the sizes of gradients.

use hashbrown::HashMap;
use vramscope_core::replay::Category;

use super::Sorting;
use super::book::decide;

/// As many of a size as gradients have it are parameters; the rest of that size is optimizer state. Their sum is right, a single one a guess.
pub(super) fn sort(sorting: &mut Sorting<'_>) {
    let facts = sorting.facts;
    let Some(step) = sorting.table.steps.last().copied() else { return };
    let mut gradients: HashMap<u64, u32> = HashMap::new();
    for id in facts.born_in(step.first_event, step.last_event) {
        if sorting.decision(id).category == Category::Gradient {
            *gradients.entry(facts.size_bytes(id)).or_default() += 1;
        }
    }
    let mut of_size: HashMap<u64, Vec<u32>> = HashMap::new();
    for id in facts.ids().take_while(|&id| facts.is_old(id)).filter(|&id| facts.is_kept(id)) {
        if sorting.decision(id).category == Category::Unknown {
            of_size.entry(facts.size_bytes(id)).or_default().push(id);
        }
    }
    for (size, mut ids) in of_size {
        let have = sorting.parameters.get(&size).copied().unwrap_or(0);
        let wanted = gradients.get(&size).copied().unwrap_or(0).saturating_sub(have) as usize;
        if wanted == 0 {
            continue;
        }
        ids.sort_unstable_by_key(|&id| facts.replay.allocations().address(id));
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
