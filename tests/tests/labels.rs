//! What a diagnosis says, in the answers: compositions, charts, lanes and the user's own rules; on real recordings with labels made by hand.

use serde_json::Value;
use vramscope_core::query;
use vramscope_core::replay::stacking::{self, Stacking};
use vramscope_core::replay::{Category, Labels, N_SLOTS, Recording};
use vramscope_diagnose::own_rules::{Applied, OwnRule, apply};
use vramscope_tests::recordings;

fn open(name: &str) -> Recording {
    let mut recording = recordings::open(&recordings::pickle(name), 1 << 20).expect("it opens");
    recordings::label(&mut recording);
    recording
}

fn ask(recording: &Recording, question: &str) -> Value {
    serde_json::from_str(&query::answer(recording, question)).expect("JSON")
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value}"))
}

/// Of every recording, at its peak and at both ends.
#[test]
fn a_composition_adds_up() {
    for name in ["train_plain", "oom_fragmentation", "two_devices", "no_history"] {
        let recording = open(name);
        let replay = &recording.replays[0];
        let device = recording.snapshot.devices[0].ordinal;
        for moment in [0, replay.peak(), replay.end(), u32::MAX] {
            let found = query::composition(&recording, device, moment).expect("a device");
            let own: u64 = found.own.iter().map(|own| own.bytes).sum();
            assert_eq!(
                found.categories.0.iter().sum::<u64>() + own,
                found.requested_bytes,
                "{name} {moment}"
            );
            let slots = stacking::slot_bytes(replay, moment, Stacking::Category);
            assert!((0..N_SLOTS).all(|slot| slots[slot] == 0 || found.present.contains(&(slot as u8))));
        }
    }
}

