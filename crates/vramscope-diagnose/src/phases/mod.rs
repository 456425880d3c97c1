//! What the program is doing at each event, and its steps.
//!
//! Evidence of single events comes from stacks ([`from_stacks`]), from annotations ([`windows`]) or, without either, from lifetimes
//! ([`lifetimes`]); [`fill`] closes the gaps, [`runs`] joins events and finds inference, [`steps`] counts.

mod bursts;
mod excursions;
mod fill;
mod from_stacks;
mod lifetimes;
mod rank;
mod runs;
mod seed;
mod steps;
mod windows;

use vramscope_core::replay::{Phase, PhaseSpan, Step};

use crate::facts::{Facts, NONE, StackKind};
pub(crate) use windows::{Sharding, Window};

/// Consecutive events of one phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) phase: Phase,
    pub(crate) first: u32,
    pub(crate) last: u32,
}

impl Run {
    /// It was not over when the trace of so many events ended: at most one event follows.
    pub(crate) fn is_open(&self, n_events: u32) -> bool {
        self.last + 2 >= n_events
    }

    pub(crate) fn contains(&self, event: u32) -> bool {
        self.first <= event && event <= self.last
    }
}

/// The phases of a device.
#[derive(Debug, Default)]
pub(crate) struct Timetable {
    /// By event.
    phases: Vec<Phase>,
    /// Runs of work: neither build nor idle, in order.
    pub(crate) work: Vec<Run>,
    /// The backward ones among them.
    pub(crate) backward: Vec<Run>,
    /// The optimizer's among them.
    pub(crate) optimizer: Vec<Run>,
    /// In order.
    pub(crate) steps: Vec<Step>,
    /// First event of forward or inference; the number of events if there is none.
    pub(crate) first_forward: u32,
    /// What annotations say of gathering and reducing.
    pub(crate) sharding: Sharding,
}

impl Timetable {
    pub(crate) fn of(facts: &Facts<'_>) -> Self {
        let windows = Window::all(facts);
        let mut evidence = match facts.stacks {
            StackKind::Absent => lifetimes::evidence(facts),
            _ => from_stacks::evidence(facts),
        };
        windows::apply(facts, &windows, &mut evidence);
        from_stacks::settle(facts, &mut evidence);
        let mut phases = fill::fill(facts, &evidence.phases);
        drop(evidence);
        let zero_is_known = windows.iter().any(|window| window.phase == Phase::ZeroGrad);
        if matches!(facts.stacks, StackKind::Native | StackKind::Absent) && !zero_is_known {
            bursts::find_zero_grad(facts, &mut phases);
        }
        let work = runs::work(facts, &mut phases);
        let of = |phase: Phase| work.iter().copied().filter(|run| run.phase == phase).collect::<Vec<_>>();
        let is_forward = |run: &&Run| matches!(run.phase, Phase::Forward | Phase::Inference);
        Timetable {
            backward: of(Phase::Backward),
            optimizer: of(Phase::Optimizer),
            steps: steps::steps(facts, &work, &windows),
            first_forward: work.iter().find(is_forward).map_or(facts.n, |run| run.first),
            sharding: Sharding::of(facts),
            phases,
            work,
        }
    }

    /// The phase of an event.
    #[inline]
    pub(crate) fn phase(&self, event: u32) -> Phase {
        self.phases.get(event as usize).copied().unwrap_or_default()
    }

    /// The phase in which an allocation is dropped; `None` if it is kept.
    pub(crate) fn phase_of_death(&self, facts: &Facts<'_>, id: u32) -> Option<Phase> {
        match facts.death(id) {
            NONE => None,
            event => Some(self.phase(event)),
        }
    }

    /// There is a backward pass.
    pub(crate) fn trains(&self) -> bool {
        !self.backward.is_empty()
    }

    /// The step that an event belongs to: that of the last step that began by then.
    pub(crate) fn step_at(&self, event: u32) -> Option<u32> {
        self.steps.partition_point(|step| step.first_event <= event).checked_sub(1).map(|at| at as u32)
    }

    /// Consecutive events of one phase, all phases.
    pub(crate) fn spans(&self) -> Vec<PhaseSpan> {
        let mut spans: Vec<PhaseSpan> = Vec::new();
        for (event, &phase) in self.phases.iter().enumerate() {
            let event = event as u32;
            match spans.last_mut() {
                Some(span) if span.phase == phase => span.last_event = event,
                _ => spans.push(PhaseSpan { phase, step: None, first_event: event, last_event: event }),
            }
        }
        for span in &mut spans {
            let step = self.step_at(span.first_event);
            let inside = |step: &u32| {
                self.steps.get(*step as usize).is_some_and(|step| span.first_event <= step.last_event)
            };
            span.step = step.filter(inside);
        }
        spans
    }
}

/// The run around an event, of runs in order.
pub(crate) fn run_at(runs: &[Run], event: u32) -> Option<Run> {
    let at = runs.partition_point(|run| run.first <= event).checked_sub(1)?;
    runs.get(at).copied().filter(|run| run.contains(event))
}

/// The first run that begins after an event.
pub(crate) fn run_after(runs: &[Run], event: u32) -> Option<Run> {
    runs.get(runs.partition_point(|run| run.first <= event)).copied()
}
