//! One device of a snapshot.

use crate::model::{Block, Events, Segment};

/// A device's trace and final state.
#[derive(Clone, Debug, Default)]
pub struct Device {
    /// Its number; −1 is the host's pinned memory.
    pub ordinal: i64,
    /// Its trace.
    pub events: Events,
    /// Its segments when the snapshot was taken, by address.
    pub segments: Vec<Segment>,
    /// The file has a list of segments. Without it the final state is unknown, not empty.
    pub has_segments: bool,
}

impl Device {
    /// Blocks held by the user or awaiting a stream, when the snapshot was taken.
    pub fn active_blocks(&self) -> impl Iterator<Item = (&Segment, &Block)> {
        self.segments
            .iter()
            .flat_map(|segment| segment.blocks.iter().map(move |block| (segment, block)))
            .filter(|(_, block)| block.is_active())
    }

    /// Bytes held from the driver when the snapshot was taken.
    pub fn final_reserved_bytes(&self) -> u64 {
        self.segments.iter().fold(0, |sum, segment| sum.saturating_add(segment.size_bytes))
    }
}
