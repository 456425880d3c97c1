//! Larger and smaller recordings from a real one: its own steps, repeated or left out (`cargo xtask synth`).
//!
//! Between two moments at which the same blocks are alive at the same addresses, and no segment came or went, the allocator does
//! what it can do again: what follows stays true as it is, to the byte. So nothing is invented: a [`plan`] says which such windows are repeated
//! or left out, and [`write()`] writes the pickle that Python would have written, straight to disk.

mod pickler;
mod plan;
mod source;
mod trace;

use std::io::{self, Write};

pub use plan::{NoPlan, Part, plan};
pub use source::{Source, Unusable};

/// What was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Made {
    /// Events of the recording that it came from, over all devices.
    pub source_events: u64,
    /// Events written, over all devices.
    pub events: u64,
}

/// Writes a recording of at least so many events, and of as few more as the windows of the source allow.
///
/// # Errors
/// No window of the source can be repeated; or the writer failed.
pub fn write(source: &Source, at_least: u64, to: &mut impl Write) -> io::Result<Made> {
    let other_events = source.n_events() - source.steps.len() as u64;
    let parts = plan(&source.steps, at_least.saturating_sub(other_events))
        .map_err(|none| io::Error::new(io::ErrorKind::InvalidInput, none))?;
    let events = other_events + parts.iter().map(Part::len).sum::<u64>();
    trace::write(source, &parts, to)?;
    Ok(Made { source_events: source.n_events(), events })
}
