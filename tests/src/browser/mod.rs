//! A real Chromium on the built page: started, driven by real input events, and watched for errors and requests.

mod driver;
mod firefox;
mod page;

pub use driver::Setup;
pub use firefox::Firefox;
pub use page::Page;

use std::path::{Path, PathBuf};

/// The folder with the built page: `VRAMSCOPE_DIST`, or `dist` beside `crates`.
pub fn dist() -> PathBuf {
    let dist = std::env::var_os("VRAMSCOPE_DIST").map(PathBuf::from);
    let dist = dist.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../dist"));
    assert!(dist.join("index.html").exists(), "no page in {}: run `cargo xtask build`", dist.display());
    dist
}
