//! One file for each command.

pub(crate) mod summary;
