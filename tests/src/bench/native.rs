//! The reader and the command line without a browser, against CPython.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::opening::row;
use super::process::{self, Ran};
use super::row::{Found, Row};

const TIMES: usize = 3;

/// Where `cargo build --release` puts programs.
pub(super) fn release() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    target.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../target")).join("release")
}

/// All figures of a file; `python`: CPython's as well.
pub(super) fn all(file: &Path, events: u64, python: bool) -> Vec<Row> {
    let bytes = std::fs::metadata(file).map_or(0.0, |meta| meta.len() as f64);
    let reader = reader_mb_s(file);
    let python_s = if python { python_seconds(file) } else { Err("left out".into()) };
    let times_python =
        reader.zip(python_s.as_ref().ok()).map(|(reader, seconds)| reader * seconds / (bytes / 1e6));
    let missing = "its release build is missing";
    let no_model = summary(&["--no-model"], file);
    let model = summary(&[], file);
    let seconds = |ran: Option<Ran>| Found::one(ran.map(|ran| ran.seconds), missing);
    let mib = |ran: Option<Ran>| {
        Found::one(ran.and_then(|ran| Some(ran.peak_bytes? as f64 / 1_048_576.0)), "only Linux tells it")
    };
    let why = python_s.clone().err().unwrap_or_default();
    let rows = [
        ("reader_mb_s", Found::one(reader, missing)),
        ("python_s", Found::one(python_s.ok(), &why)),
        ("reader_to_python", Found::one(times_python, &why)),
        ("summary_no_model_s", seconds(no_model)),
        ("summary_no_model_mib", mib(no_model)),
        ("summary_s", seconds(model)),
        ("summary_mib", mib(model)),
        ("simulate_m_s", Found::one(simulate_m_s(file), missing)),
    ];
    rows.into_iter().map(|(id, found)| row(id, found, events)).collect()
}

/// How many events a file has, by the command line.
pub(super) fn count_events(file: &Path) -> Option<u64> {
    let output = vramscope().args(["summary", "--json", "--no-model"]).arg(file).output().ok()?;
    let summary: serde_json::Value = serde_json::from_slice(&output.stdout).ok()?;
    summary["devices"].as_array()?.iter().map(|device| device["events"].as_u64()).sum()
}

/// The example prints a line for each of its runs: the fastest counts.
fn reader_mb_s(file: &Path) -> Option<f64> {
    let output = Command::new(release().join("examples/read_speed")).arg(file).output().ok()?;
    let lines = String::from_utf8_lossy(&output.stdout).into_owned();
    let speeds =
        lines.lines().filter_map(|line| line.split_once(" MB/s")?.0.rsplit(['(', ' ']).next()?.parse().ok());
    speeds.reduce(f64::max)
}

/// The example prints a line for each setting and order of addresses: the slowest counts.
fn simulate_m_s(file: &Path) -> Option<f64> {
    let output = Command::new(release().join("examples/simulate_speed")).arg(file).output().ok()?;
    let lines = String::from_utf8_lossy(&output.stdout).into_owned();
    let speeds =
        lines.lines().filter_map(|line| line.split_once(" M requests/s")?.0.rsplit(' ').next()?.parse().ok());
    speeds.reduce(f64::min)
}

/// The best of several, in time and in memory.
fn summary(options: &[&str], file: &Path) -> Option<Ran> {
    let ran = (0..TIMES).filter_map(|_| {
        let mut command = vramscope();
        command.arg("summary").args(options).arg(file).stdout(Stdio::null()).stderr(Stdio::null());
        process::run(&mut command).ok()
    });
    ran.reduce(|a, b| Ran { seconds: a.seconds.min(b.seconds), peak_bytes: a.peak_bytes.min(b.peak_bytes) })
}

fn vramscope() -> Command {
    Command::new(release().join(format!("vramscope{}", std::env::consts::EXE_SUFFIX)))
}

/// Only the load is timed, in a fresh interpreter, from the disk's cache; its garbage collector works as it does for everybody.
fn python_seconds(file: &Path) -> Result<f64, String> {
    let program = "import pickle, sys, time, gzip\nf = (gzip.open if open(sys.argv[1], 'rb').read(2) == b'\\x1f\\x8b' else open)(sys.argv[1], 'rb')\n\
         start = time.perf_counter()\nd = pickle.load(f)\nprint(time.perf_counter() - start, flush=True)\nimport os\nos._exit(0)";
    let output = Command::new("python3").args(["-c", program]).arg(file).output();
    let output = output.map_err(|_| "there is no python3".to_owned())?;
    let said = String::from_utf8_lossy(&output.stdout).trim().parse();
    said.map_err(|_| {
        String::from_utf8_lossy(&output.stderr).lines().last().unwrap_or("python3 failed").to_owned()
    })
}
