//! As much of HTTP as a server for one machine needs: `vramscope serve`, and `cargo xtask serve` with the browser tests.
//!
//! One request for each connection, GET and HEAD only; a head is read up to a limit and in bounded time, a file is sent in pieces.

mod answer;
mod request;

pub use answer::{Answer, Body, mime};
pub use request::{OutOfRange, Request, percent_decode, read};
