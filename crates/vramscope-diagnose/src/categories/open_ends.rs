//! What is alive at the end: what the same place was before decides, else the phase that it was made in.

use vramscope_core::replay::{Category, N_CATEGORIES, Phase};

use super::Sorting;
use super::book::{Decision, decide};
use super::forward::is_input;
use crate::evidence::Flags;
use crate::numbering::key;
use crate::phases::run_after;
use crate::thresholds::{
    CERTAINTY_WITHOUT_STACKS_PERCENT, NEWEST_EVENTS, SHARE_OF_VOTES, TEMPORARY_MAY_LIVE_EVENTS,
};

pub(super) fn by_place_or_phase(sorting: &Sorting<'_>, id: u32) -> Decision {
    let found = as_before(sorting, id).unwrap_or_else(|| by_phase(sorting, id));
    match sorting.without_stacks() && found.confidence_percent > 50 {
        true => found.times(CERTAINTY_WITHOUT_STACKS_PERCENT),
        false => found,
    }
}

/// What most allocations of its place were.
fn as_before(sorting: &Sorting<'_>, id: u32) -> Option<Decision> {
    let votes = sorting.votes.get(sorting.places.get(sorting.place(id))?)?;
    let all: u32 = votes.iter().sum();
    let (most, at) =
        (0..N_CATEGORIES).map(|at| (votes[at], at)).max_by_key(|(n, at)| (*n, N_CATEGORIES - at))?;
    let category = Category::ALL[at];
    let young = sorting.facts.n - sorting.facts.birth(id) < TEMPORARY_MAY_LIVE_EVENTS;
    let clear = f64::from(most) >= SHARE_OF_VOTES * f64::from(all);
    (clear && (category != Category::Temporary || young)).then_some(decide(
        category,
        75,
        "alive at the end; as this place was before",
    ))
}

fn by_phase(sorting: &Sorting<'_>, id: u32) -> Decision {
    let (facts, table) = (sorting.facts, sorting.table);
    let flags = facts.evidence(id).flags;
    let of_a_parameter = sorting.parameters.count(key(facts.size_bytes(id))) > 0;
    match table.phase(facts.birth(id)) {
        Phase::Backward if flags.has(Flags::RECOMPUTE) => {
            decide(Category::Activation, 60, "made again in a backward that is not over")
        }
        Phase::Backward if of_a_parameter => {
            decide(Category::Gradient, 60, "backward is not over; it has the size of a parameter")
        }
        Phase::Backward => decide(Category::Temporary, 50, "backward is not over"),
        Phase::Optimizer if of_a_parameter && table.optimizer.len() <= 1 => {
            decide(Category::OptimizerState, 60, "the optimizer is not done; it has the size of a parameter")
        }
        Phase::Optimizer => decide(Category::Temporary, 50, "the optimizer is not done"),
        phase => kept_from_forward(sorting, id, phase),
    }
}

fn kept_from_forward(sorting: &Sorting<'_>, id: u32, phase: Phase) -> Decision {
    let (facts, table) = (sorting.facts, sorting.table);
    let in_module = facts.evidence(id).flags.has(Flags::FORWARD);
    let backward = run_after(&table.backward, facts.birth(id));
    if let Some(run) = backward {
        let last_step =
            table.steps.last().is_some_and(|step| facts.birth(id) + NEWEST_EVENTS >= step.first_event);
        return match (run.is_open(facts.n), is_input(sorting, id, phase)) {
            (false, true) if last_step => {
                decide(Category::Input, 60, "made outside modules, alive at the end")
            }
            (true, false) => decide(Category::Activation, 75, "made in forward; its backward is not over"),
            (true, true) => decide(Category::Input, 60, "made outside modules; backward is not over"),
            (false, _) => decide(Category::Other, 60, "made in forward, never freed"),
        };
    }
    match phase {
        _ if phase == Phase::Inference || (!table.trains() && facts.last_oom().is_none()) => {
            kept_from_inference(sorting, in_module)
        }
        Phase::Forward
            if in_module || sorting.without_stacks() || facts.birth(id) + NEWEST_EVENTS < facts.n =>
        {
            decide(Category::Activation, 65, "made in a forward that is not over")
        }
        Phase::Forward => decide(Category::Temporary, 50, "the newest of a forward that is not over"),
        _ if table.trains() => decide(Category::Input, 50, "made outside modules, alive at the end"),
        _ => decide(Category::Unknown, 0, "made outside any phase"),
    }
}

fn kept_from_inference(sorting: &Sorting<'_>, in_module: bool) -> Decision {
    let (facts, table) = (sorting.facts, sorting.table);
    if in_module {
        decide(Category::Other, 50, "a result that is kept: output or cache")
    } else if table.first_forward >= facts.n {
        decide(Category::Unknown, 0, "no module, autograd or optimizer was seen")
    } else if !sorting.without_stacks() && table.trains() {
        decide(Category::Input, 40, "made outside modules, kept")
    } else {
        decide(Category::Other, 40, "kept")
    }
}
