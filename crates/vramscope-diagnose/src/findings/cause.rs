//! The verdict as a finding, and why the failed request could not be served.

use super::note;
use crate::analysis::Analysis;
use crate::cause::Cause;
use crate::report::{Finding, Severity, Verdict};
use crate::story::{self, Story, leak_line};
use crate::words::bytes;

pub(super) fn main(analysis: &Analysis<'_>, cause: &Cause, story: &Story) -> Option<Finding> {
    let moment = analysis.moment();
    let (code, title) = match cause.verdict {
        Verdict::Leak if analysis.growth.step_leak.as_ref().is_some_and(|leak| leak.bytes_per_step > 0) => {
            ("leak_per_step", "Growth in every step")
        }
        Verdict::Leak => ("leak_per_round", "Growth in every round"),
        Verdict::GcSawtooth => ("reference_cycles", "Reference cycles"),
        Verdict::Fragmentation => ("fragmentation", "Free memory in pieces too small"),
        Verdict::WeightsOptimizer => ("model_state", "Model state fills the memory"),
        Verdict::ActivationPeak => ("activation_peak", "Activations fill the memory"),
        Verdict::Unknown if analysis.oom.is_some() => ("out_of_memory", "Out of memory, cause unknown"),
        Verdict::Stable => ("peak", "Where the peak comes from"),
        Verdict::NoHistory | Verdict::Unknown => return None,
    };
    let mut finding = note(code, title);
    finding.severity = match cause.verdict {
        _ if analysis.oom.is_some() => Severity::Error,
        Verdict::Leak | Verdict::GcSawtooth => Severity::Warning,
        _ => Severity::Note,
    };
    let about: Vec<u32> = match &story.about {
        Some(about) => about.ids.clone(),
        None => analysis.live(moment),
    };
    finding.bytes = match (&analysis.oom, cause.verdict) {
        (Some(oom), Verdict::Fragmentation) => Some(oom.free_in_reserved_bytes),
        _ => Some(about.iter().map(|&id| analysis.facts.size_bytes(id)).sum()),
    };
    let measured =
        cause.evidence.iter().map(|evidence| format!("{} ({})", evidence.text, evidence.threshold));
    finding.evidence = measured.collect();
    finding.advice = story
        .advice
        .iter()
        .map(|advice| format!("{} {}", advice.title, advice.text).trim().to_owned())
        .collect();
    Some(located(analysis, finding, cause.verdict, about))
}

/// The responsible stack, and the moment and block to look at.
fn located(analysis: &Analysis<'_>, finding: Finding, verdict: Verdict, about: Vec<u32>) -> Finding {
    let moment = analysis.moment();
    let facts = analysis.facts;
    match verdict {
        Verdict::Leak => {
            let (first, last) = (about.first().copied(), about.last().copied());
            let events = (first.map_or(0, |id| facts.birth(id)), last.map_or(0, |id| facts.birth(id)));
            let newest = leak_line(analysis).or(last);
            let see = if analysis.oom.is_some() { moment } else { facts.replay.end() };
            match newest {
                Some(id) => {
                    let alive = |id: &&u32| facts.replay.allocations().is_live(**id, see);
                    let largest = about.iter().rev().filter(alive).max_by_key(|&&id| facts.size_bytes(id));
                    let finding = finding.with_stack(analysis, facts.stack(id));
                    finding.see(see, largest.copied(), "timeline").over(events.0, events.1)
                }
                None => finding,
            }
        }
        Verdict::GcSawtooth => {
            let tooth = analysis.growth.teeth.iter().find(|tooth| tooth.ids == about);
            let id = analysis.by_line(about.iter().copied()).first().map(|line| line.largest);
            let (Some(tooth), Some(id)) = (tooth, id) else { return finding };
            let born = about.iter().map(|&id| facts.birth(id)).min().unwrap_or(0);
            finding.by(analysis, id, tooth.first_event).over(born, tooth.last_event)
        }
        Verdict::Fragmentation => {
            let stack = story::asking_stack(analysis);
            finding.with_stack(analysis, stack).see(moment, None, "state")
        }
        _ => match analysis.by_line(about).first() {
            Some(line) => finding.by(analysis, line.largest, moment),
            None => finding.see(moment, None, "timeline"),
        },
    }
}

/// Why no free piece served the failed request.
pub(super) fn no_piece(analysis: &Analysis<'_>) -> Option<Finding> {
    let oom = analysis.oom.as_ref()?;
    let mut finding = note("oom_request", "No free piece could serve the request").of(oom.requested_bytes);
    finding.severity = Severity::Error;
    Some(
        finding
            .because(format!(
                "asked for {}; {} free inside, the largest piece it could use {}",
                bytes(oom.requested_bytes),
                bytes(oom.free_in_reserved_bytes),
                bytes(oom.largest_usable_free_bytes)
            ))
            .because(match (oom.short_by_bytes, oom.would_fit_unfragmented) {
                (0, _) => "it was served by no free piece, and the limit forbade a new segment".to_owned(),
                (short, "no") => format!("{} more under the limit would have been enough", bytes(short)),
                (short, _) => format!("the largest piece was {} too small", bytes(short)),
            })
            .because(format!("would fit unfragmented: {}", oom.would_fit_unfragmented))
            .because(format!("would fit with expandable segments: {}", oom.expandable_would_fit))
            .with_stack(analysis, story::asking_stack(analysis))
            .see(oom.event + 1, None, "state"),
    )
}
