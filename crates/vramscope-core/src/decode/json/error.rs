//! Errors of the JSON reader: where, expected, found.

use vramscope_pickle::Refusal;

/// Why JSON could not be read on, and where.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::decode) struct Error {
    /// Byte offset of the byte at fault, or of the end of the input.
    pub(in crate::decode) at: u64,
    pub(in crate::decode) kind: ErrorKind,
}

#[derive(Clone, Debug, PartialEq)]
pub(in crate::decode) enum ErrorKind {
    /// Something else than what is due.
    Unexpected { expected: &'static str, found: String },
    /// The input ended.
    Truncated { expected: &'static str },
    /// Python's `print` or `repr` wrote it: quotes are single.
    Python,
    /// JSON of another kind, known by a key at the top.
    Foreign { looks_like: &'static str },
    /// A limit is reached.
    Refused(Refusal),
}

impl ErrorKind {
    pub(in crate::decode) fn expected(&self) -> String {
        match self {
            ErrorKind::Unexpected { expected, .. } | ErrorKind::Truncated { expected } => (*expected).into(),
            ErrorKind::Python => "a text in double quotes".into(),
            ErrorKind::Foreign { .. } => "a memory snapshot".into(),
            ErrorKind::Refused(refusal) => format!("at most {} {}", refusal.limit, refusal.what),
        }
    }

    pub(in crate::decode) fn found(&self) -> String {
        match self {
            ErrorKind::Unexpected { found, .. } => found.clone(),
            ErrorKind::Truncated { .. } => "the end".into(),
            ErrorKind::Python => "a single quote".into(),
            ErrorKind::Foreign { looks_like } => (*looks_like).into(),
            ErrorKind::Refused(_) => "more".into(),
        }
    }
}
