//! The recorded requests under other settings: against what was recorded under them, and against the Python model of the same rules.

use std::collections::HashMap;
use std::fs;
use std::io::Read;
use std::path::Path;

use vramscope_core::allocator::Config;
use vramscope_core::model::Action;
use vramscope_core::replay::Recording;
use vramscope_core::replay::requests::Requests;
use vramscope_simulate::{Basis, LimitSearch, Order, RecordedOom, Run, Simulated, Simulation, state, wire};
use vramscope_tests::recordings;

fn open(name: &str) -> Option<Recording> {
    let file = recordings::all().into_iter().find(|file| file.name == name)?;
    let mut recording = recordings::open(&fs::read(&file.path).unwrap(), 1 << 20).unwrap();
    recording.check_all();
    Some(recording)
}

fn basis(name: &str) -> Option<Basis> {
    let Some(recording) = open(name) else {
        println!("skipped: {name} is not here");
        return None;
    };
    Some(Basis::of(&recording, 0).unwrap())
}

fn simulate(requests: &Requests, config: Config) -> Simulated {
    let mut simulation = Simulation::new(requests, config);
    simulation.run_all(requests);
    simulation.found(requests).expect("a sound start")
}

fn settings(text: &str, limit_bytes: Option<u64>) -> Config {
    Config { limit_bytes, ..Config::parse(text).unwrap() }
}

const FIVE: [&str; 5] = ["", "-expandable", "-split64", "-pow2", "-gc06"];

/// The limit that `oom_fragmentation*` were recorded under.
const FRAGMENTATION_LIMIT: u64 = 5 << 30;

#[test]
fn every_recording_foretells_the_others() {
    let told = pairs_by_python();
    let (mut pairs, mut exact) = (0, 0);
    for (workload, limit_bytes) in [("varlen", None), ("oom_fragmentation", Some(FRAGMENTATION_LIMIT))] {
        let all: Vec<Basis> = FIVE.iter().filter_map(|of| basis(&format!("{workload}{of}"))).collect();
        for (from, own) in all.iter().enumerate() {
            assert_eq!(own.rough, None);
            for (to, other) in all.iter().enumerate() {
                let found = simulate(&own.requests, Config { limit_bytes, ..other.recorded.clone() });
                let (point, truth) = (found.reserved_peak_bytes, other.reserved_peak_bytes);
                let name = format!("{workload}{} as {workload}{}", FIVE[from], FIVE[to]);
                println!("{name}: {point} for {truth}");
                let range = found.reserved_peak_low_bytes..=found.reserved_peak_high_bytes;
                assert!(range.contains(&truth) && range.contains(&point), "{name}: {truth} in {range:?}");
                assert!(point.abs_diff(truth) as f64 <= 0.015 * truth as f64, "{name}: {point} for {truth}");
                let python = &told[&(format!("{workload}{}", FIVE[from]), format!("{workload}{}", FIVE[to]))];
                assert_eq!(python, &[point, *range.start(), *range.end()], "{name}");
                if other.recorded.expandable_segments || from == to {
                    assert_eq!(point, truth, "{name}");
                }
                if other.recorded.expandable_segments {
                    assert_eq!(range.start(), range.end(), "{name}");
                }
                if from != to {
                    pairs += 1;
                    exact += u32::from(point == truth);
                }
            }
        }
    }
    println!("{exact} of {pairs} exact");
    assert!(pairs == 0 || pairs == 40 && exact >= 37, "{exact} of {pairs}");
}

/// Point, least and most of each pair, as `allocsim.py whatif` has them (`tests/programs/what_if.py --pairs`).
fn pairs_by_python() -> HashMap<(String, String), [u64; 3]> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs/what_if_pairs.txt");
    let text = fs::read_to_string(path).unwrap();
    let pair = |line: &str| {
        let fields: Vec<&str> = line.split(' ').collect();
        let number = |at: usize| fields[at].parse().unwrap();
        ((fields[0].to_owned(), fields[1].to_owned()), [number(2), number(3), number(4)])
    };
    text.lines().map(pair).collect()
}

