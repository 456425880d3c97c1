//! Errors of the reader: where, expected, found.

use std::fmt;

/// Why a pickle could not be read on, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct Error {
    /// Byte offset in the pickle (after any container is removed) of the opcode at fault, or of the end of the input.
    pub at: u64,
    /// What went wrong.
    pub kind: ErrorKind,
}

/// What went wrong. Opcodes are named as in Python's `pickletools`.
#[derive(Clone, Debug, PartialEq)]
pub enum ErrorKind {
    /// The input ended before STOP. `expected` bytes of an operand were due, `found` were there; both are 0 between opcodes.
    Truncated {
        /// The opcode that was cut, if the cut is inside one.
        opcode: Option<&'static str>,
        /// Where that opcode stands.
        opcode_at: u64,
        /// Bytes due after the opcode.
        expected: u64,
        /// Bytes that were there.
        found: u64,
    },
    /// An opcode that would import, call or build something. Never obeyed.
    Forbidden {
        /// Its name.
        opcode: &'static str,
        /// What it names, as "module.name", if that can be told.
        names: Option<String>,
    },
    /// A byte that is no opcode.
    UnknownOpcode {
        /// The byte.
        byte: u8,
    },
    /// A pickle protocol that does not exist yet.
    UnknownProtocol {
        /// Its number.
        protocol: u8,
    },
    /// The opcode needs more values than the stack holds.
    StackUnderflow {
        /// Its name.
        opcode: &'static str,
    },
    /// The opcode needs a MARK and there is none.
    NoMark {
        /// Its name.
        opcode: &'static str,
    },
    /// A value of the wrong kind, such as items for something that is no list.
    WrongKind {
        /// The opcode.
        opcode: &'static str,
        /// What it works on.
        expected: &'static str,
        /// What was there.
        found: &'static str,
    },
    /// A memo entry that was never written, or one written absurdly far ahead.
    BadMemo {
        /// The opcode.
        opcode: &'static str,
        /// The entry asked for.
        id: u64,
        /// How many entries there are.
        len: u64,
    },
    /// A number that is none.
    BadNumber {
        /// The opcode.
        opcode: &'static str,
        /// The text in its place, shortened.
        found: String,
    },
    /// A limit of the reader ([`Limits`](crate::Limits)) or of the builder is reached.
    Refused {
        /// What there is too much of, in the plural.
        what: &'static str,
        /// The limit.
        limit: u64,
        /// What the file wants, if it says.
        found: Option<u64>,
    },
}

impl ErrorKind {
    /// What should have been there.
    pub fn expected(&self) -> String {
        match self {
            ErrorKind::Truncated { opcode: Some(opcode), opcode_at, expected, .. } => {
                format!("{expected} bytes for {opcode} at byte {opcode_at}")
            }
            ErrorKind::Truncated { opcode: None, .. } => "more data: a whole pickle ends with STOP".into(),
            ErrorKind::Forbidden { .. } => "plain data".into(),
            ErrorKind::UnknownOpcode { .. } => "a pickle opcode".into(),
            ErrorKind::UnknownProtocol { .. } => "pickle protocol 0 to 5".into(),
            ErrorKind::StackUnderflow { opcode } => format!("a value for {opcode}"),
            ErrorKind::NoMark { opcode } => format!("a MARK before {opcode}"),
            ErrorKind::WrongKind { opcode, expected, .. } => format!("{expected} for {opcode}"),
            ErrorKind::BadMemo { opcode, len, .. } => format!("{opcode} of one of {len} memo entries"),
            ErrorKind::BadNumber { opcode, .. } => format!("a number for {opcode}"),
            ErrorKind::Refused { what, limit, .. } => format!("at most {limit} {what}"),
        }
    }

    /// What was there instead.
    pub fn found(&self) -> String {
        match self {
            ErrorKind::Truncated { opcode: Some(_), found, .. } => format!("{found} bytes, then the end"),
            ErrorKind::Truncated { opcode: None, .. } => "the end".into(),
            ErrorKind::Forbidden { opcode, names: Some(names) } => format!("{opcode} {names}"),
            ErrorKind::Forbidden { opcode, names: None } => (*opcode).into(),
            ErrorKind::UnknownOpcode { byte } => format!("byte 0x{byte:02x}"),
            ErrorKind::UnknownProtocol { protocol } => format!("protocol {protocol}"),
            ErrorKind::StackUnderflow { .. } => "an empty stack".into(),
            ErrorKind::NoMark { .. } => "none".into(),
            ErrorKind::WrongKind { found, .. } => (*found).into(),
            ErrorKind::BadMemo { id, .. } => format!("entry {id}"),
            ErrorKind::BadNumber { found, .. } => format!("\"{found}\""),
            ErrorKind::Refused { what, found: Some(found), .. } => format!("{found} {what}"),
            ErrorKind::Refused { .. } => "more".into(),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {}: expected {}, found {}", self.at, self.kind.expected(), self.kind.found())
    }
}

impl std::error::Error for Error {}
