//! Real recordings with the allocator's own figures.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use vramscope_core::decode::{Decoder, Limits, OpenError};
use vramscope_core::replay::{Category, Labels, Phase, PhaseSpan, Recording, Rule, Step};

/// A recording on disk.
pub struct File {
    /// Its name, without endings.
    pub name: String,
    /// The snapshot.
    pub path: PathBuf,
    /// The allocator's counters, if they were kept.
    pub truth: Option<PathBuf>,
}

/// The folder with the recordings that belong to the project.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("snapshots")
}

/// Every recording at hand: the small ones of the project, and all those in `../shared/snapshots` where that exists.
pub fn all() -> Vec<File> {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/snapshots");
    let mut files = BTreeMap::new();
    for folder in [shared, folder()] {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let file_name = entry.file_name().to_string_lossy().into_owned();
            if let Some(name) = file_name.strip_suffix(".pickle.gz") {
                let truth = folder.join(format!("{name}.truth.json"));
                let truth = truth.exists().then_some(truth);
                files.insert(name.to_owned(), File { name: name.to_owned(), path, truth });
            }
        }
    }
    files.into_values().collect()
}

/// The unpacked pickle of one of the project's recordings.
pub fn pickle(name: &str) -> Vec<u8> {
    let path = folder().join(format!("{name}.pickle.gz"));
    let packed = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(&packed[..]).read_to_end(&mut bytes).expect("a sound gzip file");
    bytes
}

/// Reads a file's bytes in pieces of a size.
pub fn open(bytes: &[u8], piece: usize) -> Result<Recording, Box<OpenError>> {
    let mut decoder = Decoder::new("test.pickle", Limits::default());
    for piece in bytes.chunks(piece.max(1)) {
        decoder.feed(piece)?;
    }
    decoder.finish().map(Recording::build)
}

/// Labels every device by hand: categories in turn, the user's own among them, and none for the last two; steps of twenty events, of which the
/// first half is one phase and most of the second another.
pub fn label(recording: &mut Recording) {
    let devices = recording.replays.iter().zip(&recording.snapshot.devices);
    let made: Vec<(i64, Labels)> = devices
        .map(|(replay, device)| (device.ordinal, labels(replay.allocations().len(), replay.end())))
        .collect();
    for (ordinal, labels) in made {
        recording.set_labels(ordinal, labels);
    }
}

fn labels(n_allocations: u32, n_events: u32) -> Labels {
    let why = || "made for a test".to_owned();
    let own = Rule { own_name: Some("mine".into()), confidence_percent: 100, why: why(), ..Rule::default() };
    let rules =
        Category::ALL.map(|category| Rule { category, own_name: None, confidence_percent: 60, why: why() });
    let rule_of = (0..n_allocations.saturating_sub(2)).map(|id| (id.wrapping_mul(7) % 10) as u8);
    let (mut steps, mut phases) = (Vec::new(), Vec::new());
    for step in 0..n_events / 20 {
        let first_event = step * 20;
        steps.push(Step { first_event, last_event: first_event + 19, micro_batches: 1 });
        for (phase, from, to) in [(Phase::Forward, 0, 9), (Phase::Backward, 10, 18)] {
            let span = PhaseSpan {
                phase,
                step: Some(step),
                first_event: first_event + from,
                last_event: first_event + to,
            };
            phases.push(span);
        }
    }
    Labels { rules: rules.into_iter().chain([own]).collect(), rule_of: rule_of.collect(), phases, steps }
}
