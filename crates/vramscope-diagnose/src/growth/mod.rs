//! What grows: from step to step, from round to round, and until Python's collector runs.

mod base_line;
mod places;
mod retained;
mod step_leak;
mod teeth;

use crate::categories::Categories;
use crate::facts::Facts;
use crate::phases::Timetable;
use crate::thresholds::TAIL_IN_FORWARDS;
use vramscope_core::order;
use vramscope_core::replay::Phase;

pub(crate) use base_line::BaseLine;
pub(crate) use retained::Retained;
pub(crate) use step_leak::StepLeak;
pub(crate) use teeth::Tooth;

/// Everything that grows.
#[derive(Debug, Default)]
pub(crate) struct Growth {
    /// How low memory falls between steps.
    pub(crate) base_line: Option<BaseLine>,
    /// What each step leaves.
    pub(crate) step_leak: Option<StepLeak>,
    /// Places outside training that keep more and more.
    pub(crate) retained: Vec<Retained>,
    /// Bursts in which a collector frees.
    pub(crate) teeth: Vec<Tooth>,
}

impl Growth {
    pub(crate) fn of(facts: &Facts<'_>, table: &Timetable, categories: &Categories) -> Self {
        let from = start_of_rounds(facts, table);
        Self {
            base_line: BaseLine::of(facts, table),
            step_leak: StepLeak::of(facts, table, categories),
            retained: from.map(|from| retained::find(facts, table, categories, from)).unwrap_or_default(),
            teeth: teeth::find(facts, table, categories),
        }
    }

    /// Bytes that places outside training keep of what they made late.
    pub(crate) fn retained_late_bytes(&self) -> u64 {
        self.retained.iter().map(|place| place.late_bytes).sum()
    }

    /// Bytes by which their base lines rose in all.
    pub(crate) fn retained_rise_bytes(&self) -> u64 {
        self.retained.iter().map(|place| place.rise_bytes).sum()
    }
}

/// Where rounds outside training begin: the whole trace without training; with it a long tail behind the last step (an evaluation).
fn start_of_rounds(facts: &Facts<'_>, table: &Timetable) -> Option<u32> {
    if !table.trains() {
        return Some(0);
    }
    let tail = table.steps.last()?.last_event + 1;
    let mut forwards: Vec<u32> =
        table.work.iter().filter(|run| run.phase == Phase::Forward).map(|run| run.last - run.first).collect();
    order::by_number(&mut forwards, |events| u64::from(*events));
    let usual = forwards.get(forwards.len() / 2).copied().unwrap_or(0);
    let backward_again = table.backward.iter().any(|run| run.first >= tail);
    let long = f64::from(facts.n.saturating_sub(tail)) > TAIL_IN_FORWARDS * f64::from(usual);
    (!backward_again && long).then_some(tail)
}
