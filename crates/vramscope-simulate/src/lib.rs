//! What if: the recorded requests under other allocator settings, on another card, with another batch.
//!
//! Pure: no files, clock, threads, environment or JavaScript. Everything is one kind of run: *requests* (recorded, or changed by a scenario)
//! under *settings*, with an *order* in which the driver hands out addresses.

mod addresses;
pub mod batch;
pub mod changes;
mod curve;
mod edits;
mod program;
mod run;
mod scenario;
mod simulation;

pub use addresses::Order;
pub use curve::Curve;
pub use program::Program;
pub use run::{Failed, Outcome, Run};
pub use scenario::{Parts, Scenario};
pub use simulation::{RecordedOom, Simulated, Simulation};