#[test]
fn before_there_are_labels_all_is_unknown() {
    let recording = recordings::open(&recordings::pickle("train_plain"), 1 << 20).expect("it opens");
    let found = ask(&recording, r#"{"ask":"composition","device":0,"moment":5000}"#);
    assert_eq!(found["categories"]["unknown"], found["requested_bytes"]);
    assert_eq!(found["present"], serde_json::json!([7]));
    assert!(ask(&recording, r#"{"ask":"chart","device":0,"columns":9}"#)["categories"].is_null());
    let details = ask(&recording, r#"{"ask":"allocation","device":0,"id":5}"#);
    assert!(details["category_of"].is_null() && details["phase"].is_null());
    assert_eq!(ask(&recording, r#"{"ask":"lanes","device":0,"width":900}"#)["steps"], serde_json::json!([]));
}

/// Columns of the chart are the pile at the fullest moment, by category, also under a filter and on the axis of time.
#[test]
fn a_chart_by_category_is_the_pile_of_each_column() {
    for (name, filter) in [("train_plain", r#"{}"#), ("streams", r#"{"kind":"large"}"#)] {
        let mut recording = open(name);
        recording.set_filter(&serde_json::from_str(filter).expect("a filter"));
        let (_, replay) = recording.device(0).expect("a device");
        for axis in ["event", "time"] {
            let question = format!(r#"{{"ask":"chart","device":0,"axis":"{axis}","columns":37}}"#);
            let chart = ask(&recording, &question);
            let parts = chart["categories"].as_array().expect("labels");
            assert_eq!(parts.len(), N_SLOTS);
            for (column, requested) in chart["requested"].as_array().expect("columns").iter().enumerate() {
                let sum: u64 = parts.iter().map(|part| number(&part[column])).sum();
                assert_eq!(sum, number(requested), "{name}, {axis}, column {column}");
            }
        }
        let chart = query::chart(&recording, 0, query_axis(), 37, None, None).expect("a device");
        let parts = chart.categories.expect("labels");
        for column in 0..chart.x.len() {
            let to = chart.x.get(column + 1).copied().unwrap_or(chart.x_end);
            let moments = replay.moments_between(query_axis(), chart.x[column], to).expect("inside");
            let pile =
                stacking::slot_bytes(replay, replay.fullest(moments.start, moments.end), Stacking::Category);
            assert_eq!(
                parts.iter().map(|part| part[column]).collect::<Vec<_>>(),
                pile,
                "{name}, column {column}"
            );
        }
    }
}

fn query_axis() -> vramscope_core::replay::Axis {
    vramscope_core::replay::Axis::Event
}

#[test]
fn slots_say_what_they_stand_for() {
    let recording = open("train_plain");
    let by = |stacking: &str| {
        ask(&recording, &format!(r#"{{"ask":"moment","device":0,"moment":5000,"stacking":"{stacking}"}}"#))
    };
    let sum = |answer: &Value| answer["slots"].as_array().expect("slots").iter().map(number).sum::<u64>();
    assert_eq!(sum(&by("stack")), sum(&by("category")));
    assert_ne!(by("stack")["slots"], by("category")["slots"]);
    assert_eq!(by("category")["stacking"], "category");
    let alive = ask(&recording, r#"{"ask":"alive","device":0,"moment":5000,"limit":5}"#);
    assert!(alive["rows"].as_array().expect("rows").iter().all(|row| row["category"].is_string()));
}

#[test]
fn an_allocation_tells_its_category_and_why() {
    let recording = open("train_plain");
    let details = ask(&recording, r#"{"ask":"allocation","device":0,"id":8}"#);
    // 8 × 7 mod 10: the seventh category.
    let expected = serde_json::json!({ "category": "other", "own_name": null, "confidence": 0.6, "why": "made for a test" });
    assert_eq!(details["category_of"], expected);
    assert!(details["phase"]["phase"].is_string(), "{}", details["phase"]);
    let last = recording.replays[0].allocations().len() - 1;
    assert!(
        ask(&recording, &format!(r#"{{"ask":"allocation","device":0,"id":{last}}}"#))["category_of"]
            .is_null()
    );
}

/// Steps and phases lie at their events, and however many there are, there are never more boxes than pixels.
#[test]
fn lanes_of_steps_and_phases() {
    let recording = open("train_plain");
    let n_events = recording.replays[0].end();
    let near = ask(&recording, r#"{"ask":"lanes","device":0,"x0":40,"x1":80,"width":800}"#);
    let first = &near["steps"].as_array().expect("steps")[1];
    assert_eq!((number(&first["first_event"]), number(&first["last_event"])), (40, 59));
    assert_eq!((first["x0"].as_f64(), first["x1"].as_f64()), (Some(41.0), Some(61.0)));
    assert_eq!((number(&first["step"]), number(&first["count"])), (2, 1));
    assert_eq!(number(&first["end_bytes"]), recording.replays[0].requested_at(60));
    for axis in ["event", "time"] {
        for width in [1, 7, 100, 900] {
            let question = format!(r#"{{"ask":"lanes","device":0,"axis":"{axis}","width":{width}}}"#);
            let lanes = ask(&recording, &question);
            for kind in ["steps", "phases"] {
                let boxes = lanes[kind].as_array().expect("boxes");
                assert!(boxes.len() <= width + 1, "{kind}: {} in {width} pixels", boxes.len());
                let count: u64 = boxes.iter().map(|each| number(&each["count"])).sum();
                assert_eq!(count, u64::from(n_events / 20) * if kind == "steps" { 1 } else { 2 });
                let ends = boxes.windows(2).all(|two| two[0]["x0"].as_f64() <= two[1]["x0"].as_f64());
                assert!(ends, "from left to right");
            }
        }
    }
}

fn rule(pattern: &str, category: &str) -> OwnRule {
    OwnRule { pattern: pattern.into(), category: category.into() }
}

fn applied(recording: &Recording, rules: &[OwnRule]) -> (Labels, Vec<Applied>) {
    let replay = &recording.replays[0];
    apply(&recording.snapshot, replay, replay.labels().cloned().unwrap_or_default(), rules)
}

/// The first rule that matches decides; what none matches stays as it was.
#[test]
fn own_rules_decide_in_order() {
    let recording = open("train_plain");
    let replay = &recording.replays[0];
    let before = replay.labels().expect("labels");
    let rules = [rule("train\\.py", "mine too"), rule("(", "x"), rule(".", "gradient"), rule(".", "other")];
    let (labels, found) = applied(&recording, &rules);
    assert!(found[0].matched_allocations > 0 && found[2].matched_allocations > 0, "{found:?}");
    assert_eq!(found[3].matched_allocations, 0, "an earlier rule has taken all");
    assert_eq!(found[1].error.as_ref().map(|error| error.at), Some(0));
    let mut counts = [0u32; 2];
    for id in 0..replay.allocations().len() {
        let now = labels.rule(id);
        match now.and_then(|rule| rule.own_name.as_deref()) {
            Some("mine too") => {
                assert_eq!(labels.slot(id), N_SLOTS as u8 - 1);
                counts[0] += 1;
            }
            _ if now.is_some_and(|rule| rule.why.starts_with("by your rule")) => {
                assert_eq!(labels.category(id), Category::Gradient);
                counts[1] += 1;
            }
            _ => assert_eq!(labels.category(id), before.category(id), "allocation {id}"),
        }
    }
    assert_eq!(counts, [found[0].matched_allocations, found[2].matched_allocations]);
}

#[test]
fn rules_that_are_none_say_why() {
    let recording = open("train_plain");
    let many: Vec<OwnRule> = (0..300).map(|_| rule("nowhere", "a")).collect();
    let (labels, found) = applied(&recording, &many);
    assert_eq!(found.iter().filter(|rule| rule.error.is_none()).count(), 64);
    assert!(labels.rules.len() <= 256);
    let (_, found) = applied(&recording, &[rule("", "a"), rule("a", " ")]);
    assert!(found.iter().all(|rule| rule.error.is_some()), "{found:?}");
    let bare = recordings::open(&recordings::pickle("train_plain"), 1 << 20).expect("it opens");
    let (labels, _) = applied(&bare, &[rule(".", "a")]);
    assert_eq!(labels.rule_of.len(), bare.replays[0].allocations().len() as usize);
}
