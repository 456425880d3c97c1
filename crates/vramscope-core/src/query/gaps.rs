//! What a file does not tell, each with a sentence, a count and bytes.

use crate::ids::StackId;
use crate::model::{Action, Device, Snapshot};
use crate::replay::{Recording, Replay};
use crate::units;
use crate::warning::{Severity, Warning};

/// Warnings of reading, then what each device's replay found, contradictions before what is merely missing.
#[inline]
pub(super) fn warnings(recording: &Recording) -> Vec<Warning> {
    let mut all = recording.snapshot.warnings.list().to_vec();
    let devices = || recording.snapshot.devices.iter().zip(&recording.replays);
    for (device, replay) in devices() {
        let mut gaps = Gaps { device: device.ordinal, list: &mut all };
        contradictions(&mut gaps, replay);
    }
    for (device, replay) in devices() {
        let mut gaps = Gaps { device: device.ordinal, list: &mut all };
        beginning(&mut gaps, device, replay);
        skipped_actions(&mut gaps, &recording.snapshot, device, replay);
        stacks(&mut gaps, &recording.snapshot, device, replay);
        outside_pytorch(&mut gaps, device, replay);
    }
    all
}

struct Gaps<'a> {
    device: i64,
    list: &'a mut Vec<Warning>,
}

impl Gaps<'_> {
    fn add(
        &mut self,
        severity: Severity,
        code: &'static str,
        count: u64,
        bytes: Option<u64>,
        message: String,
    ) {
        if count > 0 {
            self.list.push(Warning { code, count, bytes, device: Some(self.device), severity, message });
        }
    }

    fn warn(&mut self, code: &'static str, count: u64, bytes: u64, message: &str) {
        self.add(Severity::Warning, code, count, Some(bytes), message.into());
    }

    fn note(&mut self, code: &'static str, count: u64, bytes: u64, message: String) {
        self.add(Severity::Note, code, count, Some(bytes), message);
    }
}

/// Events and segments that cannot all be true.
#[inline]
fn contradictions(gaps: &mut Gaps<'_>, replay: &Replay) {
    let (history, faults) = (replay.history(), replay.segments().faults());
    gaps.warn(
        "lost_frees",
        history.lost_frees,
        history.lost_free_bytes,
        "Allocations begin where another one is still alive: its free is missing from the trace. It is taken as freed there.",
    );
    gaps.warn(
        "lost_allocs",
        history.lost_allocs,
        history.lost_alloc_bytes,
        "Blocks are freed that are already free: their alloc is missing from the trace. They count from the request to free them on.",
    );
    gaps.warn(
        "more_requested_than_reserved",
        history.impossible_moments,
        history.impossible_bytes,
        "At these moments more bytes are requested than reserved, which cannot be: events or segments are missing or damaged. The bytes are \
         the most by which they exceed.",
    );
    gaps.warn(
        "contradictions",
        history.contradictions,
        history.contradiction_bytes,
        "Trace and final segments disagree on allocations, as when other threads went on while the snapshot was taken.",
    );
    gaps.warn(
        "resized_blocks",
        history.resized_blocks,
        history.resized_bytes,
        "Blocks have another requested size in the final segments than in the trace; the trace's is shown.",
    );
    gaps.warn(
        "segment_faults",
        faults.segment_events,
        faults.segment_bytes,
        "Segments are given back that were not reserved, or reserved twice: segment events are missing from the trace.",
    );
    gaps.warn(
        "final_segments_differ",
        faults.end_mismatches,
        faults.end_bytes,
        "The final segments overlap, or are not those that the segment events lead to.",
    );
    gaps.warn(
        "misfitting_blocks",
        faults.misfits,
        faults.misfit_bytes,
        "Blocks of final segments do not add up to them, or are smaller than what was asked for.",
    );
    gaps.warn(
        "outside_segments",
        faults.outside,
        faults.outside_bytes,
        "Allocations lie in no segment: segment events are missing from the trace. They count, but have no place in the allocator's state.",
    );
}

