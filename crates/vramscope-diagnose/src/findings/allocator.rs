//! What the allocator holds beside what was asked for.

use vramscope_core::model::Action;

use super::note;
use crate::analysis::Analysis;
use crate::evidence::Flags;
use crate::report::Finding;
use crate::thresholds::{
    FEWEST_EMPTIED, FEWEST_EVENTS, SHARE_OF_GAP, SHARE_OF_POOLS, SHARE_OF_ROUNDING, SHARE_OF_WORKSPACES,
};
use crate::words::{bytes, count, percent};

/// Reserved and not allocated at the moment of most reserved bytes.
pub(super) fn gap(analysis: &Analysis<'_>) -> Option<Finding> {
    let replay = analysis.facts.replay;
    // Without a history the most that was in use is not known.
    if analysis.oom.is_some() || analysis.facts.n < FEWEST_EVENTS {
        return None;
    }
    let moment = replay.reserved_peak();
    let reserved = replay.reserved_at(moment);
    let used = replay.allocated_at(moment).unwrap_or_else(|| replay.requested_at(moment));
    // What is reserved for a peak and free between peaks is no gap.
    let most = replay.allocated_max(0, replay.n_moments()).unwrap_or(analysis.facts.peak_bytes);
    let gap = reserved.saturating_sub(most);
    (gap as f64 >= SHARE_OF_GAP * reserved as f64).then(|| {
        note("reserved_gap", "More is reserved than was ever in use")
            .of(gap)
            .because(format!("{} reserved at most, {} in use then, {} in use at most", bytes(reserved), bytes(used), bytes(most)))
            .because(format!("gap {}, noted from {:.0}\u{a0}%", percent(gap, reserved), SHARE_OF_GAP * 100.0))
            .try_this("`PYTORCH_ALLOC_CONF=expandable_segments:True` (`PYTORCH_CUDA_ALLOC_CONF` before PyTorch 2.9) closes most such gaps; sizes that repeat do, too.")
            .see(moment, None, "state")
    })
}

/// Memory of private pools.
pub(super) fn private_pools(analysis: &Analysis<'_>) -> Option<Finding> {
    let segments = analysis.facts.device.segments.iter().filter(|segment| segment.pool != (0, 0));
    let (mut reserved, mut used, mut pools) = (0u64, 0u64, Vec::new());
    for segment in segments {
        reserved = reserved.saturating_add(segment.size_bytes);
        let live = segment.blocks.iter().filter(|block| block.is_active()).map(|block| block.size_bytes);
        used = used.saturating_add(live.sum());
        if !pools.contains(&segment.pool) && pools.len() < 1_000 {
            pools.push(segment.pool);
        }
    }
    let all = analysis.facts.device.final_reserved_bytes();
    let end = analysis.facts.replay.end();
    (reserved as f64 >= SHARE_OF_POOLS * all as f64 && reserved > 0).then(|| {
        note("private_pools", "Private pools hold memory")
            .of(reserved)
            .because(format!("{} reserved by {}, {} of it in use", bytes(reserved), count(pools.len() as u64, "private pool", "private pools"), bytes(used)))
            .because("other requests cannot use what is free in them")
            .try_this("Captures that can share a pool should: `graph_pool_handle()`; drop graphs that are not replayed.")
            .see(end, None, "state")
    })
}

/// What rounding takes.
pub(super) fn rounding(analysis: &Analysis<'_>) -> Option<Finding> {
    let replay = analysis.facts.replay;
    let moment = analysis.moment();
    let allocated = replay.allocated_at(moment)?;
    let lost = allocated.saturating_sub(replay.requested_at(moment));
    (lost as f64 >= SHARE_OF_ROUNDING * allocated as f64 && lost > 1 << 20).then(|| {
        note("rounding", "Rounding takes memory")
            .of(lost)
            .because(format!("{} of {} allocated", percent(lost, allocated), bytes(allocated)))
            .try_this("Many tensors just above a multiple of 512 B or 2 MiB do this, and `roundup_power2_divisions`; pack small tensors into one.")
            .see(moment, None, "state")
    })
}

/// Workspaces of kernel libraries.
pub(super) fn workspaces(analysis: &Analysis<'_>) -> Option<Finding> {
    let facts = analysis.facts;
    let moment = analysis.moment();
    let ids: Vec<u32> =
        analysis.live(moment).into_iter().filter(|&id| analysis.categories.is_workspace(id)).collect();
    let held: u64 = ids.iter().map(|&id| facts.size_bytes(id)).sum();
    let id = *ids.iter().max_by_key(|&&id| (facts.size_bytes(id), std::cmp::Reverse(id)))?;
    (held as f64 >= SHARE_OF_WORKSPACES * facts.replay.requested_at(moment) as f64).then(|| {
        note("workspaces", "Workspaces of kernel libraries")
            .of(held)
            .because(format!("{} in {} at this moment", bytes(held), count(ids.len() as u64, "block", "blocks")))
            .try_this("cuBLAS keeps one for each handle and stream: `CUBLAS_WORKSPACE_CONFIG=:4096:2` makes it small; for cuDNN, `torch.backends.cudnn.benchmark = False`.")
            .by(analysis, id, moment)
    })
}

/// `empty_cache()` in the loop: segments go and come again.
pub(super) fn emptied(analysis: &Analysis<'_>) -> Option<Finding> {
    let facts = analysis.facts;
    let is_emptying = |event: &u32| {
        matches!(facts.action(*event), Action::SegmentFree | Action::SegmentUnmap)
            && facts.evidence_at(*event).flags.has(Flags::EMPTY_CACHE)
    };
    let (mut times, mut bytes_given, mut last) = (0u64, 0u64, None::<u32>);
    let (mut first, mut emptying) = (None, false);
    for event in 0..facts.n {
        if is_emptying(&event) {
            times += u64::from(!emptying);
            bytes_given = bytes_given.saturating_add(facts.device.events.sizes[event as usize]);
            (emptying, last) = (true, Some(event));
            first.get_or_insert(event);
        } else if facts.is_alloc(event) {
            emptying = false;
        }
    }
    let (first, last) = (first?, last?);
    (times >= FEWEST_EMPTIED).then(|| {
        note("empty_cache", "empty_cache() is called again and again")
            .of(bytes_given)
            .because(format!("{} calls gave back {} in all, most of which was asked for again", times, bytes(bytes_given)))
            .try_this("Take it out of the loop: it saves nothing in this process, and each call waits for the card.")
            .with_stack(analysis, facts.event_stack(last))
            .see(last + 1, None, "timeline")
            .over(first, last)
    })
}
