//! The verdict: the first cause that holds, with what was measured beside its threshold.

use vramscope_core::replay::Category;

use crate::analysis::{Analysis, PASSING, sum_of, total};
use crate::report::{Evidence, RunnerUp, Verdict};
use crate::story::limit_bytes;
use crate::thresholds::{
    FEWEST_EVENTS, FRAGMENTED_SHARE_OF_LIMIT, LEAK_BYTES, LEAK_BYTES_FEW_STEPS, LEAK_SHARE_OF_ALLOCATED,
    LEAK_SHARE_OF_PEAK, LEAK_SHARE_OF_PEAK_FEW_STEPS, RELEASED_SHARE, RETAINED_BYTES, RETAINED_SHARE_OF_PEAK,
    SHARE_OF_CAUSE,
};
use crate::words::{bytes, percent};

/// A cause with what speaks for it.
#[derive(Clone, Debug)]
pub(crate) struct Cause {
    pub(crate) verdict: Verdict,
    pub(crate) evidence: Vec<Evidence>,
    pub(crate) confidence: f64,
    pub(crate) confidence_reason: String,
    pub(crate) runner_up: Option<RunnerUp>,
}

/// What every cause measures, whether it holds or not.
struct Measured {
    /// Bytes of the leak, and whether they are enough.
    leaked_bytes: u64,
    leaks: bool,
    /// Of what is allocated at the failed request.
    allocated_bytes: u64,
    /// By what fills memory.
    state_bytes: u64,
    passing_bytes: u64,
    all_bytes: u64,
}

pub(crate) fn find(analysis: &Analysis<'_>) -> Cause {
    let facts = analysis.facts;
    let measured = measure(analysis);
    if analysis.oom.is_some() {
        return of_failure(analysis, &measured);
    }
    if facts.n < FEWEST_EVENTS {
        return cause(Verdict::NoHistory, 1.0, "too few events to say more", Vec::new());
    }
    if !analysis.growth.teeth.is_empty() {
        return sawtooth(analysis);
    }
    if measured.leaks {
        return leak(analysis, &measured);
    }
    stable(analysis, &measured)
}

fn cause(verdict: Verdict, confidence: f64, reason: &str, evidence: Vec<Evidence>) -> Cause {
    Cause { verdict, evidence, confidence, confidence_reason: reason.into(), runner_up: None }
}

fn shown(text: String, threshold: String) -> Evidence {
    Evidence { text, threshold }
}

fn measure(analysis: &Analysis<'_>) -> Measured {
    let growth = analysis.growth;
    let peak = analysis.facts.peak_bytes as f64;
    let retained_late = growth.retained_late_bytes();
    let by_steps = growth
        .step_leak
        .as_ref()
        .filter(|leak| leak.bytes_per_step >= least_per_step(analysis, leak.middle_steps));
    let by_rounds =
        retained_late >= RETAINED_BYTES.max((RETAINED_SHARE_OF_PEAK * peak) as u64) && retained_late > 0;
    let sums = analysis.by_category(analysis.moment());
    let allocated = analysis.oom.as_ref().map_or(analysis.facts.peak_bytes, |oom| oom.allocated_bytes);
    // What steps and rounds keep may be the same blocks: each counts once, while it is alive.
    let moment = analysis.moment();
    let rows = analysis.facts.replay.allocations();
    let found = by_steps.is_some() || by_rounds;
    let alive: Vec<u32> =
        analysis.leaked().into_iter().filter(|&id| found && rows.is_live(id, moment)).collect();
    Measured {
        leaked_bytes: alive.iter().map(|&id| analysis.facts.size_bytes(id)).sum::<u64>().min(allocated),
        leaks: by_steps.is_some() || by_rounds,
        allocated_bytes: allocated,
        state_bytes: sum_of(&sums, &[Category::Parameter, Category::Gradient, Category::OptimizerState]),
        passing_bytes: sum_of(&sums, &PASSING),
        all_bytes: total(&sums),
    }
}

/// Bytes a step that are a leak.
pub(crate) fn least_per_step(analysis: &Analysis<'_>, middle_steps: u32) -> u64 {
    let peak = analysis.facts.peak_bytes as f64;
    match middle_steps {
        0..=2 => LEAK_BYTES_FEW_STEPS.max((LEAK_SHARE_OF_PEAK_FEW_STEPS * peak) as u64),
        _ => LEAK_BYTES.max((LEAK_SHARE_OF_PEAK * peak) as u64),
    }
}

fn of_failure(analysis: &Analysis<'_>, measured: &Measured) -> Cause {
    let is_leak = measured.leaks
        && measured.leaked_bytes as f64 >= LEAK_SHARE_OF_ALLOCATED * measured.allocated_bytes as f64;
    let mut found = if is_leak {
        leak(analysis, measured)
    } else if let Some(cause) = fragmentation(analysis) {
        cause
    } else {
        by_contents(analysis, measured)
    };
    found.runner_up = runner_up(analysis, measured, found.verdict);
    found
}

