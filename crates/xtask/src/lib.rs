//! All automation of the project, in Rust: `cargo xtask serve`, `build`, `test`, `ci`, `synth`, `bench` and `setup`.
//!
//! A library as well, for one reason: the browser tests serve the built page with [`server::Server`].

pub mod bench;
pub mod browser;
pub mod ci;
pub mod page;
pub mod paths;
pub mod process;
pub mod serve;
pub mod server;
pub mod setup;
pub mod synth;
pub mod test;
