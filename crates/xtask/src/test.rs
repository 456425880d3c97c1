//! `cargo xtask test`: native tests, tests of the wasm in a browser, tests of the built page.

use anyhow::Result;
use clap::ValueEnum;

use crate::process::{cargo, run as execute, stage};
use crate::setup::{self, WASM};
use crate::{browser, page, paths};

/// A part of the tests.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// Everything that runs without a browser
    Native,
    /// The web crate's own tests, inside a headless browser
    Wasm,
    /// The built page, driven as a person would
    Browser,
}

/// Runs one part, or all.
pub fn run(only: Option<Part>) -> Result<()> {
    match only {
        Some(Part::Native) => stage("Native tests", native),
        Some(Part::Wasm) => stage("Tests in wasm", wasm),
        Some(Part::Browser) => {
            build_page()?;
            stage("Tests of the page in a browser", || with_browsers(&["--test", "browser"]))
        }
        None => {
            build_page()?;
            stage("Tests in wasm", wasm)?;
            // At once: apart, everything would be built twice, with the features that the browser tests ask for and without.
            stage("Native tests, and tests of the page in a browser", || with_browsers(&[]))
        }
    }
}

fn build_page() -> Result<()> {
    stage("Build of the page", || page::build(&setup::tools()?))
}

fn native() -> Result<()> {
    execute(cargo().args(["test", "--workspace", "--exclude", "vramscope-web"]))
}

fn wasm() -> Result<()> {
    let tools = setup::tools()?;
    let mut test = cargo();
    test.args(["test", "--package", "vramscope-web", "--tests", "--target", WASM]);
    test.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER", tools.wasm_test_runner());
    execute(test.env("CHROMEDRIVER", browser::chromedriver()?))
}

/// All tests, or those that are named, with what the browser tests need.
fn with_browsers(only: &[&str]) -> Result<()> {
    let mut test = cargo();
    test.args(["test", "--workspace", "--exclude", "vramscope-web", "--all-features"]).args(only);
    test.env("CHROMEDRIVER", browser::chromedriver()?);
    test.env("NGINX", browser::nginx()?);
    test.env("FIREFOX", browser::firefox()?);
    execute(test.env("VRAMSCOPE_DIST", paths::dist()))
}
