//! Files that contradict themselves: said so with counts and bytes, never believed in silence, and never a matter of memory.

use peak_alloc::PeakAlloc;
use vramscope_core::model::{Action, BlockState, Segment, Snapshot};
use vramscope_core::query::{self, summary::summary};
use vramscope_core::replay::Recording;
use vramscope_core::replay::model::Cause;
use vramscope_tests::trace::{MIB, Trace};
use vramscope_tests::{cut, recordings};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

fn checked(snapshot: Snapshot) -> Recording {
    let mut recording = Recording::build(snapshot);
    recording.check_all();
    recording
}

/// A warning's count and bytes.
fn warned(recording: &Recording, code: &str) -> Option<(u64, u64)> {
    let warnings = summary(recording).warnings;
    warnings
        .iter()
        .find(|warning| warning.code == code)
        .map(|warning| (warning.count, warning.bytes.unwrap_or(0)))
}

fn free_segment(snapshot: &Snapshot) -> usize {
    let segments = &snapshot.devices[0].segments;
    segments.iter().position(|segment| !segment.blocks.iter().any(|block| block.is_active())).unwrap()
}

/// A real recording whose final segments were changed.
fn changed(name: &str, change: impl FnOnce(&mut Vec<Segment>, usize)) -> Recording {
    let mut snapshot = cut::snapshot(&recordings::pickle(name));
    let free = free_segment(&snapshot);
    change(&mut snapshot.devices[0].segments, free);
    checked(snapshot)
}

fn is_not_believed(recording: &Recording) {
    let device = &summary(recording).devices[0];
    assert_eq!((device.peak.allocated_bytes, device.peak.active_bytes), (None, None));
    assert!(device.unknown_reason.is_some());
    assert!(!query::listed(recording, 0, device.events as u32).unwrap().exact);
}

#[test]
fn a_final_segment_that_is_missing_doubled_or_shifted() {
    let missing = changed("train_plain", |segments, free| drop(segments.remove(free)));
    let doubled = changed("train_plain", |segments, free| segments.insert(free, segments[free].clone()));
    let shifted = changed("train_plain", |segments, free| segments[free].address += 512);
    for recording in [missing, doubled, shifted] {
        let (count, bytes) = warned(&recording, "final_segments_differ").expect("a warning");
        assert!(count >= 1 && bytes >= MIB, "{count}, {bytes}");
        is_not_believed(&recording);
    }
}

#[test]
fn blocks_that_do_not_fit_their_segment() {
    let grown = changed("train_plain", |segments, free| segments[free].blocks[0].size_bytes += 4_096);
    assert_eq!(warned(&grown, "misfitting_blocks"), Some((1, 4_096)));
    is_not_believed(&grown);
    let greedy = Trace::default()
        .event(Action::Snapshot, 0, 0)
        .segment(0x1000_0000, 2 * MIB, (0, 0), &[(0x1000_0000, 2 * MIB, 3 * MIB, BlockState::Allocated)])
        .open();
    assert_eq!(warned(&greedy, "misfitting_blocks"), Some((1, MIB)));
}

/// Every event can be explained by the settings in the file, but not what is left: they were changed while recording.
#[test]
fn an_end_that_the_events_do_not_lead_to() {
    let recording = Trace::default()
        .event(Action::SegmentAlloc, 0x1000_0000, 20 * MIB)
        .event(Action::Alloc, 0x1000_0000, 3 * MIB)
        .segment(0x1000_0000, 20 * MIB, (0, 0), &[(0x1000_0000, 20 * MIB, 3 * MIB, BlockState::Allocated)])
        .open();
    let difference = recording.replays[0].model().unwrap().difference.as_ref().expect("a difference");
    assert_eq!((difference.event, difference.cause), (2, Cause::FinalSegments));
    is_not_believed(&recording);
    let end = query::listed(&recording, 0, 2).unwrap();
    assert_eq!(end.segments[0].blocks[0].bytes, 20 * MIB, "the end is what the file says");
}

#[test]
fn segments_upon_segments_take_no_memory() {
    let mut trace = Trace::default();
    for segment in 0..20_000u64 {
        let address = 0x1000_0000 + 512 * segment;
        trace = trace.segment(address, 200 * MIB, (0, 0), &[(address, 512, 500, BlockState::Allocated)]);
    }
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let recording = trace.open();
    query::state(&recording, 0, 0);
    let taken = MEMORY.peak_usage() - before;
    assert!(taken < 64 << 20, "{} MiB", taken >> 20);
    assert!(warned(&recording, "final_segments_differ").is_some());
}
