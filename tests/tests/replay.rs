//! Pairing, series and live sets, on scripts whose right answer is plain and on random programs against brute force.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::Value;
use vramscope_core::query::{self, summary::summary};
use vramscope_core::replay::stacking::{self, Piled, Stacking};
use vramscope_core::replay::{Recording, Replay};
use vramscope_core::warning::Severity;
use vramscope_tests::recordings;
use vramscope_tests::script::Script;

const MIB: u64 = 1 << 20;

fn open(script: &Script) -> Recording {
    recordings::open(&script.pickle(), 1 << 16).unwrap_or_else(|error| panic!("{error}"))
}

fn open_labelled(script: &Script) -> Recording {
    let mut recording = open(script);
    recordings::label(&mut recording);
    recording
}

fn live(replay: &Replay, moment: u32) -> Vec<u32> {
    let mut ids = Vec::new();
    replay.for_each_live(moment, |id| ids.push(id));
    ids
}

fn requested(recording: &Recording) -> Vec<u64> {
    let replay = &recording.replays[0];
    (0..replay.n_moments()).map(|moment| replay.requested_at(moment)).collect()
}

fn ask(recording: &Recording, question: &str) -> Value {
    serde_json::from_str(&query::answer(recording, question)).unwrap()
}

#[test]
fn an_address_is_not_an_identity() {
    let script = Script::default()
        .event("segment_alloc", 0x1000, 20 * MIB)
        .event("alloc", 0x1000, 100)
        .free(0x1000, 100)
        .event("alloc", 0x1000, 300)
        .segment(0x1000, 20 * MIB, &[(0x1000, 512, 300, "active_allocated")]);
    let recording = open(&script);
    assert_eq!(requested(&recording), [0, 0, 100, 100, 0, 300]);
    let replay = &recording.replays[0];
    assert_eq!(replay.allocations().len(), 2);
    assert_eq!(replay.allocations().release(0), 3, "released one event before it is free");
    assert_eq!((0..6).map(|moment| replay.reserved_at(moment)).max(), Some(20 * MIB));
    assert!(summary(&recording).devices[0].history.complete);
}

#[test]
fn what_was_there_before_is_found() {
    // Freed in the trace, alive throughout, and made in the trace.
    let script = Script::default().event("alloc", 0x3000, 30).free(0x2000, 20).segment(
        0x1000,
        2 * MIB,
        &[(0x1000, 512, 10, "active_allocated"), (0x3000, 512, 30, "active_pending_free")],
    );
    let recording = open(&script);
    assert_eq!(requested(&recording), [30, 60, 60, 40]);
    let history = recording.replays[0].history();
    assert_eq!((history.baseline_bytes, history.unmatched_frees, history.untraced_blocks), (30, 1, 1));
    let device = &summary(&recording).devices[0];
    assert!(!device.history.complete);
    assert_eq!((device.peak.reserved_bytes, device.end.reserved_bytes), (2 * MIB, 2 * MIB));
}

#[test]
fn lost_events_are_counted_not_fatal() {
    let lost_free = open(&Script::default().event("alloc", 0x1000, 10).event("alloc", 0x1000, 20));
    assert_eq!(requested(&lost_free), [0, 10, 20]);
    let lost_alloc = open(&Script::default().event("alloc", 0x1000, 10).free(0x1000, 10).free(0x1000, 99));
    assert_eq!(requested(&lost_alloc), [0, 10, 10, 0, 99, 0]);
    let codes = |recording: &Recording| {
        summary(recording).warnings.iter().map(|warning| (warning.code, warning.count)).collect::<Vec<_>>()
    };
    assert!(codes(&lost_free).contains(&("lost_frees", 1)));
    assert!(codes(&lost_alloc).contains(&("lost_allocs", 1)));
    let strange = Script::default().event("dance", 1, 2).event("alloc", 0x1000, u64::MAX);
    let strange = open(&strange);
    assert!(
        codes(&strange).contains(&("unknown_actions", 1))
            && codes(&strange).contains(&("impossible_sizes", 1))
    );
}

/// Two final segments that claim the same block contradict each other; they are counted, and nothing else breaks.
#[test]
fn overlapping_segments_are_a_contradiction() {
    let block = (0x1000, 512, 10, "active_allocated");
    let script = Script::default().event("alloc", 0x1000, 10).segment(0x1000, MIB, &[block]).segment(
        0x1000,
        MIB,
        &[block],
    );
    let recording = open(&script);
    assert_eq!(recording.replays[0].history().contradictions, 1);
    assert_eq!(requested(&recording), [0, 10]);
}

