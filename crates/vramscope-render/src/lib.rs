//! Answers to pixels.
//!
//! Dense pictures are painted as RGBA by this crate itself ([`timeline`], [`state`], [`icicle`]): plotters is far too slow for a million
//! blocks. Axes and charts go through plotters ([`chart`]), generic over its backend, so the page draws on a canvas
//! and the tests on SVG. Neither draws text: labels are placed by [`ticks`] and set by the page.

pub mod chart;
mod column;
pub mod geometry;
pub mod icicle;
mod marks;
mod outline;
mod picture;
mod pile;
pub mod reserved;
pub mod state;
mod step_line;
pub mod theme;
pub mod ticks;
pub mod timeline;

pub use geometry::{Axis, Show, View};
pub use picture::Picture;
pub use theme::{Colour, Colours};

#[cfg(test)]
mod script;
