//! Forward without backward.

use vramscope_core::replay::{Category, Phase};

use super::note;
use crate::analysis::Analysis;
use crate::evidence::Flags;
use crate::facts::NONE;
use crate::numbering::{Sums, key};
use crate::report::Finding;
use crate::thresholds::{FEWEST_IN_BURST, LEAST_SHARE_OF_BURST, SHARE_HELD_TO_THE_END};
use crate::words::{bytes, percent};

/// Inference that keeps all results of its modules until its own result goes: it was run with gradients.
///
/// Without gradients a result goes as soon as the next module has read it.
pub(super) fn without_no_grad(analysis: &Analysis<'_>) -> Option<Finding> {
    let facts = analysis.facts;
    let mut in_burst = Sums::default();
    let (mut all, mut burst) = (0u64, 0u32);
    for event in 0..facts.n {
        let id = facts.freed_at[event as usize];
        if id == NONE {
            burst += u32::from(facts.is_alloc(event));
        } else if counts(analysis, id) {
            let size = facts.size_bytes(id);
            in_burst.add(key(burst), size);
            all += size;
        }
    }
    let large = in_burst.all().iter().filter(|(_, n)| *n as usize >= FEWEST_IN_BURST);
    let held: u64 = large.clone().map(|(bytes, _)| bytes).sum();
    let most = large.map(|(bytes, _)| *bytes).max()?;
    let enough = most as f64 >= LEAST_SHARE_OF_BURST * facts.peak_bytes as f64;
    if !enough || (held as f64) < SHARE_HELD_TO_THE_END * all as f64 {
        return None;
    }
    let run = analysis.table.work.iter().find(|run| run.phase == Phase::Inference)?;
    let moment = facts.replay.fullest(run.first + 1, run.last + 2);
    let id = facts
        .born_in(run.first, run.last)
        .filter(|&id| counts(analysis, id))
        .max_by_key(|&id| facts.size_bytes(id))?;
    Some(
        note("forward_with_gradients", "Inference keeps its activations")
            .of(most)
            .because(format!("{} of what its modules make stays until the result goes", percent(held, all)))
            .because(format!("up to {} at once", bytes(most)))
            .try_this("Run it under `torch.inference_mode()` or `torch.no_grad()`.")
            .by(analysis, id, moment),
    )
}

/// Made by modules in inference, and no cache.
fn counts(analysis: &Analysis<'_>, id: u32) -> bool {
    let facts = analysis.facts;
    analysis.table.phase(facts.birth(id)) == Phase::Inference
        && facts.evidence(id).flags.has(Flags::FORWARD)
        && !analysis.categories.is_cache(id)
        && !analysis.categories.is_workspace(id)
        && !facts.is_old(id)
}

/// Key-value caches.
pub(super) fn caches(analysis: &Analysis<'_>) -> Option<Finding> {
    let facts = analysis.facts;
    let moment = analysis.moment();
    let ids: Vec<u32> =
        analysis.live(moment).into_iter().filter(|&id| analysis.categories.is_cache(id)).collect();
    let held: u64 = ids.iter().map(|&id| facts.size_bytes(id)).sum();
    let id = *ids.iter().max_by_key(|&&id| (facts.size_bytes(id), std::cmp::Reverse(id)))?;
    debug_assert!(analysis.categories.category(id) == Category::Other);
    (held as f64 >= LEAST_SHARE_OF_BURST * facts.peak_bytes as f64).then(|| {
        note("key_value_cache", "Key-value cache")
            .of(held)
            .because(format!("{} in {} blocks at this moment, {} of what is alive", bytes(held), ids.len(), percent(held, facts.replay.requested_at(moment))))
            .try_this("It grows with length and requests: bound both, quantise it, or use a static or paged cache, which does not copy itself at each token.")
            .by(analysis, id, moment)
    })
}
