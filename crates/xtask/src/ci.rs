//! `cargo xtask ci`: everything that must pass before a change lands, quick gates first.

use anyhow::Result;

use crate::process::{cargo, run as execute, stage};
use crate::setup::{self, WASM};
use crate::{page, test};

/// Runs all gates; stops at the first that fails.
pub fn run() -> Result<()> {
    stage("Tools", setup::tools)?;
    stage("Format (`cargo fmt` repairs it)", || execute(cargo().args(["fmt", "--all", "--check"])))?;
    stage("Lints", || clippy(&["--workspace", "--all-targets", "--all-features"]))?;
    stage("Lints of the wasm", || {
        clippy(&["--package", "vramscope-web", "--all-targets", "--target", WASM])
    })?;
    stage("Documentation", documentation)?;
    test::run(None)?;
    stage("Size of the page", page::check_size)
}

fn clippy(what: &[&str]) -> Result<()> {
    execute(cargo().arg("clippy").args(what).args(["--", "--deny", "warnings"]))
}

fn documentation() -> Result<()> {
    // The features of the lints: what they have checked need not be checked again.
    execute(
        cargo()
            .args(["doc", "--workspace", "--all-features", "--no-deps"])
            .env("RUSTDOCFLAGS", "--deny warnings"),
    )
}
