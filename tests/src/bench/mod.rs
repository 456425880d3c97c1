//! `cargo xtask bench`: the built page in real Chromium and the command line, measured in one run, and held against what they must be ([`bounds`]).
//!
//! Speed of a machine and what else it does show in every figure: compare ratios, and figures of the same run.

pub mod bounds;
mod hands;
mod machine;
mod native;
mod opening;
mod process;
mod readme;
mod report;
mod row;
mod simulations;
mod views;

use std::path::PathBuf;

pub use machine::Machine;
pub use readme::rewrite as rewrite_readme;
pub use report::{OfFile, Report};
pub use row::{Found, Row, Verdict};

use opening::{Opened, Tab, row};

/// What to measure.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Files, each with everything.
    pub files: Vec<PathBuf>,
    /// Files that differ only in length: opening alone.
    pub linear: Vec<PathBuf>,
    /// The page.
    pub page: bool,
    /// The reader and the command line; their release build is at hand.
    pub native: bool,
    /// CPython's reader.
    pub python: bool,
    /// The page as one file from the disk, not served.
    pub single_file: bool,
    /// Only a few of everything: no figures, but a sign that all of them can be had.
    pub brief: bool,
}

/// Measures all that is asked for. Says on standard error what it does.
pub fn run(options: &Options) -> Report {
    let mut report =
        Report { machine: Machine::here(), page: Vec::new(), files: Vec::new(), linear: Vec::new() };
    if options.page {
        eprintln!("the empty page");
        let tab = Tab::start(options.single_file);
        report.machine.browser = tab.browser();
        let weights = xtask::page::gzip_bytes(&crate::browser::dist()).ok();
        let kb = |bytes: Option<usize>| Found::one(bytes.map(|bytes| bytes as f64 / 1e3), "dist/ is missing");
        report.page = vec![
            tab.empty_page(),
            row("page_kb", kb(weights.map(|(first, _)| first)), 0),
            row("visit_kb", kb(weights.map(|(_, all)| all)), 0),
        ];
    }
    report.files = options.files.iter().map(|file| measure(file, options, true)).collect();
    report.linear = options.linear.iter().map(|file| measure(file, options, false)).collect();
    report
}

fn measure(file: &PathBuf, options: &Options, everything: bool) -> OfFile {
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    // From the disk's cache, for everybody.
    let mut bytes = std::fs::File::open(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let bytes = std::io::copy(&mut bytes, &mut std::io::sink()).unwrap_or_default();
    let mut of_file = OfFile { name, bytes, events: 0, rows: Vec::new() };
    if options.page {
        eprintln!("{} in the page", of_file.name);
        let tab = Tab::start(options.single_file);
        let opened = tab.open(file);
        of_file.events = opened.events;
        if everything {
            let effort = if options.brief { hands::BRIEF } else { hands::FULL };
            of_file.rows = hands::all(&tab, &opened, effort);
            of_file.rows.extend(views::all(&tab, &opened, if options.brief { 3 } else { usize::MAX }));
            of_file.rows.extend(simulations::all(&tab, &opened));
        }
        let Opened { rows, .. } = opened;
        of_file.rows.splice(0..0, rows);
    }
    if options.native && everything {
        eprintln!("{} without a browser", of_file.name);
        if of_file.events == 0 {
            of_file.events = native::count_events(file).unwrap_or_default();
        }
        of_file.rows.extend(native::all(file, of_file.events, options.python));
    }
    of_file
}
