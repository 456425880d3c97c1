//! What users look for in a replayed recording, one folder for each way to look: `filter` chooses allocations by an expression,
//! `tree` adds up stacks, `table` lists and groups allocations, `compare` sets two beside each other, `export` takes away.
//!
//! Pure, as the core is: bytes and text come out, nothing is read, written or printed.

pub mod compare;
pub mod export;
pub mod filter;
pub mod table;
pub mod tree;
