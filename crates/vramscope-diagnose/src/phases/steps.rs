//! Steps: from the first forward after an optimizer to the last event of the next one.

use vramscope_core::replay::{Phase, Step};

use super::{Run, Window};
use crate::facts::Facts;

#[derive(Default)]
struct Counting {
    steps: Vec<Step>,
    start: u32,
    end: u32,
    backwards: u32,
    /// The next forward begins a new step.
    ended: bool,
}

impl Counting {
    fn close(&mut self, next: u32) {
        self.steps.push(Step {
            first_event: self.start,
            last_event: self.end,
            micro_batches: self.backwards,
        });
        (self.start, self.backwards, self.ended) = (next, 0, false);
    }
}

pub(super) fn steps(facts: &Facts<'_>, work: &[Run], windows: &[Window]) -> Vec<Step> {
    let ends_step = |phase: Phase| matches!(phase, Phase::Optimizer | Phase::ZeroGrad);
    let optimizer_seen = work.iter().any(|run| ends_step(run.phase));
    let ends: Vec<i64> =
        windows.iter().filter(|window| ends_step(window.phase)).map(|window| window.from_us).collect();
    // An optimizer that allocates nothing (plain SGD) has no event: only its range shows where a step ends.
    let range_between = |from: u32, to: u32| {
        let (Some(from), Some(to)) = (facts.time_us(from), facts.time_us(to)) else { return false };
        ends.get(ends.partition_point(|&time| time <= from)).is_some_and(|&time| time <= to)
    };
    let mut counting = Counting { start: work.first().map_or(0, |run| run.first), ..Counting::default() };
    for run in work {
        if matches!(run.phase, Phase::Forward | Phase::Inference) {
            let passed = counting.backwards > 0 && range_between(counting.end, run.first);
            if counting.ended || passed {
                counting.close(run.first);
            }
        }
        counting.backwards += u32::from(run.phase == Phase::Backward);
        let backward_ends = !optimizer_seen && ends.is_empty() && run.phase == Phase::Backward;
        counting.ended |= ends_step(run.phase) || backward_ends;
        counting.end = run.last;
    }
    if counting.ended || counting.backwards > 0 {
        counting.close(0);
    }
    counting.steps
}
