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
