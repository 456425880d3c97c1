//! The smallest memory limit at which every request is served.
//!
//! A limit matters by comparison with sums of segment sizes only, and those are whole multiples of 2 MiB (of 1 MiB for an odd
//! `large_segment_size_mb`), so halving the range between what cannot do and what does comes to an exact number in about ten runs.

use vramscope_core::allocator::Config;
use vramscope_core::allocator::sizes::{MIB, round_size, segment_size};
use vramscope_core::replay::requests::Requests;

use crate::addresses::Order;
use crate::run::Run;

/// A search under way; it can be run in pieces. In the most likely order of addresses.
#[derive(Clone, Debug)]
pub struct LimitSearch {
    config: Config,
    step_bytes: u64,
    /// Fails, in steps.
    low: u64,
    /// Succeeds, in steps; `None` before the run without a limit.
    high: Option<u64>,
    /// Tried now, in steps.
    tried: Option<u64>,
    run: Option<Run>,
    runs: u32,
    is_void: bool,
}

impl LimitSearch {
    /// Before the first step. The limit of the settings is of no matter.
    pub fn new(config: &Config) -> LimitSearch {
        let step_bytes = if config.large_segment_bytes.is_multiple_of(2 * MIB) { 2 * MIB } else { MIB };
        let config = Config { limit_bytes: None, ..config.clone() };
        LimitSearch {
            config,
            step_bytes,
            low: 0,
            high: None,
            tried: None,
            run: None,
            runs: 0,
            is_void: false,
        }
    }

    /// Takes the next so many steps, but ends with the run that they end. True when done.
    pub fn run(&mut self, requests: &Requests, steps: usize) -> bool {
        if self.found().is_some() || self.is_void {
            return true;
        }
        let limit_bytes = self.tried.map(|steps| steps.saturating_mul(self.step_bytes));
        let run = self.run.take();
        let config = || Config { limit_bytes, ..self.config.clone() };
        let Some(mut run) = run.or_else(|| Run::new(requests, config(), Order::Borrowed)) else {
            self.is_void = true;
            return true;
        };
        let ended = run.run(requests, steps) || run.oom().is_some();
        match ended {
            true => self.ended(requests, &run),
            false => self.run = Some(run),
        }
        self.found().is_some() || self.is_void
    }

    /// All of it at once.
    pub fn run_all(&mut self, requests: &Requests) {
        while !self.run(requests, usize::MAX) {}
    }

    /// The smallest limit, in bytes; `None` before it is found, and if even without a limit some request is not served.
    pub fn found(&self) -> Option<u64> {
        let high = self.high.filter(|high| self.low + 1 >= *high)?;
        Some(high.saturating_mul(self.step_bytes))
    }

    /// Between 0 and 1.
    pub fn progress(&self) -> f64 {
        let Some(high) = self.high else { return 0.0 };
        let left = f64::from((high - self.low).max(1).ilog2());
        f64::from(self.runs) / (f64::from(self.runs) + left)
    }

    fn ended(&mut self, requests: &Requests, run: &Run) {
        self.runs += 1;
        match self.tried {
            None if run.oom().is_some() => {
                self.is_void = true;
                return;
            }
            None => {
                // At its own peak, and the largest request more, nothing is ever refused.
                let largest = requests.wanted.iter().map(|wanted| wanted.size_bytes).max().unwrap_or(0);
                let asked = segment_size(round_size(largest, &self.config), &self.config);
                let statistics = run.statistics();
                let reserved = statistics.reserved.peak.div_ceil(self.step_bytes);
                // Memory is reserved for all that is allocated.
                self.low = statistics.allocated.peak.div_ceil(self.step_bytes).saturating_sub(1);
                self.high = Some(reserved.saturating_add(asked.div_ceil(self.step_bytes)).max(self.low + 1));
                self.tried = Some(reserved.max(self.low + 1));
                return;
            }
            Some(tried) if run.oom().is_some() => self.low = self.low.max(tried),
            Some(tried) => self.high = Some(tried),
        }
        let high = self.high.unwrap_or(self.low);
        self.tried = Some(self.low + (high - self.low) / 2);
    }
}
