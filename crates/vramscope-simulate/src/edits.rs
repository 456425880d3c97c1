//! Changes to a stream of requests: other sizes, steps that go, steps that come.

use vramscope_core::order;
use vramscope_core::replay::requests::{Requests, Step, StepKind};

use crate::scenario::Scenario;

/// Steps that go and steps that come.
#[derive(Debug)]
pub(crate) struct Edits<'a> {
    requests: &'a Requests,
    dropped: Vec<bool>,
    /// Each with the index of the step that it comes before; in this order where that is one.
    inserted: Vec<(u32, Step)>,
    /// What is asked for again, by the id that it was first asked for.
    remade: Vec<u32>,
}

impl<'a> Edits<'a> {
    pub(crate) fn new(requests: &'a Requests) -> Self {
        Edits {
            requests,
            dropped: vec![false; requests.steps.len()],
            inserted: Vec::new(),
            remade: Vec::new(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.inserted.is_empty()
    }

    /// Frees what stays otherwise before a step.
    pub(crate) fn free(&mut self, before: u32, id: u32) {
        self.insert(before, StepKind::Free, id);
    }

    /// Frees earlier, or later, what a step frees.
    pub(crate) fn move_free(&mut self, freed_at: u32, before: u32, id: u32) {
        self.drop_step(freed_at);
        self.free(before, id);
    }

    /// Asks for the same once more: its new id.
    pub(crate) fn ask_again(&mut self, before: u32, of: u32) -> u32 {
        let id = (self.requests.wanted.len() + self.remade.len()) as u32;
        self.remade.push(of);
        self.insert(before, StepKind::Alloc, id);
        id
    }

    /// A step frees this instead.
    pub(crate) fn frees_instead(&mut self, step: u32, id: u32) {
        self.move_free(step, step, id);
    }

    /// A step does not happen.
    pub(crate) fn drop_step(&mut self, step: u32) {
        if let Some(dropped) = self.dropped.get_mut(step as usize) {
            *dropped = true;
        }
    }

    fn insert(&mut self, before: u32, kind: StepKind, id: u32) {
        let steps = &self.requests.steps;
        let at = steps.get(before as usize).or(steps.last());
        let event = at.map_or(0, |step| step.event);
        self.inserted.push((before, Step { event, kind, id }));
    }

    /// The changed requests.
    pub(crate) fn done(self) -> Scenario {
        let old = self.requests;
        let mut new = Requests { steps: Vec::new(), ..old.clone() };
        new.steps.reserve(old.steps.len() + self.inserted.len());
        let mut inserted: Vec<(u64, u32)> =
            self.inserted.iter().zip(0..).map(|((before, _), at)| (u64::from(*before), at)).collect();
        order::pairs(&mut inserted);
        let mut inserted = inserted.into_iter().map(|(_, at)| self.inserted[at as usize]).peekable();
        for ((step, dropped), at) in old.steps.iter().zip(self.dropped).zip(0..) {
            while let Some((_, step)) = inserted.next_if(|(before, _)| *before <= at) {
                new.steps.push(step);
            }
            if !dropped {
                new.steps.push(*step);
            }
        }
        new.steps.extend(inserted.map(|(_, step)| step));
        new.wanted.extend(self.remade.iter().map(|of| old.wanted[*of as usize]));
        Scenario { requests: new, remade: self.remade, ..Scenario::default() }
    }
}

/// The same requests in other sizes.
pub(crate) fn resized(requests: &Requests, size_of: &dyn Fn(u32, u64) -> u64) -> Scenario {
    let (mut new, mut notes) = (requests.clone(), Vec::new());
    for (wanted, id) in new.wanted.iter_mut().zip(0..) {
        wanted.size_bytes = size_of(id, wanted.size_bytes);
    }
    let size =
        |requests: &Requests, id: u32| requests.wanted.get(id as usize).map(|wanted| wanted.size_bytes);
    if keys(requests).any(|(id, _)| size(requests, id) != size(&new, id)) {
        ask_for_what_was_there(&mut new);
        notes.push(
            "What was there before the first event is asked for anew, as some of it has another size; what was cached then is not counted.".into(),
        );
    }
    Scenario { notes, requests: new, ..Scenario::default() }
}

/// What was there before the first event, and whether it was already dropped.
fn keys(requests: &Requests) -> impl Iterator<Item = (u32, bool)> {
    let ranges = requests.start.iter().flatten().flat_map(|segment| &segment.ranges);
    ranges.flat_map(|range| &range.blocks).map(|block| (block.key, block.pending))
}

/// Blocks cannot be resized where they lie: all that was there is asked for first, one after the other. What was cached then is not there.
fn ask_for_what_was_there(requests: &mut Requests) {
    let mut steps = Vec::new();
    for (id, pending) in keys(requests) {
        steps.push(Step { event: 0, kind: StepKind::Alloc, id });
        if pending {
            steps.push(Step { event: 0, kind: StepKind::FreeRequested, id });
        }
    }
    steps.append(&mut requests.steps);
    requests.steps = steps;
    requests.start = Some(Vec::new());
}
