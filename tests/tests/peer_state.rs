//! Faults of PyTorch's own page that concern replay and state, each with the right result here. Numbers are those of a list of its known weaknesses.

use vramscope_core::model::{Action, BlockState};
use vramscope_core::query::{self, summary::summary};
use vramscope_core::replay::Recording;
use vramscope_core::replay::state::State;
use vramscope_tests::trace::{MIB, Trace, recording};

fn segments_at(recording: &Recording, moment: u32) -> Vec<(u64, u64)> {
    let state = State::at(&recording.replays[0], moment);
    state.segments.iter().map(|segment| (segment.address, segment.size_bytes)).collect()
}

/// 8: events on addresses that nobody knows stop its view.
#[test]
fn n08_unknown_addresses_are_counted_and_the_state_goes_on() {
    let recording = Trace::default()
        .event(Action::FreeRequested, 0xdead_0000, 512)
        .event(Action::SegmentUnmap, 0xbeef_0000, 2 * MIB)
        .event(Action::SegmentAlloc, 0x40_0000, 2 * MIB)
        .event(Action::Alloc, 0x40_0000, 1_000)
        .event(Action::Alloc, 0x9000_0000, 3 * MIB)
        .segment(0x40_0000, 2 * MIB, (0, 0), &[(0x40_0000, 1_024, 1_000, BlockState::Allocated)])
        .open();
    let state = State::at(&recording.replays[0], 5);
    assert_eq!(state.segments.len(), 1);
    assert_eq!((state.blocks[0].size_bytes, state.outside.len()), (1_024, 1), "the block in no segment");
    let codes: Vec<_> = summary(&recording).warnings.iter().map(|warning| warning.code).collect();
    assert!(codes.contains(&"outside_segments") && codes.contains(&"contradictions"), "{codes:?}");
    assert!(
        query::answer(&recording, r#"{"ask":"state","device":0,"moment":5}"#)
            .contains("\"outside\":{\"count\":1")
    );
}

/// 9: a segment freed above all others is inserted before the last one.
#[test]
fn n09_segments_are_in_order_of_address() {
    let recording = Trace::default()
        .event(Action::SegmentFree, 0x9000_0000, 20 * MIB)
        .segment(0x1000_0000, 20 * MIB, (0, 0), &[])
        .segment(0x5000_0000, 20 * MIB, (0, 0), &[])
        .open();
    let before = segments_at(&recording, 0);
    assert_eq!(before, [(0x1000_0000, 20 * MIB), (0x5000_0000, 20 * MIB), (0x9000_0000, 20 * MIB)]);
    assert_eq!(segments_at(&recording, 1), before[..2]);
}

/// 10: in the past, blocks have the requested size: no rounding waste is seen.
#[test]
fn n10_the_past_shows_what_rounding_loses() {
    let recording = Trace::default()
        .event(Action::SegmentAlloc, 0x1000_0000, 20 * MIB)
        .event(Action::Alloc, 0x1000_0000, 5 * MIB + 1)
        .event(Action::FreeRequested, 0x1000_0000, 5 * MIB + 1)
        .event(Action::FreeCompleted, 0x1000_0000, 5 * MIB + 1)
        .segment(0x1000_0000, 20 * MIB, (0, 0), &[(0x1000_0000, 20 * MIB, 0, BlockState::Inactive)])
        .open();
    let replay = &recording.replays[0];
    let state = State::at(replay, 2);
    assert_eq!((state.blocks[0].size_bytes, state.blocks[0].requested_bytes), (5 * MIB + 512, 5 * MIB + 1));
    assert_eq!(state.blocks[1].size_bytes, 15 * MIB - 512, "and the free space is not too large");
    assert_eq!(replay.allocated_at(2), Some(5 * MIB + 512));
}

/// 15: memory from before the trace, or a peak of small allocations, overflows its scale.
#[test]
fn n15_the_scale_holds_what_was_there_before() {
    let recording = Trace::default()
        .event(Action::FreeRequested, 0x1000_0000, 12 * MIB)
        .event(Action::FreeCompleted, 0x1000_0000, 12 * MIB)
        .segment(0x1000_0000, 20 * MIB, (0, 0), &[(0x1000_0000, 20 * MIB, 0, BlockState::Inactive)])
        .open();
    let replay = &recording.replays[0];
    assert_eq!((replay.peak(), replay.requested_at(replay.peak())), (0, 12 * MIB));
    let chart = query::chart(&recording, 0, Default::default(), 3, None, None).unwrap();
    assert_eq!(chart.requested.iter().max(), Some(&(12 * MIB)));
}

/// 19: reserved memory of a private pool without any allocation is not shown.
#[test]
fn n19_an_empty_private_pool_is_there() {
    let recording = Trace::default()
        .event(Action::Snapshot, 0, 0)
        .segment(0x1000_0000, 20 * MIB, (0, 7), &[(0x1000_0000, 20 * MIB, 0, BlockState::Inactive)])
        .open();
    let state = query::state(&recording, 0, 1).unwrap();
    assert_eq!(state.groups.len(), 1);
    assert_eq!((state.groups[0].pool, state.groups[0].figures.reserved_bytes), ((0, 7), 20 * MIB));
    assert_eq!(query::choices(&recording, 0).unwrap().pools[0].pool, (0, 7));
}

/// 20: blocks that wait for a stream and have no alloc event are left out of its timelines.
#[test]
fn n20_waiting_blocks_from_before_the_trace_are_there() {
    let recording = Trace::default()
        .event(Action::Snapshot, 0, 0)
        .segment(
            0x1000_0000,
            2 * MIB,
            (0, 0),
            &[
                (0x1000_0000, MIB, 1_000_000, BlockState::PendingFree),
                (0x1010_0000, MIB, 0, BlockState::Inactive),
            ],
        )
        .open();
    let replay = &recording.replays[0];
    assert_eq!((replay.n_live(0), replay.requested_at(1)), (1, 1_000_000));
    assert_eq!(State::at(replay, 1).blocks[0].state, BlockState::PendingFree);
    assert_eq!((replay.allocated_at(1), replay.active_at(1)), (Some(0), Some(MIB)));
}

/// 24: numbers of the lives of an address are shared by all devices.
#[test]
fn n24_devices_share_nothing() {
    let device = |size| {
        Trace::default()
            .event(Action::SegmentAlloc, 0x1000_0000, 20 * MIB)
            .event(Action::Alloc, 0x1000_0000, size)
            .segment(
                0x1000_0000,
                20 * MIB,
                (0, 0),
                &[
                    (0x1000_0000, size, size, BlockState::Allocated),
                    (0x1000_0000 + size, 20 * MIB - size, 0, BlockState::Inactive),
                ],
            )
            .0
    };
    let recording = recording(vec![device(2 * MIB), device(3 * MIB)]);
    for (ordinal, size) in [(0, 2 * MIB), (1, 3 * MIB)] {
        let (_, replay) = recording.device(ordinal).unwrap();
        assert_eq!((replay.allocations().len(), replay.allocations().size_bytes(0)), (1, size));
        assert!(replay.model().unwrap().agrees());
    }
}

/// 28: giving back a segment that is not there removes the last one.
#[test]
fn n28_a_segment_that_is_not_there_takes_no_other_with_it() {
    let recording = Trace::default()
        .event(Action::SegmentAlloc, 0x1000_0000, 20 * MIB)
        .event(Action::SegmentAlloc, 0x5000_0000, 20 * MIB)
        .event(Action::SegmentFree, 0x7000_0000, 20 * MIB)
        .event(Action::SegmentAlloc, 0x7000_0000, 20 * MIB)
        .event(Action::SegmentFree, 0x7000_0000, 40 * MIB)
        .segment(0x1000_0000, 20 * MIB, (0, 0), &[])
        .segment(0x5000_0000, 20 * MIB, (0, 0), &[])
        .open();
    assert_eq!(segments_at(&recording, 5), [(0x1000_0000, 20 * MIB), (0x5000_0000, 20 * MIB)]);
    let warnings = summary(&recording).warnings;
    let fault = warnings.iter().find(|warning| warning.code == "segment_faults").expect("it is said");
    assert!(fault.count >= 1 && fault.bytes >= Some(20 * MIB), "{fault:?}");
}

/// 29: the total "after" something that was there before depends on the order of stacking, not on time.
#[test]
fn n29_totals_are_those_of_a_moment() {
    let recording = Trace::default()
        .event(Action::FreeRequested, 0x1000_0000, 4 * MIB)
        .event(Action::FreeCompleted, 0x1000_0000, 4 * MIB)
        .event(Action::FreeRequested, 0x1080_0000, 2 * MIB)
        .event(Action::FreeCompleted, 0x1080_0000, 2 * MIB)
        .segment(0x1000_0000, 20 * MIB, (0, 0), &[(0x1000_0000, 20 * MIB, 0, BlockState::Inactive)])
        .open();
    let replay = &recording.replays[0];
    let totals: Vec<u64> = (0..replay.n_moments()).map(|moment| replay.requested_at(moment) / MIB).collect();
    assert_eq!(totals, [6, 6, 2, 2, 0]);
}
