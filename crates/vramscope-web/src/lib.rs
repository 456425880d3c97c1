//! The edge to JavaScript: one [`Session`] in a worker for each open file, and charts, marks and numbers on the page.
//!
//! A thin adapter. What the page may ask is in this crate's README; answers come from `vramscope_core`, pixels from
//! `vramscope_render`. Nothing but JSON text and pixels crosses over.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod answers;
mod chosen;
mod estimates;
mod fault;
mod open;
mod page;
mod panic;
mod request;
mod rules;
mod scenes;
mod session;
mod simulator;
mod tracks;
mod trees;
mod what_if;

pub use page::{
    compare, format_bytes, format_bytes_group, format_duration_us, paint_chart, paint_compare, paint_curves,
    paint_grid, read_settings, ticks,
};
pub use panic::last_panic;
pub use session::{Session, memory_bytes};
pub use simulator::Simulator;
