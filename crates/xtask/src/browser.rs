//! Brings the browser that the tests drive.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use crate::process::{command, find_on_path, output, run};

const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

const ADVICE: &str =
    "The browser tests need Chromium and ChromeDriver on PATH. Install them, then run this again:
  Debian       apt-get install chromium chromium-driver
  Fedora       dnf install chromium chromedriver
  Arch         pacman -S chromium
  macOS        brew install --cask google-chrome chromedriver
Without a browser, `cargo xtask test --only native` still works.";

/// The path of ChromeDriver; installs it and Chromium where apt can.
pub fn chromedriver() -> Result<PathBuf> {
    if let Some(found) = find() {
        return Ok(found);
    }
    if find_on_path(&["apt-get"]).is_none() {
        bail!(ADVICE);
    }
    println!("Installing Chromium and ChromeDriver with apt…");
    apt_get(&["update", "-q"]).context(ADVICE)?;
    apt_get(&["install", "-q", "-y", "--no-install-recommends", "chromium", "chromium-driver"])
        .context(ADVICE)?;
    find().context(ADVICE)
}

/// The path of nginx, with which a test serves the page as HOSTING.md says; installs it where apt can.
pub fn nginx() -> Result<PathBuf> {
    let found = || {
        find_on_path(&["nginx"])
            .or_else(|| Some(PathBuf::from("/usr/sbin/nginx")).filter(|path| path.is_file()))
    };
    if let Some(found) = found() {
        return Ok(found);
    }
    const ADVICE: &str = "A test serves the page with nginx: install it (Debian: apt-get install nginx-light), then run this again";
    if find_on_path(&["apt-get"]).is_none() {
        bail!(ADVICE);
    }
    println!("Installing nginx with apt…");
    apt_get(&["update", "-q"]).context(ADVICE)?;
    apt_get(&["install", "-q", "-y", "--no-install-recommends", "nginx-light"]).context(ADVICE)?;
    found().context(ADVICE)
}

fn find() -> Option<PathBuf> {
    find_on_path(&BROWSERS)?;
    find_on_path(&["chromedriver"])
}

fn apt_get(arguments: &[&str]) -> Result<()> {
    let root = output(command("id").arg("-u")).is_some_and(|user| user == "0");
    let mut apt = if root { command("apt-get") } else { command("sudo") };
    if !root {
        apt.arg("apt-get");
    }
    run(apt.args(arguments).env("DEBIAN_FRONTEND", "noninteractive"))
}
