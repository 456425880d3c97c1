//! One file for each command.

pub(crate) mod diff;
pub(crate) mod oom_message;
mod parallel;
pub(crate) mod report;
pub(crate) mod search;
pub(crate) mod state;
pub(crate) mod summary;
