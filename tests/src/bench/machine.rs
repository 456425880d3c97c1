//! On what it was measured.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

/// A machine, in words.
#[derive(Clone, Debug)]
pub struct Machine {
    /// The processor's name.
    pub cpu: String,
    /// How many threads it runs at once.
    pub cores: usize,
    /// Memory in GiB, rounded; 0: not known.
    pub memory_gib: u64,
    /// The browser and its version.
    pub browser: Option<String>,
    /// The commit that was measured; "+" after it: with changes.
    pub commit: String,
    /// How many processes wanted to run, on average over the minute before: above nothing, figures are worse than they could be.
    pub load: Option<f64>,
}

impl Machine {
    /// This one, now.
    pub fn here() -> Machine {
        let read = |file: &str| fs::read_to_string(file).unwrap_or_default();
        let after = |text: &str, name: &str| {
            text.lines().find_map(|line| {
                Some(line.strip_prefix(name)?.trim_start_matches([' ', '\t', ':']).trim().to_owned())
            })
        };
        let memory = after(&read("/proc/meminfo"), "MemTotal");
        let kib = memory.and_then(|memory| memory.trim_end_matches("kB").trim().parse::<u64>().ok());
        Machine {
            cpu: after(&read("/proc/cpuinfo"), "model name").unwrap_or_else(|| std::env::consts::ARCH.into()),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            memory_gib: (kib.unwrap_or(0) + (1 << 19)) >> 20,
            browser: None,
            commit: commit(),
            load: read("/proc/loadavg").split(' ').next().and_then(|load| load.parse().ok()),
        }
    }

    /// One sentence.
    pub fn sentence(&self) -> String {
        let browser = self.browser.as_deref().map(|browser| format!(", {browser}")).unwrap_or_default();
        let load = self.load.map(|load| format!(", load {load} before")).unwrap_or_default();
        format!(
            "{}, {} cores, {} GiB{browser}, commit {}{load}",
            self.cpu, self.cores, self.memory_gib, self.commit
        )
    }

    /// For `bench.json`.
    pub fn json(&self) -> Value {
        json!({
            "cpu": self.cpu, "cores": self.cores, "memory_gib": self.memory_gib, "browser": self.browser,
            "commit": self.commit, "load_before": self.load,
        })
    }
}

fn commit() -> String {
    let mut git = Command::new("git");
    git.current_dir(env!("CARGO_MANIFEST_DIR")).args([
        "describe",
        "--always",
        "--abbrev=7",
        "--dirty=+",
        "--exclude=*",
    ]);
    let output = git.output().ok().filter(|output| output.status.success());
    output.map_or_else(
        || "not known".into(),
        |output| String::from_utf8_lossy(&output.stdout).trim().to_owned(),
    )
}
