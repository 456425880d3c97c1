//! Workspaces of kernel libraries where no native frame names them: by their sizes.

use vramscope_core::replay::Phase;

use crate::facts::{Facts, StackKind};
use crate::numbering::{Numbering, Sums, key};
use crate::phases::{Timetable, run_at};
use crate::thresholds::{SHARE_OF_DROPPED_GRADIENTS, WORKSPACE_BYTES, WORKSPACE_BYTES_LT};

/// Every rule that says so begins with it.
pub(super) const WORD: &str = "workspace";

pub(super) struct Known {
    /// How often each (size, stack, stream) occurs, of sizes that workspaces have.
    times: Sums,
    /// Sizes of what the model was built of.
    built: Numbering,
    /// First events of backward runs whose survivors mostly die later.
    dropped: Numbering,
    at_most: u32,
    applies: bool,
}

impl Known {
    pub(super) fn of(facts: &Facts<'_>, table: &Timetable) -> Self {
        let mut known = Self {
            times: Sums::default(),
            built: Numbering::default(),
            dropped: Numbering::default(),
            at_most: if facts.stacks == StackKind::Absent { 2 } else { 1 },
            applies: matches!(facts.stacks, StackKind::Python | StackKind::Absent),
        };
        // All of a backward run that outlive it, and those among them that die.
        let (mut survivors, mut died) = (Sums::default(), Sums::default());
        for id in facts.ids().filter(|&id| known.applies && !facts.is_old(id)) {
            let (birth, size) = (facts.birth(id), facts.size_bytes(id));
            if is_size(size) || size == WORKSPACE_BYTES_LT {
                known.times.add(place(facts, id), 0);
            }
            match table.phase(birth) {
                Phase::Build => drop(known.built.of(key(size))),
                Phase::Backward => {
                    let run = run_at(&table.backward, birth);
                    if let Some(run) = run.filter(|run| facts.death(id) > run.last) {
                        survivors.add(key(run.first), 0);
                        if !facts.is_kept(id) {
                            died.add(key(run.first), 0);
                        }
                    }
                }
                _ => {}
            }
        }
        for run in &table.backward {
            let (all, died) = (survivors.count(key(run.first)), died.count(key(run.first)));
            if all > 0 && f64::from(died) >= SHARE_OF_DROPPED_GRADIENTS * f64::from(all) {
                known.dropped.of(key(run.first));
            }
        }
        known
    }

    fn is_rare(&self, facts: &Facts<'_>, id: u32) -> bool {
        (1..=self.at_most).contains(&self.times.count(place(facts, id)))
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
        let by_size = is_size(size) && self.is_rare_twice(facts, id) && self.built.get(key(size)).is_none();
        self.applies && (self.dropped.get(key(first_of_run)).is_some() || by_size)
    }

    fn is_rare_twice(&self, facts: &Facts<'_>, id: u32) -> bool {
        (1..=2).contains(&self.times.count(place(facts, id)))
    }
}

fn is_size(size_bytes: u64) -> bool {
    WORKSPACE_BYTES.contains(&size_bytes)
}

/// Size, and stack with stream.
fn place(facts: &Facts<'_>, id: u32) -> (u64, u64) {
    let stream = facts.replay.allocations().stream(id);
    (facts.size_bytes(id), u64::from(facts.stack(id).0) << 32 | u64::from(stream.0))
}
