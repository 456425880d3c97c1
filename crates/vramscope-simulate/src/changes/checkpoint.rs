//! `torch.utils.checkpoint` around a module.

use vramscope_core::replay::requests::StepKind;
use vramscope_core::replay::{Category, Phase};

use super::modules::{Call, Module, calls, find, python_frames};
use crate::edits::Edits;
use crate::program::{NONE, Program};
use crate::scenario::{Scenario, counted};

pub(super) fn checkpoint(program: &Program<'_>, place: Option<&str>) -> Result<Scenario, String> {
    if program.spans(Phase::Backward).next().is_none() && program.requests.first_oom().is_none() {
        return Err("There is no backward in this recording: nothing is kept for it.".into());
    }
    let module = chosen(find(program), place)?;
    let python = python_frames(program);
    let mut edits = Edits::new(program.requests);
    let mut n = 0;
    for span in program.spans(Phase::Forward) {
        for call in calls(program, span, &python, module.frame) {
            n += usize::from(!call.inner.is_empty());
            change(program, &mut edits, &call);
        }
    }
    Ok(Scenario {
        title: format!("Checkpoint what {} calls", module.place),
        assumption: format!(
            "{} checkpointed: activations inside are freed at the end of each call and made again, with what their making needs, just before \
             backward first uses one of them. The largest tensor that a call makes last stays: it is handed on.",
            counted(n, &format!("call by {} is", module.place), &format!("calls by {} are", module.place))
        ),
        notes: vec![
            "If a call hands on more than one tensor, the others would stay, too. Backward takes longer by one forward of what is checkpointed.".into(),
        ],
        ..edits.done()
    })
}

fn chosen(modules: Vec<Module>, place: Option<&str>) -> Result<Module, String> {
    let places = |modules: &[Module]| {
        modules.iter().take(8).map(|module| module.place.as_str()).collect::<Vec<_>>().join("; ")
    };
    let Some(wish) = place else {
        return modules.into_iter().next().ok_or_else(|| {
            "No line was found that calls a module several times in a forward and whose activations are kept for backward. That takes Python frames in \
             the recording; and what is checkpointed already saves nothing more."
                .into()
        });
    };
    let is_it = |module: &&Module| module.place == wish || module.place.starts_with(&format!("{wish} "));
    let found = modules.iter().find(is_it).cloned();
    found.ok_or_else(|| match modules.is_empty() {
        true => "No module of this recording can be checkpointed with gain.".into(),
        false => format!(
            "\"{wish}\" is no line that calls a module several times; there are: {}.",
            places(&modules)
        ),
    })
}

/// Frees what is inside a call at its end, and makes it again in backward.
fn change(program: &Program<'_>, edits: &mut Edits<'_>, call: &Call) {
    for &id in &call.inner {
        edits.free(call.end, id);
    }
    let freed = |id: &u32| program.freed_at[*id as usize];
    let Some(first_use) = call.inner.iter().map(freed).min().filter(|step| *step != NONE) else { return };
    let before = begin_of_backward(program, call, first_use);
    // Forward once more, up to the last that is kept: what it needs for a moment comes and goes as it did.
    let last = call.inner.last().map_or(0, |last| program.asked_at[*last as usize]);
    let first = call.ids.first().map_or(0, |first| program.asked_at[*first as usize]);
    let mut again: Vec<(u32, u32)> = Vec::new();
    for step in &program.requests.steps[first as usize..=last as usize] {
        match step.kind {
            StepKind::Alloc if is_made_again(program, call, step.id) => {
                again.push((step.id, edits.ask_again(before, step.id)));
            }
            StepKind::Free => {
                if let Ok(at) = again.binary_search_by_key(&step.id, |(id, _)| *id) {
                    edits.free(before, again.remove(at).1);
                }
            }
            _ => {}
        }
    }
    for (id, again) in again {
        match (call.inner.binary_search(&id).is_ok(), freed(&id)) {
            (true, NONE) => {}
            (true, step) => edits.frees_instead(step, again),
            (false, _) => edits.free(before, again),
        }
    }
}

/// Part of the call, and kept for backward or gone before its end.
fn is_made_again(program: &Program<'_>, call: &Call, id: u32) -> bool {
    let goes = program.freed_at[id as usize] < call.end;
    call.ids.binary_search(&id).is_ok() && (goes || call.inner.binary_search(&id).is_ok())
}

/// The step before which backward comes to a call: after the last activation of something else that goes before the first of its own.
fn begin_of_backward(program: &Program<'_>, call: &Call, first_use: u32) -> u32 {
    let steps = &program.requests.steps[..first_use as usize];
    let in_backward = |event: u32| program.phase_at(event) == Phase::Backward;
    let passed = steps.iter().rev().take_while(|step| in_backward(step.event));
    let is_other =
        |id: u32| program.category(id) == Category::Activation && call.inner.binary_search(&id).is_err();
    let between = passed.take_while(|step| step.kind != StepKind::Free || !is_other(step.id)).count();
    first_use - between as u32
}