#[test]
fn segments_that_are_no_list_are_not_an_empty_final_state() {
    let recording =
        open(&Script::default().event("alloc", 0x1000, 10).top("segments", serde_pickle::Value::None));
    let device = &summary(&recording).devices[0];
    assert_eq!((device.end.requested_bytes, device.end.allocated_bytes), (10, None));
    assert_eq!(recording.replays[0].history().contradictions, 0);
}

#[test]
fn without_completed_frees_the_request_frees() {
    let script = Script::default().event("alloc", 0x1000, 10).event("free_requested", 0x1000, 10);
    assert_eq!(requested(&open(&script)), [0, 10, 0]);
}

#[test]
fn settings_of_unexpected_types_are_left_out_with_a_warning() {
    use serde_pickle::{HashableValue, Value as P};
    let settings = |value: P| P::Dict([(HashableValue::String("max_split_size".into()), value)].into());
    let good = open(&Script::default().top("allocator_settings", settings(P::I64(-1))));
    assert_eq!(good.snapshot.settings.unwrap().max_split_size, Some(-1));
    let bad = open(&Script::default().top("allocator_settings", settings(P::String("many".into()))));
    assert_eq!(bad.snapshot.settings, None);
    assert_eq!(bad.snapshot.warnings.list()[0].code, "unreadable_settings");
}

