//! The figures of `summary --json`; names and meaning are described in `crates/vramscope-cli/README.md`.

use serde::Serialize;

use crate::model::{Device, Settings};
use crate::replay::model::Cause;
use crate::replay::{self, Recording, Replay};
use crate::units;
use crate::warning::Warning;

/// One file.
#[derive(Clone, Debug, Serialize)]
#[allow(missing_docs)]
pub struct Summary {
    pub schema: u32,
    pub file: File,
    pub allocator_settings: Option<Settings>,
    pub devices: Vec<DeviceSummary>,
    /// What is damaged, contradicts itself, or is not in the file.
    pub warnings: Vec<Warning>,
}

/// Where the figures come from.
#[derive(Clone, Debug, Serialize)]
#[allow(missing_docs)]
pub struct File {
    pub name: String,
    pub bytes: u64,
    pub container: &'static str,
    pub protocol: Option<u8>,
}

/// One device. Each peak is the maximum of its own series, the state before the first event included: without events it is the
/// state at the one moment there is.
#[derive(Clone, Debug, Serialize)]
#[allow(missing_docs)]
pub struct DeviceSummary {
    pub device: i64,
    /// What to call it: "GPU 0", "Host memory".
    pub label: String,
    pub events: u64,
    pub allocations: u64,
    pub segments: u64,
    pub peak: Figures,
    pub end: Figures,
    /// Null until it was checked, and where it does not hold.
    pub model: Option<Model>,
    /// Why it is null.
    pub model_reason: Option<&'static str>,
    /// Why peaks of allocated, active and inactive split bytes are null.
    pub unknown_reason: Option<String>,
    pub history: History,
}

/// Bytes under PyTorch's names. Allocated and active bytes depend on rounding and splitting, so they need the allocator model; where
/// they are not known they are `None`, never a guess.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[allow(missing_docs)]
pub struct Figures {
    pub requested_bytes: u64,
    pub allocated_bytes: Option<u64>,
    pub active_bytes: Option<u64>,
    pub reserved_bytes: u64,
    /// Free bytes in segments that are partly in use.
    pub inactive_split_bytes: Option<u64>,
}

/// How far the allocator model agrees with the recording, event by event.
#[derive(Clone, Debug, Serialize)]
#[allow(missing_docs)]
pub struct Model {
    pub checked_events: u64,
    pub agreeing_events: u64,
    pub first_difference: Option<u64>,
    /// What differs there, and why that may be.
    pub difference: Option<ModelDifference>,
    /// Bounds of the memory limit that explain the recording; the upper one is null if nothing was refused.
    pub limit_low_bytes: u64,
    pub limit_high_bytes: Option<u64>,
}

/// The first event at which recording and model differ.
#[derive(Clone, Debug, Serialize)]
#[allow(missing_docs)]
pub struct ModelDifference {
    pub event: u64,
    pub recorded: String,
    pub expected: String,
    pub cause: Cause,
    pub title: &'static str,
    pub text: &'static str,
}

/// What is known of the past.
#[derive(Clone, Debug, Serialize)]
#[allow(missing_docs)]
pub struct History {
    pub complete: bool,
    pub baseline_bytes: u64,
    pub unmatched_frees: u64,
    pub ooms: u64,
    pub first_time_us: Option<i64>,
    pub last_time_us: Option<i64>,
}

/// The figures of a recording.
#[inline]
pub fn summary(recording: &Recording) -> Summary {
    let snapshot = &recording.snapshot;
    let devices = snapshot.devices.iter().zip(&recording.replays);
    Summary {
        schema: 1,
        file: File {
            name: snapshot.source.name.clone(),
            bytes: snapshot.source.size_bytes,
            container: snapshot.source.container,
            protocol: snapshot.source.protocol,
        },
        allocator_settings: snapshot.settings.clone(),
        devices: devices.map(|(device, replay)| device_summary(device, replay, snapshot.partial)).collect(),
        warnings: super::gaps::warnings(recording),
    }
}

