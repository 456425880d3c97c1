//! Changes that leave every request where it is and make some of them smaller.

use vramscope_core::model::FrameKind;
use vramscope_core::replay::{Category, Phase};

use crate::edits::resized;
use crate::program::{Program, has};
use crate::scenario::{Scenario, counted};

/// Below this a request takes a block of the same size anyway: counters, scalars.
const SMALL_BYTES: u64 = 512;

/// The same requests, some of them in half the bytes.
fn halved(program: &Program<'_>, which: &dyn Fn(u32) -> bool) -> (Scenario, usize) {
    let half = |id: u32, size: u64| if size > SMALL_BYTES && which(id) { size.div_ceil(2) } else { size };
    let n = program.ids().filter(|id| half(*id, program.size_bytes(*id)) < program.size_bytes(*id)).count();
    (resized(program.requests, &half), n)
}

pub(super) fn half_state(program: &Program<'_>) -> Result<Scenario, String> {
    let (mut scenario, n) = halved(program, &|id| program.category(id) == Category::OptimizerState);
    if n == 0 {
        return Err("No optimizer state was found in this recording: plain SGD keeps none, or the optimizer's first step was not recorded.".into());
    }
    scenario.assumption = format!(
        "{} of optimizer state {} half the bytes; what the optimizer needs for a moment stays as recorded.",
        counted(n, "allocation", "allocations"),
        if n == 1 { "takes" } else { "take" }
    );
    Ok(scenario)
}

/// How the type of weights is known.
enum Weights {
    /// Of two bytes each already.
    Half(&'static str),
    /// Autocast makes copies of lower precision where it needs them.
    Autocast,
    /// Of four bytes, for this reason.
    Full(&'static str),
}

fn weights(program: &Program<'_>) -> Weights {
    let odd =
        |id: u32| program.category(id) == Category::Parameter && !program.size_bytes(id).is_multiple_of(4);
    if program.ids().any(odd) {
        return Weights::Half("a parameter's size is no multiple of four bytes");
    }
    let used = |marked: &[bool]| program.ids().any(|id| has(program.frames(id), marked));
    if used(&program.frames_that(&|name, kind| kind == FrameKind::Cpp && name.contains("at::autocast::"))) {
        return Weights::Autocast;
    }
    let names = |name: &str| name.contains("c10::BFloat16") || name.contains("c10::Half");
    if used(&program.frames_that(&|name, kind| kind == FrameKind::Cpp && names(name))) {
        return Weights::Half("its native frames name bf16 or fp16 and no autocast");
    }
    match used(&program.frames_that(&|name, kind| kind == FrameKind::Cpp && name.contains("<float"))) {
        true => Weights::Full("native frames name float and neither bf16 nor fp16"),
        false => {
            Weights::Full("nothing in it speaks against PyTorch's default; its stacks do not name types")
        }
    }
}

pub(super) fn half_weights(program: &Program<'_>) -> Result<Scenario, String> {
    let has_weights = program.ids().any(|id| program.category(id) == Category::Parameter);
    if !has_weights {
        return Err("No parameters were found in this recording.".into());
    }
    let of_weights = |id: u32| {
        let category = program.category(id);
        matches!(category, Category::Parameter | Category::Gradient | Category::OptimizerState)
            || (category == Category::Temporary && program.phase(id) == Some(Phase::Optimizer))
    };
    let workspace = |id: u32| program.rule(id).is_some_and(|rule| rule.why.starts_with("workspace"));
    let of_model = |id: u32| {
        let failed = program.rule(id).is_none();
        let in_model = matches!(program.phase(id), Some(Phase::Forward | Phase::Backward | Phase::Inference));
        let category = program.category(id);
        let may_be = matches!(category, Category::Activation | Category::Temporary | Category::Other);
        in_model && (failed || may_be) && !workspace(id)
    };
    let (why, autocast) = match weights(program) {
        Weights::Half(why) => return Err(format!("The weights seem to take two bytes each already: {why}.")),
        Weights::Autocast => ("autocast is at work in it", true),
        Weights::Full(why) => (why, false),
    };
    let (mut scenario, _) = halved(program, &|id| of_weights(id) || (!autocast && of_model(id)));
    scenario.assumption = match autocast {
        true => "Parameters, gradients, optimizer state and the optimizer's temporaries take half the bytes. Activations stay as recorded: autocast makes \
                 most of them in lower precision already."
            .into(),
        false => "Parameters, gradients, optimizer state, activations and temporaries take half the bytes, as the computation follows the type of the weights. \
                  Inputs and workspaces stay as recorded."
            .into(),
    };
    scenario.notes.push(format!("The recorded weights are taken to be fp32: {why}."));
    if autocast {
        scenario
            .notes
            .push("The copies of weights that autocast makes would go, too; they are left in.".into());
    } else {
        scenario.notes.push("Indices and masks do not follow the type of the weights; they are not told apart from activations.".into());
    }
    Ok(scenario)
}
