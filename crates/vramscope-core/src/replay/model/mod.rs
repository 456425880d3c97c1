//! The allocator model run beside the recording: does PyTorch's allocator, by the rules, do what the file says it did?
//!
//! [`Lockstep`] feeds the recorded requests (rule R13) to [`Allocator`](crate::allocator::Allocator) and compares every answer: the driver
//! calls with their sizes, addresses and order, and the address of every block. Where they agree, the real size of every block is known,
//! and with it the bytes allocated and active at any moment.

mod cause;
pub(in crate::replay) mod hint;
mod limit;
mod lockstep;
mod recorded;
pub(in crate::replay) mod start;

pub use cause::Cause;
pub use limit::{LimitRange, proven_limit};
pub use lockstep::Lockstep;
pub(in crate::replay) use lockstep::private_frees;

/// What came of the comparison.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// The device has this allocator: a GPU has, pinned memory of the host has not.
    pub applies: bool,
    /// Events of the trace.
    pub checked_events: u32,
    /// Events up to the first that differs, or all.
    pub agreeing_events: u32,
    /// Where recording and model part.
    pub difference: Option<Difference>,
    /// The memory limit that explains the recording.
    pub limit: LimitRange,
    /// Blocks from before the first event to which a remainder of up to 1 MiB may belong that nothing shows.
    pub uncertain_blocks: u32,
    /// Bytes free in segments that are partly in use (`inactive_split_bytes`): the most, and at the end. Only if all events agree.
    pub inactive_split: Option<(u64, u64)>,
    /// Events before which the program called `empty_cache()`, which is no event itself; ascending, as far as model and recording agree.
    pub emptied_before: Vec<u32>,
}

impl Model {
    /// Every event agrees.
    pub fn agrees(&self) -> bool {
        self.applies && self.difference.is_none()
    }
}

/// The first event at which recording and model differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Its index.
    pub event: u32,
    /// What was recorded there.
    pub recorded: String,
    /// What the model does.
    pub expected: String,
    /// The likely cause.
    pub cause: Cause,
}
