//! Modules that are called several times in a forward, by the line that calls them.

use serde::Serialize;
use vramscope_core::ids::FrameId;
use vramscope_core::model::FrameKind;
use vramscope_core::order;
use vramscope_core::replay::requests::StepKind;
use vramscope_core::replay::{Category, Phase, PhaseSpan};

use crate::program::{NONE, Program};

/// A module that can be checkpointed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Module {
    /// File and line that call it, and in which function: "train.py:78 in forward".
    pub place: String,
    /// Calls in the forward that keeps most.
    pub calls: u32,
    /// Bytes of activations in it that would not be kept, less those of the largest call: that one is made again.
    pub saved_bytes: u64,
    #[serde(skip)]
    pub(super) frame: FrameId,
}

/// One call: its requests, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Call {
    /// All that it asks for.
    pub(super) ids: Vec<u32>,
    /// Activations that are kept for backward, without what it hands on.
    pub(super) inner: Vec<u32>,
    /// The index of the first step after it.
    pub(super) end: u32,
}

impl Call {
    pub(super) fn inner_bytes(&self, program: &Program<'_>) -> u64 {
        self.inner.iter().map(|id| program.size_bytes(*id)).sum()
    }
}

/// So many lines are looked at, those that hold most.
const LINES: usize = 24;

/// Lines that call modules, the one that saves most first.
pub(super) fn find(program: &Program<'_>) -> Vec<Module> {
    let python = python_frames(program);
    let kept = |span: &&PhaseSpan| -> u64 {
        let ids = program
            .asked_in(program.steps_of(span))
            .filter(|id| program.category(*id) == Category::Activation);
        ids.map(|id| program.size_bytes(id)).sum()
    };
    let Some(span) = program.spans(Phase::Forward).max_by_key(kept) else { return Vec::new() };
    // What each line holds.
    let mut bytes = vec![0u64; python.len()];
    for id in
        program.asked_in(program.steps_of(span)).filter(|id| program.category(*id) == Category::Activation)
    {
        let own = program.frames(id).iter().filter(|frame| python[frame.index()]);
        // A line may stand in a stack more than once, where modules are nested.
        let mut counted: Vec<FrameId> = Vec::new();
        for &frame in own.skip(1).take(64) {
            if !counted.contains(&frame) {
                counted.push(frame);
                bytes[frame.index()] += program.size_bytes(id);
            }
        }
    }
    let mut lines: Vec<(u64, u32)> = bytes
        .iter()
        .zip(0..)
        .filter(|(bytes, _)| **bytes > 0)
        .map(|(bytes, frame)| (!bytes, frame))
        .collect();
    order::pairs(&mut lines);
    lines.truncate(LINES);
    let modules = lines.iter().filter_map(|(_, frame)| module(program, span, &python, FrameId(*frame)));
    let modules: Vec<Module> = modules.collect();
    let mut ranked: Vec<(u64, u32)> =
        modules.iter().zip(0..).map(|(module, at)| (!module.saved_bytes, at)).collect();
    order::pairs(&mut ranked);
    ranked.into_iter().map(|(_, at)| modules[at as usize].clone()).collect()
}

fn module(program: &Program<'_>, span: &PhaseSpan, python: &[bool], frame: FrameId) -> Option<Module> {
    let calls = calls(program, span, python, frame);
    let bytes = || calls.iter().map(|call| call.inner_bytes(program));
    let saved_bytes = bytes().sum::<u64>() - bytes().max()?;
    let told = program.snapshot.stacks.frame(frame)?;
    let strings = &program.snapshot.strings;
    let file = strings.get(told.file);
    let file = file.rsplit(['/', '\\']).next().unwrap_or_default();
    (saved_bytes > 0).then(|| Module {
        place: format!("{file}:{} in {}", told.line, strings.get(told.name)),
        calls: calls.len() as u32,
        saved_bytes,
        frame,
    })
}

/// Python's frames but those by which torch calls a module.
pub(super) fn python_frames(program: &Program<'_>) -> Vec<bool> {
    program.frames_that(&|name, kind| kind != FrameKind::Cpp && !name.ends_with("_call_impl"))
}

