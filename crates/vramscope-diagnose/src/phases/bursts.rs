//! `zero_grad` and the optimizer, where stacks do not tell: gradients are dropped in one loop.

use vramscope_core::order;
use vramscope_core::replay::Phase;

use crate::evidence::Flags;
use crate::facts::{Facts, NONE, StackKind};
use crate::thresholds::SHARE_OF_GRADIENTS_IN_BURST;

/// What backward made and leaves dies together, without an alloc between: that is zero_grad; what lies before it is the optimizer.
pub(super) fn find_zero_grad(facts: &Facts<'_>, phases: &mut [Phase]) {
    let passes = backward_passes(phases);
    let allocs = allocs_before(facts);
    for (nth, &(first, last)) in passes.iter().enumerate() {
        let next = passes.get(nth + 1).map_or(facts.n, |pass| pass.0);
        let last = last_of_engine(facts, first, last);
        let mut deaths: Vec<u32> = facts
            .born_in(first, last)
            .map(|id| facts.death(id))
            .filter(|&death| death != NONE && death > last)
            .collect();
        if deaths.len() < 2 {
            continue;
        }
        order::by_number(&mut deaths, |event| u64::from(*event));
        let (from, to) = largest_group(&deaths, &allocs);
        if ((to - from + 1) as f64) < SHARE_OF_GRADIENTS_IN_BURST * deaths.len() as f64 || deaths[from] > next
        {
            continue;
        }
        phases[last as usize + 1..deaths[from] as usize].fill(Phase::Optimizer);
        phases[deaths[from] as usize..=deaths[to] as usize].fill(Phase::ZeroGrad);
    }
}

/// Runs of backward, joined where no forward lies between.
fn backward_passes(phases: &[Phase]) -> Vec<(u32, u32)> {
    let mut passes: Vec<(u32, u32)> = Vec::new();
    let mut forward_between = true;
    for (event, phase) in phases.iter().enumerate() {
        let event = event as u32;
        match (phase, passes.last_mut()) {
            (Phase::Backward, Some(pass)) if !forward_between => pass.1 = event,
            (Phase::Backward, _) => {
                passes.push((event, event));
                forward_between = false;
            }
            (Phase::Forward, _) => forward_between = true,
            _ => {}
        }
    }
    passes
}

/// With native stacks a gap behind backward counts as backward; its end is the engine's last event.
fn last_of_engine(facts: &Facts<'_>, first: u32, last: u32) -> u32 {
    if facts.stacks != StackKind::Native {
        return last;
    }
    let of_engine = |event: &u32| facts.evidence_at(*event).flags.has(Flags::ENGINE);
    (first..=last).rev().find(of_engine).unwrap_or(first)
}

fn allocs_before(facts: &Facts<'_>) -> Vec<u32> {
    let mut n = 0;
    let counts = (0..facts.n).map(|event| {
        let before = n;
        n += u32::from(facts.is_alloc(event));
        before
    });
    counts.collect()
}

/// First and last of the most deaths without an alloc between.
fn largest_group(deaths: &[u32], allocs_before: &[u32]) -> (usize, usize) {
    let epoch = |at: usize| allocs_before[deaths[at] as usize];
    let (mut best, mut from) = ((0, 0), 0);
    for at in 0..deaths.len() {
        if epoch(at) != epoch(from) {
            from = at;
        }
        if at - from > best.1 - best.0 {
            best = (from, at);
        }
    }
    best
}
