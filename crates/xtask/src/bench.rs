//! `cargo xtask bench`: builds what is measured and makes the files; `tests/src/bench` measures.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};

use crate::process::{cargo, run as execute, stage};
use crate::{browser, page, paths, setup, synth};

/// The file that is measured if none is named.
const EVENTS: u64 = 1_000_000;
/// A row of sizes: is the time for each event the same?
const LINEAR: [u64; 4] = [10_000, 100_000, 1_000_000, 10_000_000];

/// What to measure.
#[derive(Args)]
pub struct Options {
    /// Snapshots; by default one of a million events, made by `synth`
    files: Vec<PathBuf>,
    /// Only this part
    #[arg(long)]
    only: Option<Part>,
    /// Leave out CPython
    #[arg(long)]
    quick: bool,
    /// The page as one file from the disk, not served
    #[arg(long)]
    single_file: bool,
    /// Also four files of 10 thousand to 10 million events: minutes, 2 GB of disk, 4 GB of memory
    #[arg(long, conflicts_with = "quick")]
    linear: bool,
    /// The recording that the made files repeat
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    /// Write the tables into README.md
    #[arg(long)]
    readme: bool,
}

/// A part of the measurements.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// The page in Chromium
    Page,
    /// The reader and the command line
    Native,
}

/// Builds, makes files, measures; prints the table and writes `target/bench.json`.
pub fn run(options: &Options) -> Result<()> {
    // Before anything is built.
    let absolute = |file: &PathBuf| fs::canonicalize(file).with_context(|| file.display().to_string());
    let files = options.files.iter().map(absolute).collect::<Result<Vec<_>>>()?;
    let wanted = |part| options.only.is_none_or(|only| only == part);
    let mut bench = cargo();
    bench.args(["run", "--quiet", "--package", "vramscope-tests", "--features", "browser"]);
    bench.args(["--example", "bench", "--", "--json"]).arg(paths::root().join("target/bench.json"));
    if wanted(Part::Page) {
        stage("Build of the page", || page::build(&setup::tools()?))?;
        bench
            .arg("--page")
            .env("CHROMEDRIVER", browser::chromedriver()?)
            .env("VRAMSCOPE_DIST", paths::dist());
    }
    if wanted(Part::Native) {
        stage("Build of the command line", release)?;
        bench.arg("--native");
    }
    if !options.quick {
        bench.arg("--python");
    }
    if options.single_file {
        bench.arg("--single-file");
    }
    if options.readme {
        bench.arg("--readme");
    }
    bench.args(&files);
    if files.is_empty() {
        bench.arg(made(EVENTS, options)?);
    }
    if options.linear {
        bench.arg("--linear");
        for events in LINEAR {
            bench.arg(made(events, options)?);
        }
    }
    // Compiling beside what is measured would show in the figures.
    let mut build = cargo();
    build.args([
        "build",
        "--quiet",
        "--package",
        "vramscope-tests",
        "--features",
        "browser",
        "--example",
        "bench",
    ]);
    stage("Build of the bench", || execute(&mut build))?;
    stage("Measuring", || execute(&mut bench))
}

fn release() -> Result<()> {
    execute(cargo().args(["build", "--release", "--package", "vramscope-cli"]))?;
    let example = |package, name| {
        execute(cargo().args(["build", "--release", "--package", package, "--example", name]))
    };
    example("vramscope-core", "read_speed")?;
    example("vramscope-simulate", "simulate_speed")
}

/// A file of so many events, kept for the next time; one from another recording has another name.
fn made(events: u64, options: &Options) -> Result<PathBuf> {
    let folder = paths::root().join("target/bench");
    fs::create_dir_all(&folder)?;
    let from = options.from.clone().unwrap_or_else(synth::default_source);
    let name = from.file_name().unwrap_or_default().to_string_lossy();
    let name = name.split('.').next().unwrap_or_default();
    let file = folder.join(format!("{name}-{events}.pickle"));
    if !file.is_file() {
        stage(&format!("{events} events"), || synth::run(events, Some(&from), &file))?;
    }
    Ok(file)
}
