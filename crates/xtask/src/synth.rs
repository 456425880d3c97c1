//! `cargo xtask synth`: larger and smaller recordings from a real one. What does it lies in `tests/src/synth`, beside the recordings.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::paths;
use crate::process::{cargo, run as execute};

/// Of the project's own recordings the one that repeats most of its steps: five thousand events, two thirds of them a loop.
const FROM: &str = "tests/snapshots/train_sgd.pickle.gz";

/// The recording that is repeated if no other is named.
pub fn default_source() -> PathBuf {
    paths::root().join(FROM)
}

/// Writes a recording of at least so many events to `out`.
pub fn run(events: u64, from: Option<&Path>, out: &Path) -> Result<()> {
    // The example starts at the top of the repository.
    let absolute = |path: &Path| std::path::absolute(path).with_context(|| path.display().to_string());
    let from = from.map_or_else(|| Ok(default_source()), absolute)?;
    let mut synth = cargo();
    synth.args(["run", "--quiet", "--package", "vramscope-tests", "--example", "synth", "--"]);
    execute(synth.arg(events.to_string()).arg(from).arg(absolute(out)?))
}
