//! `vramscope` as people and scripts start it: one file for what each command promises.

mod allocations;
mod away;
mod estimates;
mod input;
mod message;
mod report;
mod simulate;
mod statuses;