/// What fills the memory.
fn by_contents(analysis: &Analysis<'_>, measured: &Measured) -> Cause {
    let share = |part: u64| part as f64 / measured.all_bytes.max(1) as f64;
    let evidence = |what: &str, part: u64| {
        vec![shown(
            format!("{what} are {} of the requested bytes", percent(part, measured.all_bytes)),
            format!("threshold {:.0}\u{a0}%", SHARE_OF_CAUSE * 100.0),
        )]
    };
    let (state, passing) = (share(measured.state_bytes), share(measured.passing_bytes));
    if state >= SHARE_OF_CAUSE {
        let evidence = evidence("parameters, gradients and optimizer state", measured.state_bytes);
        return cause(Verdict::WeightsOptimizer, sure(analysis, state), &certainty(analysis), evidence);
    }
    if passing >= SHARE_OF_CAUSE {
        let evidence = evidence("activations, temporaries and inputs", measured.passing_bytes);
        return cause(Verdict::ActivationPeak, sure(analysis, passing), &certainty(analysis), evidence);
    }
    let facts = analysis.facts;
    let died: u64 = facts.ids().filter(|&id| !facts.is_kept(id)).map(|id| facts.size_bytes(id)).sum();
    if died as f64 <= RELEASED_SHARE * measured.all_bytes as f64 && !analysis.table.trains() {
        let evidence = vec![shown(
            format!("only {} were ever released", bytes(died)),
            format!("threshold {:.0}\u{a0}% of what is alive", RELEASED_SHARE * 100.0),
        )];
        return cause(
            Verdict::WeightsOptimizer,
            0.5,
            "nothing was released, and no stack tells what it is",
            evidence,
        );
    }
    cause(Verdict::Unknown, 0.3, "no cause passes its threshold", Vec::new())
}

/// As sure as the categories that it is summed from.
fn sure(analysis: &Analysis<'_>, share: f64) -> f64 {
    let moment = analysis.moment();
    let (mut all, mut sure) = (0.0, 0.0);
    analysis.facts.replay.for_each_live(moment, |id| {
        let size = analysis.facts.size_bytes(id) as f64;
        let percent = analysis.categories.rule(id).map_or(0, |rule| rule.confidence_percent);
        all += size;
        sure += size * f64::from(percent) / 100.0;
    });
    let categories = if all > 0.0 { sure / all } else { 0.0 };
    (categories.max(0.5) * (0.8 + 0.2 * share)).clamp(0.0, 0.99)
}

fn certainty(analysis: &Analysis<'_>) -> String {
    match analysis.facts.stacks {
        crate::facts::StackKind::Absent => {
            "categories follow from lifetimes alone: no stacks were recorded".into()
        }
        crate::facts::StackKind::Native => "categories follow from native frames alone".into(),
        _ => "as sure as the categories of what is alive".into(),
    }
}

fn fragmentation(analysis: &Analysis<'_>) -> Option<Cause> {
    let oom = analysis.oom.as_ref()?;
    let limit = limit_bytes(oom);
    let free = oom.free_in_reserved_bytes;
    let enough = free as f64 >= FRAGMENTED_SHARE_OF_LIMIT * limit as f64;
    let holds = match oom.would_fit_unfragmented {
        _ if oom.largest_usable_free_bytes >= oom.requested_bytes => false,
        "yes" => enough,
        "likely" => true,
        _ => false,
    };
    if !holds {
        return None;
    }
    let evidence = vec![shown(
        format!("{} free inside, {} of the limit", bytes(free), percent(free, limit)),
        format!("threshold {:.0}\u{a0}%", FRAGMENTED_SHARE_OF_LIMIT * 100.0),
    )];
    let (confidence, reason) = match oom.would_fit_unfragmented {
        "yes" => (0.9, "it would have fitted in one piece, whatever the limit is"),
        _ => (0.7, "the limit is only known as an interval"),
    };
    Some(cause(Verdict::Fragmentation, confidence, reason, evidence))
}

fn leak(analysis: &Analysis<'_>, measured: &Measured) -> Cause {
    let mut evidence = Vec::new();
    if analysis.oom.is_some() {
        evidence.push(shown(
            format!(
                "growth explains {} of the allocated bytes",
                percent(measured.leaked_bytes, measured.allocated_bytes)
            ),
            format!("threshold {:.0}\u{a0}%", LEAK_SHARE_OF_ALLOCATED * 100.0),
        ));
    }
    let (mut confidence, mut reason) = (0.8, String::new());
    match &analysis.growth.step_leak {
        Some(leak) if leak.bytes_per_step > 0 => {
            let least = least_per_step(analysis, leak.middle_steps);
            evidence.push(shown(
                format!("each of the last steps keeps {}", bytes(leak.bytes_per_step)),
                format!("threshold {}", bytes(least)),
            ));
            confidence = if leak.middle_steps >= 4 { 0.9 } else { 0.75 };
            reason = format!("{} steps seen, each of the last ones leaves as much", leak.middle_steps + 2);
        }
        _ => {
            let late = analysis.growth.retained_late_bytes();
            let rounds = analysis.growth.retained.iter().map(|place| place.rounds).max().unwrap_or(0);
            evidence.push(shown(
                format!("{} more kept in the second half, over {rounds} rounds", bytes(late)),
                format!("threshold {:.0}\u{a0}% of the peak", RETAINED_SHARE_OF_PEAK * 100.0),
            ));
            reason = format!("{reason}a cache that is still filling looks the same");
        }
    }
    cause(Verdict::Leak, confidence, &reason, evidence)
}

