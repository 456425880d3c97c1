//! What a snapshot says, in columns. No derived figures: those are [`replay`](crate::replay)'s.

mod annotation;
mod device;
mod events;
mod segments;
mod settings;
mod stacks;
mod strings;

pub use annotation::{Annotation, Stage};
pub use device::{Device, DeviceKind, Ring};
pub use events::{Action, EventNotes, Events};
pub use segments::{Block, BlockState, PoolId, Segment, SegmentKind};
pub use settings::Settings;
pub use stacks::{Frame, FrameKind, FxNode, Stacks};
pub use strings::Strings;

use crate::ids::StreamId;
use crate::warning::Warnings;

/// Everything that was read from one file.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// Where it came from.
    pub source: Source,
    /// Every text, once.
    pub strings: Strings,
    /// Every frame and stack, once.
    pub stacks: Stacks,
    /// Raw stream handles by [`StreamId`]; 0 is the default stream.
    pub streams: Vec<u64>,
    /// Devices that have events or segments, by ordinal.
    pub devices: Vec<Device>,
    /// Allocator settings in force, if the file has them (PyTorch 2.3 and later).
    pub settings: Option<Settings>,
    /// Ranges of `record_function`, in file order.
    pub annotations: Vec<Annotation>,
    /// The oldest PyTorch that writes the newest marker seen, if one was seen: "2.10".
    pub written_by_at_least: Option<&'static str>,
    /// The file was cut or damaged and only its readable part is here: the final segments do not belong to the last event.
    pub partial: bool,
    /// What was odd.
    pub warnings: Warnings,
}

impl Snapshot {
    /// The raw handle of a stream.
    pub fn stream(&self, id: StreamId) -> u64 {
        self.streams.get(id.index()).copied().unwrap_or(0)
    }
}

/// The file that a snapshot came from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// Its name, without folders.
    pub name: String,
    /// Its size in bytes, as far as it was read.
    pub size_bytes: u64,
    /// What it is, its outermost layer: "pickle", "json", "html", "gzip" or "zip".
    pub container: &'static str,
    /// The pickle protocol; `None` when the pickle does not say (0 and 1).
    pub protocol: Option<u8>,
    /// False if a check sum of the container differs: bytes were changed on the way.
    pub sound: bool,
}
