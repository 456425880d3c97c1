//! A changed stream of requests, and what it takes for granted.

use serde::Serialize;
use vramscope_core::replay::requests::Requests;

/// An estimate: requests as they would have been, to be run like the recorded ones.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Scenario {
    /// What was changed, in a few words.
    pub title: String,
    /// What is taken for granted, in one or two sentences.
    pub assumption: String,
    /// What else should be known, one sentence each.
    pub notes: Vec<String>,
    /// How far peaks may be off, as far as that can be counted: bytes at the peak of which it is not sure whether they change, weighed by how
    /// sure it is.
    pub uncertainty_percent: Option<f64>,
    /// What makes up the recorded peak of requested bytes, and the peak of this.
    pub parts: Option<[Parts; 2]>,
    /// The changed requests.
    #[serde(skip)]
    pub requests: Requests,
    /// What the last ids stand for: of each request that was recorded once and is made again, the id of the recorded one.
    #[serde(skip)]
    pub remade: Vec<u32>,
}

/// A peak of requested bytes, by what the batch does to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Parts {
    /// The event after which most is held.
    pub event: u32,
    /// Bytes that grow with the batch.
    pub scaling_bytes: u64,
    /// Bytes that stay as they are.
    pub fixed_bytes: u64,
}

/// 12.3 of 12.345.
pub(crate) fn rounded_percent(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { (part / whole * 1000.0).round() / 10.0 } else { 0.0 }
}

/// "1 allocation", "2 allocations".
pub(crate) fn counted(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}
