//! What the page needs to know first.

use serde::Serialize;

use super::summary::{Summary, summary};
use crate::ids::FrameId;
use crate::model::{FrameKind, Snapshot};
use crate::replay::Recording;

/// A file that has just been opened.
#[derive(Clone, Debug, Serialize)]
#[allow(missing_docs)]
pub struct Opened {
    pub summary: Summary,
    pub devices: Vec<OpenedDevice>,
    /// The device with the most events, then the most reserved bytes: where the user's memory is.
    pub default_device: i64,
    /// Kind of stacks: "Python and C++", "Python", "C++" or "none".
    pub stacks: &'static str,
    /// "2.10 or later", from the newest key seen.
    pub version: Option<String>,
    /// Only the readable part of a cut or damaged file.
    pub partial: bool,
}

/// A device to choose.
#[derive(Clone, Debug, Serialize)]
#[allow(missing_docs)]
pub struct OpenedDevice {
    pub device: i64,
    /// "GPU 0", "Host memory", "CPU", or "Device 0" for an accelerator of another kind.
    pub label: String,
    pub moments: u32,
    pub has_time: bool,
}

/// What the page needs to know first.
#[inline]
pub fn opened(recording: &Recording) -> Opened {
    let snapshot = &recording.snapshot;
    let both = || snapshot.devices.iter().zip(&recording.replays);
    let busiest = both().max_by_key(|(device, replay)| {
        (device.events.len(), replay.reserved_at(replay.end()), std::cmp::Reverse(device.ordinal))
    });
    Opened {
        summary: summary(recording),
        devices: both()
            .map(|(device, replay)| OpenedDevice {
                device: device.ordinal,
                label: device.label(),
                moments: replay.n_moments(),
                has_time: replay.duration_us().is_some(),
            })
            .collect(),
        default_device: busiest.map_or(0, |(device, _)| device.ordinal),
        stacks: kind_of_stacks(snapshot),
        version: snapshot.written_by_at_least.map(|version| format!("{version} or later")),
        partial: snapshot.partial,
    }
}

#[inline]
fn kind_of_stacks(snapshot: &Snapshot) -> &'static str {
    let kinds = || {
        let frames =
            (0..snapshot.stacks.n_frames()).filter_map(|id| snapshot.stacks.frame(FrameId(id as u32)));
        frames.map(|frame| frame.kind(&snapshot.strings))
    };
    let cpp = kinds().any(|kind| kind == FrameKind::Cpp);
    let python = kinds().any(|kind| kind != FrameKind::Cpp);
    match (python, cpp) {
        (true, true) => "Python and C++",
        (true, false) => "Python",
        (false, true) => "C++",
        (false, false) => "none",
    }
}
