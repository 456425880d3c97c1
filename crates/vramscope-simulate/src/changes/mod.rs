//! Changes that people try, each an estimate: the requests as they would have been, and what is taken for granted.

mod checkpoint;
mod forward_only;
mod gradients;
mod modules;
mod sizes;

use serde::Serialize;

pub use modules::Module;

use crate::program::Program;
use crate::scenario::Scenario;

/// A change, as a form and a help text show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Kind {
    /// Its name in commands and in addresses.
    pub key: &'static str,
    /// Its title.
    pub title: &'static str,
    /// What is changed in the program.
    pub explanation: &'static str,
}

/// All changes.
pub const KINDS: [Kind; 6] = [
    Kind {
        key: CHECKPOINT,
        title: "Checkpoint activations",
        explanation: "torch.utils.checkpoint around a module: what it keeps for backward is freed after its forward and made again just before its \
                      backward. Costs a second forward of that module.",
    },
    Kind {
        key: SET_TO_NONE,
        title: "Drop gradients in zero_grad",
        explanation: "zero_grad(set_to_none=True): gradients are freed between the optimizer and the next backward.",
    },
    Kind {
        key: HALF_STATE,
        title: "Optimizer with half the state",
        explanation: "An optimizer that keeps its state in half the bytes, such as bf16 moments instead of fp32 ones.",
    },
    Kind {
        key: FUSED_BACKWARD,
        title: "Optimizer step in backward",
        explanation: "Each parameter is updated as soon as its gradient is there, and the gradient is freed \
                      (register_post_accumulate_grad_hook).",
    },
    Kind {
        key: NO_GRAD,
        title: "Forward without gradients",
        explanation: "torch.no_grad() around a loop that only runs forward: nothing is kept for a backward that never comes.",
    },
    Kind {
        key: HALF_WEIGHTS,
        title: "Weights in bf16",
        explanation: "model.to(torch.bfloat16): parameters, gradients and what follows their type take half the bytes.",
    },
];

const CHECKPOINT: &str = "checkpoint";
const SET_TO_NONE: &str = "set_to_none";
const HALF_STATE: &str = "half_state";
const FUSED_BACKWARD: &str = "fused_backward";
const NO_GRAD: &str = "no_grad";
const HALF_WEIGHTS: &str = "bf16_weights";

/// Makes a change. Or why it does not apply, in a sentence. `module` chooses what is checkpointed: one of [`modules`], by its place.
pub fn apply(program: &Program<'_>, key: &str, module: Option<&str>) -> Result<Scenario, String> {
    let mut scenario = match key {
        CHECKPOINT => checkpoint::checkpoint(program, module),
        SET_TO_NONE => gradients::set_to_none(program),
        HALF_STATE => sizes::half_state(program),
        FUSED_BACKWARD => gradients::fused_backward(program),
        NO_GRAD => forward_only::no_grad(program),
        HALF_WEIGHTS => sizes::half_weights(program),
        _ => {
            let names: Vec<&str> = KINDS.iter().map(|kind| kind.key).collect();
            Err(format!("There is no change \"{key}\"; there are {}.", names.join(", ")))
        }
    }?;
    if let Some(kind) = KINDS.iter().find(|kind| kind.key == key)
        && scenario.title.is_empty()
    {
        scenario.title = kind.title.into();
    }
    if program.requests.first_oom().is_some() {
        scenario.notes.push(
            "The recording contains a request that failed: what the program would have gone on to ask for is not in it.".into(),
        );
    }
    Ok(scenario)
}

/// Modules that can be checkpointed, the one that saves most first.
pub fn modules(program: &Program<'_>) -> Vec<Module> {
    modules::find(program)
}
