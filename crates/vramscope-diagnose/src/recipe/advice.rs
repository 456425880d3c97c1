//! What a recording should do differently next time, told from the file itself.

use serde::Serialize;
use vramscope_core::ids::FrameId;
use vramscope_core::model::{Action, Device, FrameKind, Snapshot};
use vramscope_core::query::summary::summary;
use vramscope_core::replay::Recording;
use vramscope_core::units::{format_bytes, group_digits};

use crate::thresholds::RECORDING_SMALL_SHARE;

/// Events below which a share of them says nothing.
const ENOUGH_EVENTS: usize = 10_000;
/// Blocks of at most this size are small: they come from the allocator's small pool.
const SMALL_BYTES: u64 = 1 << 20;

/// Something to record differently.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RecordingAdvice {
    /// Stable: "no_history", "no_stacks", "ring_too_small".
    pub code: &'static str,
    /// The device, where it is one.
    pub device: Option<i64>,
    /// A fact.
    pub title: String,
    /// What to do. `code` marks up words; nothing else does.
    pub text: String,
}

/// What a recording lacks and how the next one gets it, what matters most first.
pub fn advice_for(recording: &Recording) -> Vec<RecordingAdvice> {
    let mut advice = Vec::new();
    // The one place that tells a full ring from a late start.
    let warnings = summary(recording).warnings;
    for (device, replay) in recording.snapshot.devices.iter().zip(&recording.replays) {
        let history = replay.history();
        if device.events.is_empty() {
            advice.extend(no_history(device));
            continue;
        }
        let is_full =
            warnings.iter().any(|it| it.code == "ring_overflow" && it.device == Some(device.ordinal));
        if is_full {
            advice.push(ring(device, history.unmatched_frees));
            advice.extend(many_small(device));
        } else if history.baseline_bytes > 0 {
            let bytes = format_bytes(history.baseline_bytes);
            let title = format!("Recording began late: {bytes} were there before");
            let text =
                "Start recording before the model is built; what came before has no stack and no category.";
            advice.push(of(device, "late_start", title, text.into()));
        }
    }
    if recording.snapshot.devices.iter().any(|device| !device.events.is_empty()) {
        advice.extend(stacks(&recording.snapshot));
    }
    advice
}

fn of(device: &Device, code: &'static str, title: String, text: String) -> RecordingAdvice {
    RecordingAdvice { code, device: Some(device.ordinal), title, text }
}

/// Segments without events: recording never began, or it was stopped before the file was written.
fn no_history(device: &Device) -> Option<RecordingAdvice> {
    let text = "Call `torch.cuda.memory._record_memory_history(max_entries=1_000_000)` before the model is built, and `_dump_snapshot` before \
                `_record_memory_history(enabled=None)`: stopping can throw the events away.";
    let title = format!("{} has no history, only its last moment", device.label());
    (!device.segments.is_empty()).then(|| of(device, "no_history", title, text.into()))
}

/// The oldest events were overwritten. Every free without its alloc is at least one event that was lost.
fn ring(device: &Device, unmatched_frees: u64) -> RecordingAdvice {
    let kept = device.events.len() as u64;
    let title = format!("The ring kept the last {} events only", group_digits(kept));
    let needed = kept.saturating_add(unmatched_frees).next_multiple_of(100_000);
    let text = match unmatched_frees {
        0 => "Record with a larger `max_entries`; `sys.maxsize` keeps all.".into(),
        frees => format!(
            "{} blocks are freed whose allocation was overwritten, so at least {} events happened: record with `max_entries={}` or more.",
            group_digits(frees),
            group_digits(kept.saturating_add(frees)),
            group_digits(needed).replace(',', "_")
        ),
    };
    of(device, "ring_too_small", title, text)
}

/// Small blocks fill ring and file, and hold little.
fn many_small(device: &Device) -> Option<RecordingAdvice> {
    let events = &device.events;
    let allocs = events.actions.iter().zip(&events.sizes).filter(|(action, _)| **action == Action::Alloc);
    let (mut all, mut small) = (0_usize, 0_usize);
    for (_, size) in allocs {
        all += 1;
        small += usize::from(*size <= SMALL_BYTES);
    }
    let share = small as f64 / all.max(1) as f64;
    (events.len() >= ENOUGH_EVENTS && share >= RECORDING_SMALL_SHARE).then(|| {
        let title = format!("{:.0} % of the allocations are of 1 MiB or less", (share * 100.0).floor());
        let text = "They fill the ring. Record fewer steps, or leave out events with `skip_actions=['free_requested']` where PyTorch has it (2.11).";
        of(device, "many_small", title, text.into())
    })
}

/// Which frames the stacks have.
fn stacks(snapshot: &Snapshot) -> Option<RecordingAdvice> {
    let (mut python, mut cpp) = (false, false);
    let frames = (0..snapshot.stacks.n_frames()).filter_map(|id| snapshot.stacks.frame(FrameId(id as u32)));
    for frame in frames {
        match frame.kind(&snapshot.strings) {
            FrameKind::Cpp => cpp = true,
            _ => python = true,
        }
    }
    let (code, title, text) = match (python, cpp) {
        (true, true) => return None,
        (false, false) => (
            "no_stacks",
            "The events have no stacks",
            "They were recorded with `context=None` or `'state'`. Record with `context='all'`, the default.",
        ),
        (true, false) => (
            "python_stacks_only",
            "The stacks have no C++ frames",
            "That is enough to find the line of code. Only to tell operators apart that start in C++ (autograd), record with `stacks='all'`.",
        ),
        (false, true) => (
            "cpp_stacks_only",
            "The stacks have no Python frames",
            "The thread had no Python, or recording was started from C++. Call `_record_memory_history` from Python.",
        ),
    };
    Some(RecordingAdvice { code, device: None, title: title.into(), text: text.into() })
}
