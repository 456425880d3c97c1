//! Gaps between events of which something is known.

use vramscope_core::ids::StackId;
use vramscope_core::replay::Phase;

use crate::facts::{Facts, StackKind};

/// A phase for every event.
pub(super) fn fill(facts: &Facts<'_>, known: &[Option<Phase>]) -> Vec<Phase> {
    let mut phases = vec![Phase::Idle; known.len()];
    let mut before = None;
    let mut event = 0;
    while event < known.len() {
        if let Some(phase) = known[event] {
            phases[event] = phase;
            before = Some(phase);
            event += 1;
            continue;
        }
        let end = (event..known.len()).find(|&later| known[later].is_some()).unwrap_or(known.len());
        let after = known.get(end).copied().flatten();
        fill_gap(facts, &mut phases, event..end, before, after);
        event = end;
    }
    phases
}

fn fill_gap(
    facts: &Facts<'_>,
    phases: &mut [Phase],
    gap: std::ops::Range<usize>,
    before: Option<Phase>,
    after: Option<Phase>,
) {
    use Phase::{Backward, Build, Forward, Inference, Optimizer, ZeroGrad};
    let phase = match (before, after) {
        (None, Some(Build)) => Build,
        (Some(before), Some(after)) if before == after => before,
        (Some(Forward | Inference), None) => before.unwrap_or_default(),
        (Some(Forward), Some(Backward)) => Forward,
        (Some(Backward), Some(Optimizer | ZeroGrad)) => {
            return after_backward(facts, phases, gap);
        }
        (Some(Optimizer), Some(ZeroGrad)) => Optimizer,
        _ => Phase::Idle,
    };
    phases[gap].fill(phase);
}

/// Between backward and optimizer: with native stacks the optimizer begins with the first alloc that has one of its own.
fn after_backward(facts: &Facts<'_>, phases: &mut [Phase], gap: std::ops::Range<usize>) {
    let mut phase = Phase::Backward;
    for event in gap {
        let has_stack = || facts.is_alloc(event as u32) && facts.event_stack(event as u32) != StackId::EMPTY;
        if facts.stacks == StackKind::Native && has_stack() {
            phase = Phase::Optimizer;
        }
        phases[event] = phase;
    }
}
