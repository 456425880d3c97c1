//! What one allocation's own life and stack decide.

use vramscope_core::replay::{Category, Phase};

use super::Sorting;
use super::book::{Decision, decide};
use super::forward;
use crate::evidence::Flags;
use crate::facts::{Facts, StackKind};
use crate::phases::{Run, Timetable, run_at};
use crate::thresholds::{CERTAINTY_WITHOUT_STACKS_PERCENT, RECOMPUTED_WITHIN_EVENTS};

/// The outcome for one allocation.
pub(super) enum Found {
    Decided(Decision),
    /// It is alive at the end: what its place was before may decide.
    Open,
}

impl From<Decision> for Found {
    fn from(decision: Decision) -> Self {
        Found::Decided(decision)
    }
}

impl Sorting<'_> {
    /// A rule that reads phases: less sure where those follow from lifetimes alone.
    pub(super) fn timed(&self, category: Category, percent: u8, why: &'static str) -> Found {
        let decision = decide(category, percent, why);
        Found::Decided(match self.without_stacks() {
            true => decision.times(CERTAINTY_WITHOUT_STACKS_PERCENT),
            false => decision,
        })
    }
}

pub(super) fn decide_alone(sorting: &Sorting<'_>, id: u32) -> Found {
    let (facts, table) = (sorting.facts, sorting.table);
    let flags = facts.evidence(id).flags;
    if flags.has(Flags::WORKSPACE) {
        return decide(Category::Temporary, 95, "workspace of a kernel library").into();
    }
    if facts.is_old(id) {
        return old(sorting, id);
    }
    if flags.has(Flags::KV_CACHE) && !table.trains() {
        return decide(Category::Other, 90, "made by code of a key-value cache").into();
    }
    if let Some(decision) = distributed(sorting, id, flags) {
        return decision.into();
    }
    let phase = table.phase(facts.birth(id));
    let builds = facts.evidence(id).phase == Some(Phase::Build);
    if phase == Phase::Build || (builds && (facts.is_kept(id) || facts.birth(id) < table.first_forward)) {
        return building(sorting, id, builds);
    }
    match phase {
        Phase::Optimizer => optimizing(sorting, id, flags),
        Phase::ZeroGrad if facts.is_kept(id) => {
            decide(Category::Unknown, 20, "made in zero_grad, kept").into()
        }
        Phase::ZeroGrad => decide(Category::Temporary, 60, "made in zero_grad").into(),
        Phase::Backward => backward(sorting, id, flags),
        phase => forward::decide_forward(sorting, id, phase),
    }
}

/// There before the first event: only its end tells.
fn old(sorting: &Sorting<'_>, id: u32) -> Found {
    let stack = sorting.facts.evidence(id).phase;
    match sorting.table.phase_of_death(sorting.facts, id) {
        None => match stack {
            Some(Phase::Build) => {
                decide(Category::Parameter, 90, "there before recording, made while building").into()
            }
            Some(Phase::Optimizer) => {
                decide(Category::OptimizerState, 85, "there before recording, made by the optimizer").into()
            }
            _ => decide(Category::Unknown, 0, "there before recording").into(),
        },
        Some(Phase::Backward) => {
            sorting.timed(Category::Activation, 80, "there before recording, freed in backward")
        }
        Some(Phase::ZeroGrad) => {
            sorting.timed(Category::Gradient, 90, "there before recording, freed by zero_grad")
        }
        Some(Phase::Forward | Phase::Optimizer | Phase::Inference) => {
            sorting.timed(Category::Temporary, 60, "there before recording, freed in work")
        }
        Some(_) => decide(Category::Unknown, 0, "there before recording").into(),
    }
}

/// Buckets and shards of distributed training, and kernels being tried out.
fn distributed(sorting: &Sorting<'_>, id: u32, flags: Flags) -> Option<Decision> {
    let facts = sorting.facts;
    let mut flags = flags;
    let names_shards = matches!(facts.stacks, StackKind::Native | StackKind::Absent)
        && !sorting.table.sharding.is_empty()
        && !flags.has_any(Flags::ALL_GATHER | Flags::REDUCE);
    if names_shards {
        match facts.time_us(facts.birth(id)).and_then(|time| sorting.table.sharding.at(time)) {
            Some(true) => flags |= Flags::ALL_GATHER,
            Some(false) => flags |= Flags::REDUCE,
            None => {}
        }
    }
    if flags.has(Flags::BUCKET) {
        Some(decide(Category::Gradient, 90, "bucket of DistributedDataParallel"))
    } else if flags.has(Flags::REDUCE) {
        Some(decide(Category::Gradient, 80, "gradients being reduced over ranks"))
    } else if flags.has(Flags::ALL_GATHER) {
        Some(decide(Category::Parameter, 85, "parameters gathered from all ranks"))
    } else if flags.has(Flags::AUTOTUNE) {
        Some(decide(Category::Temporary, 80, "kernels being tried out"))
    } else {
        None
    }
}

