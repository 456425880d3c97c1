//! Searching all stacks: the same as a plain loop over every allocation and its frames, on real recordings.

use serde_json::{Value, json};
use vramscope_core::query::{self, LastSearch, Matches, found_stacks, search};
use vramscope_core::replay::{Filter, Recording};
use vramscope_tests::recordings;

const RECORDINGS: [&str; 5] = ["train_plain", "two_devices", "compiled", "oom_activations", "context_none"];
/// Each with the words that a frame must hold: what the pattern means, without an engine.
const PATTERNS: [(&str, &[&str]); 5] = [
    ("train\\.py", &["train.py"]),
    ("backward", &["backward"]),
    ("linear|matmul", &["linear", "matmul"]),
    ("\\.py:\\d", &[".py:"]),
    ("no_frame_is_called_this", &[]),
];

fn opened(name: &str) -> Recording {
    recordings::open(&recordings::pickle(name), 1 << 16).unwrap_or_else(|error| panic!("{error}"))
}

fn ask(recording: &Recording, question: Value) -> Value {
    serde_json::from_str(&query::answer(recording, &question.to_string())).unwrap()
}

/// Ids of the allocations of which a frame holds one of the words.
fn plainly(recording: &Recording, device: i64, words: &[&str]) -> Vec<u32> {
    let snapshot = &recording.snapshot;
    let rows = recording.device(device).unwrap().1.allocations();
    let holds = |id: &vramscope_core::ids::FrameId| {
        let frame = snapshot.stacks.frame(*id).unwrap();
        let (name, file) = (snapshot.strings.get(frame.name), snapshot.strings.get(frame.file));
        let text = format!("{name} {file}:{}", frame.line).to_lowercase();
        words.iter().any(|word| text.contains(word))
    };
    (0..rows.len())
        .filter(|&id| rows.is_shown(id) && snapshot.stacks.frames_of(rows.stack(id)).iter().any(holds))
        .collect()
}

fn agrees(recording: &Recording, device: i64, pattern: &str, words: &[&str]) -> u64 {
    let replay = recording.device(device).unwrap().1;
    let rows = replay.allocations();
    let ids = plainly(recording, device, words);
    let at_peak: Vec<_> = ids.iter().filter(|&&id| rows.is_live(id, replay.peak())).collect();
    let stacks: std::collections::HashSet<_> = ids.iter().map(|&id| rows.stack(id)).collect();
    let matches = Matches::new(&recording.snapshot, pattern).unwrap();
    let found = serde_json::to_value(search(recording, device, &matches)).unwrap();
    assert_eq!(found["allocations"], ids.len(), "{pattern}");
    assert_eq!(found["bytes"], ids.iter().map(|&id| rows.size_bytes(id)).sum::<u64>(), "{pattern}");
    assert_eq!(found["stacks"], stacks.len(), "{pattern}");
    assert_eq!(found["first"], json!(ids.first()), "{pattern}");
    let bytes: u64 = at_peak.iter().map(|&&id| rows.size_bytes(id)).sum();
    assert_eq!(found["alive_at_peak"], json!({ "count": at_peak.len(), "bytes": bytes }), "{pattern}");
    let listed = found_stacks(recording, device, &matches);
    assert_eq!(listed.len(), stacks.len(), "{pattern}");
    assert!(listed.iter().all(|row| stacks.contains(&row.stack) && row.allocations > 0));
    assert_eq!(listed.iter().map(|row| row.alive_at_peak.bytes).sum::<u64>(), bytes);
    assert!(listed.is_sorted_by_key(|row| std::cmp::Reverse(row.alive_at_peak.bytes)));
    ids.len() as u64
}

#[test]
fn it_finds_what_a_plain_loop_finds() {
    let mut total = 0;
    for name in RECORDINGS {
        let mut recording = opened(name);
        let devices: Vec<i64> = recording.snapshot.devices.iter().map(|device| device.ordinal).collect();
        for (pattern, words) in PATTERNS {
            total += devices.iter().map(|&device| agrees(&recording, device, pattern, words)).sum::<u64>();
        }
        let filter: Filter = serde_json::from_value(json!({ "kind": "small" })).unwrap();
        recording.set_filter(&filter);
        for device in devices {
            agrees(&recording, device, "train\\.py", &["train.py"]);
        }
    }
    assert!(total > 1000, "{total}");
}

#[test]
fn walking_meets_each_once_and_comes_around() {
    let recording = opened("train_plain");
    let ids = plainly(&recording, 0, &["backward"]);
    let step = |from: Option<u32>, towards: &str| {
        ask(
            &recording,
            json!({"ask": "search_next", "device": 0, "pattern": "backward", "from": from, "towards": towards}),
        )
    };
    let rows = recording.replays[0].allocations();
    let mut from = None;
    for (index, &id) in ids.iter().take(20).enumerate() {
        let expected = json!({"id": id, "moment": rows.start(id), "index": index, "of": ids.len()});
        assert_eq!(step(from, "next"), expected);
        assert_eq!(step(Some(id + 1), "previous")["id"], id, "from one that need not match");
        from = Some(id);
    }
    let (first, last) = (ids[0], *ids.last().unwrap());
    assert_eq!(step(Some(last), "next")["id"], first);
    assert_eq!(step(Some(first), "previous")["id"], last);
    assert_eq!(step(None, "previous")["index"], ids.len() - 1);
    assert_eq!(step(Some(u32::MAX), "next")["id"], first);
}

#[test]
fn faults_nothing_and_nowhere_are_answers() {
    let recording = opened("train_plain");
    let fault = ask(&recording, json!({"ask": "search", "device": 0, "pattern": "train(\\.py"}));
    assert_eq!(fault["at"], 5);
    assert!(fault["error"].as_str().unwrap().starts_with("Not a pattern: "), "{fault}");
    let none =
        json!({"ask": "search_next", "device": 0, "pattern": "not_there", "from": null, "towards": "next"});
    assert_eq!(ask(&recording, none), json!({"id": null, "moment": 0, "index": 0, "of": 0}));
    assert_eq!(ask(&recording, json!({"ask": "search", "device": 99, "pattern": "a"})), Value::Null);
    let everything = ask(&recording, json!({"ask": "search", "device": 0, "pattern": ""}));
    assert_eq!(everything["frames"], recording.snapshot.stacks.n_frames());
}

#[test]
fn the_last_search_answers_for_its_own_pattern_only() {
    let recording = opened("train_plain");
    let mut last = LastSearch::default();
    for pattern in ["backward", "train", "(", "backward", "backward"] {
        let question = json!({"ask": "search", "device": 0, "pattern": pattern}).to_string();
        let kept = query::answer_after(&mut last, &recording, &question);
        assert_eq!(kept, query::answer(&recording, &question), "{pattern}");
    }
}

/// Patterns that take other engines minutes, and those that would take much memory.
#[test]
fn hostile_patterns_are_quick() {
    let recording = opened("train_plain");
    let start = std::time::Instant::now();
    for pattern in [
        "(a+)+$",
        "(.*)*(.*)*(.*)*x",
        "(a|aa)+b",
        "((((a{99}){99}){99}){99})",
        &"(".repeat(999),
        &"a?".repeat(499),
    ] {
        ask(&recording, json!({"ask": "search", "device": 0, "pattern": pattern}));
    }
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}
