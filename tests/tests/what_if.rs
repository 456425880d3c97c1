//! Programs recorded by the allocator model: tried again under their own settings they do the same, counted again they give the same
//! figures, and what is damaged stops nothing.

use proptest::prelude::*;
use vramscope_core::allocator::Config;
use vramscope_core::model::Snapshot;
use vramscope_core::query;
use vramscope_core::replay::Recording;
use vramscope_core::replay::requests::Requests;
use vramscope_diagnose::oom::{explain, try_expandable};
use vramscope_diagnose::report::{markdown, text};
use vramscope_diagnose::{Options, diagnose, memory_summary};
use vramscope_simulate::{LimitSearch, Order, Run, Simulation, Track, wire};
use vramscope_tests::{chaos, cut, recordings};

fn checked(snapshot: Snapshot) -> Recording {
    let mut recording = Recording::build(snapshot);
    recording.check_all();
    recording
}

/// The recorded requests under the recorded settings and the limit that the recording proves.
fn again(recording: &Recording) -> Option<Run> {
    let (device, replay) = (&recording.snapshot.devices[0], &recording.replays[0]);
    let mut config = Config::of(&recording.snapshot);
    config.limit_bytes = replay.model()?.limit.high_bytes;
    let requests = Requests::read(&recording.snapshot, device, replay, u32::MAX);
    let mut run = Run::new(&requests, config, Order::Borrowed)?;
    while !run.run(&requests, 100) {}
    Some(run)
}

/// Requests as bytes, damaged on their way to a worker, under settings of every kind.
fn simulate_damaged(recording: &Recording, damage: &[u8]) {
    let (device, replay) = (&recording.snapshot.devices[0], &recording.replays[0]);
    let mut bytes = wire::to_bytes(&Requests::read(&recording.snapshot, device, replay, u32::MAX));
    for pair in damage.chunks_exact(2) {
        let at = usize::from(pair[0]) * 7 % bytes.len();
        bytes[at] ^= pair[1];
    }
    let Some(requests) = wire::from_bytes(&bytes) else { return };
    for text in ["expandable_segments:True", "max_split_size_mb:32,garbage_collection_threshold:0.5"] {
        for limit_bytes in [None, Some(64 << 20)] {
            let config = Config { limit_bytes, ..Config::parse(text).unwrap() };
            Simulation::new(&requests, config.clone()).run_all(&requests);
            LimitSearch::new(&config).run_all(&requests);
            if let Some(mut track) = Track::new(&requests, config) {
                track.state_at(&requests, requests.n_events / 2);
            }
        }
    }
}

#[test]
fn recordings_tried_again_under_their_own_settings_reserve_the_same() {
    let mut compared = 0;
    for file in recordings::all() {
        let mut recording = recordings::open(&std::fs::read(&file.path).unwrap(), 1 << 20).unwrap();
        recording.check_all();
        if !recording.replays.first().is_some_and(|replay| replay.model().is_some_and(|model| model.agrees()))
        {
            continue;
        }
        let replay = &recording.replays[0];
        let run = again(&recording).expect("a sound start");
        assert_eq!(run.broke_off(), None, "{}", file.name);
        assert_eq!(run.avoided(), 0, "{}", file.name);
        let (own, told) = (run.statistics().reserved.peak, replay.reserved_at(replay.reserved_peak()));
        assert_eq!(own, told, "{}", file.name);
        compared += 1;
    }
    assert!(compared > 10, "{compared}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn a_program_tried_again_under_its_own_settings_does_the_same(bytes in proptest::collection::vec(any::<u8>(), 2..600)) {
        let recording = checked(chaos::record(&bytes, false));
        let replay = &recording.replays[0];
        let run = again(&recording).expect("a sound start");
        prop_assert_eq!(run.broke_off(), None);
        prop_assert_eq!((run.avoided(), run.oom().is_some()), (0, !replay.ooms().is_empty()));
        prop_assert_eq!(run.statistics().reserved.peak, replay.reserved_at(replay.reserved_peak()));
    }

    #[test]
    fn counters_are_those_of_the_state(bytes in proptest::collection::vec(any::<u8>(), 2..600), pools: bool) {
        let recording = checked(chaos::record(&bytes, pools));
        let end = recording.replays[0].end();
        let mut peak = 0;
        for moment in 0..=end {
            let state = query::state(&recording, 0, moment).expect("there is one");
            peak = peak.max(state.inactive_split_bytes);
            if moment % 7 != 0 && moment != end {
                continue;
            }
            let summary = memory_summary(&recording, 0, moment).expect("there is one");
            prop_assert!(summary.sizes_known && summary.notes.is_empty() == (end > 0));
            prop_assert_eq!(summary.inactive_split_bytes.all.current, state.inactive_split_bytes);
            prop_assert_eq!(summary.allocated_bytes.all.current, state.allocated_bytes);
            prop_assert_eq!(summary.active_bytes.all.current, state.active_bytes);
            prop_assert_eq!(summary.reserved_bytes.all.current, state.reserved_bytes);
            prop_assert_eq!(summary.inactive_split_bytes.all.peak, peak);
            let (all, large, small) =
                (summary.active.all.current, summary.active.large.current, summary.active.small.current);
            prop_assert_eq!(all, large + small);
        }
    }

    #[test]
    fn damage_stops_nothing(
        bytes in proptest::collection::vec(any::<u8>(), 2..400),
        damage in proptest::collection::vec(any::<u8>(), 0..40),
        first in 0usize..30,
        limit: Option<u64>,
    ) {
        let mut snapshot = chaos::record(&bytes, true);
        let first = first.min(snapshot.devices[0].events.len());
        cut::drop_first(&mut snapshot.devices[0], first);
        chaos::damage(&mut snapshot, &damage);
        let mut recording = checked(snapshot);
        if let Some(mut oom) = explain(&recording, 0, limit) {
            try_expandable(&recording, 0, &mut oom);
        }
        again(&recording);
        simulate_damaged(&recording, &damage);
        for moment in [0, 3, u32::MAX] {
            let summary = memory_summary(&recording, 0, moment).expect("there is one");
            prop_assert!(summary.text().lines().count() > 30);
        }
        let report = diagnose(&mut recording, &Options { limit_bytes: limit }).swap_remove(0);
        prop_assert!(text(&report, "GPU 0").starts_with("GPU 0"));
        prop_assert!(markdown(&report, "GPU 0").starts_with("## GPU 0"));
    }
}
