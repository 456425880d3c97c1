//! What if: the recorded requests under other allocator settings, on another card, with another batch.
//!
//! Pure: no files, clock, threads, environment or JavaScript. Everything is one kind of run: *requests* (recorded, or changed by a scenario)
//! under *settings*, with an *order* in which the driver hands out addresses.
//!
//! | file | answers |
//! |---|---|
//! | `basis` | what simulations of a device start from, and what must be said beside them |
//! | `run`, `addresses`, `curve` | one run, where its segments lie, its bytes over time |
//! | `simulation` | runs in several orders of addresses: a number with its range |
//! | `limit_search`, `cards` | the smallest limit that would do; which card has it |
//! | `settings`, `usual` | settings as people write them; those that they try first |
//! | `state`, `track` | the allocator at an event of a run, to be drawn; any event, soon |
//! | `wish`, `program`, `edits`, `scenario` | what is asked for; what is known of the requests; changes to them; the changed requests and what they take for granted |
//! | `batch` | the requests at another batch or length |
//! | `changes` | the requests of a changed program |
//! | `wire` | requests as bytes, for other workers |

mod addresses;
mod basis;
pub mod batch;
pub mod cards;
pub mod changes;
mod curve;
mod edits;
mod limit_search;
mod program;
mod run;
mod scenario;
pub mod settings;
mod simulation;
mod state;
mod track;
mod usual;
pub mod wire;
mod wish;

pub use addresses::Order;
pub use basis::Basis;
pub use curve::Curve;
pub use limit_search::LimitSearch;
pub use program::Program;
pub use run::{Failed, Outcome, Run};
pub use scenario::{Parts, Scenario};
pub use simulation::{RecordedOom, Simulated, Simulation};
pub use state::state;
pub use track::Track;
pub use usual::{Candidate, usual};
pub use wish::Wish;