/// Recordings that end with an error, the limit that `set_per_process_memory_fraction` gave, and whether expandable segments avoid it.
const OOMS: [(&str, bool); 7] = [
    ("oom_activations", false),
    ("oom_backward", false),
    ("oom_leak", true),
    ("oom_logits", false),
    ("oom_optimizer", false),
    ("oom_weights", false),
    ("oom_fragmentation", false),
];

#[test]
fn recorded_errors_repeat_under_their_limit() {
    for (name, avoids) in OOMS {
        let Some(own) = basis(name) else { continue };
        let limit = true_limit(name);
        let recorded = own.requests.first_oom().expect("an error").event;
        let again = simulate(&own.requests, Config { limit_bytes: Some(limit), ..own.recorded.clone() });
        assert_eq!(again.oom.map(|oom| oom.event), Some(recorded), "{name}");
        assert_eq!(
            (again.recorded_oom, again.orders_with_oom),
            (RecordedOom::Repeated, again.orders),
            "{name}"
        );
        let expandable = simulate(&own.requests, settings("expandable_segments:True", Some(limit)));
        println!("{name}: {again:?}\n  {expandable:?}");
        match avoids {
            true => {
                assert_eq!((expandable.oom, expandable.recorded_oom), (None, RecordedOom::Avoided), "{name}")
            }
            false => assert_eq!(expandable.recorded_oom, RecordedOom::Repeated, "{name}"),
        }
    }
}

/// As `set_per_process_memory_fraction` computes it, with its rounding.
fn true_limit(name: &str) -> u64 {
    let file = recordings::all().into_iter().find(|file| file.name == name).unwrap();
    let truth: serde_json::Value = serde_json::from_slice(&fs::read(file.truth.unwrap()).unwrap()).unwrap();
    let card = truth["devices"]["0"]["driver_total"].as_f64().unwrap();
    let fraction = truth["limit_gib"].as_f64().unwrap() * (1u64 << 30) as f64 / card;
    (fraction * card) as u64
}

#[test]
fn the_smallest_limit_is_the_smallest() {
    for (name, text) in [
        ("varlen", ""),
        ("varlen", "expandable_segments:True"),
        ("varlen", "max_split_size_mb:64"),
        ("train_plain", "garbage_collection_threshold:0.6"),
        ("streams", "large_segment_size_mb:33"),
        ("oom_leak", ""),
        ("late_start", ""),
    ] {
        let Some(own) = basis(name) else { continue };
        let config = settings(text, Some(1 << 20));
        let mut search = LimitSearch::new(&config);
        let mut pieces = 0;
        while !search.run(&own.requests, 3_000) {
            pieces += 1;
            assert!((0.0..=1.0).contains(&search.progress()));
        }
        let limit = search.found().expect("some limit does");
        println!("{name} {text}: {limit} after {pieces} pieces");
        let fails = |limit_bytes| {
            let config = Config { limit_bytes: Some(limit_bytes), ..config.clone() };
            let mut run = Run::new(&own.requests, config, Order::Borrowed).unwrap();
            run.run(&own.requests, usize::MAX);
            run.oom().is_some()
        };
        assert!(!fails(limit), "{name} {text}: {limit}");
        // What is there before the first event is never asked for, but needs its memory.
        let least =
            simulate(&own.requests, Config { limit_bytes: None, ..config.clone() }).allocated_peak_bytes;
        let is_least = limit.abs_diff(least) < 2 << 20;
        assert!(fails(limit - 1) || (own.is_partial && is_least), "{name} {text}: {limit} {least}");
    }
}