#[inline]
fn device_summary(device: &Device, replay: &Replay, partial: bool) -> DeviceSummary {
    DeviceSummary {
        device: device.ordinal,
        label: device.label(),
        events: device.events.len() as u64,
        allocations: u64::from(replay.allocations().len()),
        segments: device.segments.len() as u64,
        peak: peak_figures(replay),
        end: end_figures(device, replay, partial),
        model: replay.model().filter(|model| model.applies).map(model_of),
        model_reason: match replay.model() {
            None => Some("The allocator model has not been checked."),
            Some(model) if !model.applies => {
                Some("The allocator model is that of GPUs; this memory has another allocator.")
            }
            Some(_) => None,
        },
        unknown_reason: unknown_reason(replay),
        history: History {
            complete: is_complete(device, replay, partial),
            baseline_bytes: replay.history().baseline_bytes,
            unmatched_frees: replay.history().unmatched_frees,
            ooms: replay.ooms().len() as u64,
            first_time_us: replay.first_time_us(),
            last_time_us: device.events.times_us.iter().copied().max(),
        },
    }
}

#[inline]
pub(crate) fn peak_figures(replay: &Replay) -> Figures {
    let peaks = replay.block_peaks();
    Figures {
        requested_bytes: replay.requested_at(replay.peak()),
        allocated_bytes: peaks.and_then(|(allocated, _)| replay.allocated_at(allocated)),
        active_bytes: peaks.and_then(|(_, active)| replay.active_at(active)),
        reserved_bytes: replay.reserved_at(replay.reserved_peak()),
        inactive_split_bytes: replay.model().and_then(|model| model.inactive_split).map(|(peak, _)| peak),
    }
}

/// Why the sizes of some blocks are not known.
#[inline]
pub fn unknown_reason(replay: &Replay) -> Option<String> {
    let Some(model) = replay.model() else { return Some("The allocator model was not checked.".into()) };
    if !model.applies {
        return Some("This memory has another allocator than GPUs.".into());
    }
    match (&model.difference, model.uncertain_blocks) {
        (Some(difference), _) if difference.event >= model.checked_events => {
            Some("The final segments are not those that the events lead to.".into())
        }
        (Some(difference), _) => Some(format!(
            "The allocator model differs at event {}.",
            units::group_digits(u64::from(difference.event))
        )),
        (None, 0) => None,
        (None, blocks) => Some(format!(
            "{} from before the first event may be larger than shown.",
            units::count(u64::from(blocks), "block", "blocks")
        )),
    }
}

#[inline]
fn model_of(model: &replay::model::Model) -> Model {
    let difference = model.difference.as_ref().map(|difference| ModelDifference {
        event: u64::from(difference.event),
        recorded: difference.recorded.clone(),
        expected: difference.expected.clone(),
        cause: difference.cause,
        title: difference.cause.title(),
        text: difference.cause.text(),
    });
    Model {
        checked_events: u64::from(model.checked_events),
        agreeing_events: u64::from(model.agreeing_events),
        first_difference: difference.as_ref().map(|difference| difference.event),
        difference,
        limit_low_bytes: model.limit.low_bytes,
        limit_high_bytes: model.limit.high_bytes,
    }
}

/// The trace tells the past from its beginning: nothing was there before its first event, and it was not cut.
pub fn is_complete(device: &Device, replay: &Replay, partial: bool) -> bool {
    let history = replay.history();
    let began_empty = replay.requested_at(0) == 0 && replay.reserved_at(0) == 0;
    !partial
        && !device.events.is_empty()
        && began_empty
        && history.unmatched_frees == 0
        && history.untraced_blocks == 0
}

/// The end of what a filter shows, as far as the allocator model knows it.
#[inline]
pub(crate) fn figures_at_end(replay: &Replay) -> Figures {
    let end = replay.end();
    Figures {
        requested_bytes: replay.requested_at(end),
        allocated_bytes: replay.allocated_at(end),
        active_bytes: replay.active_at(end),
        reserved_bytes: replay.reserved_at(end),
        inactive_split_bytes: None,
    }
}

/// The end. Allocated and active bytes are known here: they stand in the final segments.
#[inline]
fn end_figures(device: &Device, replay: &Replay, partial: bool) -> Figures {
    let known = device.has_segments && !partial;
    let sum = |allocated_only: bool| {
        let blocks = device.active_blocks().map(|(_, block)| block);
        let counted =
            blocks.filter(|block| !allocated_only || block.state == crate::model::BlockState::Allocated);
        counted.fold(0u64, |sum, block| sum.saturating_add(block.size_bytes))
    };
    Figures {
        requested_bytes: replay.requested_at(replay.end()),
        allocated_bytes: known.then(|| sum(true)),
        active_bytes: known.then(|| sum(false)),
        reserved_bytes: replay.reserved_at(replay.end()),
        inactive_split_bytes: replay.model().and_then(|model| model.inactive_split).map(|(_, end)| end),
    }
}
