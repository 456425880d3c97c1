//! How much a first visit transfers, against a budget.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use flate2::{Compression, write::GzEncoder};

use crate::paths;

/// What a first visit may weigh, and may weigh compressed, in bytes. Servers send it compressed, so that is what counts; the other bound
/// only keeps what no compression helps in sight. It was 1,500,000 before the allocator model came.
const BUDGET: Size = Size { raw: 1_650_000, gzip: 600_000 };

/// Fetched on demand, or in place of the rest.
const NOT_AT_FIRST: [&str; 2] = ["samples", "vramscope.html"];

#[derive(Clone, Copy, Default)]
struct Size {
    raw: usize,
    gzip: usize,
}

/// Prints the size of the wasm and of a first visit.
pub fn print() -> Result<()> {
    let show = |name: &str, size: Size| {
        println!("{name:<12} {:>7.1} kB, {:>6.1} kB gzip", size.raw as f64 / 1e3, size.gzip as f64 / 1e3);
    };
    show("wasm", measure(&[paths::dist().join("vramscope_bg.wasm")])?);
    show("first visit", first_visit()?);
    Ok(())
}

/// Fails if a first visit is over the budget.
pub fn check() -> Result<()> {
    let size = first_visit()?;
    ensure!(
        size.raw <= BUDGET.raw && size.gzip <= BUDGET.gzip,
        "a first visit takes {} bytes ({} by gzip), over the budget of {} ({}): make the page smaller, or raise the \
         budget in crates/xtask/src/page/size.rs and say why",
        size.raw,
        size.gzip,
        BUDGET.raw,
        BUDGET.gzip
    );
    print()
}

/// What a first visit of a built page weighs compressed, in bytes.
pub fn gzip_bytes(dist: &Path) -> Result<usize> {
    Ok(first_visit_of(dist)?.gzip)
}

fn first_visit() -> Result<Size> {
    first_visit_of(&paths::dist())
}

fn first_visit_of(dist: &Path) -> Result<Size> {
    let mut files = Vec::new();
    collect(dist, &mut files).context("dist/ is missing: run `cargo xtask build`")?;
    measure(&files)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.file_name().is_some_and(|name| NOT_AT_FIRST.iter().any(|other| name == *other)) {
            continue;
        }
        if path.is_dir() { collect(&path, files)? } else { files.push(path) }
    }
    Ok(())
}

fn measure(files: &[PathBuf]) -> Result<Size> {
    let mut sum = Size::default();
    for file in files {
        let bytes = fs::read(file).with_context(|| format!("could not read {}", file.display()))?;
        let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
        gzip.write_all(&bytes)?;
        sum.raw += bytes.len();
        sum.gzip += gzip.finish()?.len();
    }
    Ok(sum)
}
