//! The trace of a device, in columns.

use crate::ids::{StackId, StreamId, StringId};

/// What an event records. Names as in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// A block is handed out; size is the bytes requested.
    Alloc,
    /// The user dropped a block.
    FreeRequested,
    /// The block can be used again.
    FreeCompleted,
    /// Both at once (only in files made by other tools).
    Free,
    /// The driver gave a segment.
    SegmentAlloc,
    /// A segment went back to the driver.
    SegmentFree,
    /// Memory was mapped into an expandable segment.
    SegmentMap,
    /// Memory was unmapped from an expandable segment.
    SegmentUnmap,
    /// A request that could not be served; size is the rounded request.
    Oom,
    /// An earlier snapshot was taken.
    Snapshot,
    /// A note on a live block.
    Annotate,
    /// Another action: kept, without effect.
    Other,
}

impl Action {
    /// Its name in the file; "other" for one that is not known.
    pub fn name(self) -> &'static str {
        match self {
            Action::Alloc => "alloc",
            Action::FreeRequested => "free_requested",
            Action::FreeCompleted => "free_completed",
            Action::Free => "free",
            Action::SegmentAlloc => "segment_alloc",
            Action::SegmentFree => "segment_free",
            Action::SegmentMap => "segment_map",
            Action::SegmentUnmap => "segment_unmap",
            Action::Oom => "oom",
            Action::Snapshot => "snapshot",
            Action::Annotate => "annotate",
            Action::Other => "other",
        }
    }

    /// A call of the driver.
    pub fn is_segment_event(self) -> bool {
        matches!(self, Action::SegmentAlloc | Action::SegmentFree | Action::SegmentMap | Action::SegmentUnmap)
    }
}

/// Optional texts and numbers of an event that most events do not have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventNotes {
    /// "Torch-Compiled Region: i/j".
    pub compile_context: Option<StringId>,
    /// Text set by the user's code.
    pub user_metadata: Option<StringId>,
    /// The pool, if the recorder says (2.12 and later) and it is not (0, 0).
    pub pool: Option<(u64, u64)>,
    /// Python stack of the forward operator whose gradient is being computed (2.11 and later).
    pub forward_stack: Option<StackId>,
    /// A note of the allocator itself (2.12 and later).
    pub internal_metadata: Option<StringId>,
    /// What the profiler took it for: "parameter", "activation" (only in files of `profile_plot`).
    pub category: Option<StringId>,
}

/// The events of one device, in time order; one column for each field.
#[derive(Clone, Debug, Default)]
pub struct Events {
    /// What happened.
    pub actions: Vec<Action>,
    /// Address; for [`Action::Oom`] the driver's free bytes.
    pub addrs: Vec<u64>,
    /// Bytes; which bytes depends on the action.
    pub sizes: Vec<u64>,
    /// Stream.
    pub streams: Vec<StreamId>,
    /// Microseconds since the epoch; empty when no event has a time (before PyTorch 2.2).
    pub times_us: Vec<i64>,
    /// Call stack.
    pub stacks: Vec<StackId>,
    /// Events carry `pool_id` (2.12 and later): one without a note is in the default pool.
    pub says_pools: bool,
    /// Events with notes, by index, ascending.
    pub notes: Vec<(u32, EventNotes)>,
}

impl Events {
    /// How many.
    pub fn len(&self) -> usize {
        self.actions.len()
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.actions.is_empty()
    }

    /// The time of an event.
    pub fn time_us(&self, event: usize) -> Option<i64> {
        self.times_us.get(event).copied()
    }

    /// The notes of an event; empty ones if it has none.
    pub fn notes_of(&self, event: u32) -> EventNotes {
        match self.notes.binary_search_by_key(&event, |(index, _)| *index) {
            Ok(at) => self.notes[at].1,
            Err(_) => EventNotes::default(),
        }
    }
}
