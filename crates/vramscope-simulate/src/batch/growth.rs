//! What grows with the batch, by what each allocation holds.

use vramscope_core::order;
use vramscope_core::replay::{Category, Phase};

use super::staging::Staging;
use crate::program::{NONE, Program};

/// Whether an allocation grows with the batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Growth {
    pub(super) grows: bool,
    /// How likely it is that this is wrong.
    pub(super) doubt_percent: u8,
    /// It grows, and the recorded batch does not divide its size.
    pub(super) odd: bool,
    /// It does not grow beyond this.
    pub(super) cap_bytes: u64,
}

impl Growth {
    pub(super) fn size_at(self, size_bytes: u64, (batch, recorded): (u64, u64)) -> u64 {
        match self.grows {
            true => scaled(size_bytes, (batch, recorded)).min(self.cap_bytes.max(size_bytes)),
            false => size_bytes,
        }
    }
}

/// In proportion, rounded up to a byte: a size that the batch does not divide is of packed samples, and there is room for all of them.
pub(super) fn scaled(size_bytes: u64, (batch, recorded): (u64, u64)) -> u64 {
    let size = (u128::from(size_bytes) * u128::from(batch)).div_ceil(u128::from(recorded.max(1)));
    u64::try_from(size).unwrap_or(u64::MAX)
}

/// A size that the batch does not divide is no whole number of bytes for each sample: it may be packed samples of different length, or not grow.
const ODD_DOUBT_PERCENT: u8 = 50;

/// A request that failed has no category: its phase alone speaks.
const FAILED_DOUBT_PERCENT: u8 = 30;

/// What is there from before the first event until after the last step was made for no one batch.
const STAYS_DOUBT_PERCENT: u8 = 10;

/// A gradient on its way into one that is there already, by its size.
const ACCUMULATED_DOUBT_PERCENT: u8 = 30;

/// By id.
pub(super) fn of(program: &Program<'_>, batch: u64) -> Vec<Growth> {
    let staging = Staging::of(program);
    let accumulated = accumulated(program);
    let of_one = |id: u32| {
        let (grows, doubt_percent) = match accumulated.binary_search(&id) {
            Ok(_) => (false, ACCUMULATED_DOUBT_PERCENT),
            Err(_) => by_category(program, id),
        };
        let cap_bytes = if staging.has(id) { staging.cap_bytes } else { u64::MAX };
        let size = program.size_bytes(id);
        if grows && size < batch {
            // Less than a byte for each sample: a loss, a counter.
            return Growth { cap_bytes, ..Growth::default() };
        }
        let odd = grows && !size.is_multiple_of(batch);
        let doubt_percent = if odd { doubt_percent.max(ODD_DOUBT_PERCENT) } else { doubt_percent };
        Growth { grows, doubt_percent, odd, cap_bytes }
    };
    program.ids().map(of_one).collect()
}

fn by_category(program: &Program<'_>, id: u32) -> (bool, u8) {
    let phase = program.phase(id);
    let in_model = matches!(phase, Some(Phase::Forward | Phase::Backward | Phase::Inference));
    let Some(rule) = program.rule(id) else {
        return (in_model, FAILED_DOUBT_PERCENT);
    };
    let mut doubt = 100 - rule.confidence_percent.min(100);
    let last_event = program.labels.steps.last().map_or(0, |step| step.last_event);
    if phase.is_none() && program.dies(id).is_none_or(|event| event > last_event) {
        doubt = doubt.min(STAYS_DOUBT_PERCENT);
    }
    match rule.category {
        Category::Parameter | Category::OptimizerState | Category::Gradient => (false, doubt),
        Category::Activation | Category::Input => (true, doubt),
        Category::Other => (in_model || phase == Some(Phase::Idle), doubt),
        Category::Temporary if rule.why.starts_with("workspace") || outlives_its_step(program, id) => {
            (false, doubt)
        }
        Category::Temporary => (in_model, doubt),
        Category::Unknown => (false, doubt),
    }
}

/// A buffer that is kept from step to step.
fn outlives_its_step(program: &Program<'_>, id: u32) -> bool {
    let step = program.born(id).and_then(|event| program.labels.step_at(event));
    let Some(step) = step.and_then(|step| program.labels.steps.get(step as usize + 1)) else { return false };
    program.dies(id).is_none_or(|event| event > step.last_event)
}

/// What backward makes to add it to a gradient that is there already has that gradient's size. In order.
fn accumulated(program: &Program<'_>) -> Vec<u32> {
    let rows = program.replay.allocations();
    let mut gradients = (0..rows.len()).filter(|id| program.category(*id) == Category::Gradient).peekable();
    let (mut there, mut found) = (Vec::new(), Vec::new());
    for span in program.spans(Phase::Backward) {
        while let Some(id) = gradients.next_if(|id| rows.start(*id) <= span.first_event) {
            there.push(id);
        }
        there.retain(|id| rows.end(*id) > span.first_event);
        if there.is_empty() {
            continue;
        }
        // Each of them takes one.
        let mut sizes: Vec<(u64, u32)> = there.iter().map(|id| (rows.size_bytes(*id), *id)).collect();
        order::pairs(&mut sizes);
        let mut taken = vec![false; sizes.len()];
        for id in program.asked_in(program.steps_of(span)) {
            let goes = program.freed_at[id as usize] != NONE && program.category(id) == Category::Temporary;
            let size = rows.size_bytes(id);
            let first = sizes.partition_point(|(other, _)| *other < size);
            let mut of_size = (first..sizes.len()).take_while(|at| sizes[*at].0 == size);
            if goes && let Some(at) = of_size.find(|at| !taken[*at]) {
                taken[at] = true;
                found.push(id);
            }
        }
    }
    found
}
