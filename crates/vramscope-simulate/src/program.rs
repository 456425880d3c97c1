//! What scenarios read: the requests of a device, what they were for, and where each begins and ends.

use vramscope_core::ids::FrameId;
use vramscope_core::model::{Device, FrameKind, Snapshot};
use vramscope_core::replay::requests::{Requests, StepKind};
use vramscope_core::replay::{Category, Labels, Phase, PhaseSpan, Recording, Replay, Rule};

/// No step, or no event.
pub(crate) const NONE: u32 = u32::MAX;

/// A device's requests with what is known of them.
#[derive(Debug)]
pub struct Program<'a> {
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) device: &'a Device,
    pub(crate) replay: &'a Replay,
    pub(crate) labels: &'a Labels,
    pub(crate) requests: &'a Requests,
    /// By id: the index of the step that asks for it.
    pub(crate) asked_at: Vec<u32>,
    /// By id: the index of the step that frees it; none where a block was dropped while another stream still used it.
    pub(crate) freed_at: Vec<u32>,
}

impl<'a> Program<'a> {
    /// What is known of a device's requests; or why that is not enough for any scenario.
    pub fn of(recording: &'a Recording, ordinal: i64, requests: &'a Requests) -> Result<Self, &'static str> {
        let (device, replay) = recording.whole_device(ordinal).ok_or("There is no such device.")?;
        let snapshot = &recording.snapshot;
        let labels = replay.labels().ok_or("Nothing says yet what each allocation holds.")?;
        let works = |span: &PhaseSpan| {
            matches!(span.phase, Phase::Forward | Phase::Backward | Phase::Inference | Phase::Optimizer)
        };
        if !labels.phases.iter().any(works) {
            return Err(
                "No forward, backward or optimizer was found in this recording, so it cannot be told \
                        what its allocations are for.",
            );
        }
        let mut program = Program {
            snapshot,
            device,
            replay,
            labels,
            requests,
            asked_at: vec![NONE; requests.wanted.len()],
            freed_at: vec![NONE; requests.wanted.len()],
        };
        for (step, at) in requests.steps.iter().zip(0..) {
            let column = match step.kind {
                StepKind::Alloc | StepKind::Oom => &mut program.asked_at,
                StepKind::Free => &mut program.freed_at,
                _ => continue,
            };
            if let Some(place) = column.get_mut(step.id as usize) {
                *place = at;
            }
        }
        Ok(program)
    }

    /// Every request, failed ones among them.
    pub(crate) fn ids(&self) -> std::ops::Range<u32> {
        0..self.requests.wanted.len() as u32
    }

    pub(crate) fn size_bytes(&self, id: u32) -> u64 {
        self.requests.wanted.get(id as usize).map_or(0, |wanted| wanted.size_bytes)
    }

    pub(crate) fn category(&self, id: u32) -> Category {
        self.labels.category(id)
    }

    pub(crate) fn rule(&self, id: u32) -> Option<&'a Rule> {
        self.labels.rule(id)
    }

    /// Its event; none if it was there before recording.
    pub(crate) fn born(&self, id: u32) -> Option<u32> {
        self.requests.steps.get(self.asked_at[id as usize] as usize).map(|step| step.event)
    }

    /// The event at which it goes; none if it stays.
    pub(crate) fn dies(&self, id: u32) -> Option<u32> {
        match self.replay.allocations().end(id) {
            0 | NONE => None,
            end => Some(end - 1),
        }
    }

    pub(crate) fn phase_at(&self, event: u32) -> Phase {
        self.labels.phase_at(event).map(|span| span.phase).unwrap_or_default()
    }

    /// The phase that it was asked for in; none if it was there before recording.
    pub(crate) fn phase(&self, id: u32) -> Option<Phase> {
        self.born(id).map(|event| self.phase_at(event))
    }

    /// The spans of a phase, in order.
    pub(crate) fn spans(&self, phase: Phase) -> impl Iterator<Item = &'a PhaseSpan> {
        self.labels.phases.iter().filter(move |span| span.phase == phase)
    }

    /// The index of the first step at or after an event.
    pub(crate) fn step_of(&self, event: u32) -> u32 {
        self.requests.steps.partition_point(|step| step.event < event) as u32
    }

    /// Steps of a span.
    pub(crate) fn steps_of(&self, span: &PhaseSpan) -> std::ops::Range<u32> {
        self.step_of(span.first_event)..self.step_of(span.last_event.saturating_add(1))
    }

    /// What is asked for in a stretch of steps, in order.
    pub(crate) fn asked_in(&self, steps: std::ops::Range<u32>) -> impl Iterator<Item = u32> {
        let steps = self.requests.steps.get(steps.start as usize..steps.end as usize).unwrap_or_default();
        steps.iter().filter(|step| step.kind == StepKind::Alloc).map(|step| step.id)
    }

    /// Frames of what asked for it, the innermost first.
    pub(crate) fn frames(&self, id: u32) -> &'a [FrameId] {
        self.snapshot.stacks.frames_of(self.replay.allocations().stack(id))
    }

    /// Frames of what dropped it, the innermost first.
    pub(crate) fn frames_of_free(&self, id: u32) -> &'a [FrameId] {
        let moment = self.replay.allocations().release(id);
        let stacks = &self.device.events.stacks;
        let stack = moment.checked_sub(1).and_then(|event| stacks.get(event as usize));
        stack.map_or(&[], |stack| self.snapshot.stacks.frames_of(*stack))
    }

    /// Which frames, by number, hold what a test asks for.
    pub(crate) fn frames_that(&self, test: &dyn Fn(&str, FrameKind) -> bool) -> Vec<bool> {
        let (stacks, strings) = (&self.snapshot.stacks, &self.snapshot.strings);
        let holds = |id: u32| {
            let frame = stacks.frame(FrameId(id))?;
            Some(test(&strings.get(frame.name), frame.kind(strings)))
        };
        (0..stacks.n_frames() as u32).map(|id| holds(id).unwrap_or(false)).collect()
    }
}

/// True if one of these frames is marked.
pub(crate) fn has(frames: &[FrameId], marked: &[bool]) -> bool {
    frames.iter().any(|frame| marked.get(frame.index()).copied().unwrap_or(false))
}
