//! The command line as a user starts it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// Built by cargo before the first test that needs it.
static PROGRAM: LazyLock<PathBuf> = LazyLock::new(|| {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built = Command::new(cargo).args(["build", "--quiet", "--package", "vramscope-cli"]).status();
    assert!(built.expect("cargo runs").success());
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/debug/vramscope")
});

/// `vramscope`, ready for arguments.
pub fn vramscope() -> Command {
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let program = LazyLock::force(&PROGRAM);
    Command::new(target.map_or_else(|| program.clone(), |target| target.join("debug/vramscope")))
}
