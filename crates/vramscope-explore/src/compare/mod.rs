//! Two beside each other: files, devices or moments; and the ranks of one job.
//!
//! [`holdings`] says what a device holds at a moment as plain data, so that two files that know nothing of each other can be compared:
//! [`diff`] needs nothing but their holdings. Moments of one recording are also compared by identity of allocations: [`changes`].

mod align;
mod changes;
mod diff;
mod holdings;
mod job;
mod lines;
mod matching;
mod program;
mod ranks;
mod sentence;
pub mod thresholds;
mod trail;
mod write;

pub use align::{Align, Aligned};
pub use changes::{Changed, Changes, Lot, changes};
pub use diff::{CategoryChange, Diff, Row, diff};
pub use holdings::{At, Curve, Frame, HeldStack, Holdings, Part, Peak, Piece, Requests, holdings};
pub use job::one_job;
pub use matching::Match;
pub use program::program;
pub use ranks::{Rank, RankRow, Ranks, ranks};
pub use write::{markdown, text};
