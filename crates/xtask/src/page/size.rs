//! How much a first visit transfers until the page can take a file, and in all, against budgets.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use flate2::{Compression, write::GzEncoder};

use crate::paths;

/// What may come before the page can take a file, compressed as servers send it, in bytes.
const FIRST_USE_GZIP: usize = 600_000;
/// What a first visit may weigh in all. A third of it, what shows and explains an open file, comes while a file is looked for and holds nobody up,
/// so this bound is wider than that of what comes before. It was 800 kB until every view had to answer within a tenth of a second on three million
/// events (replay and exploration are built for speed since, 55 kB), and 900 kB until there was What if: simulation, another batch, changes to the program
/// and their view, 65 kB. That on the bare bytes only keeps in sight what no compression helps.
const ALL: Size = Size { raw: 2_650_000, gzip: 950_000 };

/// Fetched on demand, or in place of the rest.
const NOT_AT_FIRST: [&str; 2] = ["samples", "vramscope.html"];
/// Come behind what takes a file.
const AFTER_FIRST_USE: [&str; 3] = ["views.js", MORE, "sw.js"];
/// The second part of the wasm.
const MORE: &str = "vramscope_more.wasm";

#[derive(Clone, Copy, Default)]
struct Size {
    raw: usize,
    gzip: usize,
}

/// Prints the sizes of both parts of the wasm, of what comes before first use, and of a first visit.
pub fn print() -> Result<()> {
    let show = |name: &str, size: Size| {
        println!("{name:<12} {:>7.1} kB, {:>6.1} kB gzip", size.raw as f64 / 1e3, size.gzip as f64 / 1e3);
    };
    let dist = paths::dist();
    let all = first_visit(&dist)?;
    let only = |name: &str| all.iter().filter(|file| file.ends_with(name)).cloned().collect::<Vec<_>>();
    show("wasm, first", measure(&only("vramscope_bg.wasm"))?);
    show("wasm, more", measure(&only(MORE))?);
    show("first use", first_use(&dist)?);
    show("first visit", measure(&all)?);
    Ok(())
}

/// Fails if the page is over a budget.
pub fn check() -> Result<()> {
    let dist = paths::dist();
    let (first, all) = (first_use(&dist)?, measure(&first_visit(&dist)?)?);
    ensure!(
        first.gzip <= FIRST_USE_GZIP && all.raw <= ALL.raw && all.gzip <= ALL.gzip,
        "{} bytes by gzip come before first use (budget {FIRST_USE_GZIP}), {} bytes and {} by gzip in all (budget {} and {}): \
         make the page smaller, or raise the budget in crates/xtask/src/page/size.rs and say why",
        first.gzip,
        all.raw,
        all.gzip,
        ALL.raw,
        ALL.gzip
    );
    print()
}

/// What comes before a built page can take a file, and what a first visit weighs in all, compressed, in bytes.
pub fn gzip_bytes(dist: &Path) -> Result<(usize, usize)> {
    Ok((first_use(dist)?.gzip, measure(&first_visit(dist)?)?.gzip))
}

fn first_use(dist: &Path) -> Result<Size> {
    let before = |file: &PathBuf| !AFTER_FIRST_USE.iter().any(|behind| file.ends_with(behind));
    measure(&first_visit(dist)?.into_iter().filter(before).collect::<Vec<_>>())
}

fn first_visit(dist: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    collect(dist, &mut files).context("dist/ is missing: run `cargo xtask build`")?;
    Ok(files)
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
