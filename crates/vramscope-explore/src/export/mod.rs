//! Taking away: a smaller snapshot that PyTorch's own tools open, and counters for Perfetto.
//!
//! Both are written in pieces of about a megabyte, so that memory does not grow with what is written.

mod names;
mod pickler;
mod snapshot;
mod state;
mod trace_events;

use std::ops::Range;

use vramscope_core::model::Device;
use vramscope_core::replay::{Recording, Replay};

pub use snapshot::snapshot;
pub use trace_events::{MOST_POINTS, trace_events};

/// What is taken away.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// One device only.
    pub device: Option<i64>,
    /// Events from the first to before the last; clamped to what each device has.
    pub events: Option<Range<u32>>,
    /// Without what tells where and for whom the program ran: paths become base names, texts of the user go.
    pub anonymise: bool,
}

/// Takes the next piece; false ends the writing.
pub type Sink<'a> = dyn FnMut(&[u8]) -> bool + 'a;

/// Bytes of a piece, about.
const PIECE_BYTES: usize = 1 << 20;

/// A device and the events of it that are wanted.
struct Part<'a> {
    device: &'a Device,
    replay: &'a Replay,
    events: Range<u32>,
}

/// The devices that are wanted, nothing of them filtered out.
fn parts<'a>(recording: &'a Recording, request: &Request) -> Vec<Part<'a>> {
    let devices = recording.snapshot.devices.iter();
    let wanted = devices.filter(|device| request.device.is_none_or(|only| only == device.ordinal));
    let part = |device: &'a Device| {
        let (_, replay) = recording.whole_device(device.ordinal)?;
        let all = replay.end();
        let Range { start, end } = request.events.clone().unwrap_or(0..all);
        let end = end.min(all);
        Some(Part { device, replay, events: start.min(end)..end })
    };
    wanted.filter_map(part).collect()
}
