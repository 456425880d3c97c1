//! A snapshot as another recorder setting would have written it: some frames left out.

use vramscope_core::ids::StackId;
use vramscope_core::model::{FrameKind, Snapshot, Stacks};

/// Which frames a recorder keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// All of them.
    All,
    /// `stacks='python'`.
    Python,
    /// Native frames only.
    Native,
    /// None at all.
    Nothing,
}

/// All settings.
pub const KEPT: [Kept; 4] = [Kept::All, Kept::Python, Kept::Native, Kept::Nothing];

/// Leaves frames out of every stack of a snapshot.
pub fn only(mut snapshot: Snapshot, kept: Kept) -> Snapshot {
    if kept == Kept::All {
        return snapshot;
    }
    let old = std::mem::take(&mut snapshot.stacks);
    let mut new = Stacks::default();
    let ids: Vec<StackId> = (0..old.n_stacks() as u32)
        .map(|stack| {
            let frames = old.frames_of(StackId(stack)).iter().filter_map(|id| old.frame(*id));
            let stays = frames.filter(|frame| match kept {
                Kept::Nothing => false,
                _ => (frame.kind(&snapshot.strings) == FrameKind::Cpp) == (kept == Kept::Native),
            });
            let frames: Vec<_> = stays.map(|frame| new.intern_frame(*frame)).collect();
            new.intern(&frames)
        })
        .collect();
    let new_id = |stack: &mut StackId| *stack = ids[stack.index()];
    for device in &mut snapshot.devices {
        device.events.stacks.iter_mut().for_each(new_id);
        for segment in &mut device.segments {
            new_id(&mut segment.stack);
            segment.blocks.iter_mut().for_each(|block| new_id(&mut block.stack));
        }
    }
    snapshot.stacks = new;
    snapshot
}
