//! Where things are in the repository.

use std::path::{Path, PathBuf};

/// The top of the repository.
pub fn root() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here)
}

/// The built page.
pub fn dist() -> PathBuf {
    root().join("dist")
}

/// What `setup` builds from `crates/xtask/tools`.
pub fn tools_target() -> PathBuf {
    root().join("target/tools-build")
}

/// What `setup` installs by `cargo install`.
pub fn tools_root() -> PathBuf {
    root().join("target/tools")
}

/// Where `setup` puts what comes from npm.
pub fn node_tools() -> PathBuf {
    tools_root().join("node")
}

/// The program that makes scripts small.
pub fn minifier() -> PathBuf {
    node_tools().join("node_modules/terser/bin/terser")
}

/// The script that judges whether everybody can use a page.
pub fn axe() -> PathBuf {
    node_tools().join("node_modules/axe-core/axe.min.js")
}
