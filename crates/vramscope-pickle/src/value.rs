//! The value on the reader's stack.

/// One pickled value. Containers and texts are handles that the [`Build`](crate::Build) implementation gave out, so a value is
/// small, copied freely, and sharing in the file stays sharing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// Python's `None`.
    None,
    /// `True` or `False`.
    Bool(bool),
    /// An integer that fits 64 signed bits.
    Int(i64),
    /// An integer from 2^63 to 2^64 − 1: addresses of some devices, written with nine bytes.
    Unsigned(u64),
    /// A float.
    Float(f64),
    /// A text; the handle of [`Build::text`](crate::Build::text).
    Text(u32),
    /// A list; the handle of [`Build::list`](crate::Build::list).
    List(u32),
    /// A dict; the handle of [`Build::dict`](crate::Build::dict).
    Dict(u32),
    /// A tuple; the handle of [`Build::tuple`](crate::Build::tuple).
    Tuple(u32),
    /// A legal value that no snapshot needs: bytes, a set, an integer beyond 64 bits.
    Opaque,
}

impl Value {
    /// What this value is called in a message.
    pub fn kind(self) -> &'static str {
        match self {
            Value::None => "None",
            Value::Bool(_) => "a bool",
            Value::Int(_) | Value::Unsigned(_) => "an integer",
            Value::Float(_) => "a float",
            Value::Text(_) => "a text",
            Value::List(_) => "a list",
            Value::Dict(_) => "a dict",
            Value::Tuple(_) => "a tuple",
            Value::Opaque => "bytes, a set or a huge integer",
        }
    }
}
