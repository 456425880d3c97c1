//! What was found, most severe first: the cause itself, what made it worse, and what is good to know.

mod allocator;
mod cause;
mod inference;
mod peak;
mod recording;
mod steps;

use vramscope_core::ids::StackId;
use vramscope_core::order;

use crate::analysis::Analysis;
use crate::cause::Cause;
use crate::report::{Finding, Severity, Show};
use crate::story::Story;
use crate::words;

pub(crate) fn all(analysis: &Analysis<'_>, cause: &Cause, story: &Story) -> Vec<Finding> {
    let mut findings: Vec<Finding> = cause::main(analysis, cause, story).into_iter().collect();
    let others = [
        cause::no_piece(analysis),
        steps::imbalance(analysis, cause.verdict),
        steps::small_growth(analysis, cause.verdict),
        steps::micro_batches(analysis),
        peak::few_blocks(analysis),
        peak::temporary(analysis),
        inference::without_no_grad(analysis),
        inference::caches(analysis),
        allocator::gap(analysis),
        allocator::private_pools(analysis),
        allocator::rounding(analysis),
        allocator::workspaces(analysis),
        allocator::emptied(analysis),
        recording::before(analysis),
        recording::unknown(analysis),
    ];
    findings.extend(others.into_iter().flatten());
    // The sort keeps the order of equal ones: the cause stays first.
    order::by_class(&mut findings, |finding| finding.severity as u8);
    findings
}

/// A finding in the making.
pub(crate) fn note(code: &'static str, title: impl Into<String>) -> Finding {
    Finding {
        code,
        severity: Severity::Note,
        title: title.into(),
        bytes: None,
        evidence: Vec::new(),
        stack: None,
        stack_id: None,
        advice: Vec::new(),
        events: None,
        show: None,
    }
}

impl Finding {
    pub(crate) fn of(self, bytes: u64) -> Self {
        Self { bytes: Some(bytes), ..self }
    }

    pub(crate) fn because(mut self, evidence: impl Into<String>) -> Self {
        self.evidence.push(evidence.into());
        self
    }

    pub(crate) fn try_this(mut self, advice: impl Into<String>) -> Self {
        self.advice.push(advice.into());
        self
    }

    /// With the stack of an allocation, and where to see it.
    pub(crate) fn by(self, analysis: &Analysis<'_>, id: u32, moment: u32) -> Self {
        let stack = analysis.facts.stack(id);
        self.with_stack(analysis, stack).see(moment, Some(id), "timeline")
    }

    pub(crate) fn with_stack(mut self, analysis: &Analysis<'_>, stack: StackId) -> Self {
        let frames = words::frames(stack, analysis.facts.snapshot);
        if !frames.is_empty() {
            (self.stack, self.stack_id) = (Some(frames), Some(stack));
        }
        self
    }

    pub(crate) fn see(mut self, moment: u32, allocation: Option<u32>, view: &'static str) -> Self {
        self.show = Some(Show { moment, allocation, view });
        self.events.get_or_insert((moment.saturating_sub(1), moment.saturating_sub(1)));
        self
    }

    pub(crate) fn over(mut self, first_event: u32, last_event: u32) -> Self {
        self.events = Some((first_event, last_event));
        self
    }
}
