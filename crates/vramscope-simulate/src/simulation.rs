//! Requests under settings, in every order of addresses: one answer with a range.

use serde::Serialize;
use vramscope_core::allocator::Config;
use vramscope_core::replay::requests::Requests;

use crate::addresses::Order;
use crate::curve::Curve;
use crate::run::{Failed, Outcome, Run};

/// A simulation under way; it can be run in pieces. What it has found so far can be asked at any time after the first run.
#[derive(Clone, Debug)]
pub struct Simulation {
    config: Config,
    orders: Vec<Order>,
    run: Option<Run>,
    outcomes: Vec<Outcome>,
}

/// What became of the requests that failed when recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RecordedOom {
    /// All of them are served.
    Avoided,
    /// One fails again, or the run broke off before.
    Repeated,
    /// Nothing failed when recorded.
    None,
}

/// What a simulation found. Bytes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Simulated {
    /// The most reserved, in the most likely order of addresses.
    pub reserved_peak_bytes: u64,
    /// The least over all orders tried.
    pub reserved_peak_low_bytes: u64,
    /// The most over all orders tried.
    pub reserved_peak_high_bytes: u64,
    /// The event after which most was reserved for the first time.
    pub reserved_peak_event: u32,
    /// The most that the program held, in blocks.
    pub allocated_peak_bytes: u64,
    /// Calls of the driver for new memory.
    pub segments_allocated: u64,
    /// Requests that gave memory back before they were served or failed.
    pub retries: u64,
    /// The first request that found no memory.
    pub oom: Option<Failed>,
    /// What became of the requests that failed when recorded.
    pub recorded_oom: RecordedOom,
    /// Orders of addresses tried so far.
    pub orders: u32,
    /// In how many of them some request found no memory.
    pub orders_with_oom: u32,
}

impl Simulation {
    /// Before the first step.
    pub fn new(requests: &Requests, config: Config) -> Simulation {
        let orders = Order::all(requests, &config);
        Simulation { config, orders, run: None, outcomes: Vec::new() }
    }

    /// Takes the next so many steps, but ends with the run that they end. True when done.
    pub fn run(&mut self, requests: &Requests, steps: usize) -> bool {
        let Some(&order) = self.orders.get(self.outcomes.len()) else { return true };
        let run = self.run.take().or_else(|| Run::new(requests, self.config.clone(), order));
        let Some(mut run) = run else {
            // What was there before the first event contradicts itself.
            self.orders.clear();
            return true;
        };
        if run.run(requests, steps) {
            self.outcomes.push(run.outcome());
        } else {
            self.run = Some(run);
        }
        self.outcomes.len() == self.orders.len()
    }

    /// All of it at once.
    pub fn run_all(&mut self, requests: &Requests) {
        while !self.run(requests, usize::MAX) {}
    }

    /// Orders that were run to their end, and all that there are.
    pub fn orders(&self) -> (u32, u32) {
        (self.outcomes.len() as u32, self.orders.len() as u32)
    }

    /// The share of all steps that is done.
    pub fn progress(&self, requests: &Requests) -> f64 {
        let under_way = self.run.as_ref().map_or(0, Run::steps) as f64 / requests.steps.len().max(1) as f64;
        (self.outcomes.len() as f64 + under_way) / self.orders.len().max(1) as f64
    }

    /// The curve of the most likely order.
    pub fn curve(&self) -> Option<&Curve> {
        self.outcomes.first().map(|outcome| &outcome.curve)
    }

    /// What was found so far; `None` before the first run came to its end.
    pub fn found(&self, requests: &Requests) -> Option<Simulated> {
        let point = self.outcomes.first()?;
        let peaks = || self.outcomes.iter().map(|outcome| outcome.statistics.reserved.peak);
        Some(Simulated {
            reserved_peak_bytes: point.statistics.reserved.peak,
            reserved_peak_low_bytes: peaks().min()?,
            reserved_peak_high_bytes: peaks().max()?,
            reserved_peak_event: point.reserved_peak_event,
            allocated_peak_bytes: point.statistics.allocated.peak,
            segments_allocated: point.statistics.driver_allocs,
            retries: point.statistics.retries,
            oom: point.oom,
            recorded_oom: point.recorded_oom(requests),
            orders: self.outcomes.len() as u32,
            orders_with_oom: self.outcomes.iter().filter(|outcome| outcome.oom.is_some()).count() as u32,
        })
    }
}

impl Outcome {
    /// What became of the requests that failed when recorded.
    pub fn recorded_oom(&self, requests: &Requests) -> RecordedOom {
        match requests.first_oom() {
            None => RecordedOom::None,
            Some(_) if self.oom.is_none() => RecordedOom::Avoided,
            Some(_) => RecordedOom::Repeated,
        }
    }
}