#[test]
fn questions_about_a_script() {
    let script = Script::default()
        .event("segment_alloc", 0x1000, 20 * MIB)
        .alloc_at(0x1000, 2 * MIB, "/me/train.py", 7)
        .alloc_at(0x400000, 5 * MIB, "/me/train.py", 9)
        .event("oom", 3 * MIB, 64 * MIB)
        .free(0x400000, 5 * MIB);
    let recording = open(&script);
    let overview = ask(&recording, r#"{"ask":"overview","device":0}"#);
    assert_eq!(overview["peak"]["event"], 2);
    assert_eq!(overview["peak"]["requested_bytes"], 7 * MIB);
    assert_eq!(overview["ooms"][0]["requested_bytes"], 64 * MIB);
    assert_eq!(overview["ooms"][0]["device_free_bytes"], 3 * MIB);
    assert_eq!(overview["stacks"][0]["at"], "train.py:9");
    let point = ask(&recording, &format!(r#"{{"ask":"point","device":0,"moment":3,"bytes":{}}}"#, 6 * MIB));
    // By stack, the larger place is at the bottom.
    assert_eq!(point["allocation"]["address"], "0x1000");
    assert_eq!(point["allocation"]["offset_bytes"], 5 * MIB);
    assert_eq!(point["allocation"]["stack"][0]["kind"], "own");
    let id = point["allocation"]["id"].as_u64().unwrap();
    let down = ask(
        &recording,
        &format!(r#"{{"ask":"neighbour","device":0,"id":{id},"moment":3,"towards":"down"}}"#),
    );
    assert_eq!(down["id"], 1);
    let next = ask(&recording, r#"{"ask":"snap","device":0,"moment":0,"kind":"mark","towards":"next"}"#);
    assert_eq!(next["moment"], 1, "the reserved peak");
    let place = ask(&recording, r#"{"ask":"place","device":0,"axis":"time","moment":2}"#);
    assert_eq!((place["x0"].as_f64(), place["x1"].as_f64()), (Some(10.0), Some(20.0)));
    assert_eq!(ask(&recording, r#"{"ask":"at","device":0,"axis":"time","x":15.0}"#)["moment"], 2);
    assert_eq!(ask(&recording, r#"{"ask":"allocation","device":0,"id":99}"#), Value::Null);
    assert_eq!(ask(&recording, r#"{"ask":"moment","device":5,"moment":0}"#), Value::Null);
    assert!(ask(&recording, r#"{"ask":"nonsense"}"#)["error"].is_string());
}

/// More requested than reserved cannot be: the file lies somewhere.
#[test]
fn impossible_moments_are_counted() {
    let script =
        Script::default().event("alloc", 0x1000, 3 * MIB).free(0x1000, 3 * MIB).segment(0x1000, 2 * MIB, &[]);
    let warnings = summary(&open(&script)).warnings;
    let warning =
        warnings.iter().find(|warning| warning.code == "more_requested_than_reserved").expect("a warning");
    assert_eq!(warning.count, 2);
}

/// A random program: at each step an allocation at a free place, or the free of a live one. Returns the script and, after each event, the live
/// allocations by address.
fn program(steps: &[(u8, u64)]) -> (Script, Vec<BTreeMap<u64, u64>>) {
    let mut script = Script::default();
    let mut live: BTreeMap<u64, u64> = BTreeMap::new();
    let mut states = vec![live.clone()];
    for &(choice, size) in steps {
        if choice < 150 || live.is_empty() {
            let addr = (1..).map(|place| place * 0x1000).find(|addr| !live.contains_key(addr)).unwrap();
            script = script.alloc_at(addr, size, "/me/train.py", size % 12);
            live.insert(addr, size);
        } else {
            let nth = choice as usize % live.len();
            let (&addr, &size) = live.iter().nth(nth).unwrap();
            script = script.free(addr, size);
            states.push(live.clone());
            live.remove(&addr);
        }
        states.push(live.clone());
    }
    let blocks: Vec<_> = live.iter().map(|(&addr, &size)| (addr, 512, size, "active_allocated")).collect();
    (script.segment(0x1000, 1 << 40, &blocks), states)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Live sets and series equal brute force at every moment, also when the ring has dropped the first events.
    #[test]
    fn equals_brute_force(steps in proptest::collection::vec((any::<u8>(), 0u64..1000), 1..400), cut in 0usize..500) {
        let (script, states) = program(&steps);
        let n_events = states.len() - 1;
        let cut = cut % (n_events + 1);
        let recording = open(&script.without_first(cut));
        let replay = &recording.replays[0];
        prop_assert_eq!(replay.n_moments() as usize, n_events - cut + 1);
        for (moment, state) in states[cut..].iter().enumerate() {
            let moment = moment as u32;
            let mut found: Vec<(u64, u64)> = live(replay, moment)
                .into_iter()
                .map(|id| (replay.allocations().address(id), replay.allocations().size_bytes(id)))
                .collect();
            found.sort_unstable();
            let expected: Vec<(u64, u64)> = state.iter().map(|(&addr, &size)| (addr, size)).collect();
            prop_assert_eq!(found, expected, "moment {}", moment);
            prop_assert_eq!(replay.requested_at(moment), state.values().sum::<u64>());
        }
        let warnings = summary(&recording).warnings;
        // The script's segments list live blocks only.
        let wrong = warnings.iter().filter(|warning| warning.code != "misfitting_blocks");
        prop_assert!(wrong.clone().all(|warning| warning.severity == Severity::Note), "{:?}", warnings);
    }

    /// However the pile is ordered, it is gapless, and as high as the requested bytes; every place in it belongs to what `run_at` finds.
    #[test]
    fn piles_have_no_gaps(steps in proptest::collection::vec((any::<u8>(), 0u64..1000), 1..200), at in any::<u32>()) {
        let recording = open_labelled(&program(&steps).0);
        let replay = &recording.replays[0];
        let moment = at % replay.n_moments();
        for order in [Stacking::Stack, Stacking::Age, Stacking::Category] {
            let mut runs = Vec::new();
            stacking::for_each_run(replay, moment, order, |run| runs.push(run));
            runs.sort_by_key(|run| (run.from_bytes, run.to_bytes));
            let pile = Piled::at(replay, moment, order);
            let mut top = 0;
            for run in &runs {
                prop_assert_eq!(run.from_bytes, top);
                top = run.to_bytes;
                if run.to_bytes > run.from_bytes {
                    prop_assert_eq!(pile.run_at(run.from_bytes), Some(*run));
                    prop_assert_eq!(pile.run_at(run.to_bytes - 1), Some(*run));
                }
            }
            prop_assert_eq!(top, replay.requested_at(moment));
            prop_assert_eq!(pile.run_at(top), None);
            prop_assert_eq!(pile.slot_bytes(), &stacking::slot_bytes(replay, moment, order));
            prop_assert_eq!(pile.runs(), runs);
        }
        prop_assert_eq!(stacking::slot_bytes(replay, moment, Stacking::Stack).iter().sum::<u64>(), replay.requested_at(moment));
    }

    /// Every allocation can be reached by the keys: walking up from the bottom visits each live one once.
    #[test]
    fn neighbours_visit_everything(steps in proptest::collection::vec((any::<u8>(), 0u64..9), 1..80), at in any::<u32>()) {
        let recording = open_labelled(&program(&steps).0);
        let replay = &recording.replays[0];
        let moment = at % replay.n_moments();
        let ids = live(replay, moment);
        for order in [Stacking::Stack, Stacking::Age, Stacking::Category] {
            let Some(mut here) = ids.iter().copied().find(|id| stacking::neighbours(replay, moment, order, *id).1.is_none()) else {
                prop_assert!(ids.is_empty());
                continue;
            };
            let mut seen = vec![here];
            while let (Some(above), _) = stacking::neighbours(replay, moment, order, here) {
                here = above.allocation;
                seen.push(here);
            }
            seen.sort_unstable();
            prop_assert_eq!(&seen, &ids);
        }
    }
}
