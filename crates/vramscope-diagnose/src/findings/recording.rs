//! What the recording itself leaves open.

use vramscope_core::replay::Category;

use super::note;
use crate::analysis::Analysis;
use crate::report::Finding;
use crate::thresholds::LEAST_SHARE_WORTH_A_NOTE;
use crate::words::{bytes, percent};

/// What was there before recording began.
pub(super) fn before(analysis: &Analysis<'_>) -> Option<Finding> {
    let facts = analysis.facts;
    let moment = analysis.moment();
    let old: u64 =
        analysis.live(moment).into_iter().filter(|&id| facts.is_old(id)).map(|id| facts.size_bytes(id)).sum();
    let all = facts.replay.requested_at(moment);
    (facts.n > 0 && old as f64 >= LEAST_SHARE_WORTH_A_NOTE * all as f64 && old > 0).then(|| {
        note("before_recording", "Part of it was there before recording began")
            .of(old)
            .because(format!(
                "{}, {} of what is alive at this moment, without a stack of its making",
                bytes(old),
                percent(old, all)
            ))
            .try_this(
                "Start recording before the model is built, and raise `max_entries` if the ring was full.",
            )
            .see(0, None, "timeline")
    })
}

/// Of what no rule decides.
pub(super) fn unknown(analysis: &Analysis<'_>) -> Option<Finding> {
    let moment = analysis.moment();
    let sums = analysis.by_category(moment);
    let unknown = sums[Category::Unknown.index()];
    let all = crate::analysis::total(&sums);
    (analysis.facts.n > 0 && unknown as f64 >= LEAST_SHARE_WORTH_A_NOTE * all as f64 && unknown > 0).then(
        || {
            note("unknown", "Of some bytes it is not known what they are")
                .of(unknown)
                .because(format!(
                    "{} at this moment; no rule decides with a confidence of 0.5",
                    percent(unknown, all)
                ))
                .try_this("A rule of your own can name them: a pattern on the stack, and a category.")
                .see(moment, None, "timeline")
        },
    )
}
