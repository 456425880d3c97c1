//! A run that is looked at here and there: copies of it at some events make any other quick to come to.

use vramscope_core::allocator::Config;
use vramscope_core::replay::requests::Requests;
use vramscope_core::replay::state::State;

use crate::addresses::Order;
use crate::run::{Failed, Run};
use crate::state::state;

/// Copies that are kept.
const MARKS: u32 = 16;

/// One run, in the most likely order of addresses.
#[derive(Clone, Debug)]
pub struct Track {
    /// The run at every so many events, as far as anybody has looked.
    marks: Vec<Run>,
    stride: u32,
}

impl Track {
    /// Before the first event. `None` if what was there before contradicts itself.
    pub fn new(requests: &Requests, config: Config) -> Option<Track> {
        let start = Run::new(requests, config, Order::Borrowed)?;
        Some(Track { marks: vec![start], stride: requests.n_events.div_ceil(MARKS).max(1) })
    }

    /// The allocator at a moment, and the request at which the run broke off before it, if it did.
    pub fn state_at(&mut self, requests: &Requests, moment: u32) -> (State, Option<Failed>) {
        let moment = moment.min(requests.n_events);
        let wanted = (moment / self.stride) as usize;
        while let Some(mut next) = self.marks.last().filter(|_| self.marks.len() <= wanted).cloned() {
            next.run_to_event(requests, self.stride * self.marks.len() as u32);
            self.marks.push(next);
        }
        let mut run = self.marks[wanted].clone();
        run.run_to_event(requests, moment);
        (state(requests, run.allocator(), moment), run.broke_off())
    }
}