/// What was there before the first event, and why its past is not known.
#[inline]
fn beginning(gaps: &mut Gaps<'_>, device: &Device, replay: &Replay) {
    let history = replay.history();
    let events = device.events.len() as u64;
    if events == 0 {
        let reserved = replay.reserved_at(0);
        let message = "The device has no events: what it holds is known at one moment only. Call \
                       torch.cuda.memory._record_memory_history() before the part to look at.";
        gaps.note("no_history", u64::from(reserved > 0), reserved, message.into());
        return;
    }
    let before = history.unmatched_frees + history.untraced_blocks;
    let reserved = replay.reserved_at(0);
    if before > 0 || reserved > 0 {
        let allocations = units::count(before, "allocation", "allocations");
        let is_full = ring_is_full(device, replay);
        let message = match is_full {
            true => format!(
                "The recorder was full after {} and dropped older ones. There before the first event that it kept: {allocations}. Peaks \
                 before it are not in the file. Raise max_entries{}.",
                units::count(events, "event", "events"),
                device
                    .ring
                    .max_entries
                    .map_or(String::new(), |max| format!(" (it was {})", units::group_digits(max))),
            ),
            false => format!(
                "Recording began late. There before the first event: {allocations} and {} of reserved memory. Peaks before it are not in \
                 the file.",
                units::format_bytes(reserved),
            ),
        };
        let code = if is_full { "ring_overflow" } else { "late_start" };
        gaps.add(Severity::Note, code, before.max(1), Some(history.baseline_bytes), message);
    }
    gaps.note(
        "frees_without_alloc",
        history.unmatched_frees,
        history.unmatched_bytes,
        "Allocations are freed whose alloc is not in the trace. They are shown from the first event on, with the stack of their free.".into(),
    );
    gaps.note(
        "untraced_blocks",
        history.untraced_blocks,
        history.untraced_bytes,
        "Blocks are alive at the end that no event mentions: they were there throughout.".into(),
    );
    let uncertain = replay.model().map_or(0, |model| u64::from(model.uncertain_blocks));
    gaps.note(
        "uncertain_block_sizes",
        uncertain,
        uncertain << 20,
        "Blocks from before the first event may each be up to 1 MiB larger than shown: nothing in the trace tells how much of their segment \
         they took. Allocated and active bytes may be higher by that until they are freed."
            .into(),
    );
}

/// The writer says so; or there are frees without alloc, and a number of events that somebody may have set as a limit, which is never certain:
/// two digits and zeros, or a power of two, of at least a thousand.
fn ring_is_full(device: &Device, replay: &Replay) -> bool {
    let events = device.events.len() as u64;
    let zeros = 10u64.pow(events.max(1).ilog10().saturating_sub(1));
    let is_round = events >= 1_000 && (events.is_multiple_of(zeros) || events.is_power_of_two());
    match (device.ring.overflowed, device.ring.max_entries) {
        (Some(overflowed), _) => overflowed,
        (None, Some(max)) => events >= max,
        (None, None) => replay.history().unmatched_frees > 0 && is_round,
    }
}

