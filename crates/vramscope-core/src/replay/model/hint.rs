//! What the stack of a driver call says about who caused it.

use crate::ids::StackId;
use crate::model::Snapshot;

/// Who gave memory back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::replay) enum Hint {
    /// No stack tells.
    #[default]
    Unknown,
    /// The program called `empty_cache()`.
    EmptyCache,
    /// A request that hit its limit.
    Malloc,
}

/// Hints by stack, each looked at once.
pub(in crate::replay) struct Hints<'a> {
    snapshot: &'a Snapshot,
    known: hashbrown::HashMap<StackId, Hint>,
}

impl<'a> Hints<'a> {
    pub(in crate::replay) fn new(snapshot: &'a Snapshot) -> Self {
        Hints { snapshot, known: hashbrown::HashMap::new() }
    }

    pub(in crate::replay) fn of(&mut self, stack: StackId) -> Hint {
        let snapshot = self.snapshot;
        *self.known.entry(stack).or_insert_with(|| hint_of(snapshot, stack))
    }
}

fn hint_of(snapshot: &Snapshot, stack: StackId) -> Hint {
    let frames = snapshot.stacks.frames_of(stack);
    if frames.is_empty() {
        return Hint::Unknown;
    }
    let mut names = frames
        .iter()
        .filter_map(|id| snapshot.stacks.frame(*id))
        .map(|frame| snapshot.strings.get(frame.name));
    match names.any(|name| name.contains("empty_cache") || name.contains("emptyCache")) {
        true => Hint::EmptyCache,
        false => Hint::Malloc,
    }
}
