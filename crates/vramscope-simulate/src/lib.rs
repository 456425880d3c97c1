//! What if: the recorded requests under other allocator settings, on another card, with another batch.
//!
//! Pure: no files, clock, threads, environment or JavaScript. Everything is one kind of run: *requests* (recorded, or changed by a scenario)
//! under *settings*, with an *order* in which the driver hands out addresses.

mod addresses;
mod curve;
mod run;
mod simulation;

pub use addresses::Order;
pub use curve::Curve;
pub use run::{Failed, Outcome, Run};
pub use simulation::{RecordedOom, Simulated, Simulation};
