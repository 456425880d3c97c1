//! Brings what a build needs: the wasm target, wasm-bindgen, Trunk, Terser and axe-core. Quick when all is there.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::paths;
use crate::process::{cargo, command, find_on_path, output, run};

/// The target of the page.
pub const WASM: &str = "wasm32-unknown-unknown";

const TRUNK: &str = "0.21.14";
const TRUNK_SERIES: &str = "trunk 0.21.";

/// The programs of a build.
pub struct Tools {
    /// Trunk, 0.21.
    pub trunk: PathBuf,
    /// The folder of wasm-bindgen and wasm-bindgen-test-runner, of the version that the page uses.
    pub bindgen_folder: PathBuf,
}

impl Tools {
    /// The runner for `cargo test --target wasm32-unknown-unknown`.
    pub fn wasm_test_runner(&self) -> PathBuf {
        self.bindgen_folder.join("wasm-bindgen-test-runner")
    }

    /// PATH with our wasm-bindgen before any other.
    pub fn path_variable(&self) -> Result<OsString> {
        let old = env::var_os("PATH").unwrap_or_default();
        let folders = std::iter::once(self.bindgen_folder.clone()).chain(env::split_paths(&old));
        env::join_paths(folders).context("a folder on PATH has a name that PATH cannot hold")
    }
}

/// Installs what is missing.
pub fn tools() -> Result<Tools> {
    wasm_target()?;
    from_npm()?;
    Ok(Tools { bindgen_folder: bindgen()?, trunk: trunk()? })
}

fn wasm_target() -> Result<()> {
    let libraries = output(command("rustc").args(["--print", "target-libdir", "--target", WASM]));
    if libraries.is_some_and(|folder| Path::new(&folder).is_dir()) {
        return Ok(());
    }
    println!("Adding the Rust target {WASM}…");
    run(command("rustup").args(["target", "add", WASM])).with_context(|| {
        format!("Rust's standard library for {WASM} is missing: install it with rustup, or the package of your system")
    })
}

/// Cargo decides by itself whether anything is to do; that takes a fraction of a second.
fn bindgen() -> Result<PathBuf> {
    let folder = paths::tools_target().join("debug");
    let mut build = cargo();
    build.args(["build", "--locked", "--manifest-path", "crates/xtask/tools/Cargo.toml", "--target-dir"]);
    build.arg(paths::tools_target());
    if folder.join("wasm-bindgen").is_file() {
        build.arg("--quiet");
    } else {
        println!("Building wasm-bindgen (1 to 3 minutes, once)…");
    }
    run(&mut build).context("could not build wasm-bindgen")?;
    Ok(folder)
}

/// Any Trunk of the series will do; the newest of all needs a newer Rust, so a missing one is installed by version.
fn trunk() -> Result<PathBuf> {
    let ours = paths::tools_root().join("bin/trunk");
    if let Some(found) = find_on_path(&["trunk"]).into_iter().chain([ours.clone()]).find(|trunk| fits(trunk))
    {
        return Ok(found);
    }
    println!("Installing Trunk {TRUNK} (3 to 7 minutes, once; its warnings can be ignored)…");
    let mut install = cargo();
    install.args(["install", "trunk", "--version", TRUNK, "--locked", "--force"]);
    // A debug build without TLS: a third of the time to build, and the page takes as long to build with it.
    install.args(["--no-default-features", "--debug", "--root"]).arg(paths::tools_root());
    install.env("CARGO_PROFILE_DEV_DEBUG", "0").env("CARGO_PROFILE_DEV_OPT_LEVEL", "0");
    run(&mut install).context("could not install Trunk")?;
    if !fits(&ours) {
        bail!("{} does not start", ours.display());
    }
    Ok(ours)
}

/// Terser and what it needs, and axe-core, by the versions and check sums of `crates/xtask/tools/package-lock.json`.
fn from_npm() -> Result<()> {
    let (folder, ours) = (paths::node_tools(), paths::root().join("crates/xtask/tools"));
    let lock = |folder: &Path| fs::read(folder.join("package-lock.json")).ok();
    if paths::minifier().is_file() && paths::axe().is_file() && lock(&folder) == lock(&ours) {
        return Ok(());
    }
    println!("Installing Terser and axe-core from npm (seconds, once)…");
    fs::create_dir_all(&folder)?;
    for file in ["package.json", "package-lock.json"] {
        fs::copy(ours.join(file), folder.join(file))?;
    }
    let npm = find_on_path(&["npm", "npm.cmd"]).context("npm is missing: install Node.js 18 or newer")?;
    let mut install = command(npm);
    install.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent", "--prefix"]).arg(&folder);
    run(&mut install).context("could not install Terser and axe-core")
}

fn fits(trunk: &Path) -> bool {
    output(command(trunk).arg("--version")).is_some_and(|version| version.starts_with(TRUNK_SERIES))
}
