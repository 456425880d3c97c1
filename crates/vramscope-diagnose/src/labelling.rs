//! From a recording to labels of one device.

use vramscope_core::model::Device;
use vramscope_core::replay::{Labels, Recording, Replay};

use crate::categories::Categories;
use crate::evidence::{self, Evidence};
use crate::facts::{Facts, Lives};
use crate::phases::Timetable;
use crate::sites::Sites;

/// What is found once for a whole recording: every stack judged.
#[derive(Debug)]
pub(crate) struct Stacks {
    pub(crate) evidence: Vec<Evidence>,
    pub(crate) sites: Sites,
}

impl Stacks {
    pub(crate) fn of(recording: &Recording) -> Self {
        Self { evidence: evidence::of_stacks(&recording.snapshot), sites: Sites::new(&recording.snapshot) }
    }
}

/// One device, read: what later stages build on.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    pub(crate) lives: Lives,
    pub(crate) table: Timetable,
    pub(crate) categories: Categories,
    /// Stages done, of [`Reading::STAGES`].
    done: usize,
}

impl Reading {
    /// What is found, one after the other.
    const STAGES: [&str; 3] = ["lives", "phases", "categories"];

    /// Does the next stage: its name; `None` once all are done.
    pub(crate) fn step(
        &mut self,
        recording: &Recording,
        stacks: &Stacks,
        ordinal: i64,
    ) -> Option<&'static str> {
        let stage = Self::STAGES.get(self.done)?;
        self.done += 1;
        let (device, replay) = recording.whole_device(ordinal)?;
        match self.done {
            1 => self.lives = Lives::of(device, replay, &stacks.evidence),
            2 => self.table = Timetable::of(&facts(recording, (device, replay), stacks, &self.lives)),
            _ => {
                let facts = facts(recording, (device, replay), stacks, &self.lives);
                self.categories = Categories::of(&facts, &self.table);
            }
        }
        Some(stage)
    }

    /// Phases and categories are known.
    pub(crate) fn is_done(&self) -> bool {
        self.done == Self::STAGES.len()
    }

    pub(crate) fn facts<'a>(
        &'a self,
        recording: &'a Recording,
        stacks: &'a Stacks,
        ordinal: i64,
    ) -> Option<Facts<'a>> {
        Some(facts(recording, recording.whole_device(ordinal)?, stacks, &self.lives))
    }

    pub(crate) fn labels(&self) -> Labels {
        Labels {
            rules: self.categories.rules.clone(),
            rule_of: self.categories.rule_of.clone(),
            phases: self.table.spans(),
            steps: self.table.steps.clone(),
        }
    }
}

fn facts<'a>(
    recording: &'a Recording,
    device: (&'a Device, &'a Replay),
    stacks: &'a Stacks,
    lives: &'a Lives,
) -> Facts<'a> {
    Facts::new(&recording.snapshot, device, (&stacks.evidence, &stacks.sites), lives)
}

/// Categories, phases and steps of a device; `None` for one that is not there.
pub fn label(recording: &Recording, ordinal: i64) -> Option<Labels> {
    recording.whole_device(ordinal)?;
    let (stacks, mut reading) = (Stacks::of(recording), Reading::default());
    while reading.step(recording, &stacks, ordinal).is_some() {}
    Some(reading.labels())
}
