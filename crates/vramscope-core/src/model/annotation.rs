//! Ranges of `record_function`.

use crate::ids::StringId;

/// Start or end of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Begins.
    Start,
    /// Ends.
    End,
}

/// One end of a range. The file does not say which start belongs to which end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Annotation {
    /// Its label.
    pub name: StringId,
    /// Start or end.
    pub stage: Stage,
    /// The thread's current device at that time.
    pub device: i64,
    /// Microseconds since the epoch.
    pub time_us: i64,
}
