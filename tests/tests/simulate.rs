//! The recorded requests under other settings, against what was recorded under them.

use vramscope_core::allocator::Config;
use vramscope_core::replay::Recording;
use vramscope_core::replay::requests::Requests;
use vramscope_simulate::{Simulated, Simulation};
use vramscope_tests::recordings;

fn open(name: &str) -> Option<Recording> {
    let file = recordings::all().into_iter().find(|file| file.name == name)?;
    let mut recording = recordings::open(&std::fs::read(&file.path).unwrap(), 1 << 20).unwrap();
    recording.check_all();
    Some(recording)
}

fn recorded_config(recording: &Recording) -> Config {
    let settings = recording.snapshot.settings.as_ref().expect("settings");
    let limit_bytes = recording.replays[0].model().expect("checked").limit.high_bytes;
    Config { limit_bytes, ..Config::recorded(settings) }
}

fn requests(recording: &Recording) -> Requests {
    Requests::read(&recording.snapshot, &recording.snapshot.devices[0], &recording.replays[0], u32::MAX)
}

fn simulate(requests: &Requests, config: Config) -> Simulated {
    let mut simulation = Simulation::new(requests, config);
    simulation.run_all(requests);
    simulation.found(requests).expect("a sound start")
}

const SETTINGS: [&str; 5] = ["", "-expandable", "-split64", "-pow2", "-gc06"];

#[test]
fn every_recording_foretells_the_others() {
    let (mut pairs, mut exact) = (0, 0);
    for workload in ["varlen", "oom_fragmentation"] {
        let all: Vec<Recording> =
            SETTINGS.iter().filter_map(|settings| open(&format!("{workload}{settings}"))).collect();
        let all: Vec<(Requests, Config, u64)> = all
            .iter()
            .map(|it| {
                let replay = &it.replays[0];
                (requests(it), recorded_config(it), replay.reserved_at(replay.reserved_peak()))
            })
            .collect();
        for (from, (requests, own, _)) in all.iter().enumerate() {
            for (to, (_, config, truth)) in all.iter().enumerate() {
                let config = Config { limit_bytes: own.limit_bytes, ..config.clone() };
                let found = simulate(requests, config);
                let apart = found.reserved_peak_bytes.abs_diff(*truth) as f64 / *truth as f64;
                println!(
                    "{workload}{} -> {}: {} for {truth}, {:.2} %, {}..{} oom {:?} {:?} retries {}",
                    SETTINGS[from],
                    SETTINGS[to],
                    found.reserved_peak_bytes,
                    apart * 100.0,
                    found.reserved_peak_low_bytes,
                    found.reserved_peak_high_bytes,
                    found.oom,
                    found.recorded_oom,
                    found.retries
                );
                if from != to {
                    pairs += 1;
                    exact += u32::from(found.reserved_peak_bytes == *truth);
                }
            }
        }
    }
    println!("{exact} of {pairs}");
}
