//! The overview of one device.

use serde::Serialize;

use super::moment::{Moment, Row, alive};
use super::summary::{Figures, figures_at_end, is_complete, peak_figures};
use crate::ids::StackId;
use crate::model::{Device, Snapshot};
use crate::replay::stacking::{Stacking, slot_bytes};
use crate::replay::state::State;
use crate::replay::{N_SLOTS, Recording, Replay, SLOTS_BY_RANK, Site};
use crate::units;

/// What the overview shows beside the summary's figures.
#[derive(Clone, Debug, Serialize)]
#[allow(missing_docs)]
pub struct Overview {
    /// Peaks, each of its own series, and the end; under a filter those of the part that it shows.
    pub figures: PeakAndEnd,
    pub peak: Moment,
    pub reserved_peak: Moment,
    pub end: Moment,
    pub ooms: Vec<OomMark>,
    pub alive_at_peak: AliveAtPeak,
    /// The ten stacks with the most bytes at the peak.
    pub stacks: Vec<Row>,
    pub stacks_rest_bytes: u64,
    /// Allocations of the recording, and segments at its end; under a filter those of the part that it shows.
    pub allocations: u32,
    pub segments: u32,
    pub duration_us: Option<i64>,
    pub legend: Vec<LegendItem>,
    pub banner: Option<Banner>,
}

/// A request that could not be served.
#[derive(Clone, Debug, Serialize)]
#[allow(missing_docs)]
pub struct OomMark {
    pub moment: u32,
    pub event: u32,
    pub time_us: Option<i64>,
    /// What was asked for, rounded.
    pub requested_bytes: u64,
    /// Free on the card then, as the driver said.
    pub device_free_bytes: u64,
    /// Requested bytes alive then.
    pub requested_at: u64,
    /// Reserved bytes then.
    pub reserved_at: u64,
    /// Who asked.
    pub name: String,
    pub at: String,
    pub stack: StackId,
    /// Bounds of the memory limit that the recording proves; null until the model is checked, the upper one also if nothing was refused.
    pub limit_low_bytes: Option<u64>,
    pub limit_high_bytes: Option<u64>,
    /// Free in segments that the request could use, and the largest piece of it.
    pub free_bytes: u64,
    pub largest_free_bytes: u64,
}

/// How much is alive at the peak.
#[derive(Clone, Copy, Debug, Serialize)]
#[allow(missing_docs)]
pub struct AliveAtPeak {
    pub count: u32,
    pub bytes: u64,
}

/// One colour.
#[derive(Clone, Debug, Serialize)]
#[allow(missing_docs)]
pub struct LegendItem {
    pub slot: u8,
    pub name: String,
    pub at: String,
    /// Bytes at the peak.
    pub bytes: u64,
}

/// A fact about the whole file that changes how figures are read.
#[derive(Clone, Debug, Serialize)]
#[allow(missing_docs)]
pub struct Banner {
    pub severity: &'static str,
    pub title: String,
    pub text: String,
}

const STACKS_AT_PEAK: u32 = 10;

/// Figures as in `summary`.
#[derive(Clone, Copy, Debug, Serialize)]
#[allow(missing_docs)]
pub struct PeakAndEnd {
    pub peak: Figures,
    pub end: Figures,
}

/// The overview of a device.
#[inline]
pub fn overview(recording: &Recording, ordinal: i64) -> Option<Overview> {
    let (device, replay) = recording.device(ordinal)?;
    let peak = replay.peak();
    let at_peak = alive(recording, ordinal, peak, STACKS_AT_PEAK)?;
    Some(Overview {
        figures: PeakAndEnd {
            peak: Figures { inactive_split_bytes: None, ..peak_figures(replay) },
            end: figures_at_end(replay),
        },
        peak: Moment::at(replay, peak),
        reserved_peak: Moment::at(replay, replay.reserved_peak()),
        end: Moment::at(replay, replay.end()),
        ooms: replay.ooms().iter().map(|&event| oom(recording, device, replay, event)).collect(),
        alive_at_peak: AliveAtPeak { count: at_peak.count, bytes: at_peak.bytes },
        stacks: at_peak.rows,
        stacks_rest_bytes: at_peak.rest.bytes,
        allocations: (0..replay.allocations().len()).filter(|&id| replay.allocations().is_shown(id)).count()
            as u32,
        segments: State::at(replay, replay.end()).segments.len() as u32,
        duration_us: replay.duration_us(),
        legend: legend(recording, replay),
        banner: banner(device, replay, &recording.snapshot),
    })
}

