//! Which program a recording is of.

use vramscope_core::ids::StackId;
use vramscope_core::model::{FrameKind, Snapshot};

use super::trail::trail;

/// Stacks that are looked at: the first ones tell.
const STACKS: usize = 1_000;

/// The file of the outermost line of the user's own code: the one in which most stacks begin; `None` without such lines.
pub fn program(snapshot: &Snapshot) -> Option<String> {
    let mut files: Vec<(String, u32)> = Vec::new();
    for stack in 0..snapshot.stacks.n_stacks().min(STACKS) as u32 {
        let frames = snapshot.stacks.frames_of(StackId(stack)).iter().rev();
        let mut known = frames.filter_map(|id| snapshot.stacks.frame(*id));
        let Some(own) = known.find(|frame| frame.kind(&snapshot.strings) == FrameKind::Own) else { continue };
        let file = trail(&snapshot.strings.get(own.file));
        match files.iter_mut().find(|(name, _)| *name == file) {
            Some((_, count)) => *count += 1,
            None => files.push((file, 1)),
        }
    }
    files.into_iter().max_by_key(|(_, count)| *count).map(|(file, _)| file)
}
