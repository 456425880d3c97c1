//! Bytes to [`Snapshot`](crate::model::Snapshot), as they arrive.
//!
//! [`Decoder`] pushes bytes through the layers that a file is wrapped in (`container`) into a reader of pickles or of JSON (`json`),
//! whose builder (`builder`) turns each record into a row as soon as it is complete. Nothing of the file is kept.

mod builder;
mod container;
mod decoder;
mod error;
mod finish;
mod forecast;
mod json;
mod keys;
mod leaf;
mod order;
mod record;

pub use decoder::{Decoder, Limits, Progress};
pub use error::{ErrorCode, OpenError};
