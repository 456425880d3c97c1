//! The requests at another batch, or of a changed program, as the page asks for them.

use serde::Serialize;
use vramscope_core::replay::Recording;
use vramscope_core::replay::requests::Requests;
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
