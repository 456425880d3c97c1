//! What a diagnosis says: plain data, and the same as a text that can be pasted anywhere.

mod data;
mod document;
mod oom;
mod parts;
mod plain;
mod write;

pub use data::*;
pub use document::{Block, Document, document};
pub use plain::without_marks;
pub use write::{markdown, text};
