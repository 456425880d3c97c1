//! One device of a snapshot.

use crate::model::{Block, Events, Segment};

/// What a device is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeviceKind {
    /// A GPU of CUDA or ROCm.
    #[default]
    Gpu,
    /// Pinned memory of the host.
    Host,
    /// The processor, in files that were made from a profiler run.
    Cpu,
    /// An accelerator of another kind: the writer does not say which.
    Other,
}

/// What the writer says of the buffer that keeps the newest events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ring {
    /// Older events were overwritten.
    pub overflowed: Option<bool>,
    /// Most events that it keeps.
    pub max_entries: Option<u64>,
}

/// A device's trace and final state.
#[derive(Clone, Debug, Default)]
pub struct Device {
    /// Its number; −1 is the host's pinned memory.
    pub ordinal: i64,
    /// What it is.
    pub kind: DeviceKind,
    /// What the writer says of its ring buffer; nothing in most files.
    pub ring: Ring,
    /// Its trace.
    pub events: Events,
    /// Its segments when the snapshot was taken, by address.
    pub segments: Vec<Segment>,
    /// The file has a list of segments. Without it the final state is unknown, not empty.
    pub has_segments: bool,
}

impl Device {
    /// What to call it: "GPU 0".
    pub fn label(&self) -> String {
        match self.kind {
            DeviceKind::Gpu => format!("GPU {}", self.ordinal),
            DeviceKind::Host => "Host memory".into(),
            DeviceKind::Cpu => "CPU".into(),
            DeviceKind::Other => format!("Device {}", self.ordinal),
        }
    }

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
