//! JSON of a snapshot: the same calls on the builder as a pickle of the same data makes, in the same batches.
//!
//! On-demand captures write JSON, and so do people who convert snapshots with Python's `json`. Its `NaN` and `Infinity` are read too.

mod error;
mod reader;
mod text;
mod token;

pub(super) use error::{Error, ErrorKind};
pub(super) use reader::{JsonBuild, Reader};
