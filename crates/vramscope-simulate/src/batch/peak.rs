//! The peak of requested bytes, and what is held then.

use vramscope_core::replay::requests::{Requests, StepKind};

use super::growth::Growth;
use crate::scenario::Parts;

/// What is held when most is.
#[derive(Clone, Debug, Default)]
pub(super) struct Peak {
    pub(super) parts: Parts,
    /// Bytes among those that grow, in sizes that the batch does not divide.
    pub(super) odd_bytes: u64,
    pub(super) held: Vec<u32>,
}

/// Blocks are multiples of this, and peaks of blocks are what counts.
const BLOCK_BYTES: u64 = 512;

impl Peak {
    pub(super) fn of(requests: &Requests, size: &dyn Fn(u32) -> u64, growth: &[Growth]) -> Peak {
        let block = |id: u32| size(id).checked_next_multiple_of(BLOCK_BYTES).unwrap_or(u64::MAX);
        let mut now: u64 = held(requests, 0).into_iter().map(block).fold(0, u64::saturating_add);
        let (mut most, mut at) = (now, 0);
        for (step, next) in requests.steps.iter().zip(1..) {
            match step.kind {
                StepKind::Alloc => now = now.saturating_add(block(step.id)),
                StepKind::Free | StepKind::FreeRequested => now = now.saturating_sub(block(step.id)),
                _ => {}
            }
            if now > most {
                (most, at) = (now, next);
            }
        }
        let mut peak = Peak { held: held(requests, at), ..Peak::default() };
        peak.parts.event = requests.steps.get(at.max(1) - 1).map_or(0, |step| step.event);
        for &id in &peak.held {
            let growth = growth.get(id as usize).copied().unwrap_or_default();
            let part = if growth.grows { &mut peak.parts.scaling_bytes } else { &mut peak.parts.fixed_bytes };
            *part = part.saturating_add(size(id));
            if growth.odd {
                peak.odd_bytes = peak.odd_bytes.saturating_add(size(id));
            }
        }
        peak
    }

    pub(super) fn bytes(&self) -> u64 {
        self.parts.scaling_bytes.saturating_add(self.parts.fixed_bytes)
    }
}

/// What is held after so many steps.
fn held(requests: &Requests, steps: usize) -> Vec<u32> {
    let mut is_held = vec![false; requests.wanted.len()];
    let there =
        requests.start.iter().flatten().flat_map(|segment| &segment.ranges).flat_map(|range| &range.blocks);
    for block in there.filter(|block| !block.pending) {
        if let Some(held) = is_held.get_mut(block.key as usize) {
            *held = true;
        }
    }
    for step in &requests.steps[..steps] {
        if let Some(held) = is_held.get_mut(step.id as usize) {
            match step.kind {
                StepKind::Alloc => *held = true,
                StepKind::Free | StepKind::FreeRequested => *held = false,
                _ => {}
            }
        }
    }
    is_held.iter().zip(0..).filter(|(held, _)| **held).map(|(_, id)| id).collect()
}
