//! One file for each command.

pub(crate) mod state;
pub(crate) mod summary;
