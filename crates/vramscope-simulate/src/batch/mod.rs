//! Another batch, or another length: what of the requests grows with it, and how they would have been.
//!
//! From one recording `growth` tells by labels what grows; a second one at another batch, `fit`, shows it. `largest` searches for the
//! largest batch that a limit allows.

mod fit;
mod growth;
mod largest;
mod peak;
mod staging;

use std::num::NonZeroU64;

use vramscope_core::allocator::Config;
use vramscope_core::replay::requests::Requests;

pub use largest::{Fits, Largest};

use crate::addresses::Order;
use crate::edits::resized;
use crate::program::Program;
use crate::run::Run;
use crate::scenario::{Scenario, rounded_percent};
use fit::Fit;
use growth::{Growth, scaled};
use peak::Peak;

/// What is made larger or smaller.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Axis {
    /// Samples at once.
    #[default]
    Batch,
    /// Tokens, frames or whatever a sample is long.
    Length,
}

impl Axis {
    fn word(self) -> &'static str {
        match self {
            Axis::Batch => "batch",
            Axis::Length => "length",
        }
    }

    fn unit(self) -> &'static str {
        match self {
            Axis::Batch => "sample",
            Axis::Length => "unit of length",
        }
    }
}

/// A recording's requests, ready to be asked for at any batch.
#[derive(Debug)]
pub struct Scaling<'a> {
    program: &'a Program<'a>,
    axis: Axis,
    recorded: u64,
    /// By id.
    growth: Vec<Growth>,
    fit: Option<Fit>,
    peak: Peak,
}

impl<'a> Scaling<'a> {
    /// From one recording, made at a batch. Or why it cannot be told.
    pub fn of(program: &'a Program<'a>, axis: Axis, recorded: NonZeroU64) -> Result<Self, String> {
        let growth = growth::of(program, recorded.get());
        if !growth.iter().any(|growth| growth.grows) {
            return Err(format!(
                "Nothing in this recording was found to grow with the {}: no activations, inputs or temporaries of forward and backward.",
                axis.word()
            ));
        }
        let size = |id| program.size_bytes(id);
        let peak = Peak::of(program.requests, &size, &growth);
        Ok(Scaling { program, axis, recorded: recorded.get(), growth, fit: None, peak })
    }

    /// With a second recording of the same program at another batch: what is matched between them is fitted exactly.
    pub fn fitted(mut self, other: &Program<'_>, at: NonZeroU64) -> Result<Self, String> {
        if at.get() == self.recorded {
            return Err(format!(
                "Both recordings are of {} {at}; two different ones are needed.",
                self.axis.word()
            ));
        }
        let fit = Fit::of((self.program, self.recorded), (other, at.get()));
        if let Some(fault) = fit.fault(at.get()) {
            return Err(fault);
        }
        self.fit = Some(fit);
        let told = peaks(
            self.program,
            &resized(self.program.requests, &|id, _| self.size_at(id, at.get())).requests,
        );
        let residual_percent = told.zip(peaks(other, other.requests)).map_or(100.0, |(told, own)| {
            let off = |(told, own): (u64, u64)| rounded_percent(told.abs_diff(own) as f64, own as f64);
            off((told.0, own.0)).max(off((told.1, own.1)))
        });
        if let Some(fit) = &mut self.fit {
            fit.residual_percent = residual_percent;
        }
        Ok(self)
    }

    /// The batch that was recorded.
    pub fn recorded(&self) -> u64 {
        self.recorded
    }

    /// The requests as they would be at a batch.
    pub fn at(&self, batch: NonZeroU64) -> Scenario {
        let (batch, axis) = (batch.get(), self.axis.word());
        let mut scenario = resized(self.program.requests, &|id, _| self.size_at(id, batch));
        let requests = &scenario.requests;
        let peak = Peak::of(requests, &|id| requests.wanted[id as usize].size_bytes, &self.growth);
        let doubtful = self.doubtful_bytes(&peak, batch);
        let own = rounded_percent(doubtful, peak.bytes() as f64);
        scenario.title = format!("{axis} {batch} instead of {}", self.recorded);
        scenario.assumption = self.assumption();
        scenario.notes.splice(0..0, self.notes(batch));
        scenario.uncertainty_percent =
            Some(self.fit.as_ref().map_or(own, |fit| own.max(fit.residual_percent)));
        scenario.parts = Some([self.peak.parts, peak.parts]);
        scenario
    }

