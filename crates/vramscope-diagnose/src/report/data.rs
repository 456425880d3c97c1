//! What a diagnosis says, as plain data: `report --json` prints it, the page shows it.
//!
//! The keys of the contract (`report --json`) are all here; the others are the page's.

use serde::Serialize;
use vramscope_core::ids::StackId;

/// The cause, the first that holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Parameters, gradients and optimizer state fill the memory.
    WeightsOptimizer,
    /// Activations and temporaries of one pass fill it.
    ActivationPeak,
    /// Enough is free, but in pieces that cannot be used.
    Fragmentation,
    /// Something is kept in every round and never released.
    Leak,
    /// Reference cycles hold memory until Python's collector runs.
    GcSawtooth,
    /// Nothing grows, nothing failed.
    Stable,
    /// Too few events to say anything.
    NoHistory,
    /// No cause passes its threshold.
    #[default]
    Unknown,
}

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The run failed, or will.
    Error,
    /// Memory is lost or grows.
    Warning,
    /// Good to know.
    Note,
}

/// One device, diagnosed.
#[derive(Clone, Debug, Default, Serialize)]
pub struct DeviceReport {
    /// Its number.
    pub device: i64,
    /// The cause.
    pub verdict: Verdict,
    /// 0 to 1.
    pub confidence: f64,
    /// Why not more: "a slow leak needs 6 steps to show".
    pub confidence_reason: String,
    /// "error", "warning", "note", or "good" for a healthy run: colour and icon of the verdict.
    pub tone: &'static str,
    /// "Out of memory: leak".
    pub eyebrow: String,
    /// One sentence with the one number that matters.
    pub sentence: String,
    /// Why, in at most two sentences. `code` and **bold** mark up words; nothing else does.
    pub why: Vec<String>,
    /// What to change, largest effect first.
    pub advice: Vec<Advice>,
    /// Measured values beside their thresholds.
    pub evidence: Vec<Evidence>,
    /// The next-best cause.
    pub runner_up: Option<RunnerUp>,
    /// What adds up to the limit, or to the peak.
    pub bar: Option<Bar>,
    /// The lines responsible.
    pub lines: Lines,
    /// Words in the chart.
    pub marks: Vec<Mark>,
    /// Most severe first.
    pub findings: Vec<Finding>,
    /// The last request that could not be served.
    pub oom: Option<crate::oom::Oom>,
    /// Training steps, or rounds.
    pub steps: Steps,
    /// In order.
    pub phases: Vec<Phase>,
    /// At the peak of requested bytes.
    pub peak: Peak,
    /// At the end.
    pub end: End,
    /// At the end of each phase: which phases, and the bytes of each category then.
    pub phase_ends: Vec<PhaseEnd>,
}

impl DeviceReport {
    /// Without what the page asks for otherwise: phases are lanes, stacks have numbers. Of phases' ends those of one step, the one that the verdict speaks of.
    pub fn for_page(mut self) -> Self {
        self.phases = Vec::new();
        self.peak.stacks = Vec::new();
        for finding in &mut self.findings {
            finding.stack = None;
            // What the verdict advises stands there.
            finding.advice.retain(|text| !self.advice.iter().any(|advice| text.starts_with(&advice.title)));
        }
        let moment = self.bar.as_ref().map_or(0, |bar| bar.moment);
        let at = self.phase_ends.partition_point(|end| end.moment < moment);
        let (before, after) = self.phase_ends.split_at(at);
        // The phase under way then, else the last that ended in a step.
        let steps = after.first().into_iter().chain(before.iter().rev()).chain(after);
        let step = steps.map(|end| end.step).find(Option::is_some).flatten();
        self.phase_ends.retain(|end| end.step == step);
        self.phase_ends.truncate(MOST_PHASE_ENDS);
        self
    }
}

/// Phases of a step that the page lists.
const MOST_PHASE_ENDS: usize = 12;

/// Something to change.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Advice {
    /// Imperative and local: "Store `loss.item()`, not `loss`."
    pub title: String,
    /// The line, and what it does not fix.
    pub text: String,
    /// Bytes that it saves, if that can be said.
    pub effect_bytes: Option<u64>,
}

/// A measured value beside its threshold.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Evidence {
    /// "growth explains 90 % of allocated bytes".
    pub text: String,
    /// "threshold 30 %".
    pub threshold: String,
}

/// The next-best cause.
#[derive(Clone, Debug, Default, Serialize)]
pub struct RunnerUp {
    /// Which.
    pub verdict: Verdict,
    /// Its measured value: "358.0 MiB free inside, 6 % of the limit".
    pub text: String,
}

