//! The text of an out-of-memory error, explained without a snapshot.
//!
//! [`explain`] takes whatever was pasted: one line, or a log of many ranks. It looks at the last message that tells its numbers, in whichever
//! wording the PyTorch of that day used. Spaces and line ends carry no meaning, so that no wrapping of lines can hide a number.

mod advice;
mod bar;
mod facts;
mod fields;
mod named;
mod numbers;
mod other;
mod text;
mod traceback;
mod verdict;
mod wording;

use serde::Serialize;

use crate::recipe::{Purpose, Recipe, Version, recipe};
use crate::report::Evidence;
use facts::Facts;
use text::Pasted;

/// What an error message says, or what was pasted instead.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Explanation {
    /// It is an out-of-memory message that can be explained.
    pub recognised: bool,
    /// Which wording: "1.0", "1.4", "2.x", "xpu", "mps", "cpu", or the name of a message without numbers ("cublas"); "none".
    pub kind: &'static str,
    /// Which PyTorch writes it so: "PyTorch 1.4 to 2.0".
    pub versions: String,
    /// Out-of-memory messages in the text; the last one that tells its numbers is explained.
    pub messages: u64,
    /// "GPU 0", where the message says so.
    pub device: Option<String>,
    /// Every number of the message and those that follow from them, in the order of the message.
    pub numbers: Vec<Number>,
    /// What the request had to fit in: the cap of the process, else the card.
    pub limit_bytes: Option<u64>,
    /// Bytes that were missing.
    pub short_by_bytes: Option<u64>,
    /// Parts that add up to the card or the cap.
    pub bar: Option<Bar>,
    /// Which kind of shortage.
    pub verdict: Verdict,
    /// "Out of memory: fragmentation".
    pub eyebrow: &'static str,
    /// One sentence with the one number that matters.
    pub sentence: String,
    /// Measured values beside their thresholds.
    pub reason: Vec<Evidence>,
    /// What contradicts itself, one sentence each.
    pub contradictions: Vec<String>,
    /// What to do, largest effect first.
    pub advice: Vec<Advice>,
    /// The line of the traceback that asked.
    pub asked_by: Option<AskedBy>,
    /// What only a snapshot can tell, and how to record one.
    pub snapshot: Option<Snapshot>,
    /// What the text looks like, where it is no message that can be explained.
    pub help: Option<Help>,
}

/// A number of the message.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Number {
    /// Stable: "requested", "total_capacity", "device_free", "allowed", "process_in_use", "other_processes", "allocated", "reserved",
    /// "reserved_unallocated", "private_pools", "outside_pytorch".
    pub key: &'static str,
    /// "Free on the card".
    pub label: &'static str,
    /// Its value; null where the text is no number that a card can have.
    pub bytes: Option<u64>,
    /// As the message writes it; null where it is computed.
    pub found: Option<String>,
    /// What it means, in one or two sentences.
    pub meaning: String,
    /// The processes behind a sum.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub processes: Vec<Process>,
}

/// A process on the card.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Process {
    /// Its number, as text.
    pub pid: String,
    /// What it holds.
    pub bytes: u64,
    /// It is most likely the one that failed, seen from outside its container.
    pub likely_this: bool,
}

/// A bar of parts that add up.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Bar {
    /// Its length.
    pub total_bytes: u64,
    /// "Card", "Cap of this process".
    pub total_label: &'static str,
    /// In the order in which they are drawn.
    pub parts: Vec<Part>,
}

/// A part of a bar.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Part {
    /// "allocated", "private_pools", "reserved_unallocated", "outside_pytorch", "other_processes", "unaccounted", "free".
    pub key: &'static str,
    /// "Allocated by PyTorch".
    pub label: &'static str,
    /// Bytes.
    pub bytes: u64,
}

/// Which kind of shortage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Enough was free, in pieces that could not be used.
    Fragmentation,
    /// The program needs more than there is.
    TooBig,
    /// Other processes hold what was missing.
    OtherProcess,
    /// The card had room, the cap of the process had not.
    Cap,
    /// The message does not tell.
    #[default]
    CannotTell,
}

/// Something to do.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Advice {
    /// Imperative. `code` marks up words; nothing else does.
    pub title: String,
    /// Why, and what it does not help against.
    pub text: String,
}

/// The line of code that asked for the memory.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AskedBy {
    /// File as in the traceback.
    pub file: String,
    /// Line.
    pub line: u32,
    /// Function.
    pub name: String,
}

/// What a snapshot adds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Snapshot {
    /// What only a snapshot can tell.
    pub text: String,
    /// How to record one with that version.
    pub recipe: Recipe,
}

/// What was pasted, if not a message that can be explained.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Help {
    /// "a traceback without an out-of-memory error".
    pub looks_like: &'static str,
    /// What to do, in sentences.
    pub text: String,
    /// What was looked for.
    pub looked_for: &'static str,
    /// A message as it should look.
    pub example: &'static str,
}

/// Explains a pasted error text of any PyTorch version. Takes any text, in time linear in its length.
pub fn explain(text: &str) -> Explanation {
    let pasted = Pasted::read(text);
    let mut explanation = match wording::last_complete(&pasted) {
        Some(message) => explain_numbers(&pasted, &message),
        None => named::explain(&pasted).unwrap_or_else(|| other::explain(&pasted)),
    };
    explanation.messages = explanation.messages.max(u64::from(explanation.recognised));
    explanation
}

/// A message with numbers.
fn explain_numbers(pasted: &Pasted, message: &wording::Message) -> Explanation {
    let fields = fields::read(message);
    let facts = Facts::of(&fields, message);
    let told = verdict::tell(&facts);
    Explanation {
        recognised: true,
        kind: message.wording.kind(),
        versions: message.versions(),
        messages: message.count,
        device: fields.device.clone(),
        numbers: numbers::list(&fields, &facts),
        limit_bytes: facts.limit,
        short_by_bytes: facts.short_by,
        bar: bar::of(&facts),
        verdict: told.verdict,
        eyebrow: told.eyebrow,
        sentence: told.sentence,
        reason: told.reason,
        contradictions: facts.contradictions(),
        advice: advice::for_facts(&facts, told.verdict),
        asked_by: traceback::asked_by(pasted, message.start),
        snapshot: snapshot(&facts),
        help: None,
    }
}

/// What a snapshot adds; nothing where PyTorch has none (host memory, Apple's chips).
fn snapshot(facts: &Facts) -> Option<Snapshot> {
    if !facts.wording.is_card() {
        return None;
    }
    let text = match facts.since {
        Some(version) if version.major < 2 => {
            "This PyTorch has no snapshots, only counters; from 2.1 on a snapshot tells which lines hold the memory."
        }
        _ => {
            "The message has sums only. A snapshot tells which lines of code hold the allocated bytes, whether they grow from step to step, and \
             how large the largest free piece was."
        }
    };
    let version = facts.since.unwrap_or(Version { major: 2, minor: 1 });
    Some(Snapshot { text: text.into(), recipe: recipe(version, Purpose::OutOfMemory) })
}
