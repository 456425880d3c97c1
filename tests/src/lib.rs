//! Shared parts of the tests: the recordings, and a plain form of a snapshot to compare.

#[cfg(feature = "browser")]
pub mod bench;
#[cfg(feature = "browser")]
pub mod browser;
pub mod chaos;
pub mod cut;
pub mod frames;
pub mod opened;
pub mod part;
pub mod plain;
pub mod program;
pub mod recordings;
pub mod script;
pub mod serving;
pub mod shapes;
pub mod synth;
pub mod trace;
