//! What differs between steps.

use super::note;
use crate::analysis::Analysis;
use crate::report::{Finding, Verdict};
use crate::thresholds::{IMBALANCE_OF_MICRO_BATCHES, IMBALANCE_OF_STEPS, LEAST_SHARE_WORTH_A_NOTE};
use crate::words::{bytes, count, number};

/// The fullest moment of each step.
fn peaks(analysis: &Analysis<'_>) -> Vec<(u32, u64)> {
    let replay = analysis.facts.replay;
    let peak = |step: &vramscope_core::replay::Step| {
        let moment = replay.fullest(step.first_event + 1, step.last_event.saturating_add(2));
        (moment, replay.requested_at(moment))
    };
    analysis.table.steps.iter().map(peak).collect()
}

/// "Step 2 needs 11.5 GiB more than step 1."
pub(super) fn imbalance(analysis: &Analysis<'_>, verdict: Verdict) -> Option<Finding> {
    // What grows makes each step larger than the one before.
    if matches!(verdict, Verdict::Leak | Verdict::GcSawtooth) {
        return None;
    }
    let peaks = peaks(analysis);
    // The last step may be cut; the first has no optimizer state yet.
    let whole = peaks.get(..peaks.len().checked_sub(1)?)?;
    let (most_at, &(moment, most)) =
        whole.iter().enumerate().max_by_key(|(at, peak)| (peak.1, std::cmp::Reverse(*at)))?;
    let (least_at, &(_, least)) = whole.iter().enumerate().min_by_key(|(_, peak)| peak.1)?;
    let difference = most - least;
    if (difference as f64) < IMBALANCE_OF_STEPS * most as f64 {
        return None;
    }
    let finding = note(
        "step_imbalance",
        format!(
            "Step {} needs {} more than step {}",
            number(most_at as u64 + 1),
            bytes(difference),
            number(least_at as u64 + 1)
        ),
    );
    let first = least_at == 0 && most_at > 0;
    let finding = finding
        .of(difference)
        .because(format!(
            "peaks of {}: {} to {}",
            count(whole.len() as u64, "step", "steps"),
            bytes(least),
            bytes(most)
        ))
        .see(moment, None, "timeline");
    Some(match first {
        true => finding.because("the first step runs before the optimizer has its state"),
        false => finding.try_this("Group samples of like length, or cap the tokens of a batch: the largest one decides what the card must hold."),
    })
}

/// Backward passes of one step that differ.
pub(super) fn micro_batches(analysis: &Analysis<'_>) -> Option<Finding> {
    let replay = analysis.facts.replay;
    let step = analysis.table.steps.iter().rfind(|step| step.micro_batches > 1)?;
    let inside = |run: &&crate::phases::Run| run.first >= step.first_event && run.last <= step.last_event;
    let tops: Vec<(u32, u64)> = analysis
        .table
        .backward
        .iter()
        .filter(inside)
        .map(|run| {
            let from = run.first.saturating_sub(5);
            let moment = replay.fullest(from, run.last + 2);
            (moment, replay.requested_at(moment))
        })
        .collect();
    let (moment, most) = *tops.iter().max_by_key(|top| top.1)?;
    let least = tops.iter().map(|top| top.1).min()?;
    ((most - least) as f64 >= IMBALANCE_OF_MICRO_BATCHES * most as f64).then(|| {
        note("micro_batch_imbalance", "Micro-batches need different amounts")
            .of(most - least)
            .because(format!(
                "{} in a step; their peaks are {} to {}",
                count(tops.len() as u64, "backward pass", "backward passes"),
                bytes(least),
                bytes(most)
            ))
            .try_this("Split the batch evenly, by tokens rather than by samples.")
            .see(moment, None, "timeline")
    })
}

/// Growth that is too small for an alarm.
pub(super) fn small_growth(analysis: &Analysis<'_>, verdict: Verdict) -> Option<Finding> {
    if verdict == Verdict::Leak {
        return None;
    }
    let facts = analysis.facts;
    let leak = analysis.growth.step_leak.as_ref().filter(|leak| leak.bytes_per_step > 0);
    if let Some(leak) = leak {
        let id = *leak.places.first()?.ids.last()?;
        let least = crate::cause::least_per_step(analysis, leak.middle_steps);
        return Some(
            note("small_growth", format!("Each step keeps {}", bytes(leak.bytes_per_step)))
                .of(leak.total_bytes)
                .because(format!("{} in all; an alarm begins at {} a step", bytes(leak.total_bytes), bytes(least)))
                .try_this("If it is a list of losses or of logits for a log, store `loss.item()` or move it to the processor.")
                .by(analysis, id, facts.replay.end()),
        );
    }
    let place = analysis.growth.retained.first()?;
    let id = *place.kept.last()?;
    (place.late_bytes as f64 >= LEAST_SHARE_WORTH_A_NOTE * facts.peak_bytes as f64).then(|| {
        note("growth_without_release", "Grows, no release seen yet")
            .of(place.rise_bytes)
            .because(format!("kept {} times; a cache that is still filling looks the same", place.kept.len()))
            .by(analysis, id, facts.replay.end())
    })
}
