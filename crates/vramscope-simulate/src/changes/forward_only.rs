//! A loop that only runs forward, without a graph.

use vramscope_core::model::FrameKind;
use vramscope_core::replay::Phase;
use vramscope_core::replay::requests::StepKind;

use crate::edits::Edits;
use crate::program::{NONE, Program, has};
use crate::scenario::{Scenario, counted};

/// What a graph kept that no backward ever used goes as soon as the layer that reads it is through: before the second request after it.
pub(super) fn no_grad(program: &Program<'_>) -> Result<Scenario, String> {
    let native = program.frames_that(&|_, kind| kind == FrameKind::Cpp);
    if !native.contains(&true) {
        return Err(
            "Without native frames it cannot be told what a graph keeps: record with stacks=\"all\".".into(),
        );
    }
    let saved = program.frames_that(&|name, kind| {
        kind == FrameKind::Cpp
            && (name.contains("autograd::SavedVariable") || name.contains("autograd::deleteNode"))
    });
    let mut edits = Edits::new(program.requests);
    let mut n = 0;
    for id in program.ids() {
        let (asked, freed) = (program.asked_at[id as usize], program.freed_at[id as usize]);
        if asked == NONE || freed == NONE || !has(program.frames_of_free(id), &saved) {
            continue;
        }
        let ends_in_backward = program.dies(id).map(|event| program.phase_at(event)) == Some(Phase::Backward);
        let used = used_by(program, asked);
        if !ends_in_backward && used < freed {
            edits.move_free(freed, used, id);
            n += 1;
        }
    }
    if n == 0 {
        return Err(
            "Nothing was found that a graph keeps for a backward that never comes: this recording runs without gradients already, or every forward has \
             its backward."
                .into(),
        );
    }
    Ok(Scenario {
        assumption: format!(
            "{} that a graph kept without a backward, by the stacks of their frees: each is freed as soon as the layer after it has made its result.",
            counted(n, "tensor", "tensors")
        ),
        notes: vec!["A residual connection holds its tensor longer than that; what is kept at the end of the recording is left as it is.".into()],
        ..edits.done()
    })
}

/// The second request after one.
fn used_by(program: &Program<'_>, asked: u32) -> u32 {
    let steps = &program.requests.steps;
    let after = steps[asked as usize + 1..].iter().zip(asked + 1..);
    let mut requests = after.filter(|(step, _)| step.kind == StepKind::Alloc).map(|(_, at)| at);
    requests.nth(1).unwrap_or(steps.len() as u32)
}
