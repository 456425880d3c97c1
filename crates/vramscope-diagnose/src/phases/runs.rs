//! Events joined to runs; forward that no backward follows is inference.

use vramscope_core::order;
use vramscope_core::replay::Phase;

use super::Run;
use crate::facts::Facts;
use crate::thresholds::LONGEST_UNFINISHED_FORWARD;

/// Runs of work, in order. Events of forward that turns out to be inference are rewritten.
pub(super) fn work(facts: &Facts<'_>, phases: &mut [Phase]) -> Vec<Run> {
    let mut work = join(phases);
    let trains = work.iter().any(|run| run.phase == Phase::Backward);
    let failed = facts.last_oom().is_some();
    let usual = usual_forward(&work);
    let mut at = 0;
    while at < work.len() {
        if work[at].phase != Phase::Forward {
            at += 1;
            continue;
        }
        let stretch = (at..work.len()).take_while(|&next| work[next].phase == Phase::Forward).count();
        let end = at + stretch;
        let length = work[end - 1].last - work[at].first;
        let unfinished = end == work.len()
            && (trains || failed)
            && usual.is_none_or(|usual| f64::from(length) <= LONGEST_UNFINISHED_FORWARD * f64::from(usual));
        if work.get(end).map(|run| run.phase) != Some(Phase::Backward) && !unfinished {
            for run in &mut work[at..end] {
                phases[run.first as usize..=run.last as usize].fill(Phase::Inference);
                run.phase = Phase::Inference;
            }
        }
        at = end;
    }
    work
}

fn join(phases: &[Phase]) -> Vec<Run> {
    let mut work: Vec<Run> = Vec::new();
    for (event, &phase) in phases.iter().enumerate() {
        let event = event as u32;
        match work.last_mut() {
            Some(run) if run.phase == phase && run.last + 1 == event => run.last = event,
            _ if matches!(phase, Phase::Idle | Phase::Build) => {}
            _ => work.push(Run { phase, first: event, last: event }),
        }
    }
    work
}

/// The median length of forwards that a backward follows.
fn usual_forward(work: &[Run]) -> Option<u32> {
    let pairs =
        work.windows(2).filter(|pair| pair[0].phase == Phase::Forward && pair[1].phase == Phase::Backward);
    let mut lengths: Vec<u32> = pairs.map(|pair| pair[0].last - pair[0].first).collect();
    order::by_number(&mut lengths, |length| u64::from(*length));
    lengths.get(lengths.len() / 2).copied()
}
