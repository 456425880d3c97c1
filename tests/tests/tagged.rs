//! Categories and phases against recordings whose program noted what each storage was, and when each phase began.

use std::collections::HashMap;

use serde_json::Value;
use vramscope_core::decode::{Decoder, Limits};
use vramscope_core::model::Snapshot;
use vramscope_core::replay::{Category, Labels, Phase, Recording, Replay};
use vramscope_tests::frames::{KEPT, Kept, only};
use vramscope_tests::recordings;

const TAGGED: [&str; 2] = ["tagged_gpt", "tagged_unet"];

/// Phases may begin so many events off.
const EVENTS_OFF: u32 = 4;

fn snapshot(name: &str) -> (Snapshot, Value) {
    let file = recordings::all().into_iter().find(|file| file.name == name).expect("a recording");
    let mut decoder = Decoder::new("test.pickle", Limits::default());
    decoder.feed(&std::fs::read(&file.path).unwrap()).unwrap();
    let truth = std::fs::read(file.truth.expect("its truth")).unwrap();
    (decoder.finish().unwrap(), serde_json::from_slice(&truth).unwrap())
}

/// Every way in which the recording could have been made: frames, and with or without `record_function`.
fn for_each_way(mut check: impl FnMut(&str, Kept, bool, &Recording, &Labels, &Value)) {
    for name in TAGGED {
        for kept in KEPT {
            for annotated in [true, false] {
                let (snapshot, truth) = snapshot(name);
                let mut snapshot = only(snapshot, kept);
                if !annotated {
                    snapshot.annotations.clear();
                }
                let recording = Recording::build(snapshot);
                let labels = vramscope_diagnose::label(&recording, 0).expect("device 0");
                check(name, kept, annotated, &recording, &labels, &truth);
            }
        }
    }
}

/// What the program said of each allocation; of several tags the most lasting.
fn tags(truth: &Value, recording: &Recording) -> HashMap<u32, Category> {
    let (device, replay) = recording.whole_device(0).unwrap();
    let rows = replay.allocations();
    let mut by_address: HashMap<u64, Vec<u32>> = HashMap::new();
    (0..rows.len()).for_each(|id| by_address.entry(rows.address(id)).or_default().push(id));
    let rank = [Category::Parameter, Category::OptimizerState, Category::Gradient, Category::Input];
    let rank = |category: Category| rank.iter().position(|known| *known == category).unwrap_or(rank.len());
    let time = |moment: u32| device.events.time_us(moment as usize - 1).unwrap();
    let mut tagged: HashMap<u32, Category> = HashMap::new();
    for tag in truth["tags"].as_array().unwrap() {
        let category = match tag[0].as_str().unwrap() {
            "parameter" | "buffer" => Category::Parameter,
            "optimizer_state" => Category::OptimizerState,
            "gradient" => Category::Gradient,
            "input" => Category::Input,
            "activation" => Category::Activation,
            other => panic!("tag {other}"),
        };
        let (address, at) = (tag[1].as_u64().unwrap(), tag[3].as_i64().unwrap());
        for &id in by_address.get(&address).into_iter().flatten() {
            let begun = rows.before_recording(id) || time(rows.start(id)) <= at;
            let there = begun && (rows.release(id) == u32::MAX || at <= time(rows.release(id)));
            if there && tagged.get(&id).is_none_or(|known| rank(category) < rank(*known)) {
                tagged.insert(id, category);
            }
        }
    }
    tagged
}

/// Bytes with a tag at a moment, and those among them with the right category.
fn tagged_and_right(
    replay: &Replay,
    labels: &Labels,
    tags: &HashMap<u32, Category>,
    moment: u32,
) -> (u64, u64) {
    let (mut all, mut right) = (0, 0);
    replay.for_each_live(moment, |id| {
        if let Some(tag) = tags.get(&id) {
            let bytes = replay.allocations().size_bytes(id);
            all += bytes;
            right += if labels.category(id) == *tag { bytes } else { 0 };
        }
    });
    (all, right)
}

fn event_at(recording: &Recording, time_us: i64) -> u32 {
    recording.snapshot.devices[0].events.times_us.partition_point(|&time| time < time_us) as u32
}

#[test]
fn tagged_bytes_have_the_right_category() {
    for_each_way(|name, kept, annotated, recording, labels, truth| {
        let replay = &recording.replays[0];
        let tags = tags(truth, recording);
        let marks = truth["marks"].as_array().unwrap();
        // A phase ends as the next one begins.
        let mut moments: HashMap<&str, Vec<u32>> = HashMap::from([("peak", vec![replay.peak()])]);
        for pair in marks.windows(2) {
            let ends = event_at(recording, pair[1][1].as_i64().unwrap());
            moments.entry(pair[0][0].as_str().unwrap()).or_default().push(ends);
        }
        let least = if matches!(kept, Kept::All | Kept::Python) { 0.99 } else { 0.9 };
        for (phase, moments) in moments.into_iter().filter(|(phase, _)| *phase != "end") {
            let sums = moments.into_iter().map(|moment| tagged_and_right(replay, labels, &tags, moment));
            let (all, right) = sums.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
            let share = right as f64 / all as f64;
            println!("{name} {kept:?} annotated {annotated}, end of {phase}: {share:.4}");
            assert!(
                share >= least,
                "{name} {kept:?} annotated {annotated}, end of {phase}: {share:.4} < {least}"
            );
        }
    });
}

#[test]
fn phases_begin_where_the_program_says() {
    for_each_way(|name, kept, annotated, recording, labels, truth| {
        let n = recording.snapshot.devices[0].events.len() as u32;
        let marks = truth["marks"].as_array().unwrap();
        for (at, mark) in marks.iter().enumerate() {
            let (word, begins) = (mark[0].as_str().unwrap(), event_at(recording, mark[1].as_i64().unwrap()));
            let ends = marks.get(at + 1).map_or(n, |next| event_at(recording, next[1].as_i64().unwrap()));
            // A phase without an event (plain SGD) cannot be seen in events.
            if begins == ends && word != "end" {
                continue;
            }
            let phase = match word {
                "forward" => Phase::Forward,
                "backward" => Phase::Backward,
                "optimizer" => Phase::Optimizer,
                "zero_grad" | "end" => Phase::ZeroGrad,
                other => panic!("mark {other}"),
            };
            let edges = labels.phases.iter().filter(|span| span.phase == phase).map(|span| match word {
                "end" => span.last_event + 1,
                _ => span.first_event,
            });
            let off = edges.map(|event| event.abs_diff(begins)).min().unwrap_or(u32::MAX);
            assert!(
                off <= EVENTS_OFF,
                "{name} {kept:?} annotated {annotated}: {word} at event {begins} is {off} events off"
            );
        }
    });
}
