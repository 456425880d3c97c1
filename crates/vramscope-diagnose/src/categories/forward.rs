//! What is made in forward, in inference, or between phases.

use vramscope_core::replay::{Category, Phase};

use super::Sorting;
use super::book::decide;
use super::first_pass::Found;
use crate::evidence::Flags;
use crate::facts::StackKind;
use crate::phases::{Run, run_after};
use crate::thresholds::SCALAR_BYTES;

pub(super) fn decide_forward(sorting: &Sorting<'_>, id: u32, phase: Phase) -> Found {
    let (facts, table) = (sorting.facts, sorting.table);
    let backward = run_after(&table.backward, facts.birth(id));
    if facts.is_kept(id) {
        return kept(sorting, id, backward);
    }
    let Some(backward) = backward else { return without_backward(sorting, phase) };
    let death = facts.death(id);
    let dies_in_backward = table.phase(death) == Phase::Backward;
    if death < backward.first {
        sorting.timed(Category::Temporary, 90, "made in forward, gone before backward")
    } else if dies_in_backward && death <= backward.last {
        let engine = facts.evidence_of_free(id).flags.has(Flags::ENGINE);
        match engine || facts.stacks == StackKind::Python {
            true => decide(Category::Activation, 95, "made in forward, freed in backward").into(),
            false => sorting.timed(Category::Activation, 85, "made in forward, freed in backward"),
        }
    } else if dies_in_backward {
        sorting.timed(Category::Activation, 70, "made in forward, freed in a later backward")
    } else if is_input(sorting, id, phase) {
        decide(Category::Input, 80, "made outside modules, outlives backward").into()
    } else {
        decide(Category::Other, 50, "made in forward, held past backward").into()
    }
}

/// No module and no autograd, optimizer or loading code in its stack; without stacks nothing speaks against it.
pub(super) fn outside_modules(sorting: &Sorting<'_>, id: u32) -> bool {
    let stack = sorting.facts.evidence(id);
    sorting.without_stacks() || (!stack.flags.has(Flags::FORWARD) && stack.phase.is_none())
}

/// Made between phases; or anywhere in forward by a factory or a copy, of which no gradient is asked.
pub(super) fn is_input(sorting: &Sorting<'_>, id: u32, phase: Phase) -> bool {
    let flags = sorting.facts.evidence(id).flags;
    let by_factory = flags.has(Flags::NATIVE) && !flags.has(Flags::NATIVE_FORWARD);
    let more_than_a_number = sorting.facts.size_bytes(id) > SCALAR_BYTES[SCALAR_BYTES.len() - 1];
    outside_modules(sorting, id) && (phase == Phase::Idle || (by_factory && more_than_a_number))
}

fn without_backward(sorting: &Sorting<'_>, phase: Phase) -> Found {
    let (facts, table) = (sorting.facts, sorting.table);
    if phase == Phase::Idle && table.first_forward >= facts.n {
        decide(Category::Unknown, 0, "no module, autograd or optimizer was seen").into()
    } else if phase == Phase::Inference || !table.trains() {
        sorting.timed(Category::Temporary, 80, "made in inference, freed")
    } else {
        sorting.timed(Category::Temporary, 60, "made after the last backward, freed")
    }
}

fn kept(sorting: &Sorting<'_>, id: u32, backward: Option<Run>) -> Found {
    let (facts, table) = (sorting.facts, sorting.table);
    if sorting.workspaces.in_forward(facts, table, id) {
        return decide(Category::Temporary, 50, "workspace, by its size: made once, kept").into();
    }
    let unfinished = backward.is_some_and(|run| run.is_open(facts.n));
    if backward.is_some() && !unfinished && sorting.workspaces.in_first_forward(facts, table, id) {
        return decide(Category::Temporary, 60, "workspace, by its size: made in the first forward, kept")
            .into();
    }
    Found::Open
}