fn building(sorting: &Sorting<'_>, id: u32, by_stack: bool) -> Found {
    let (facts, table) = (sorting.facts, sorting.table);
    if !facts.is_kept(id) && facts.death(id) < table.first_forward {
        return decide(Category::Temporary, 60, "made while building, gone before forward").into();
    }
    // Without stacks the first batch is made in the same stretch as the model, and goes after a step or two.
    let soon = table.steps.get(1).or(table.steps.first()).map_or(0, |step| step.last_event);
    if sorting.without_stacks() && table.trains() && !facts.is_kept(id) && facts.death(id) <= soon {
        return decide(Category::Input, 50, "made before forward, gone after the first steps").into();
    }
    let percent = if by_stack { 97 } else { 70 };
    decide(Category::Parameter, percent, "made while building, outlives the first forward").into()
}

fn optimizing(sorting: &Sorting<'_>, id: u32, flags: Flags) -> Found {
    let (facts, table) = (sorting.facts, sorting.table);
    let run = run_at(&table.optimizer, facts.birth(id));
    let open = run.is_none_or(|run| run.is_open(facts.n));
    let makes_state = flags.has(Flags::OPTIMIZER_INIT);
    if facts.is_kept(id) && open && !makes_state {
        return Found::Open;
    }
    let outlives = run.is_some_and(|run| facts.death(id) > run.last)
        && table.phase_of_death(facts, id) != Some(Phase::ZeroGrad);
    match facts.is_kept(id) || outlives {
        true if makes_state => {
            decide(Category::OptimizerState, 97, "made as the optimizer makes its state").into()
        }
        true => sorting.timed(Category::OptimizerState, 85, "made by the optimizer, outlives its step"),
        false => sorting.timed(Category::Temporary, 90, "made by the optimizer, gone in the same step"),
    }
}

fn backward(sorting: &Sorting<'_>, id: u32, flags: Flags) -> Found {
    let (facts, table) = (sorting.facts, sorting.table);
    if flags.has(Flags::RECOMPUTE) {
        return recomputed(sorting, id);
    }
    let run = run_at(&table.backward, facts.birth(id));
    let outlives = run.is_none_or(|run| facts.death(id) > run.last);
    if facts.is_kept(id) {
        if run.is_some_and(|run| run.is_open(facts.n)) {
            return Found::Open;
        }
        let first = run.map_or(0, |run| run.first);
        if sorting.workspaces.in_backward(facts, id, first) {
            return decide(
                Category::Temporary,
                60,
                "workspace, by its size: made in backward, kept although the gradients were not",
            )
            .into();
        }
    }
    match (outlives, table.phase_of_death(facts, id)) {
        (false, _) => sorting.timed(Category::Temporary, 90, "made in backward, gone in the same pass"),
        (true, Some(Phase::ZeroGrad)) => {
            sorting.timed(Category::Gradient, 97, "made in backward, freed by zero_grad")
        }
        (true, None | Some(Phase::Optimizer | Phase::Backward)) => {
            sorting.timed(Category::Gradient, 90, "made in backward, outlives it")
        }
        (true, Some(_)) => sorting.timed(Category::Gradient, 80, "made in backward, outlives it"),
    }
}

/// A checkpointed forward runs again in backward: what backward proper then uses is an activation.
fn recomputed(sorting: &Sorting<'_>, id: u32) -> Found {
    let facts = sorting.facts;
    if facts.is_kept(id) {
        return Found::Open;
    }
    let (birth, death) = (facts.birth(id), facts.death(id));
    let until = death.min(birth.saturating_add(RECOMPUTED_WITHIN_EVENTS));
    let at = sorting.proper_backward.partition_point(|&event| event < birth);
    match sorting.proper_backward.get(at).is_some_and(|&event| event < until) {
        true => decide(Category::Activation, 85, "made again in backward, for backward").into(),
        false => decide(Category::Temporary, 80, "made again in backward, gone before it is used").into(),
    }
}

/// Events of backward that are no forward run again.
pub(super) fn proper_backward(facts: &Facts<'_>, table: &Timetable) -> Vec<u32> {
    let runs: &[Run] = &table.backward;
    if !facts.evidence.iter().any(|stack| stack.flags.has(Flags::RECOMPUTE)) {
        return Vec::new();
    }
    let is_proper = |event: &u32| {
        let stack = facts.evidence_at(*event);
        stack.phase == Some(Phase::Backward) && !stack.flags.has(Flags::RECOMPUTE)
    };
    runs.iter().flat_map(|run| run.first..=run.last).filter(is_proper).collect()
}
