//! Changes to how long gradients live.

use vramscope_core::replay::{Category, Phase, PhaseSpan};

use crate::edits::Edits;
use crate::program::{NONE, Program};
use crate::scenario::{Scenario, counted};

/// Gradients that are never freed between steps are freed after each optimizer, and made again in each backward as far into it as in the first.
pub(super) fn set_to_none(program: &Program<'_>) -> Result<Scenario, String> {
    let backwards = first_backwards(program);
    let mut edits = Edits::new(program.requests);
    let mut kept = 0;
    let n_old = gradients(program).filter(|id| program.asked_at[*id as usize] == NONE).count() as f64;
    for (id, nth) in gradients(program).zip(0u32..) {
        let Some(place) = place_in(program, &backwards, id, f64::from(nth) / n_old.max(1.0)) else {
            continue;
        };
        kept += usize::from(drop_between_steps(program, &mut edits, &backwards, id, place));
    }
    if edits.is_empty() {
        return Err(match gradients(program).next() {
            None => "No gradients were found in this recording.".into(),
            Some(_) => "Gradients do not stay from one step to the next in this recording: they are dropped between steps already.".into(),
        });
    }
    Ok(Scenario {
        assumption: format!(
            "{} freed after the optimizer of each step and made again in the next backward, as far into it as in the first one.",
            counted(kept, "gradient that stays from step to step is", "gradients that stay from step to step are")
        ),
        notes: vec![
            "What backward makes to add it to a gradient that is there already would become the gradient itself; both are counted for a moment.".into(),
        ],
        ..edits.done()
    })
}

fn gradients<'a>(program: &'a Program<'_>) -> impl Iterator<Item = u32> + 'a {
    program.ids().filter(|id| program.category(*id) == Category::Gradient)
}

/// The first backward of each step with the moment after that step's optimizer (or last backward), as steps: (backward, end of step).
fn first_backwards(program: &Program<'_>) -> Vec<(std::ops::Range<u32>, u32)> {
    let mut found: Vec<(Option<u32>, std::ops::Range<u32>, u32)> = Vec::new();
    let counts =
        |span: &&PhaseSpan| span.step.is_some() && matches!(span.phase, Phase::Backward | Phase::Optimizer);
    for span in program.labels.phases.iter().filter(counts) {
        let steps = program.steps_of(span);
        match found.last_mut() {
            Some(last) if last.0 == span.step => last.2 = steps.end,
            _ if span.phase == Phase::Backward => found.push((span.step, steps.clone(), steps.end)),
            _ => {}
        }
    }
    found.into_iter().map(|(_, backward, end)| (backward, end)).collect()
}

/// How far into the first backward that it lives in it is made, 0 to 1; where that was not recorded, one after the other.
fn place_in(
    program: &Program<'_>,
    backwards: &[(std::ops::Range<u32>, u32)],
    id: u32,
    old: f64,
) -> Option<f64> {
    let asked = program.asked_at[id as usize];
    if asked == NONE {
        return Some(old);
    }
    let at = backwards.partition_point(|(backward, _)| backward.end <= asked);
    let (backward, _) = backwards.get(at).filter(|(backward, _)| backward.contains(&asked))?;
    Some(f64::from(asked - backward.start) / f64::from((backward.end - backward.start).max(1)))
}

/// True if it stays from one step to the next.
fn drop_between_steps(
    program: &Program<'_>,
    edits: &mut Edits<'_>,
    backwards: &[(std::ops::Range<u32>, u32)],
    id: u32,
    place: f64,
) -> bool {
    let asked = program.asked_at[id as usize];
    let freed = program.freed_at[id as usize];
    // Without a plain free it must stay to the end, or nobody knows when it goes.
    if freed == NONE && program.dies(id).is_some() {
        return false;
    }
    let is_there = |step: u32| (asked == NONE || asked < step) && step < freed;
    // Ends of steps after which it is still there as the next backward begins.
    let next = |at: usize| backwards.get(at + 1).map(|(backward, _)| backward.clone());
    let mut current = id;
    let mut any = false;
    for (at, (_, end)) in backwards.iter().enumerate() {
        let Some(backward) = next(at).filter(|next| is_there(*end) && is_there(next.start)) else { continue };
        edits.free(*end, current);
        let length = f64::from(backward.end - backward.start);
        let again = backward.start + (length * place) as u32;
        if again >= freed {
            // It goes in the middle of a backward: not before it is made again.
            edits.drop_step(freed);
            return true;
        }
        current = edits.ask_again(again, id);
        any = true;
    }
    if any && freed != NONE {
        edits.frees_instead(freed, current);
    }
    any
}

/// Each gradient of a backward goes as the next one comes.
pub(super) fn fused_backward(program: &Program<'_>) -> Result<Scenario, String> {
    let mut edits = Edits::new(program.requests);
    let (mut n, mut accumulates) = (0, false);
    let span_starts: Vec<u32> =
        program.spans(Phase::Backward).map(|span| program.step_of(span.first_event)).collect();
    for span in program.spans(Phase::Backward) {
        let steps = program.steps_of(span);
        let made: Vec<u32> = program
            .asked_in(steps.clone())
            .filter(|id| program.category(*id) == Category::Gradient)
            .collect();
        accumulates |= span
            .step
            .and_then(|step| program.labels.steps.get(step as usize))
            .is_some_and(|step| step.micro_batches > 1);
        for (at, &id) in made.iter().enumerate() {
            if stays_for(program, &span_starts, id) {
                continue;
            }
            let next = made.get(at + 1).map_or(steps.end, |next| program.asked_at[*next as usize] + 1);
            let freed = program.freed_at[id as usize];
            let stays = freed == NONE && program.dies(id).is_none();
            if freed != NONE && freed > next {
                edits.move_free(freed, next, id);
                n += 1;
            } else if stays {
                edits.free(next, id);
                n += 1;
            }
        }
    }
    if accumulates {
        return Err("Gradients of several backward passes are added up in one step: they are needed until the last of them.".into());
    }
    if n == 0 {
        return Err(match gradients(program).next() {
            None => "No gradients were found in this recording.".into(),
            Some(_) => "Gradients stay from step to step in this recording, or go at once already; only those that each backward makes anew can be freed at \
                        once."
                .into(),
        });
    }
    Ok(Scenario {
        assumption: format!(
            "{} freed as soon as the next one of the same backward is made, the last one at its end. The optimizer's own temporaries stay where they are.",
            counted(n, "gradient is", "gradients are")
        ),
        notes: vec![
            "Clipping by the norm of all gradients, loss scaling and gradients reduced over ranks in buckets need them all at once.".into(),
        ],
        ..edits.done()
    })
}

/// It is there when another backward begins.
fn stays_for(program: &Program<'_>, span_starts: &[u32], id: u32) -> bool {
    let next = span_starts.partition_point(|start| *start <= program.asked_at[id as usize]);
    span_starts.get(next).is_some_and(|start| *start < program.freed_at[id as usize])
}
