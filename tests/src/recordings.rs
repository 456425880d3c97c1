//! Real recordings with the allocator's own figures.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use vramscope_core::decode::{Decoder, Limits, OpenError};
use vramscope_core::replay::Recording;

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