#[inline]
fn oom(recording: &Recording, device: &Device, replay: &Replay, event: u32) -> OomMark {
    let moment = event + 1;
    let stack = device.events.stacks.get(event as usize).copied().unwrap_or(StackId::EMPTY);
    let site = Site::of_stack(stack, &recording.snapshot);
    let state = State::at(replay, moment);
    let groups = super::state::groups(&recording.snapshot, &state);
    let failed = super::state::failed(&recording.snapshot, device, replay, &groups, moment);
    OomMark {
        moment,
        event,
        time_us: replay.time_at(moment),
        requested_bytes: device.events.sizes.get(event as usize).copied().unwrap_or(0),
        device_free_bytes: device.events.addrs.get(event as usize).copied().unwrap_or(0),
        requested_at: replay.requested_at(moment),
        reserved_at: replay.reserved_at(moment),
        name: site.name(&recording.snapshot),
        at: site.at(&recording.snapshot),
        stack,
        limit_low_bytes: replay.model().map(|model| model.limit.low_bytes),
        limit_high_bytes: replay.model().and_then(|model| model.limit.high_bytes),
        free_bytes: failed.as_ref().map_or(0, |failed| failed.free_bytes),
        largest_free_bytes: failed.as_ref().map_or(0, |failed| failed.largest_free_bytes),
    }
}

/// Slots that own a place, then the two neutral ones as one.
#[inline]
fn legend(recording: &Recording, replay: &Replay) -> Vec<LegendItem> {
    let snapshot = &recording.snapshot;
    // Places keep their colours under a filter; their bytes are those of the part that it shows.
    let peak = slot_bytes(replay, replay.peak(), Stacking::Stack);
    let mut items: Vec<LegendItem> = (0..)
        .zip(replay.slot_owners())
        .zip(peak)
        .map(|((slot, (site, _)), bytes)| LegendItem {
            slot,
            name: site.name(snapshot),
            at: site.at(snapshot),
            bytes,
        })
        .collect();
    let rest: u64 = peak[SLOTS_BY_RANK..N_SLOTS].iter().sum();
    items.push(LegendItem {
        slot: SLOTS_BY_RANK as u8,
        name: "Other stacks".into(),
        at: String::new(),
        bytes: rest,
    });
    items
}

/// What the reader must know before trusting the figures; the most severe fact only.
#[inline]
fn banner(device: &Device, replay: &Replay, snapshot: &Snapshot) -> Option<Banner> {
    let history = replay.history();
    let baseline = units::format_bytes(history.baseline_bytes);
    let reserved = units::format_bytes(replay.reserved_at(0));
    let warning = |title: &str, text: String| Some(Banner { severity: "warning", title: title.into(), text });
    if !snapshot.source.sound {
        return warning(
            "The file was damaged on the way.",
            "The check sum of its gzip data differs or is missing, so figures may be wrong. Copy it again."
                .into(),
        );
    }
    if snapshot.partial {
        let events = units::count(device.events.len() as u64, "event", "events");
        return warning(
            "Only the readable part of the file is shown.",
            format!("It could be read up to {events}; what came after, and the final segments, are missing."),
        );
    }
    if device.events.is_empty() && replay.reserved_at(0) == 0 {
        let text = "It has no events and holds no memory: this process did not use it.".into();
        return Some(Banner {
            severity: "note",
            title: "Nothing was allocated on this device.".into(),
            text,
        });
    }
    if device.events.is_empty() {
        return warning(
            "This snapshot has no history.",
            format!(
                "It shows {reserved} reserved at one moment, and no past: peaks are not known. \
                 Call torch.cuda.memory._record_memory_history() before the part to look at."
            ),
        );
    }
    if history.unmatched_frees > 0 {
        return warning(
            "The history begins in the middle.",
            format!(
                "There before the first event: {}, {baseline} in all; peaks before it are not in the file. \
                 The ring buffer was full (raise max_entries), or recording began late.",
                units::count(history.unmatched_frees + history.untraced_blocks, "allocation", "allocations")
            ),
        );
    }
    if is_complete(device, replay, snapshot.partial) {
        return None;
    }
    let there = match history.untraced_blocks {
        0 => "No allocation was there before".into(),
        blocks => format!(
            "{baseline} in {} were there throughout, without an event",
            units::count(blocks, "block", "blocks")
        ),
    };
    Some(Banner {
        severity: "note",
        title: "Recording began after memory was reserved.".into(),
        text: format!(
            "{there}; {reserved} were reserved. Start recording before the model is built to see all of it made."
        ),
    })
}