    fn size_at(&self, id: u32, batch: u64) -> u64 {
        let size = self.program.size_bytes(id);
        match self.fit.as_ref().and_then(|fit| fit.line(id)) {
            Some(line) => line.size_at(size, batch, self.recorded),
            None => self.growth[id as usize].size_at(size, (batch, self.recorded)),
        }
    }

    /// What might be wrong at a peak: for each that is held then the bytes by which the other answer would differ, by how likely that is.
    fn doubtful_bytes(&self, peak: &Peak, batch: u64) -> f64 {
        let off = |id: u32| {
            let (size, growth) = (self.program.size_bytes(id), self.growth[id as usize]);
            let doubt = match &self.fit {
                Some(fit) if fit.line(id).is_some() => 0,
                _ => growth.doubt_percent,
            };
            scaled(size, (batch, self.recorded)).abs_diff(size) as f64 * f64::from(doubt) / 100.0
        };
        peak.held.iter().map(|id| off(*id)).sum()
    }

    fn assumption(&self) -> String {
        let axis = self.axis.word();
        match &self.fit {
            Some(fit) => format!(
                "Fitted from two recordings: {} of {} requests matched, each size taken as a fixed part and a part for each {}. \
                 The others follow from what they hold.",
                fit.matched,
                fit.of,
                self.axis.unit()
            ),
            None => format!(
                "Activations, inputs and what forward and backward need for a moment grow with the {axis}; parameters, gradients, optimizer state, \
                 the optimizer's temporaries and workspaces do not. The program makes the same requests in the same order."
            ),
        }
    }

    fn notes(&self, batch: u64) -> Vec<String> {
        let mut notes = Vec::new();
        let odd = rounded_percent(self.peak.odd_bytes as f64, self.peak.parts.scaling_bytes as f64);
        if self.fit.is_none() && odd >= 10.0 {
            notes.push(format!(
                "{odd} % of the bytes that grow are in sizes that {} does not divide: is that the recorded {}? They are scaled and rounded up.",
                self.recorded,
                self.axis.word()
            ));
        }
        if let Some(fit) = &self.fit {
            notes.push(format!(
                "From the first recording's requests and this fit, both peaks of the second come out within {:.1} %.",
                fit.residual_percent
            ));
            if fit.uneven > 0 {
                notes.push(format!(
                    "{} fitted sizes are no whole number of bytes for each {}: rounded up.",
                    fit.uneven,
                    self.axis.unit()
                ));
            }
        } else {
            notes.push("A mask or table whose size does not depend on it is scaled with the rest; a second recording at another one tells them apart.".into());
        }
        if self.axis == Axis::Length {
            notes.push("Attention matrices that are kept whole grow with the square of the length. They are not told apart and taken to grow linearly.".into());
        }
        if batch != self.recorded {
            notes.push(
                "Kernel libraries may choose other algorithms, with other workspaces, at other sizes.".into(),
            );
        }
        if self.program.requests.first_oom().is_some() {
            notes.push("The recording contains a request that failed: what the program would have gone on to ask for is not in it, so peaks after it are missing.".into());
        }
        notes
    }
}

/// The most allocated and the most reserved, under the settings of a recording and no limit.
fn peaks(program: &Program<'_>, requests: &Requests) -> Option<(u64, u64)> {
    let config = Config::of(program.snapshot);
    let mut run = Run::new(requests, Config { limit_bytes: None, ..config }, Order::Borrowed)?;
    while !run.run(requests, usize::MAX) {}
    Some((run.statistics().allocated.peak, run.statistics().reserved.peak))
}
