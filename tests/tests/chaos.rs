//! Programs recorded by the model agree with it again, whole or cut; damaged recordings never stop anything.

use proptest::prelude::*;
use vramscope_core::model::Snapshot;
use vramscope_core::query;
use vramscope_core::query::summary::summary;
use vramscope_core::replay::state::State;
use vramscope_core::replay::{Axis, Filter, Recording};
use vramscope_tests::{chaos, cut};

fn checked(snapshot: Snapshot) -> Recording {
    let mut recording = Recording::build(snapshot);
    recording.check_all();
    recording
}

/// Everything that can be asked about a moment, for its own sake.
fn ask_everything(recording: &mut Recording) {
    summary(recording);
    let end = recording.replays[0].end();
    for moment in [0, end / 3, end / 2, end] {
        State::at(&recording.replays[0], moment);
        for question in ["state", "moment"] {
            query::answer(recording, &format!(r#"{{"ask":"{question}","device":0,"moment":{moment}}}"#));
        }
    }
    for question in ["overview", "choices", "settings"] {
        query::answer(recording, &format!(r#"{{"ask":"{question}","device":0}}"#));
    }
    recording.set_filter(&Filter { stream: Some("0x1".into()), ..Filter::default() });
    query::answer(recording, r#"{"ask":"overview","device":0}"#);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_the_model_recorded_it_agrees_with(bytes in proptest::collection::vec(any::<u8>(), 2..900), pools: bool) {
        let recording = checked(chaos::record(&bytes, pools));
        let replay = &recording.replays[0];
        prop_assert_eq!(&replay.model().unwrap().difference, &None);
        let end = State::at(replay, replay.end());
        let own: Vec<(u64, u64)> = recording.snapshot.devices[0]
            .segments
            .iter()
            .flat_map(|segment| segment.blocks.iter().map(|block| (block.address, block.size_bytes)))
            .collect();
        let blocks: Vec<(u64, u64)> = end.blocks.iter().map(|block| (block.address, block.size_bytes)).collect();
        prop_assert_eq!(blocks, own);
        let wrong = summary(&recording).warnings.into_iter().filter(|warning| {
            warning.severity == vramscope_core::warning::Severity::Warning
        });
        prop_assert_eq!(wrong.collect::<Vec<_>>(), vec![]);
    }

    /// Totals over all parts are those of the whole, whatever is filtered; and those of the state.
    #[test]
    fn totals_do_not_depend_on_the_part(bytes in proptest::collection::vec(any::<u8>(), 2..600)) {
        let mut recording = checked(chaos::record(&bytes, true));
        let whole: Vec<(u64, u64)> = (0..recording.replays[0].n_moments())
            .map(|moment| (recording.replays[0].requested_at(moment), recording.replays[0].reserved_at(moment)))
            .collect();
        let mut sums = vec![(0, 0); whole.len()];
        let pools = recording.replays[0].segments().pools().to_vec();
        for (kind, pool) in pools {
            recording.set_filter(&Filter { kind: Some(kind), pool: Some(pool), ..Filter::default() });
            let (_, part) = recording.device(0).unwrap();
            for (moment, sum) in (0..).zip(&mut sums) {
                sum.0 += part.requested_at(moment);
                sum.1 += part.reserved_at(moment);
                let state = State::at(part, moment);
                let reserved: u64 = state.segments.iter().map(|segment| segment.size_bytes).sum();
                prop_assert_eq!(reserved, part.reserved_at(moment));
            }
        }
        prop_assert_eq!(sums, whole);
    }

    /// Whatever is zoomed into, and however many columns it has, a chart never loses or adds a byte.
    #[test]
    fn totals_do_not_depend_on_zoom_or_detail(
        bytes in proptest::collection::vec(any::<u8>(), 2..600),
        columns in 1u32..300,
        from in 0.0..1.0f64,
        share in 0.01..1.0f64,
    ) {
        let recording = checked(chaos::record(&bytes, true));
        let replay = &recording.replays[0];
        let n = f64::from(replay.n_moments());
        let (x0, x1) = (from * n, (from + (1.0 - from) * share) * n);
        let moments = replay.moments_between(Axis::Event, x0, x1).unwrap();
        let chart = query::chart(&recording, 0, Axis::Event, columns, Some(x0), Some(x1)).unwrap();
        let most = |of: &dyn Fn(u32) -> u64| moments.clone().map(of).max();
        prop_assert_eq!(chart.requested.iter().copied().max(), most(&|moment| replay.requested_at(moment)));
        prop_assert_eq!(chart.reserved.iter().copied().max(), most(&|moment| replay.reserved_at(moment)));
        let allocated = chart.allocated.expect("the model agrees");
        prop_assert_eq!(allocated.iter().copied().max(), most(&|moment| replay.allocated_at(moment).unwrap()));
        prop_assert_eq!(replay.requested_at(replay.fullest(0, u32::MAX)), replay.requested_at(replay.peak()));
    }

    #[test]
    fn damage_stops_nothing(
        bytes in proptest::collection::vec(any::<u8>(), 2..500),
        damage in proptest::collection::vec(any::<u8>(), 1..40),
        dropped in 0usize..200,
    ) {
        let mut snapshot = chaos::record(&bytes, bytes[0] % 2 == 0);
        let n = snapshot.devices[0].events.len();
        cut::drop_first(&mut snapshot.devices[0], dropped.min(n));
        chaos::damage(&mut snapshot, &damage);
        ask_everything(&mut checked(snapshot));
    }
}
