//! The built page: Trunk compiles and copies, then what travels is made small, and the policy and the one-file form are ours.

mod html;
mod lean;
mod minify;
mod modules;
mod names;
mod policy;
mod single_file;
mod size;
mod split;
mod styles;
mod versions;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::paths;
use crate::process::{cargo, command, run};
use crate::setup::{Tools, WASM};

pub use size::{check as check_size, gzip_bytes};

/// The page's scripts, in the order in which they run: what takes a file, then what shows it.
const SCRIPTS: [&str; 2] = ["app.js", "views.js"];
/// Scripts that are joined with no other.
const ALONE: [&str; 3] = ["vramscope.js", "worker.js", "sw.js"];

/// Builds `dist/` and prints its size.
pub fn build(tools: &Tools) -> Result<()> {
    if !paths::root().join("www/index.html").is_file() {
        bail!("www/index.html is missing: there is no page to build");
    }
    // Trunk's offline mode holds for cargo as well, so a fresh clone downloads its crates here.
    run(cargo().args(["fetch", "--quiet", "--locked", "--target", WASM]))?;
    let mut trunk = command(&tools.trunk);
    // A backtrace of Trunk's would hide its message.
    trunk.arg("build").env("PATH", tools.path_variable()?).env("RUST_BACKTRACE", "0");
    trunk.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", flags_without_paths());
    // Trunk takes NO_COLOR for an option of its own and refuses the value 1.
    run(trunk.env_remove("NO_COLOR")).context("could not build the page")?;
    size::print()
}

/// Panic messages hold the paths of sources. The page is handed on, so the folders of whoever built it are left out.
fn flags_without_paths() -> String {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from).or_else(|| Some(env::home_dir()?.join(".cargo")));
    let folders = [(home, "cargo"), (Some(paths::root().to_owned()), "vramscope")];
    let flags = folders.into_iter().filter_map(|(folder, name)| {
        let folder = folder?.to_str()?.to_owned();
        // The variable parts flags at spaces.
        (!folder.contains(' ')).then(|| format!("--remap-path-prefix={folder}={name}"))
    });
    flags.collect::<Vec<_>>().join(" ")
}

/// The hook of Trunk.toml: what it returns an error for never reaches `dist/`.
pub fn finish_in_trunk() -> Result<()> {
    let staging =
        env::var_os("TRUNK_STAGING_DIR").context("only Trunk calls this, with TRUNK_STAGING_DIR")?;
    finish(Path::new(&staging))
}

fn finish(folder: &Path) -> Result<()> {
    // Trunk names the files after the package.
    fs::rename(folder.join("vramscope-web.js"), folder.join("vramscope.js"))?;
    let module = folder.join("vramscope-web_bg.wasm");
    let parts = split::split(&fs::read(&module)?, SIDES)?;
    fs::write(folder.join("vramscope_bg.wasm"), names::strip(&parts.first)?)?;
    fs::write(folder.join("vramscope_more.wasm"), parts.more)?;
    fs::remove_file(module)?;
    for script in ALONE {
        let file = folder.join(script);
        fs::write(&file, lean::script(&read(&file)?).with_context(|| script.to_owned())?)?;
    }
    for (name, script) in SCRIPTS.iter().zip(modules::bundles(folder, &SCRIPTS)?) {
        fs::write(folder.join(name), script)?;
    }
    for script in ALONE.iter().chain(&SCRIPTS) {
        minify::script(&folder.join(script))?;
    }
    fs::remove_dir_all(folder.join("js"))?;
    let index = folder.join("index.html");
    let page = styles::join(folder, &html::without_trunk_links(&read(&index)?))?;
    fs::remove_dir(folder.join("css")).context("css/ holds what index.html does not link")?;
    let build = versions::name(folder, &page)?;
    let page = versions::tell(&page, &build)?;
    let single_file = single_file::write(folder, &page)?;
    let page = versions::move_to_folder(folder, &page, &build)?;
    fs::write(folder.join("vramscope.html"), single_file)?;
    fs::write(index, policy::insert(&page, &policy::served())?)?;
    Ok(())
}

/// What calls on, compares or writes one field may be equal to another by chance.
const SIDES: split::Sides = split::Sides { belongs: comes_behind, may_wait, may_be_equal_bytes: 100 };

/// Whether a function is only wanted after the first picture, by its name. What is kept between questions about a file is made with it, and
/// dropped: both are compiled once for all types of one shape, under the name of any of them.
fn comes_behind(function: &str) -> bool {
    let of = |name: &str| function.contains(name);
    let crates = ["vramscope_diagnose", "vramscope_explore", "vramscope_simulate"];
    // Of these modules only their own plain functions: one that a trait asks for may be the same as another's, and is then compiled once for both.
    let own = |module: &&str| function.starts_with(module) && !of("::_::");
    let modules = [
        "vramscope_core::replay::requests",
        "vramscope_render::chart::curves",
        "vramscope_web::simulator",
        "vramscope_web::estimates",
        "vramscope_web::what_if",
    ];
    let is_shared = of("core::default::Default") || of("core::ptr::drop_in_place");
    (crates.into_iter().any(of) || modules.iter().any(own)) && !is_shared
}

/// Whether a function may call one that comes behind, by its name. What reads, replays and paints knows of nothing behind it; what it calls all
/// the same stands for something of its own that was equal.
fn may_wait(function: &str) -> bool {
    let name = function.trim_start_matches(['<', '_', '&']);
    !["vramscope_core", "vramscope_pickle", "vramscope_render"].into_iter().any(|own| name.starts_with(own))
}

/// Text as a browser sees it, with plain line ends: the hashes of the policy depend on it.
fn read(file: &Path) -> Result<String> {
    let text = fs::read_to_string(file).with_context(|| format!("could not read {}", file.display()))?;
    Ok(text.replace("\r\n", "\n"))
}
