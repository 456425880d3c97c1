//! The largest batch that a limit allows: searched for, each batch tried in the allocator model.

use std::num::NonZeroU64;

use serde::Serialize;
use vramscope_core::allocator::Config;

use super::Scaling;
use crate::addresses::Order;
use crate::run::Run;

/// A search under way; each step tries one batch.
#[derive(Debug)]
pub struct Largest {
    config: Config,
    /// The largest that fits so far; 0 before any does.
    fits: u64,
    /// The smallest that does not; none before any.
    fails: Option<u64>,
    next: u64,
}

/// What was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Fits {
    /// The largest batch at which every request is served; none if not even 1 is.
    pub batch: Option<u64>,
    /// Larger ones were not tried: nothing stood in the way of this one.
    pub at_least: bool,
}

/// No larger batch is tried.
const LARGEST: u64 = 1 << 24;

impl Largest {
    /// Under settings with a limit, from the recorded batch on.
    pub fn new(scaling: &Scaling<'_>, config: Config) -> Largest {
        Largest { config, fits: 0, fails: None, next: scaling.recorded().min(LARGEST) }
    }

    /// Tries one batch. True when found.
    pub fn step(&mut self, scaling: &Scaling<'_>) -> bool {
        let Some(batch) = NonZeroU64::new(self.next) else { return true };
        if serves(scaling, batch, &self.config) {
            self.fits = self.next;
        } else {
            self.fails = Some(self.next);
        }
        self.next = match self.fails {
            None if self.fits >= LARGEST => 0,
            None => (self.fits * 2).min(LARGEST),
            Some(fails) if fails <= self.fits + 1 => 0,
            Some(fails) => self.fits + (fails - self.fits) / 2,
        };
        self.next == 0
    }

    /// What was found, once it is.
    pub fn found(&self) -> Fits {
        Fits { batch: (self.fits > 0).then_some(self.fits), at_least: self.fails.is_none() }
    }
}

/// Every request that was served when recorded, or failed then, is served.
fn serves(scaling: &Scaling<'_>, batch: NonZeroU64, config: &Config) -> bool {
    let requests = scaling.at(batch).requests;
    let Some(mut run) = Run::new(&requests, config.clone(), Order::Borrowed) else { return false };
    while !run.run(&requests, usize::MAX) {}
    run.oom().is_none()
}
