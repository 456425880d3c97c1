//! Evidence of single events from their stacks.

use vramscope_core::model::Action;
use vramscope_core::replay::Phase;

use crate::evidence::Flags;
use crate::facts::{Facts, StackKind};
use vramscope_core::ids::StackId;

/// What is known of each event before gaps are closed.
pub(super) struct EventEvidence {
    pub(super) phases: Vec<Option<Phase>>,
    /// Follows from a missing stack: an annotation may say otherwise.
    pub(super) weak: Vec<bool>,
}

impl EventEvidence {
    pub(super) fn none(n: u32) -> Self {
        Self { phases: vec![None; n as usize], weak: Vec::new() }
    }

    pub(super) fn is_weak(&self, event: usize) -> bool {
        self.weak.get(event).copied().unwrap_or(false)
    }
}

pub(super) fn evidence(facts: &Facts<'_>) -> EventEvidence {
    let mut evidence = EventEvidence::none(facts.n);
    for event in 0..facts.n {
        let stack = facts.evidence_at(event);
        let tried_out = stack.flags.has(Flags::AUTOTUNE) && stack.phase == Some(Phase::Forward);
        evidence.phases[event as usize] = stack.phase.filter(|_| !tried_out);
    }
    if facts.stacks == StackKind::Python {
        backward_has_no_python(facts, &mut evidence);
    }
    evidence
}

/// Backward runs in a thread without Python frames: an event without a stack among others is its.
fn backward_has_no_python(facts: &Facts<'_>, evidence: &mut EventEvidence) {
    evidence.weak = vec![false; facts.n as usize];
    for event in 0..facts.n {
        let has_own_stack = match facts.action(event) {
            Action::Alloc | Action::SegmentAlloc | Action::SegmentMap => true,
            _ => facts.is_free(event) && facts.frees_have_stacks,
        };
        if has_own_stack && facts.event_stack(event) == StackId::EMPTY {
            evidence.phases[event as usize] = Some(Phase::Backward);
            evidence.weak[event as usize] = true;
        }
    }
}

/// Clipping, unscaling and averaging use the same native code as a forward: what leads to the optimizer without a backward between is its.
fn natives_of_the_optimizer(phases: &mut [Option<Phase>]) {
    let mut before = None;
    let mut stretch: Vec<usize> = Vec::new();
    for event in 0..phases.len() {
        match phases[event] {
            None => {}
            Some(Phase::Forward) => stretch.push(event),
            Some(phase) => {
                let leads_to_optimizer = matches!(phase, Phase::Optimizer | Phase::ZeroGrad)
                    && matches!(before, Some(Phase::Optimizer | Phase::Backward));
                if leads_to_optimizer {
                    stretch.iter().for_each(|&event| phases[event] = Some(Phase::Optimizer));
                }
                stretch.clear();
                before = Some(phase);
            }
        }
    }
}

/// What only holds before or after the first work was seen.
pub(super) fn settle(facts: &Facts<'_>, evidence: &mut EventEvidence) {
    let is_work =
        |phase: &Option<Phase>| matches!(phase, Some(Phase::Forward | Phase::Backward | Phase::Optimizer));
    let first = evidence.phases.iter().position(is_work).unwrap_or(evidence.phases.len());
    match facts.stacks {
        StackKind::Native => {
            natives_of_the_optimizer(&mut evidence.phases);
            for event in 0..first {
                if facts.evidence_at(event as u32).flags.has(Flags::WEAK | Flags::NATIVE_TO) {
                    evidence.phases[event] = Some(Phase::Build);
                }
            }
        }
        // A stack that is missing before any forward is not that of a backward.
        StackKind::Python => {
            let first_strong = (0..evidence.phases.len())
                .find(|&event| is_work(&evidence.phases[event]) && !evidence.is_weak(event))
                .unwrap_or(evidence.phases.len());
            for event in 0..first_strong {
                if evidence.is_weak(event) {
                    evidence.phases[event] = None;
                }
            }
        }
        _ => {}
    }
}
