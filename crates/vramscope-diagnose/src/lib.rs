//! Why the memory went where it went: phases, categories, causes, and what to change.
//!
//! Pure, like the core: no files, clock, threads, environment or JavaScript. Rules and thresholds are those of [`thresholds`].

pub mod message;
pub mod oom;
pub mod own_rules;
pub mod report;
pub mod thresholds;
