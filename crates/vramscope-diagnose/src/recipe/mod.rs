//! How to record a snapshot: the code for a version of PyTorch and a purpose, and what a recording should do differently next time.

mod advice;

use std::fmt::{self, Display};

use serde::{Deserialize, Serialize};

pub use advice::{RecordingAdvice, advice_for};

/// A version of PyTorch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Version {
    /// 2 of 2.11.
    pub major: u32,
    /// 11 of 2.11.
    pub minor: u32,
}

impl Version {
    /// Reads "2.11", "2.11.0+cu130" or "v2.1".
    pub fn parse(text: &str) -> Option<Version> {
        let mut parts = text.trim().trim_start_matches('v').split(['.', '+', ' ']);
        let mut number = || parts.next()?.parse().ok();
        Some(Version { major: number()?, minor: number()? })
    }

    const fn at_least(self, major: u32, minor: u32) -> bool {
        self.major > major || (self.major == major && self.minor >= minor)
    }
}

impl Display for Version {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{}.{}", self.major, self.minor)
    }
}

/// What the snapshot is to show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// A few steps.
    #[default]
    Steps,
    /// A request that fails.
    OutOfMemory,
    /// Memory that grows.
    Leak,
    /// Several processes, one card each.
    Ranks,
}

/// Code to paste, and what to know of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Recipe {
    /// It makes a snapshot; false where that PyTorch has counters only.
    pub makes_snapshot: bool,
    /// Python.
    pub code: String,
    /// Sentences, the most useful first. `code` marks up words; nothing else does.
    pub notes: Vec<&'static str>,
}

/// The recipe for a version of PyTorch.
pub fn recipe(version: Version, purpose: Purpose) -> Recipe {
    if !version.at_least(2, 0) {
        return counters(purpose);
    }
    let is_first = !version.at_least(2, 1);
    Recipe { makes_snapshot: true, code: code(is_first, purpose), notes: notes(is_first, version, purpose) }
}

/// Versions without snapshots.
fn counters(purpose: Purpose) -> Recipe {
    let code = match purpose {
        Purpose::OutOfMemory => {
            "try:\n    train_step()\nexcept RuntimeError:\n    print(torch.cuda.memory_summary())\n    raise"
        }
        Purpose::Leak => "# at the end of each step\nprint(torch.cuda.memory_allocated())",
        Purpose::Steps | Purpose::Ranks => "# after two steps\nprint(torch.cuda.memory_summary())",
    };
    Recipe {
        makes_snapshot: false,
        code: code.into(),
        notes: vec![
            "PyTorch 1.x records no snapshots, only counters. From 2.1 on this page can show every allocation.",
            "`memory_summary` came with 1.4; before it there are `memory_allocated` and `memory_cached`.",
        ],
    }
}

/// From 2.1 on recording takes words, before that switches, and writing the file is left to the program.
fn code(is_first: bool, purpose: Purpose) -> String {
    let start = if is_first {
        "# before the model is built\ntorch.cuda.memory._record_memory_history(\n    True, trace_alloc_max_entries=1_000_000,\n    trace_alloc_record_context=True)\n"
    } else {
        "# before the model is built\ntorch.cuda.memory._record_memory_history(\n    max_entries=1_000_000)\n"
    };
    let file = match purpose {
        Purpose::Ranks => "f\"snapshot_rank{rank}.pickle\"",
        Purpose::OutOfMemory if !is_first => "f\"oom_gpu{device}.pickle\"",
        _ => "\"snapshot.pickle\"",
    };
    let write = |indent: &str| {
        if is_first {
            format!(
                "{indent}with open({file}, \"wb\") as to:\n{indent}    pickle.dump(torch.cuda.memory._snapshot(), to)"
            )
        } else {
            format!("{indent}torch.cuda.memory._dump_snapshot(\n{indent}    {file})")
        }
    };
    let import = if is_first { "import pickle\n\n" } else { "" };
    let rest = match purpose {
        Purpose::Steps => format!("# after two steps, or in the except block\n{}", write("")),
        Purpose::Leak => format!("# after six steps\n{}", write("")),
        Purpose::Ranks => {
            format!("# after two steps, in every process\nrank = torch.distributed.get_rank()\n{}", write(""))
        }
        Purpose::OutOfMemory => format!(
            "def on_oom(device, asked, limit, free):\n{}\n\ntorch._C._cuda_attach_out_of_memory_observer(on_oom)",
            write("    ")
        ),
    };
    format!("{import}{start}\n{rest}")
}

fn notes(is_first: bool, version: Version, purpose: Purpose) -> Vec<&'static str> {
    let mut notes = vec![match purpose {
        Purpose::Steps => "Two or three steps are enough. For a leak, take six or more.",
        Purpose::OutOfMemory => {
            "The observer writes the file before the error is raised, so it also works where the error is caught. A library that tries again with \
             less memory can cause it, too: the last file counts."
        }
        Purpose::Leak => {
            "A slow leak needs six steps or more to show: the same lines must keep more after each of them."
        }
        Purpose::Ranks => {
            "Each process writes its own file. Drop the one of the rank that failed; or several, to compare them."
        }
    }];
    notes.push("Start before the model is built: what was there before has no stack.");
    if is_first {
        notes.push("In 2.0 the file is written with `pickle`; from 2.1 on `_dump_snapshot` does it.");
        return notes;
    }
    notes.push(
        "Write the file before `_record_memory_history(enabled=None)`: stopping can throw the events away.",
    );
    notes.push("`stacks='python'` leaves C++ frames out: cheaper, and the file is a fraction as large. `context=None` or `'state'` loses stacks of events.");
    if version.at_least(2, 6) {
        notes.push("`clear_history=True` forgets what an earlier recording of this process kept.");
    }
    notes
}
