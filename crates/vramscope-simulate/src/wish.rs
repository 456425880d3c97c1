//! A scenario, as a form or a command line asks for it.

use std::num::NonZeroU64;

use serde::{Deserialize, Serialize};

use crate::batch::{Axis, Scaling};
use crate::changes;
use crate::program::Program;
use crate::scenario::Scenario;

/// What is to be changed: one of these.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Wish {
    /// One of [`changes::KINDS`], by its key.
    pub change: String,
    /// For checkpoints: the line that calls the module, as [`changes::modules`] tells it. Empty for the one that saves most.
    pub module: String,
    /// The recorded batch, and the one that is wanted; zeros if that is not asked.
    pub batch: [u64; 2],
    /// The same for the length.
    pub length: [u64; 2],
}

impl Wish {
    /// The changed requests. Or why there are none, in a sentence.
    pub fn scenario(&self, program: &Program<'_>) -> Result<Scenario, String> {
        let scaled =
            |axis, [recorded, to]: [u64; 2]| Some((axis, NonZeroU64::new(recorded)?, NonZeroU64::new(to)?));
        if let Some((axis, recorded, to)) =
            scaled(Axis::Batch, self.batch).or(scaled(Axis::Length, self.length))
        {
            return Ok(Scaling::of(program, axis, recorded)?.at(to));
        }
        changes::apply(program, &self.change, Some(self.module.as_str()).filter(|module| !module.is_empty()))
    }
}