/// What a simulated run leaves is drawn like a recorded state: at the recorded settings it is that state.
#[test]
fn a_simulated_state_is_the_recorded_one() {
    for name in ["train_plain", "streams", "late_start", "expandable"] {
        let Some(recording) = open(name) else { continue };
        let own = Basis::of(&recording, 0).unwrap();
        let replay = &recording.replays[0];
        let mut run = Run::new(&own.requests, own.recorded.clone(), Order::Borrowed).unwrap();
        for moment in [0, replay.end() / 3, replay.peak(), replay.end()] {
            // A free and its completion are one step where nothing lies between them.
            let actions = &recording.snapshot.devices[0].events.actions;
            let halfway = |moment: u32| moment > 0 && actions[moment as usize - 1] == Action::FreeRequested;
            let moment = (moment..).find(|moment| !halfway(*moment)).unwrap().min(replay.end());
            let mut run = run.clone();
            run.run_to_event(&own.requests, moment);
            let simulated = state(&own.requests, run.allocator(), moment);
            let recorded = vramscope_core::replay::state::State::at(replay, moment);
            let sizes = |state: &vramscope_core::replay::state::State| {
                let mut blocks: Vec<_> =
                    state.blocks.iter().map(|b| (b.allocation, b.size_bytes, b.requested_bytes)).collect();
                blocks.sort();
                (state.segments.len(), state.segments.iter().map(|s| s.size_bytes).sum::<u64>(), blocks)
            };
            assert!(sizes(&simulated) == sizes(&recorded), "{name} at {moment}");
            for segment in &simulated.segments {
                let blocks = simulated.blocks_of(segment);
                assert_eq!(blocks.iter().map(|block| block.size_bytes).sum::<u64>(), segment.size_bytes);
            }
        }
        run.run(&own.requests, usize::MAX);
        let curve = run.outcome().curve;
        assert_eq!(curve.reserved_bytes.iter().max(), Some(&own.reserved_peak_bytes), "{name}");
        assert_eq!(curve.reserved_bytes.len(), curve.events.min(1024) as usize, "{name}");
        assert_eq!(curve.reserved_bytes.last(), Some(&replay.reserved_at(replay.end())), "{name}");
    }
}

#[test]
fn requests_are_the_same_in_a_worker() {
    let own = basis("streams").expect("a recording of the project");
    let there = wire::from_bytes(&wire::to_bytes(&own.requests)).expect("sound bytes");
    assert_eq!(format!("{there:?}"), format!("{:?}", own.requests));
}

fn unpacked(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs").join(name);
    let packed = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(&packed[..]).read_to_end(&mut bytes).expect("sound gzip");
    bytes
}

/// 200 random programs × 8 settings; `tests/programs/what_if.py` wrote them and what the Python model makes of them.
#[test]
fn random_programs_go_as_the_python_model_says() {
    let told = String::from_utf8(unpacked("what_if.txt.gz")).unwrap();
    let mut bases: HashMap<(String, i64), Basis> = HashMap::new();
    for file in ["0", "1", "2", "3"] {
        let mut recording =
            recordings::open(&unpacked(&format!("what_if_{file}.pickle.gz")), 1 << 20).unwrap();
        recording.check_all();
        for device in &recording.snapshot.devices {
            let basis = Basis::of(&recording, device.ordinal).unwrap();
            assert_eq!(basis.rough, None, "{file} {}", device.ordinal);
            bases.insert((file.into(), device.ordinal), basis);
        }
    }
    assert_eq!(bases.len(), 200);
    let mut wrong = Vec::new();
    for line in told.lines() {
        let fields: Vec<&str> = line.split('|').collect();
        let [file, device, limit, text, expected] = fields[..] else { panic!("{line}") };
        let limit: u64 = limit.parse().unwrap();
        let basis = &bases[&(file.into(), device.parse().unwrap())];
        let found = simulate(&basis.requests, settings(text, (limit > 0).then_some(limit)));
        let broke =
            found.oom.filter(|oom| basis.requests.first_oom().is_none_or(|step| step.event != oom.event));
        let oom = broke.map_or("-1".into(), |oom| oom.event.to_string());
        let repeats = match (basis.requests.first_oom(), broke) {
            (None, _) | (_, Some(_)) => "-",
            (Some(_), None) if found.oom.is_some() => "yes",
            _ => "no",
        };
        let got = format!(
            "{} {} {} {} {} {} {} {oom} {repeats}",
            found.reserved_peak_bytes,
            found.reserved_peak_low_bytes,
            found.reserved_peak_high_bytes,
            found.reserved_peak_event,
            found.allocated_peak_bytes,
            found.retries,
            found.segments_allocated,
        );
        if got != expected {
            wrong.push(format!("{line}\n  got {got}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {} differ:\n{}",
        wrong.len(),
        told.lines().count(),
        wrong[..wrong.len().min(12)].join("\n")
    );
}