/// Kinds of events that are missing altogether (`skip_actions`).
#[inline]
fn skipped_actions(gaps: &mut Gaps<'_>, snapshot: &Snapshot, device: &Device, replay: &Replay) {
    let has = |actions: &[Action]| device.events.actions.iter().any(|action| actions.contains(action));
    let rows = replay.allocations();
    if device.events.is_empty() || snapshot.partial {
        return;
    }
    let completed = has(&[Action::FreeCompleted, Action::Free]);
    let ended = (0..rows.len()).filter(|&id| rows.end(id) <= replay.end());
    let bytes_of = |ids: &mut dyn Iterator<Item = u32>| {
        ids.fold((0u64, 0u64), |(n, bytes), id| (n + 1, bytes.saturating_add(rows.size_bytes(id))))
    };
    let (n_ended, ended_bytes) = bytes_of(&mut ended.clone());
    let skipped = |what: &str, effect: &str| {
        format!("The trace has no {what} events, as when they are in skip_actions of the recorder: {effect}.")
    };
    if completed && !has(&[Action::FreeRequested, Action::Free]) {
        let effect = "when the program dropped its memory is not known, only when it could be used again";
        gaps.note("skipped_free_requested", n_ended, ended_bytes, skipped("free_requested", effect));
    }
    if !completed && has(&[Action::FreeRequested]) && n_ended > 0 {
        let effect =
            "memory counts as free from the request on, although another stream may have used it longer";
        gaps.note("skipped_free_completed", n_ended, ended_bytes, skipped("free_completed", effect));
    }
    if completed && !has(&[Action::Alloc]) {
        let effect = "every allocation is shown from the first event on";
        gaps.note("skipped_alloc", n_ended, ended_bytes, skipped("alloc", effect));
    }
    let segments =
        has(&[Action::SegmentAlloc, Action::SegmentFree, Action::SegmentMap, Action::SegmentUnmap]);
    let faults = replay.segments().faults();
    if !segments && (faults.outside > 0 || replay.history().impossible_moments > 0) {
        let effect = "reserved memory is only known at the end";
        let message = skipped("segment", effect);
        gaps.note("skipped_segment_events", faults.outside.max(1), faults.outside_bytes, message);
    }
}

/// Allocations without a stack, by reason.
#[inline]
fn stacks(gaps: &mut Gaps<'_>, snapshot: &Snapshot, device: &Device, replay: &Replay) {
    let rows = replay.allocations();
    let (mut none, mut before, mut of_free) = ((0u64, 0u64), (0u64, 0u64), (0u64, 0u64));
    for id in 0..rows.len() {
        let is_old = rows.before_recording(id);
        let tally = match (rows.stack(id) == StackId::EMPTY, is_old) {
            (true, true) => &mut before,
            (true, false) => &mut none,
            (false, true) if replay.stack_is_of_free(id) => &mut of_free,
            _ => continue,
        };
        tally.0 += 1;
        tally.1 = tally.1.saturating_add(rows.size_bytes(id));
    }
    let no_stack_at_all = snapshot.stacks.n_stacks() <= 1;
    let only_blocks = device.events.stacks.iter().all(|stack| *stack == StackId::EMPTY);
    let (code, reason) = if no_stack_at_all {
        (
            "no_stacks",
            "The file has no stacks: it was recorded with context=None or stacks switched off. Record with context='all' and stacks='all'.",
        )
    } else if only_blocks {
        (
            "stacks_of_blocks_only",
            "Events have no stacks, only blocks that are alive at the end: it was recorded with context='state'. Record with context='all'.",
        )
    } else {
        (
            "allocations_without_stack",
            "Allocations have no stack. With Python stacks only, those of the backward thread have none; record with stacks='all'.",
        )
    };
    gaps.note(code, none.0, none.1, reason.into());
    let text =
        "Allocations from before the first event have no stack: nothing was recorded when they were made.";
    gaps.note("no_stack_before_recording", before.0, before.1, text.into());
    let text = "For allocations from before the first event the stack of their free is shown: that of their alloc was not recorded.";
    gaps.note("stack_of_free", of_free.0, of_free.1, text.into());
}

/// What the card holds besides PyTorch's memory is not in a snapshot; an OOM tells how much room there was.
#[inline]
fn outside_pytorch(gaps: &mut Gaps<'_>, device: &Device, replay: &Replay) {
    let Some(&event) = replay.ooms().last() else { return };
    let free = device.events.addrs.get(event as usize).copied().unwrap_or(0);
    let reserved = replay.reserved_at(event + 1);
    let message = format!(
        "What the card holds outside PyTorch's allocator (CUDA contexts, NCCL, cuBLAS, other processes) is not in a snapshot. At the last OOM \
         PyTorch had reserved {} and the driver had {} free; the rest of the card was held outside.",
        units::format_bytes(reserved),
        units::format_bytes(free),
    );
    let code = "outside_pytorch";
    gaps.add(Severity::Note, code, replay.ooms().len() as u64, None, message);
}
