//! Brings the browsers that the tests drive, and the server that one of them serves the page with.

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
    let chromium = || find_on_path(&BROWSERS).and_then(|_| find_on_path(&["chromedriver"]));
    by_apt(chromium, &["chromium", "chromium-driver"], ADVICE)
}

/// The path of nginx, with which a test serves the page as HOSTING.md says; installs it where apt can.
pub fn nginx() -> Result<PathBuf> {
    let nginx = || {
        let aside = Some(PathBuf::from("/usr/sbin/nginx")).filter(|path| path.is_file());
        find_on_path(&["nginx"]).or(aside)
    };
    by_apt(nginx, &["nginx-light"], "A test serves the page with nginx: install it, then run this again")
}

/// The path of Firefox, Debian's ESR or any other; installs it where apt can.
pub fn firefox() -> Result<PathBuf> {
    let firefox = || find_on_path(&["firefox-esr", "firefox"]);
    by_apt(firefox, &["firefox-esr"], "A test opens the page in Firefox: install it, then run this again")
}

/// A program that is there, or else comes with packages of Debian.
fn by_apt(find: impl Fn() -> Option<PathBuf>, packages: &[&str], advice: &'static str) -> Result<PathBuf> {
    if let Some(found) = find() {
        return Ok(found);
    }
    if find_on_path(&["apt-get"]).is_none() {
        bail!(advice);
    }
    println!("Installing {} with apt…", packages.join(" and "));
    apt_get(&["update", "-q"]).context(advice)?;
    let mut install = vec!["install", "-q", "-y", "--no-install-recommends"];
    install.extend(packages);
    apt_get(&install).context(advice)?;
    find().context(advice)
}

fn apt_get(arguments: &[&str]) -> Result<()> {
    let root = output(command("id").arg("-u")).is_some_and(|user| user == "0");
    let mut apt = if root { command("apt-get") } else { command("sudo") };
    if !root {
        apt.arg("apt-get");
    }
    run(apt.args(arguments).env("DEBIAN_FRONTEND", "noninteractive"))
}