fn sawtooth(analysis: &Analysis<'_>) -> Cause {
    let teeth = &analysis.growth.teeth;
    let most = teeth.iter().map(|tooth| tooth.bytes).max().unwrap_or(0);
    let certain = teeth.iter().any(|tooth| tooth.certain);
    let evidence = vec![shown(
        format!("{} freed at once, {} of the peak", bytes(most), percent(most, analysis.facts.peak_bytes)),
        format!("threshold {:.0}\u{a0}%", crate::thresholds::LEAST_SHARE_OF_BURST * 100.0),
    )];
    match certain {
        true => cause(Verdict::GcSawtooth, 0.95, "the stacks of the frees name Python's collector", evidence),
        false => cause(
            Verdict::GcSawtooth,
            0.6,
            "no stack names the collector: clearing a container looks the same",
            evidence,
        ),
    }
}

/// Memory falls back to a higher level in each step, by as much as a leak would.
pub(crate) fn base_line_rises(analysis: &Analysis<'_>) -> bool {
    let least = least_per_step(analysis, analysis.table.steps.len() as u32);
    analysis
        .growth
        .base_line
        .is_some_and(|line| line.slope_bytes > 0 && line.slope_bytes.unsigned_abs() >= least)
}

fn stable(analysis: &Analysis<'_>, measured: &Measured) -> Cause {
    let steps = analysis.table.steps.len();
    let (confidence, reason) = match (analysis.table.trains(), steps) {
        (true, 0..=3) => (0.7, format!("{steps} steps seen; a slow leak needs 6 to show")),
        (true, 4..=5) => (0.85, format!("{steps} steps seen; a slow leak needs 6 to show")),
        (true, _) => (0.95, format!("{steps} steps seen")),
        (false, _) => (0.8, "no training was seen; rounds are told by what they keep".into()),
    };
    let mut evidence = Vec::new();
    if let Some(line) = analysis.growth.base_line {
        let least = least_per_step(analysis, steps as u32);
        let slope = line.slope_bytes.unsigned_abs();
        let sign = if line.slope_bytes < 0 { "\u{2212}" } else { "+" };
        let slope = if slope == 0 { "0 bytes".into() } else { format!("{sign}{}", bytes(slope)) };
        evidence.push(shown(format!("base line {slope} a step"), format!("threshold {}", bytes(least))));
    }
    let mut found = cause(Verdict::Stable, confidence, &reason, evidence);
    if base_line_rises(analysis) {
        found.confidence = 0.5;
        found.confidence_reason = "the base line rises, but no place keeps more in each step".into();
    }
    if measured.leaked_bytes > 0 {
        found.confidence = found.confidence.min(0.7);
    }
    found
}

/// The next-best cause and its measured value.
fn runner_up(analysis: &Analysis<'_>, measured: &Measured, verdict: Verdict) -> Option<RunnerUp> {
    let oom = analysis.oom.as_ref()?;
    let limit = limit_bytes(oom).max(1);
    let ratio = |part: u64, whole: u64| part as f64 / whole.max(1) as f64;
    let share = |part: u64| percent(part, measured.all_bytes);
    let free = oom.free_in_reserved_bytes;
    let all = [
        (
            Verdict::Fragmentation,
            ratio(free, limit) / FRAGMENTED_SHARE_OF_LIMIT * 0.5,
            format!("fragmentation: {} free inside, {} of the limit", bytes(free), percent(free, limit)),
        ),
        (
            Verdict::WeightsOptimizer,
            ratio(measured.state_bytes, measured.all_bytes) / SHARE_OF_CAUSE,
            format!("model state: {} of the bytes", share(measured.state_bytes)),
        ),
        (
            Verdict::ActivationPeak,
            ratio(measured.passing_bytes, measured.all_bytes) / SHARE_OF_CAUSE,
            format!("activations and temporaries: {} of the bytes", share(measured.passing_bytes)),
        ),
        (
            Verdict::Leak,
            ratio(measured.leaked_bytes, measured.allocated_bytes) / LEAK_SHARE_OF_ALLOCATED,
            format!("leak: growth explains {}", percent(measured.leaked_bytes, measured.allocated_bytes)),
        ),
    ];
    let mut best: Option<(f64, RunnerUp)> = None;
    for (cause, strength, text) in all {
        if cause != verdict && strength > 0.05 && best.as_ref().is_none_or(|best| strength > best.0) {
            best = Some((strength, RunnerUp { verdict: cause, text }));
        }
    }
    best.map(|(_, runner_up)| runner_up)
}
