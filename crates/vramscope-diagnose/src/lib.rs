//! Why the memory went where it went: phases, categories, causes, and what to change.
//!
//! Pure, like the core: no files, clock, threads, environment or JavaScript. Rules and thresholds are those of [`thresholds`].

mod analysis;
mod assemble;
mod categories;
mod cause;
mod diagnose;
mod evidence;
mod facts;
mod findings;
mod growth;
mod labelling;
mod memory_summary;
pub mod message;
mod numbering;
pub mod oom;
pub mod own_rules;
mod phases;
mod purpose;
pub mod recipe;
pub mod report;
mod sites;
mod stages;
mod story;
pub mod thresholds;
mod words;

pub use diagnose::{Options, diagnose};
pub use labelling::label;
pub use memory_summary::{MemorySummary, Pools, Tally, memory_summary};
pub use stages::{Diagnosing, Progress};