/// The calls that a line makes in a forward.
///
/// They follow each other without anything between, so they are told apart by the line that runs inside: most lines of what is called come by as
/// often as there are calls, and the first of these begins one.
pub(super) fn calls(program: &Program<'_>, span: &PhaseSpan, python: &[bool], frame: FrameId) -> Vec<Call> {
    let steps = program.steps_of(span);
    let mut places: Vec<(u64, u32)> = Vec::new();
    // The line inside that asks for each request.
    for id in program.asked_in(steps.clone()) {
        places.push((place_inside(program, python, frame, id).unwrap_or(OUTSIDE), id));
    }
    let first = first_place(&places);
    let mut calls: Vec<Call> = Vec::new();
    let mut last = OUTSIDE;
    for &(place, id) in &places {
        if place != OUTSIDE {
            if last == OUTSIDE || (place == first && last != first) {
                calls.push(Call::default());
            }
            if let Some(call) = calls.last_mut() {
                call.ids.push(id);
            }
        }
        last = place;
    }
    for call in &mut calls {
        close(program, call, steps.end);
    }
    calls
}

const OUTSIDE: u64 = 0;
const NO_LINE: u64 = 1;

/// The line that runs in what a line calls, as a number; of a line that stands in a stack more than once the outermost counts.
fn place_inside(program: &Program<'_>, python: &[bool], frame: FrameId, id: u32) -> Option<u64> {
    let frames = program.frames(id);
    let at = frames.iter().rposition(|other| *other == frame)?;
    let inside = frames[..at].iter().rev().find(|frame| python[frame.index()]);
    Some(inside.map_or(NO_LINE, |frame| u64::from(frame.0) + NO_LINE + 1))
}

/// The first place of those that come by as often as most do.
fn first_place(places: &[(u64, u32)]) -> u64 {
    let mut runs: Vec<(u64, u32)> = Vec::new();
    for (&(place, _), at) in places.iter().zip(0..) {
        if place != OUTSIDE && (at == 0 || places[at - 1].0 != place) {
            runs.push((place, at as u32));
        }
    }
    order::pairs(&mut runs);
    // Each place: how often, and where first.
    let mut times: Vec<(u64, u32)> =
        runs.chunk_by(|a, b| a.0 == b.0).map(|of_place| (of_place.len() as u64, of_place[0].1)).collect();
    order::pairs(&mut times);
    let often = times.chunk_by(|a, b| a.0 == b.0).rev().max_by_key(|places| places.len());
    often.map_or(OUTSIDE, |often| places[often[0].1 as usize].0)
}

/// Finds the end of a call, and what it keeps.
fn close(program: &Program<'_>, call: &mut Call, span_end: u32) {
    let Some(&last) = call.ids.last() else { return };
    let asked = program.asked_at[last as usize];
    let after = program.requests.steps.get(asked as usize + 1..span_end as usize).unwrap_or_default();
    let next = after.iter().position(|step| step.kind == StepKind::Alloc);
    call.end = next.map_or(span_end, |next| asked + 1 + next as u32);
    let stays = |id: &u32| {
        let freed = program.freed_at[*id as usize];
        if freed == NONE { program.dies(*id).is_none() } else { freed >= call.end }
    };
    // What it hands on: the largest of what the last place that makes something that stays makes.
    let stay: Vec<u32> = call.ids.iter().copied().filter(stays).collect();
    let stack = |id: u32| program.replay.allocations().stack(id);
    let of_last =
        stay.iter().rev().copied().take_while(|id| Some(stack(*id)) == stay.last().map(|last| stack(*last)));
    let result = of_last.max_by_key(|id| (program.size_bytes(*id), *id));
    let is_inner = |id: &u32| program.category(*id) == Category::Activation && Some(*id) != result;
    call.inner = stay.into_iter().filter(is_inner).filter(|id| is_kept_for_backward(program, *id)).collect();
}

/// A backward frees it, or the recording ends before.
fn is_kept_for_backward(program: &Program<'_>, id: u32) -> bool {
    program.dies(id).is_none_or(|event| program.phase_at(event) == Phase::Backward)
}
