//! Something is kept in every step or round.

use super::{About, Story, advice, asked, limit, limit_bytes};
use crate::analysis::Analysis;
use crate::growth::StepLeak;
use crate::report::{Advice, Mark};
use crate::words::{Place, bytes, count};
use vramscope_core::replay::Phase;

pub(super) fn tell(analysis: &Analysis<'_>) -> Story {
    let by_steps = analysis.growth.step_leak.as_ref().filter(|leak| leak.bytes_per_step > 0);
    let ids = analysis.leaked();
    let kept: u64 = ids.iter().map(|&id| analysis.facts.size_bytes(id)).sum();
    let mut story = match by_steps {
        Some(leak) => steps(analysis, leak, kept),
        None => rounds(analysis, kept),
    };
    story.tone = "warning";
    let failed = analysis.oom.is_some();
    story.eyebrow = if failed { "Out of memory: leak" } else { "Leak" }.into();
    story.about = Some(About {
        ids,
        key: "retained",
        label: if by_steps.is_some() {
            "Retained from earlier steps"
        } else {
            "Retained from earlier rounds"
        },
        lines_title: "Whose lines made what is retained",
        bytes_label: "Retained",
    });
    if let Some(oom) = &analysis.oom {
        story.why.push(asked(analysis, oom));
    }
    story
}

/// The line behind which each step leaves its results: the newest that forward made is what the program itself holds, the rest hangs on it.
pub(crate) fn newest_kept(analysis: &Analysis<'_>) -> Option<u32> {
    let ids = analysis.leaked();
    let steps = analysis.table.steps.len() as u32;
    let in_middle = |id: &&u32| {
        let step = analysis.table.step_at(analysis.facts.birth(**id));
        steps < 2 || step.is_none_or(|step| step + 1 < steps)
    };
    let by_forward = |id: &&u32| analysis.table.phase(analysis.facts.birth(**id)) == Phase::Forward;
    let newest = ids.iter().rev().filter(in_middle).find(by_forward);
    newest.or(ids.iter().rev().find(in_middle)).or(ids.last()).copied()
}

fn steps(analysis: &Analysis<'_>, leak: &StepLeak, kept: u64) -> Story {
    let per_step = bytes(leak.bytes_per_step);
    let n = u64::from(leak.middle_steps) + 2;
    let place = newest_kept(analysis).map(|id| analysis.place_of(id)).unwrap_or_default();
    let share = match &analysis.oom {
        Some(oom) => format!("**{} of the {} limit**", bytes(kept), limit(oom)),
        None => format!(
            "**{} of {} alive at the end**",
            bytes(kept),
            bytes(analysis.facts.replay.requested_at(analysis.facts.replay.end()))
        ),
    };
    let made = match place.is_known() {
        true => format!("; the newest that each step leaves is made by {}", place.text()),
        false => String::new(),
    };
    Story {
        sentence: format!("Every step keeps {per_step} that nothing releases."),
        why: vec![format!(
            "After {}, {share} are results of earlier steps{made}.",
            count(n, "step", "steps")
        )],
        advice: of_steps(analysis, leak, kept, &place),
        marks: vec![Mark { moment: analysis.moment() / 2, text: format!("+{per_step} in each step") }],
        ..Story::default()
    }
}

fn of_steps(analysis: &Analysis<'_>, leak: &StepLeak, kept: u64, place: &Place) -> Vec<Advice> {
    let behind = match place.is_known() {
        true => {
            format!("Something holds what {} returns, and with it the forward of that step. ", place.line())
        }
        false => String::new(),
    };
    let mut all = vec![
        advice(
            "Keep numbers, not tensors, across steps.",
            format!(
                "{behind}Look for a list, dict or logger that stores `loss` or the output; store `loss.item()` or `.detach()` it."
            ),
            Some(kept),
        ),
        advice(
            "If not, look for hooks and caches that keep outputs of `forward`.",
            "A snapshot shows where a block was made, never who holds it.",
            None,
        ),
    ];
    if let Some(oom) = &analysis.oom {
        let more = limit_bytes(oom);
        let steps = more / leak.bytes_per_step.max(1);
        all.push(advice(
            "A larger card only delays it.",
            format!("Each further {} lasts {}.", bytes(more), count(steps, "step", "steps")),
            None,
        ));
    }
    all
}

fn rounds(analysis: &Analysis<'_>, kept: u64) -> Story {
    let rounds = analysis.growth.retained.iter().map(|place| place.kept.len()).max().unwrap_or(0) as u64;
    let lines = analysis.by_line(analysis.leaked());
    let place = lines.first().map(|line| line.place.clone()).unwrap_or_default();
    let made = match place.is_known() {
        true => format!("Most of it is made by {}, and was kept {rounds} times.", place.text()),
        false => format!("Most of it is of one size, and was kept {rounds} times."),
    };
    let in_forward = analysis
        .leaked()
        .iter()
        .any(|&id| analysis.facts.evidence(id).flags.has(crate::evidence::Flags::FORWARD));
    let mut all = vec![advice(
        "Find what keeps these results, and bound it.",
        format!(
            "Look for a list, dict or cache that holds what {} returns. Move results off the card with `.cpu()`, keep the newest only, or evict.",
            if place.is_known() { place.line() } else { "this code".into() }
        ),
        Some(kept),
    )];
    if in_forward && !analysis.table.trains() {
        all.push(advice(
            "Run inference under `torch.inference_mode()`.",
            "Without it each result holds the activations of its whole forward.",
            None,
        ));
    }
    all.push(advice(
        "A snapshot shows where a block was made, never who holds it.",
        "A bounded cache that is still filling looks the same: record longer to see whether it stops.",
        None,
    ));
    Story {
        sentence: format!("Round after round keeps more: {} that nothing releases.", bytes(kept)),
        why: vec![made],
        advice: all,
        marks: vec![Mark {
            moment: analysis.moment() / 2,
            text: format!("+{} over the recording", bytes(analysis.growth.retained_rise_bytes())),
        }],
        ..Story::default()
    }
}
