//! The allocator's state at a moment: a row for each segment at true scale, its blocks in their colours, free space hatched.
//!
//! [`Scene`] is the moment, put in order; [`Layout`] says where things lie in a view of it. Painting, hit tests and labels go through the layout.

mod cells;
mod hit;
mod labels;
mod layout;
mod paint;
mod palette;
mod scene;
mod view;

pub use hit::{Place, StateHit, Towards};
pub use labels::{GroupPlace, Label, RowPlace, StateLayout, state_name};
pub use layout::Layout;
pub use paint::{Selection, paint, paint_chosen};
pub use palette::StateColours;
pub use scene::{Group, Scene, group_key};
pub use view::{Grouping, MAX_COLUMNS, Sorting, StateView};

#[cfg(test)]
mod tests;
