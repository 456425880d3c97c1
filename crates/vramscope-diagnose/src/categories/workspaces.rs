//! Workspaces of kernel libraries where no native frame names them: by their sizes.

use hashbrown::{HashMap, HashSet};
use vramscope_core::ids::{StackId, StreamId};
use vramscope_core::replay::Phase;

use crate::facts::{Facts, StackKind};
use crate::phases::{Timetable, run_at};
use crate::thresholds::{SHARE_OF_DROPPED_GRADIENTS, WORKSPACE_BYTES, WORKSPACE_BYTES_LT};

/// Every rule that says so begins with it.
pub(super) const WORD: &str = "workspace";

pub(super) struct Known {
    /// How often each (size, stack, stream) occurs, of sizes that workspaces have.
    times: HashMap<(u64, StackId, StreamId), u32>,
    /// Sizes of what the model was built of.
    built: HashSet<u64>,
    /// First events of backward runs whose survivors mostly die later.
    dropped: HashSet<u32>,
    at_most: u32,
    applies: bool,
}

impl Known {
    pub(super) fn of(facts: &Facts<'_>, table: &Timetable) -> Self {
        let mut known = Self {
            times: HashMap::new(),
            built: HashSet::new(),
            dropped: HashSet::new(),
            at_most: if facts.stacks == StackKind::Absent { 2 } else { 1 },
            applies: matches!(facts.stacks, StackKind::Python | StackKind::Absent),
        };
        let mut survivors: HashMap<u32, (u32, u32)> = HashMap::new();
        for id in facts.ids().filter(|&id| known.applies && !facts.is_old(id)) {
            let (birth, size) = (facts.birth(id), facts.size_bytes(id));
            if is_size(size) || size == WORKSPACE_BYTES_LT {
                *known.times.entry(key(facts, id)).or_default() += 1;
            }
            match table.phase(birth) {
                Phase::Build => drop(known.built.insert(size)),
                Phase::Backward => {
                    let run = run_at(&table.backward, birth);
                    if let Some(run) = run.filter(|run| facts.death(id) > run.last) {
                        let (all, died) = survivors.entry(run.first).or_default();
                        *all += 1;
                        *died += u32::from(!facts.is_kept(id));
                    }
                }
                _ => {}
            }
        }
        let mostly = |(all, died): (u32, u32)| f64::from(died) >= SHARE_OF_DROPPED_GRADIENTS * f64::from(all);
        known.dropped = survivors.into_iter().filter(|(_, n)| mostly(*n)).map(|(first, _)| first).collect();
        known
    }

    fn is_rare(&self, facts: &Facts<'_>, id: u32) -> bool {
        self.times.get(&key(facts, id)).is_some_and(|&times| times <= self.at_most)
    }

    /// Born in forward or inference, kept.
    pub(super) fn in_forward(&self, facts: &Facts<'_>, table: &Timetable, id: u32) -> bool {
        let begun = facts.birth(id) >= table.first_forward || table.first_forward >= facts.n;
        self.applies && begun && self.is_rare(facts, id)
    }

    /// Born in the first forward with such a size, kept although backward came.
    pub(super) fn in_first_forward(&self, facts: &Facts<'_>, table: &Timetable, id: u32) -> bool {
        let size = facts.size_bytes(id);
        let first = table.backward.first().is_some_and(|run| facts.birth(id) < run.first);
        self.applies && first && (is_size(size) || size == WORKSPACE_BYTES_LT)
    }

    /// Born in backward, kept although the gradients were dropped.
    pub(super) fn in_backward(&self, facts: &Facts<'_>, id: u32, first_of_run: u32) -> bool {
        let size = facts.size_bytes(id);
        let by_size = is_size(size) && self.is_rare_twice(facts, id) && !self.built.contains(&size);
        self.applies && (self.dropped.contains(&first_of_run) || by_size)
    }

    fn is_rare_twice(&self, facts: &Facts<'_>, id: u32) -> bool {
        self.times.get(&key(facts, id)).is_some_and(|&times| times <= 2)
    }
}

fn is_size(size_bytes: u64) -> bool {
    WORKSPACE_BYTES.contains(&size_bytes)
}

fn key(facts: &Facts<'_>, id: u32) -> (u64, StackId, StreamId) {
    (facts.size_bytes(id), facts.stack(id), facts.replay.allocations().stream(id))
}
