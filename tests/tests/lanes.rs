//! Ranges and driver calls below the timeline, on real recordings.

use proptest::prelude::*;
use serde_json::Value;
use vramscope_core::query;
use vramscope_core::replay::Recording;
use vramscope_tests::recordings;

fn opened(name: &str) -> Recording {
    recordings::open(&recordings::pickle(name), 1 << 16).unwrap_or_else(|error| panic!("{error}"))
}

fn lanes(recording: &Recording, rest: &str) -> Value {
    let device = recording.snapshot.devices[0].ordinal;
    let question = format!(r#"{{"ask":"lanes","device":{device},"width":1000{rest}}}"#);
    serde_json::from_str(&query::answer(recording, &question)).unwrap()
}

fn sum(answer: &Value, key: &str) -> u64 {
    answer["driver"].as_array().unwrap().iter().map(|column| column[key].as_u64().unwrap()).sum()
}

#[test]
fn steps_hold_their_phases() {
    let recording = opened("annotations");
    for axis in ["event", "time"] {
        let answer = lanes(&recording, &format!(r#","axis":"{axis}""#));
        let ranges = answer["ranges"].as_array().unwrap();
        let named = |name: &str| {
            let found = ranges.iter().find(|range| range["name"] == name).unwrap();
            (found["lane"].as_u64().unwrap(), found["x0"].as_f64().unwrap(), found["x1"].as_f64().unwrap())
        };
        let (build, step, forward) = (named("## build ##"), named("## step 0 ##"), named("## forward ##"));
        assert_eq!((build.0, step.0, forward.0), (0, 0, 1), "{axis}");
        assert!(build.2 <= step.1 && step.1 <= forward.1 && forward.2 <= step.2, "{axis}");
        assert!(answer["lanes"].as_u64().unwrap() >= 3);
        let total: u64 = ranges.iter().map(|range| range["count"].as_u64().unwrap()).sum();
        assert_eq!(total, 19, "38 starts and ends");
    }
}

#[test]
fn driver_calls_explain_reserved_memory() {
    for name in ["oom_fragmentation", "expandable", "annotations"] {
        let recording = opened(name);
        let replay = &recording.replays[0];
        let answer = lanes(&recording, "");
        let (before, after) = (replay.reserved_at(0), replay.reserved_at(replay.end()));
        assert_eq!(before + sum(&answer, "gained_bytes"), after + sum(&answer, "lost_bytes"), "{name}");
        let calls: u64 = ["alloc", "free", "map", "unmap"].map(|key| sum(&answer, key)).iter().sum();
        let actions = &recording.snapshot.devices[0].events.actions;
        let is_call = |action: &&vramscope_core::model::Action| action.name().starts_with("segment_");
        assert_eq!(calls, actions.iter().filter(is_call).count() as u64, "{name}");
    }
}

#[test]
fn without_ranges_lanes_are_empty() {
    let answer = lanes(&opened("no_history"), "");
    assert_eq!(
        answer,
        serde_json::json!({"ranges": [], "lanes": 0, "driver": [], "steps": [], "phases": []})
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_stretch_is_answered_briefly(x0 in -1e7..1e8f64, span in -1e6..1e8f64, width in 0u32..2000, time in any::<bool>()) {
        thread_local!(static RECORDING: Recording = opened("annotations"));
        let axis = if time { "time" } else { "event" };
        let rest = format!(r#","axis":"{axis}","x0":{x0},"x1":{},"width":{width}"#, x0 + span);
        let answer = RECORDING.with(|recording| {
            let question = format!(r#"{{"ask":"lanes","device":0{rest}}}"#);
            serde_json::from_str::<Value>(&query::answer(recording, &question)).unwrap()
        });
        prop_assert!(answer["driver"].as_array().unwrap().len() <= width.max(1) as usize);
        for range in answer["ranges"].as_array().unwrap() {
            prop_assert!(range["x0"].as_f64() <= range["x1"].as_f64());
        }
    }
}
