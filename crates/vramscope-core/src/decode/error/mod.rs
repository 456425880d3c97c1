//! A file that cannot be opened, in words.

mod wrappings;

use serde::Serialize;
use vramscope_pickle::ErrorKind;

use crate::decode::finish::NotASnapshot;
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

pub(in crate::decode) const RECORD: &str = "Record one with torch.cuda.memory._record_memory_history() and write it with torch.cuda.memory._dump_snapshot().";

impl OpenError {
    pub(in crate::decode) fn empty() -> Box<Self> {
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

    pub(in crate::decode) fn not_a_snapshot(looks_like: String) -> Box<Self> {
        let advice = match looks_like.as_str() {
            "an SQLite database" => {
                format!("If it was written by _dump_snapshot_sqlite: that form is not read. {RECORD}")
            }
            _ => RECORD.into(),
        };
        Box::new(OpenError {
            code: ErrorCode::NotASnapshot,
            title: "{name} is not a memory snapshot.".into(),
            at: Some(0),
            expected: Some("a pickle, JSON, or a page of trace_plot; also in gzip or zip".into()),
            found: Some(looks_like.clone()),
            looks_like,
            cause: "Another file was chosen.".into(),
            advice,
            readable: 0,
            unpacked: false,
        })
    }

    /// A sound root that is no snapshot. `looks_like` is what it is written in.
    pub(in crate::decode) fn wrong_shape(not: &NotASnapshot, looks_like: String) -> Box<Self> {
        if let Some(kind) = not.kind {
            return OpenError::foreign(kind);
        }
        Box::new(OpenError {
            code: ErrorCode::WrongShape,
            title: "{name} has no `segments` and no `device_traces`.".into(),
            cause: format!("It is {looks_like} of something else."),
            looks_like: format!("{looks_like}, but not a memory snapshot"),
            at: None,
            expected: Some("a dict with `segments` or `device_traces`, or a list of segments".into()),
            found: Some(not.found.clone()),
            advice: RECORD.into(),
            readable: 0,
            unpacked: false,
        })
    }

    pub(in crate::decode) fn pickle(
        error: &vramscope_pickle::Error,
        protocol: Option<u8>,
        readable: u64,
    ) -> Box<Self> {
        let (code, title, cause, remedy) = words(&error.kind);
        Box::new(OpenError {
            code,
            title,
            looks_like: match readable {
                0 => Self::pickle_name(protocol),
                _ => partly_read(&Self::pickle_name(protocol), readable),
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

    /// "a pickle of protocol 4".
    pub(in crate::decode) fn pickle_name(protocol: Option<u8>) -> String {
        match protocol {
            Some(protocol) => format!("a pickle of protocol {protocol}"),
            None => "a pickle of protocol 0 or 1".into(),
        }
    }
}

/// What is read partly.
pub(in crate::decode) fn partly_read(written_in: &str, readable: u64) -> String {
    let events = units::count(readable, "event", "events");
    format!("a PyTorch memory snapshot, {written_in}; without a fault up to {events}")
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
