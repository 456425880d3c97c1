//! Would expandable segments have served it? The recorded requests are given to the allocator model once more, with them on.

use vramscope_core::allocator::Config;
use vramscope_core::replay::Recording;
use vramscope_core::replay::model::Model;
use vramscope_core::replay::requests::Requests;
use vramscope_core::units::{format_bytes, group_digits};
use vramscope_simulate::{Order, Run};

use super::{Oom, Whose};

/// What can be said without a trial.
pub(super) fn before_trial(oom: &mut Oom, config: &Config, model: Option<&Model>) {
    let wanted = oom.active_bytes().saturating_add(oom.requested_bytes);
    let (answer, reason) = if config.expandable_segments {
        ("no", "It was recorded with expandable segments on.".to_owned())
    } else if oom.limit_high_bytes.is_some_and(|high| wanted > high) {
        ("no", "What is in use and what was asked for are together more than the limit.".to_owned())
    } else {
        match model {
            None => ("unknown", NOT_CHECKED.to_owned()),
            Some(model) if !model.applies => ("unknown", "This memory has another allocator.".to_owned()),
            Some(model) if model.agreeing_events <= oom.event => {
                let event = group_digits(u64::from(model.agreeing_events));
                ("unknown", format!("The allocator model differs from the recording at event {event}."))
            }
            Some(_) => ("unknown", NOT_TRIED.to_owned()),
        }
    };
    (oom.expandable_would_fit, oom.expandable_reason) = (answer, reason);
}

const NOT_CHECKED: &str = "The allocator model was not checked.";
const NOT_TRIED: &str = "The requests were not tried with expandable segments.";

/// The requests of a recording tried with expandable segments, at both bounds of the limit. It can be run in pieces.
///
/// Up to the first request that the lower bound refuses both go the same way, so that much is run once.
#[derive(Debug)]
pub struct Trial {
    requests: Requests,
    low: Run,
    high: Option<Run>,
    /// The upper bound, if it is another than the lower one.
    high_bytes: Option<u64>,
    /// The run at the lower bound as it was before the bound mattered.
    shared: Run,
    /// Steps between two looks at whether it does.
    piece_steps: usize,
    is_done: bool,
}

/// Copies of the allocator that a trial makes, at most.
const MOST_COPIES: usize = 16;

impl Trial {
    /// A trial up to an OOM; `None` if there is nothing to try, as its answer stands already.
    pub fn new(recording: &Recording, ordinal: i64, oom: &Oom) -> Option<Trial> {
        if oom.expandable_reason != NOT_TRIED {
            return None;
        }
        let (device, replay) = recording.whole_device(ordinal)?;
        let snapshot = &recording.snapshot;
        let (low_bytes, high_bytes) = (oom.limit_low_bytes?, oom.limit_high_bytes?);
        let recorded = Config::of(snapshot);
        let mut config = Config { expandable_segments: true, ..recorded };
        match oom.limit_whose {
            // Its bounds are one.
            Whose::Card => config.device_bytes = config.device_bytes.min(low_bytes),
            Whose::Process | Whose::Unknown => config.limit_bytes = Some(low_bytes),
        }
        let requests = Requests::read(snapshot, device, replay, oom.moment);
        let low = Run::new(&requests, config, Order::Plain)?;
        Some(Trial {
            piece_steps: (requests.steps.len() / MOST_COPIES).max(1),
            requests,
            shared: low.clone(),
            low,
            high: None,
            high_bytes: (low_bytes != high_bytes).then_some(high_bytes),
            is_done: false,
        })
    }

    /// Goes through the next so many steps. True when done.
    pub fn run(&mut self, steps: u32) -> bool {
        let mut left = steps as usize;
        while left > 0 && !self.is_done {
            let piece = left.min(self.piece_steps);
            left -= piece;
            self.is_done = self.step(piece);
        }
        self.is_done
    }

    fn step(&mut self, steps: usize) -> bool {
        if let Some(high) = &mut self.high {
            return high.run(&self.requests, steps);
        }
        let is_done = self.low.run(&self.requests, steps);
        if !is_done {
            let far = self.low.steps() - self.shared.steps() >= self.piece_steps;
            if far && self.low.limit_is_untouched() {
                self.shared = self.low.clone();
            }
            return false;
        }
        match self.high_bytes.filter(|_| !self.low.limit_is_untouched()) {
            Some(high_bytes) => {
                let mut high = self.shared.clone();
                high.set_limit(high_bytes);
                self.high = Some(high);
                false
            }
            None => true,
        }
    }

    /// Writes down what came of it.
    pub fn settle(&self, oom: &mut Oom) {
        let is_served = |run: &&Run| run.oom().is_none() && run.avoided() > 0;
        let runs: Vec<&Run> = std::iter::once(&self.low).chain(&self.high).collect();
        let served = runs.iter().copied().filter(is_served).count();
        let reserved = runs.iter().map(|run| run.statistics().reserved.peak).max().unwrap_or(0);
        let failed = runs.iter().rev().find_map(|run| run.broke_off());
        (oom.expandable_would_fit, oom.expandable_reason) = match (served, failed) {
            (0, Some(failed)) => {
                let event = group_digits(u64::from(failed.event));
                ("no", format!("With them already the request at event {event} finds no room."))
            }
            (0, None) => ("no", "It fails with them too.".to_owned()),
            _ if served == runs.len() => (
                "yes",
                format!("With them it is served, and at most {} are reserved.", format_bytes(reserved)),
            ),
            _ => (
                "unknown",
                "With them it is served at one end of what the limit may be, not at the other.".to_owned(),
            ),
        };
    }
}

/// The whole trial at once.
pub fn try_expandable(recording: &Recording, ordinal: i64, oom: &mut Oom) {
    let Some(mut trial) = Trial::new(recording, ordinal, oom) else { return };
    while !trial.run(u32::MAX) {}
    trial.settle(oom);
}
