//! Where a reduction over many rows keeps its partial sums: as large as what runs at once on the card, so it grows with the batch only until the
//! card is full.

use vramscope_core::model::FrameKind;
use vramscope_core::replay::requests::StepKind;
use vramscope_core::replay::{Category, Phase};

use crate::program::{Program, has};

/// The buffers of a recording.
#[derive(Debug, Default)]
pub(super) struct Staging {
    /// In order of ids.
    ids: Vec<u32>,
    /// None grows beyond this.
    pub(super) cap_bytes: u64,
}

/// What a large card runs at once: 1 MiB for each multiprocessor of 2048 threads, of which there are about this many.
const FULL_CARD_BYTES: u64 = 128 << 20;

/// The semaphores that belong to a buffer are few bytes.
const SEMAPHORES_BYTES: u64 = 4096;

/// Without native frames only large ones are worth a guess.
const LARGE_BYTES: u64 = 1 << 20;

impl Staging {
    pub(super) fn of(program: &Program<'_>) -> Staging {
        let native = program.frames_that(&|_, kind| kind == FrameKind::Cpp);
        let ids = if native.contains(&true) { by_stack(program) } else { by_pattern(program) };
        let largest = ids.iter().map(|id| program.size_bytes(*id)).max().unwrap_or(0);
        Staging { ids, cap_bytes: largest.max(FULL_CARD_BYTES) }
    }

    pub(super) fn has(&self, id: u32) -> bool {
        self.ids.binary_search(&id).is_ok()
    }
}

fn by_stack(program: &Program<'_>) -> Vec<u32> {
    let kernel =
        program.frames_that(&|name, kind| kind == FrameKind::Cpp && name.contains("gpu_reduce_kernel"));
    let is_it = |id: &u32| program.category(*id) == Category::Temporary && has(program.frames(*id), &kernel);
    program.ids().filter(is_it).collect()
}

/// A large buffer and a tiny one, freed at once, the last first: in backward, which has no Python frames.
fn by_pattern(program: &Program<'_>) -> Vec<u32> {
    let is_it = |id: u32, tiny: u32| {
        let temporary = |id| program.category(id) == Category::Temporary;
        program.size_bytes(id) >= LARGE_BYTES
            && program.size_bytes(tiny) <= SEMAPHORES_BYTES
            && temporary(id)
            && temporary(tiny)
            && program.phase(id) == Some(Phase::Backward)
    };
    let found = program.requests.steps.windows(4).filter_map(|steps| {
        let kinds = [StepKind::Alloc, StepKind::Alloc, StepKind::Free, StepKind::Free];
        let nested = steps[1].id == steps[2].id && steps[0].id == steps[3].id;
        let all = steps.iter().zip(kinds).all(|(step, kind)| step.kind == kind);
        (all && nested && is_it(steps[0].id, steps[1].id)).then_some(steps[0].id)
    });
    found.collect()
}