/// A bar of parts that add up.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Bar {
    /// "At the failed request", "At the peak".
    pub title: String,
    /// The moment that it shows.
    pub moment: u32,
    /// The event before it.
    pub event: u32,
    /// Its length.
    pub total_bytes: u64,
    /// What its length is: "cap of this process 4.0 GiB", "peak".
    pub total_label: String,
    /// Largest first, free memory last.
    pub parts: Vec<Part>,
    /// What the failed request asked for.
    pub asked_bytes: Option<u64>,
}

/// A part of a bar.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Part {
    /// A category, or "retained", "rounding", "free", "outside".
    pub key: String,
    /// "Retained from earlier steps".
    pub label: String,
    /// Bytes.
    pub bytes: u64,
}

/// Lines of code and their bytes.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Lines {
    /// "Whose lines made what is retained".
    pub title: String,
    /// Heading of the bytes: "Retained", "At the peak".
    pub bytes_label: String,
    /// Largest first, at most ten.
    pub rows: Vec<Line>,
}

/// A line of code and its bytes.
#[derive(Clone, Debug, Serialize)]
pub struct Line {
    /// Bytes.
    pub bytes: u64,
    /// Allocations.
    pub count: u32,
    /// The function.
    pub name: String,
    /// "train.py:60".
    pub at: String,
    /// The category of most of the bytes; "retained" in a leak.
    pub category: String,
    /// One stack of it.
    pub stack_id: StackId,
    /// One allocation of it, to jump to.
    pub allocation: u32,
}

/// A word in the chart.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Mark {
    /// Where.
    pub moment: u32,
    /// "+109.0 MiB in each step".
    pub text: String,
}

/// Something found.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    /// Stable: "leak_per_step".
    pub code: &'static str,
    /// How bad.
    pub severity: Severity,
    /// A fact.
    pub title: String,
    /// How much.
    pub bytes: Option<u64>,
    /// Facts with values and thresholds.
    pub evidence: Vec<String>,
    /// The responsible stack, innermost first.
    pub stack: Option<Vec<Frame>>,
    /// The same by number.
    pub stack_id: Option<StackId>,
    /// What to change, largest effect first.
    pub advice: Vec<String>,
    /// First and last event that it speaks of.
    pub events: Option<(u32, u32)>,
    /// Where to look.
    pub show: Option<Show>,
}

/// A moment and a block to look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Show {
    /// The moment.
    pub moment: u32,
    /// The block.
    pub allocation: Option<u32>,
    /// "timeline" or "state".
    pub view: &'static str,
}

/// A code position.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Frame {
    /// Function.
    pub name: String,
    /// File.
    pub file: String,
    /// Line; 0 if not known.
    pub line: u32,
    /// Whose code it is: "own", "library", "torch" or "cpp".
    pub kind: &'static str,
}

/// Training steps, or rounds.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Steps {
    /// How many.
    pub count: u32,
    /// Events of one, if they repeat exactly.
    pub period_events: Option<u32>,
    /// How the base line grows.
    pub growth_bytes_per_step: Option<i64>,
}

/// A stretch of one phase.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Phase {
    /// Which.
    pub phase: &'static str,
    /// Step, from 0.
    pub step: Option<u32>,
    /// Its first event.
    pub first_event: u32,
    /// Its last event.
    pub last_event: u32,
}

/// Bytes by category.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[allow(missing_docs)]
pub struct Categories {
    pub parameter: u64,
    pub gradient: u64,
    pub optimizer_state: u64,
    pub activation: u64,
    pub input: u64,
    pub temporary: u64,
    pub other: u64,
    pub unknown: u64,
}

/// What is alive at the peak.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Peak {
    /// Its event.
    pub event: u32,
    /// When, since the epoch.
    pub time_us: Option<i64>,
    /// How much.
    pub requested_bytes: u64,
    /// They add up to it.
    pub categories: Categories,
    /// The stacks with the most bytes, at most twenty.
    pub stacks: Vec<StackBytes>,
}

/// Bytes of one stack and category.
#[derive(Clone, Debug, Serialize)]
pub struct StackBytes {
    /// The line that stands for it: "forward train.py:60".
    pub place: String,
    /// Bytes.
    pub bytes: u64,
    /// Allocations.
    pub count: u32,
    /// Category.
    pub category: &'static str,
    /// Innermost first.
    pub stack: Vec<Frame>,
    /// The same by number.
    pub stack_id: StackId,
}

/// What is alive at the end.
#[derive(Clone, Debug, Default, Serialize)]
pub struct End {
    /// They add up to the requested bytes.
    pub categories: Categories,
}

/// What is alive as a phase ends.
#[derive(Clone, Debug, Serialize)]
pub struct PhaseEnd {
    /// Which.
    pub phase: &'static str,
    /// Step, from 0.
    pub step: Option<u32>,
    /// The moment after its last event.
    pub moment: u32,
    /// Bytes by category then.
    pub categories: Categories,
}
