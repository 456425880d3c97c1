//! Reference cycles, until the collector runs.

use super::{About, Story, advice};
use crate::analysis::Analysis;
use crate::report::Mark;
use crate::words::{self, Place, bytes, count, number};
use vramscope_core::ids::StackId;

pub(super) fn tell(analysis: &Analysis<'_>) -> Story {
    let teeth = &analysis.growth.teeth;
    let Some(largest) = teeth.iter().max_by_key(|tooth| (tooth.bytes, std::cmp::Reverse(tooth.first_event)))
    else {
        return Story::default();
    };
    let lines = analysis.by_line(largest.ids.iter().copied());
    let place = lines.first().map(|line| line.place.clone()).unwrap_or_default();
    let steps: Vec<Option<u32>> =
        largest.ids.iter().map(|&id| analysis.table.step_at(analysis.facts.birth(id))).collect();
    let (first, last) = (steps.iter().flatten().min(), steps.iter().flatten().max());
    let over = match (first, last) {
        (Some(first), Some(last)) if last > first => {
            format!(" over {}", count(u64::from(last - first) + 1, "step", "steps"))
        }
        _ => String::new(),
    };
    let made = if place.is_known() { format!(" made by {}", place.text()) } else { String::new() };
    let who = if largest.certain { "Python's collector freed" } else { "One burst of frees took" };
    let why = format!(
        "At event {} {who} **{} in {}**{made}{over}; nothing else releases them.",
        number(u64::from(largest.first_event)),
        bytes(largest.bytes),
        count(largest.ids.len() as u64, "block", "blocks"),
    );
    let times = match teeth.len() {
        1 => "It happened once in this recording.".to_owned(),
        n => format!("It happened {n} times in this recording."),
    };
    let here = if place.is_known() { format!(" at {}", place.line()) } else { String::new() };
    let around = match lines.first().and_then(|line| outer_line(analysis, line.stack)) {
        Some(outer) if outer != place => format!("; look around {}", outer.text()),
        _ => String::new(),
    };
    Story {
        tone: "warning",
        eyebrow: "Reference cycles".into(),
        sentence: format!(
            "Reference cycles hold up to {} until Python's collector runs.",
            bytes(largest.bytes)
        ),
        why: vec![why, times],
        advice: vec![
            advice(
                "Break the cycle.",
                format!(
                    "Something that holds the results{here} refers to itself{around}: a closure or hook over its own module, `self` stored in a callback, an exception kept with its traceback. Use `weakref`, or `del` the reference."
                ),
                Some(largest.bytes),
            ),
            advice(
                "Until then, call `gc.collect()` every few steps.",
                "It costs some milliseconds each time and keeps the saw flat; `gc.freeze()` after set-up makes it cheaper.",
                None,
            ),
            advice(
                "Find the cycle with `torch.utils.viz._cycles.warn_tensor_cycles()`.",
                "It writes a page for each cycle with tensors that is collected, and shows what refers to what. It starts a recording of its own.",
                None,
            ),
        ],
        marks: vec![Mark {
            moment: largest.first_event,
            text: format!("{} freed at once", bytes(largest.bytes)),
        }],
        about: Some(About {
            ids: largest.ids.clone(),
            key: "cycles",
            label: "Held by reference cycles",
            lines_title: "Whose lines made what cycles hold",
            bytes_label: "Held",
        }),
    }
}

/// The outermost line of the program that is in a function: its loop.
fn outer_line(analysis: &Analysis<'_>, stack: StackId) -> Option<Place> {
    let frames = words::frames(stack, analysis.facts.snapshot);
    let frame = frames.iter().rev().find(|frame| frame.kind == "own" && frame.name != "<module>")?;
    let file = frame.file.rsplit(['/', '\\']).next().unwrap_or_default();
    Some(Place { name: frame.name.clone(), at: format!("{file}:{}", frame.line), own: true })
}
