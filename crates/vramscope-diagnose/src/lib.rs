//! Why the memory went where it went: phases, categories, causes, and what to change.
//!
//! Pure, like the core: no files, clock, threads, environment or JavaScript. Rules and thresholds are those of [`thresholds`].

mod categories;
mod diagnose;
mod evidence;
mod facts;
mod labelling;
mod memory_summary;
pub mod message;
pub mod oom;
mod phases;
pub mod report;
mod sites;
pub mod thresholds;

pub use diagnose::{Options, diagnose};
pub use labelling::label;
pub use memory_summary::{MemorySummary, Pools, Tally, memory_summary};
