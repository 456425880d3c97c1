//! What simulations of a device start from, as the page asks for it.

use serde::Serialize;
use vramscope_core::allocator::Config;
use vramscope_core::replay::Recording;
use vramscope_simulate::cards::{CARDS, Card, OUTSIDE_BYTES};
use vramscope_simulate::settings::{self, SETTINGS, Setting};
use vramscope_simulate::{Basis, Candidate, usual};

/// The answer to `what_if`.
#[derive(Default, Serialize)]
pub(crate) struct WhatIf {
    /// Why there is nothing to simulate.
    why_not: Option<String>,
    /// The recorded settings.
    settings: String,
    limit_low_bytes: u64,
    limit_high_bytes: Option<u64>,
    reserved_peak_bytes: u64,
    allocated_peak_bytes: Option<u64>,
    segments_allocated: usize,
    requests: usize,
    oom_event: Option<u32>,
    rough: Option<String>,
    is_partial: bool,
    usual: Vec<Candidate>,
    cards: &'static [Card],
    outside_bytes: u64,
}

/// What is known of a device whose model has been checked.
pub(crate) fn what_if(recording: &Recording, device: i64) -> WhatIf {
    match Basis::of(recording, device) {
        Err(why_not) => WhatIf { why_not: Some(why_not), ..WhatIf::default() },
        Ok(basis) => WhatIf {
            why_not: None,
            settings: settings::text(&basis.recorded),
            limit_low_bytes: basis.limit.low_bytes,
            limit_high_bytes: basis.limit.high_bytes,
            reserved_peak_bytes: basis.reserved_peak_bytes,
            allocated_peak_bytes: basis.allocated_peak_bytes,
            segments_allocated: basis.requests.new_segments.len(),
            requests: basis.requests.count(),
            oom_event: basis.requests.first_oom().map(|step| step.event),
            usual: usual(&basis.recorded),
            cards: &CARDS,
            outside_bytes: OUTSIDE_BYTES,
            rough: basis.rough,
            is_partial: basis.is_partial,
        },
    }
}

/// Settings as PyTorch reads them.
#[derive(Default, Serialize)]
pub(crate) struct Read {
    /// The option at fault, and why PyTorch would refuse it.
    fault: Option<[String; 2]>,
    /// The same without what is the default.
    settings: String,
    /// All options that there are.
    options: &'static [Setting],
}

/// Reads `key:value,key:value`.
pub(crate) fn read(text: &str) -> Read {
    let (settings, fault) = match Config::parse(text) {
        Ok(config) => (settings::text(&config), None),
        Err(error) => (String::new(), Some([error.key, error.message])),
    };
    Read { fault, settings, options: &SETTINGS }
}
