//! One device, diagnosed.

use vramscope_core::replay::Recording;

use crate::analysis::Analysis;
use crate::cause;
use crate::facts::Facts;
use crate::growth::Growth;
use crate::labelling::{Reading, Stacks};
use crate::oom;
use crate::report::DeviceReport;

/// What the user may say beside the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The memory limit, if it is known better than the recording proves it.
    pub limit_bytes: Option<u64>,
}

/// Diagnoses a device; `None` for one that is not there.
pub fn diagnose(recording: &Recording, ordinal: i64, options: &Options) -> Option<DeviceReport> {
    let stacks = Stacks::of(recording);
    let reading = Reading::of(recording, &stacks, ordinal)?;
    let facts = reading.facts(recording, &stacks, ordinal)?;
    let growth = Growth::of(&facts, &reading.table, &reading.categories);
    Some(report(recording, &facts, &reading, &growth, options))
}

pub(crate) fn report(
    recording: &Recording,
    facts: &Facts<'_>,
    reading: &Reading,
    growth: &Growth,
    options: &Options,
) -> DeviceReport {
    let oom = oom::explain(recording, facts.device.ordinal, options.limit_bytes);
    let analysis = Analysis { facts, table: &reading.table, categories: &reading.categories, growth, oom };
    let cause = cause::find(&analysis);
    DeviceReport {
        device: facts.device.ordinal,
        verdict: cause.verdict,
        confidence: cause.confidence,
        confidence_reason: cause.confidence_reason,
        evidence: cause.evidence,
        runner_up: cause.runner_up,
        oom: analysis.oom.clone(),
        steps: crate::report::Steps { count: reading.table.steps.len() as u32, ..Default::default() },
        ..DeviceReport::default()
    }
}
