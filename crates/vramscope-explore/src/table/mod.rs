//! Allocations as a table: which of them, in what order, in which groups, how large they are.
//!
//! A [`Table`] keeps an order of ids, four bytes for each, and answers with windows of rows: a recording has millions. Sorting is
//! by numbers alone ([`vramscope_core::order::by_key`]); texts are numbered in their order once for a recording ([`Names`]).

mod answer;
mod column;
mod csv;
mod export;
mod facts;
mod list;
mod names;
mod of;
mod row;
mod sizes;
mod window;

pub use answer::Tables;
pub use column::{Column, Sort};
pub use export::{Format, Piece};
pub use facts::Facts;
pub use list::{Group, Sums, Table};
pub use names::Names;
pub use of::Of;
pub use row::Row;
pub use sizes::{Bin, Sizes};
