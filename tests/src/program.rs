//! The command line as a user starts it.

use std::path::PathBuf;
use std::process::Command;
use std::sync::LazyLock;

/// Built by cargo before the first test that needs it; with the features of the tests, so that what they are built on is not built twice.
static PROGRAM: LazyLock<PathBuf> = LazyLock::new(|| {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut build = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    build.args(["build", "--quiet", "--workspace", "--exclude", "vramscope-web", "--bin", "vramscope"]);
    if cfg!(feature = "browser") {
        build.arg("--all-features");
    }
    assert!(build.current_dir(&root).status().expect("cargo runs").success());
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    target.join("debug/vramscope")
});

/// `vramscope`, ready for arguments.
pub fn vramscope() -> Command {
    Command::new(&*PROGRAM)
}
