//! The verdict in words: one sentence, why, and what to change. One file for each cause.

mod activations;
mod fragmentation;
mod healthy;
mod leak;
mod sawtooth;
mod unknown;
mod weights;

use vramscope_core::ids::StackId;
use vramscope_core::model::DeviceKind;

use crate::analysis::{Analysis, PASSING, sum_of};
use crate::oom::Oom;
use crate::report::{Advice, Mark, Verdict};
use crate::thresholds::CLEAR_LIMIT;
use crate::words::{Place, bytes};

/// What is said of a cause.
#[derive(Debug, Default)]
pub(crate) struct Story {
    pub(crate) tone: &'static str,
    pub(crate) eyebrow: String,
    pub(crate) sentence: String,
    pub(crate) why: Vec<String>,
    pub(crate) advice: Vec<Advice>,
    pub(crate) marks: Vec<Mark>,
    /// Allocations that the cause is about, if not all that are alive: their name in the bar, and their lines' title.
    pub(crate) about: Option<About>,
}

/// Allocations that a cause is about.
#[derive(Debug, Default)]
pub(crate) struct About {
    pub(crate) ids: Vec<u32>,
    /// "retained": key of the bar's part and of the lines' category.
    pub(crate) key: &'static str,
    /// "Retained from earlier steps".
    pub(crate) label: &'static str,
    /// "Whose lines made what is retained".
    pub(crate) lines_title: &'static str,
    /// "Retained".
    pub(crate) bytes_label: &'static str,
}

pub(crate) fn tell(analysis: &Analysis<'_>, verdict: Verdict) -> Story {
    let mut story = match verdict {
        Verdict::WeightsOptimizer => weights::tell(analysis),
        Verdict::ActivationPeak => activations::tell(analysis),
        Verdict::Fragmentation => fragmentation::tell(analysis),
        Verdict::Leak => leak::tell(analysis),
        Verdict::GcSawtooth => sawtooth::tell(analysis),
        Verdict::Stable => healthy::tell(analysis),
        Verdict::NoHistory => unknown::no_history(analysis),
        Verdict::Unknown => unknown::tell(analysis),
    };
    if let Some(oom) = &analysis.oom {
        story.tone = "error";
        story.marks.push(Mark {
            moment: oom.event + 1,
            text: format!("OOM, asked for {}", bytes(oom.requested_bytes)),
        });
    }
    story
}

pub(crate) fn advice(title: impl Into<String>, text: impl Into<String>, effect_bytes: Option<u64>) -> Advice {
    Advice { title: title.into(), text: text.into(), effect_bytes: effect_bytes.filter(|bytes| *bytes > 0) }
}

/// The stack of the failed request.
pub(crate) fn asking_stack(analysis: &Analysis<'_>) -> StackId {
    let event = analysis.oom.as_ref().map_or(usize::MAX, |oom| oom.event as usize);
    analysis.facts.device.events.stacks.get(event).copied().unwrap_or(StackId::EMPTY)
}

/// The newest of what a leak keeps in a complete step: what the program itself holds, the rest hangs on it.
pub(crate) fn leak_line(analysis: &Analysis<'_>) -> Option<u32> {
    leak::newest_kept(analysis)
}

pub(crate) use activations::purpose_among;

/// At most three blocks that are most of what passes at the moment of the verdict.
pub(crate) fn few_blocks_of_peak(analysis: &Analysis<'_>) -> Option<(Vec<u32>, u64)> {
    let sums = analysis.by_category(analysis.moment());
    let passing = sum_of(&sums, &PASSING);
    let worth_it =
        passing as f64 >= crate::thresholds::LEAST_SHARE_WORTH_A_NOTE * analysis.facts.peak_bytes as f64;
    activations::few_blocks(analysis, passing).filter(|_| worth_it)
}

/// "The request that failed asked for 16.0 MiB: `f` at `train.py:247`."
pub(crate) fn asked(analysis: &Analysis<'_>, oom: &Oom) -> String {
    let place = Place::of(asking_stack(analysis), analysis.facts.snapshot);
    match place.is_known() {
        true => {
            format!("The request that failed asked for {}: {}.", bytes(oom.requested_bytes), place.text())
        }
        false => format!(
            "The request that failed asked for {}; who asked was not recorded.",
            bytes(oom.requested_bytes)
        ),
    }
}

/// "4.0 GiB", or "11.2 to 12.7 GiB" where the recording proves no more.
pub(crate) fn limit(oom: &Oom) -> String {
    let low = limit_bytes(oom);
    match oom.limit_high_bytes {
        Some(high) if !is_clear(low, high) => {
            let texts = vramscope_core::units::format_bytes_group(&[low, high]);
            match texts.as_slice() {
                [low, high] => format!("{} to {high}", low.split('\u{a0}').next().unwrap_or_default()),
                _ => bytes(low),
            }
        }
        _ => bytes(low),
    }
}

/// Bounds that are as good as one number.
pub(crate) fn is_clear(low: u64, high: u64) -> bool {
    high.saturating_sub(low) as f64 <= CLEAR_LIMIT * low as f64
}

/// The limit as one number: what was certainly granted.
pub(crate) fn limit_bytes(oom: &Oom) -> u64 {
    oom.limit_low_bytes.unwrap_or(oom.reserved_bytes).max(oom.reserved_bytes)
}

/// "GPU memory", or what the device is.
pub(crate) fn memory_of(analysis: &Analysis<'_>) -> &'static str {
    match analysis.facts.device.kind {
        DeviceKind::Gpu => "GPU memory",
        DeviceKind::Host => "pinned host memory",
        DeviceKind::Cpu => "memory of the processor",
        DeviceKind::Other => "device memory",
    }
}
