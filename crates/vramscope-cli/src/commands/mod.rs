//! One file for each command.

pub(crate) mod allocations;
pub(crate) mod diff;
pub(crate) mod export;
pub(crate) mod oom_message;
pub(crate) mod page;
pub(crate) mod parallel;
pub(crate) mod report;
pub(crate) mod search;
pub(crate) mod serve;
pub(crate) mod simulate;
pub(crate) mod state;
pub(crate) mod summary;
