//! What one call stack says of the phase and the purpose of an allocation or a free.

mod flags;
mod frame;

pub(crate) use flags::Flags;

use frame::{FrameFacts, frame_facts};
use vramscope_core::ids::{FrameId, StackId};
use vramscope_core::model::Snapshot;
use vramscope_core::replay::Phase;

/// What a stack says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Evidence {
    pub(crate) phase: Option<Phase>,
    pub(crate) flags: Flags,
}

/// Every stack of a snapshot, judged once.
pub(crate) fn of_stacks(snapshot: &Snapshot) -> Vec<Evidence> {
    let stacks = &snapshot.stacks;
    let frames: Vec<FrameFacts> = (0..stacks.n_frames() as u32)
        .map(|id| match stacks.frame(FrameId(id)) {
            Some(frame) => frame_facts(frame, &snapshot.strings),
            None => FrameFacts::default(),
        })
        .collect();
    let facts = |id: &FrameId| frames.get(id.index()).copied().unwrap_or_default();
    (0..stacks.n_stacks() as u32)
        .map(|stack| of_frames(stacks.frames_of(StackId(stack)).iter().map(facts)))
        .collect()
}

/// From the innermost frame to the outermost: the first that names a phase decides, but the backward engine overrides all.
fn of_frames(frames: impl Iterator<Item = FrameFacts>) -> Evidence {
    let (mut phase, mut flags) = (None, Flags::default());
    let (mut engine, mut backward) = (false, false);
    let mut outermost = FrameFacts::default();
    for frame in frames {
        flags |= frame.flags;
        if frame.makes_buckets_if_innermost && phase.is_none() {
            flags |= Flags::BUCKET;
        }
        phase = phase.or(frame.phase);
        engine |= frame.engine;
        backward |= frame.backward;
        outermost = frame;
    }
    if flags.has(Flags::PYTHON) && !flags.has(Flags::NATIVE) && outermost.called_by_engine {
        engine = true;
    }
    if engine {
        if phase == Some(Phase::Forward) && !backward {
            flags |= Flags::RECOMPUTE;
        }
        return Evidence { phase: Some(Phase::Backward), flags: flags | Flags::ENGINE };
    }
    if flags.has(Flags::PYTHON) || phase.is_some() {
        return Evidence { phase, flags };
    }
    by_native_frames(flags)
}

/// Native frames alone: weaker marks.
fn by_native_frames(flags: Flags) -> Evidence {
    let flags = flags | Flags::WEAK;
    if flags.has(Flags::NATIVE_OPTIMIZER) {
        Evidence { phase: Some(Phase::Optimizer), flags }
    } else if flags.has(Flags::NATIVE_FORWARD) && !flags.has(Flags::NATIVE_TO) {
        Evidence { phase: Some(Phase::Forward), flags: flags | Flags::FORWARD }
    } else {
        Evidence { phase: None, flags }
    }
}
