//! The requests at another batch, or of a changed program, as the page asks for them.

use std::num::NonZeroU64;

use serde::Serialize;
use vramscope_core::allocator::Config;
use vramscope_core::replay::Recording;
use vramscope_core::replay::requests::Requests;
use vramscope_simulate::batch::{Axis, Fits, Largest, Scaling};
use vramscope_simulate::changes::{self, KINDS, Kind, Module};
use vramscope_simulate::{Program, Scenario, Wish};

/// What can be asked of a device: every change, and the modules that can be checkpointed.
#[derive(Serialize)]
pub(crate) struct Offers {
    /// Why nothing can be estimated.
    why_not: Option<String>,
    kinds: &'static [Kind],
    modules: Vec<Module>,
}

/// The answer to `estimate`: a scenario, or why there is none.
#[derive(Serialize)]
pub(crate) struct Estimate {
    why_not: Option<String>,
    scenario: Option<Scenario>,
}

pub(crate) fn offers(recording: &Recording, device: i64) -> Offers {
    let requests = read(recording, device);
    let modules = Program::of(recording, device, &requests).map(|program| changes::modules(&program));
    match modules {
        Ok(modules) => Offers { why_not: None, kinds: &KINDS, modules },
        Err(why_not) => Offers { why_not: Some(why_not.into()), kinds: &KINDS, modules: Vec::new() },
    }
}

pub(crate) fn estimate(recording: &Recording, device: i64, wish: &Wish) -> Estimate {
    match scenario(recording, device, wish) {
        Ok(scenario) => Estimate { why_not: None, scenario: Some(scenario) },
        Err(why_not) => Estimate { why_not: Some(why_not), scenario: None },
    }
}

/// The search for the largest batch or length that a limit allows, one batch tried with each question.
#[derive(Default)]
pub(crate) struct LargestSearch {
    of: Option<(i64, Wish, u64)>,
    search: Option<Largest>,
}

/// The answer to `largest`.
#[derive(Default, Serialize)]
pub(crate) struct LargestAnswer {
    why_not: Option<String>,
    /// The search is over.
    done: bool,
    #[serde(flatten)]
    found: Option<Fits>,
}

impl LargestSearch {
    /// Tries the next batch. `wish` tells what was recorded; another wish or limit begins anew, and so does one after the end.
    pub(crate) fn step(
        &mut self,
        recording: &Recording,
        device: i64,
        wish: Wish,
        limit_bytes: u64,
    ) -> LargestAnswer {
        let of = (device, wish, limit_bytes);
        if self.of.as_ref() != Some(&of) {
            *self = LargestSearch { of: Some(of.clone()), search: None };
        }
        let stepped = self.try_next(recording, of);
        if !matches!(stepped, Ok(LargestAnswer { done: false, .. })) {
            *self = LargestSearch::default();
        }
        stepped.unwrap_or_else(|why_not| LargestAnswer {
            why_not: Some(why_not),
            done: true,
            ..LargestAnswer::default()
        })
    }

    fn try_next(
        &mut self,
        recording: &Recording,
        (device, wish, limit_bytes): (i64, Wish, u64),
    ) -> Result<LargestAnswer, String> {
        let requests = read(recording, device);
        let program = Program::of(recording, device, &requests)?;
        let axes = [(Axis::Batch, wish.batch[0]), (Axis::Length, wish.length[0])];
        let recorded = axes.into_iter().find_map(|(axis, recorded)| Some((axis, NonZeroU64::new(recorded)?)));
        let (axis, recorded) = recorded.ok_or("What was recorded is not told.")?;
        let scaling = Scaling::of(&program, axis, recorded)?;
        let settings = Config::of(&recording.snapshot);
        let config = Config { limit_bytes: Some(limit_bytes), ..settings };
        let search = self.search.get_or_insert_with(|| Largest::new(&scaling, config));
        let done = search.step(&scaling);
        Ok(LargestAnswer { why_not: None, done, found: Some(search.found()) })
    }
}

/// What the program asked of a device, whatever is filtered; changed, if something is wished that applies.
pub(crate) fn requests(recording: &Recording, device: i64, wish: Option<&Wish>) -> Requests {
    match wish {
        None => read(recording, device),
        Some(wish) => scenario(recording, device, wish).map(|scenario| scenario.requests).unwrap_or_default(),
    }
}

fn scenario(recording: &Recording, device: i64, wish: &Wish) -> Result<Scenario, String> {
    let requests = read(recording, device);
    wish.scenario(&Program::of(recording, device, &requests)?)
}

fn read(recording: &Recording, device: i64) -> Requests {
    let found = recording.whole_device(device);
    let read = |(device, replay)| Requests::read(&recording.snapshot, device, replay, u32::MAX);
    found.map(read).unwrap_or_default()
}
