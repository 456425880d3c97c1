//! Frames upon frames, as wide as their bytes: a row for each level, callers above what they call.
//!
//! [`Bars`] is what there is, [`Layout`] what of it is in sight, and where. Painting, hit tests and labels go through the layout.

mod layout;
mod paint;

pub use layout::{Bar, Bars, Cell, IcicleView, Layout, Run};
pub use paint::{IcicleColours, paint};

#[cfg(test)]
mod tests;
