//! A file that cannot be opened, in words.

use serde::Serialize;
use vramscope_pickle::ErrorKind;

use crate::units;

/// Why nothing (or not all) could be opened. Stable; the page keys its help by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    /// No bytes.
    Empty,
    /// The file ends in the middle.
    Truncated,
    /// The pickle asks for code to be run.
    CallsCode,
    /// Another kind of file.
    NotASnapshot,
    /// A sound pickle of something else.
    WrongShape,
    /// Bytes that no writer writes.
    Damaged,
    /// A limit is reached.
    TooLarge,
}

/// A file that cannot be opened, or not whole: what it looks like, where reading stopped, what was expected and found, and
/// what to do. Texts are plain sentences; `{name}` in the title stands for the file's name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OpenError {
    /// Stable code.
    pub code: ErrorCode,
    /// One line.
    pub title: String,
    /// What kind of file it seems to be.
    pub looks_like: String,
    /// Byte offset (after unpacking, if the file is packed); none when the whole file is meant.
    pub at: Option<u64>,
    /// What should have been there.
    pub expected: Option<String>,
    /// What was there.
    pub found: Option<String>,
    /// The likely cause.
    pub cause: String,
    /// What to do.
    pub advice: String,
    /// Events read without a fault: the part that can be opened all the same.
    pub readable: u64,
    /// `at` counts bytes after unpacking.
    pub unpacked: bool,
}

impl std::fmt::Display for OpenError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} It looks like {}.", self.title, self.looks_like)?;
        let unpacked = if self.unpacked { " of the unpacked data" } else { "" };
        let place = self.at.map(|at| format!("Stopped at byte {}{unpacked}: ", units::group_digits(at)));
        // What was found says nothing new when it is the whole file.
        if let (Some(expected), Some(found)) =
            (&self.expected, self.found.as_ref().filter(|found| **found != self.looks_like))
        {
            write!(f, " {}expected {expected}, found {found}.", place.unwrap_or_default())?;
        }
        write!(f, " {} {}", self.cause, self.advice)
    }
}

impl std::error::Error for OpenError {}

const RECORD: &str = "Record one with torch.cuda.memory._record_memory_history() and write it with torch.cuda.memory._dump_snapshot().";

impl OpenError {
    pub(super) fn empty() -> Box<Self> {
        Box::new(OpenError {
            code: ErrorCode::Empty,
            title: "{name} is empty (0 bytes).".into(),
            looks_like: "an empty file".into(),
            at: Some(0),
            expected: Some("a memory snapshot".into()),
            found: Some("the end".into()),
            cause: "The disk may have been full when it was written.".into(),
            advice: "Write the snapshot again.".into(),
            readable: 0,
            unpacked: false,
        })
    }

    pub(super) fn not_a_snapshot(looks_like: String) -> Box<Self> {
        let advice = match looks_like.as_str() {
            "a profiler trace in JSON" => format!("Open it in a trace viewer. {RECORD}"),
            "JSON" | "an HTML page" => {
                format!(
                    "This version reads pickles, also packed with gzip. Open the pickle that it was made from. {RECORD}"
                )
            }
            _ => RECORD.into(),
        };
        Box::new(OpenError {
            code: ErrorCode::NotASnapshot,
            title: "{name} is not a memory snapshot.".into(),
            at: Some(0),
            expected: Some("a pickle".into()),
            found: Some(looks_like.clone()),
            looks_like,
            cause: "Another file was chosen.".into(),
            advice,
            readable: 0,
            unpacked: false,
        })
    }

    pub(super) fn wrong_shape(found: String, protocol: Option<u8>) -> Box<Self> {
        Box::new(OpenError {
            code: ErrorCode::WrongShape,
            title: "{name} has no `segments` and no `device_traces`.".into(),
            looks_like: format!("{}, but not a memory snapshot", pickle_name(protocol)),
            at: None,
            expected: Some("a dict with `segments` or `device_traces`, or a list of segments".into()),
            found: Some(found),
            cause: "It is a pickle of something else.".into(),
            advice: RECORD.into(),
            readable: 0,
            unpacked: false,
        })
    }

    pub(super) fn gzip(at: u64, cut: bool, readable: u64) -> Box<Self> {
        let (code, title, cause) = match cut {
            true => {
                (ErrorCode::Truncated, "{name} ends in the middle of its gzip data.", "The copy was cut.")
            }
            false => (
                ErrorCode::Damaged,
                "{name} is damaged: its gzip data do not unpack.",
                "The copy is damaged.",
            ),
        };
        Box::new(OpenError {
            code,
            title: title.into(),
            looks_like: "a gzip file".into(),
            at: Some(at),
            expected: Some("gzip data".into()),
            found: Some(if cut { "the end" } else { "something else" }.into()),
            cause: cause.into(),
            advice: "Copy it again.".into(),
            readable,
            unpacked: false,
        })
    }

    pub(super) fn pickle(error: &vramscope_pickle::Error, protocol: Option<u8>, readable: u64) -> Box<Self> {
        let (code, title, cause, remedy) = words(&error.kind);
        Box::new(OpenError {
            code,
            title,
            looks_like: match readable {
                0 => pickle_name(protocol),
                _ => format!(
                    "a PyTorch memory snapshot, {}; its first {} were read without a fault",
                    pickle_name(protocol),
                    units::count(readable, "event", "events")
                ),
            },
            at: Some(error.at),
            expected: Some(error.kind.expected()),
            found: Some(error.kind.found()),
            cause: cause.into(),
            advice: format!("{remedy}."),
            readable: if code == ErrorCode::CallsCode { 0 } else { readable },
            unpacked: false,
        })
    }
}

fn pickle_name(protocol: Option<u8>) -> String {
    match protocol {
        Some(protocol) => format!("a pickle of protocol {protocol}"),
        None => "a pickle of protocol 0 or 1".into(),
    }
}

/// Code, title, cause and remedy of a reader's error.
fn words(kind: &ErrorKind) -> (ErrorCode, String, &'static str, &'static str) {
    match kind {
        ErrorKind::Truncated { .. } => (
            ErrorCode::Truncated,
            "{name} ends in the middle of a value.".into(),
            "The copy was cut, or the process was killed while it wrote the file.",
            "Compare its size with the original on the machine that wrote it, and copy it again",
        ),
        ErrorKind::Forbidden { .. } => (
            ErrorCode::CallsCode,
            "{name} asks Python to run code.".into(),
            "A snapshot holds plain data only. This may be a model checkpoint, or a pickle made to do harm.",
            "It was not read further and nothing was run. Write the snapshot with torch.cuda.memory._dump_snapshot() alone",
        ),
        ErrorKind::Refused { what, limit, .. } => (
            ErrorCode::TooLarge,
            format!("{{name}} has more {what} than the limit of {}.", units::group_digits(*limit)),
            "The file is damaged, or far larger than any known recording.",
            "Record fewer events (max_entries)",
        ),
        ErrorKind::UnknownProtocol { protocol } => (
            ErrorCode::Damaged,
            format!("{{name}} uses pickle protocol {protocol}, which is not known."),
            "It was written by a newer Python, or is damaged.",
            "Write it with pickle protocol 5 or lower",
        ),
        _ => (
            ErrorCode::Damaged,
            "{name} is damaged.".into(),
            "Bytes were changed on the way, for instance by a transfer in text mode.",
            "Copy it again in binary mode and compare check sums",
        ),
    }
}
