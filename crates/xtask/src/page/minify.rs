//! Scripts with short names inside functions: a sixth of their bytes when compressed. Terser does it, which `setup` brings from npm.

use std::path::Path;

use anyhow::{Context, Result};

use crate::paths;
use crate::process::{command, run};

/// Three looks at each script; arrow functions for what is called and nothing else.
const OPTIONS: &str = "passes=3,ecma=2022,unsafe_arrows=true,pure_getters=true";

/// Makes a script of the built page small. Names that other scripts or the page could use stay.
pub fn script(file: &Path) -> Result<()> {
    let terser = paths::minifier();
    if !terser.is_file() {
        anyhow::bail!("{} is missing: run `cargo xtask setup`", terser.display());
    }
    let mut node = command("node");
    node.arg(terser).arg(file).args(["--compress", OPTIONS, "--mangle", "--output"]).arg(file);
    run(&mut node).with_context(|| format!("could not make {} small", file.display()))
}
