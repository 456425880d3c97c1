//! One device, written event by event as rows: for what no file is needed.

use vramscope_core::ids::{StackId, StreamId};
use vramscope_core::model::{Action, Block, BlockState, Device, PoolId, Segment, SegmentKind, Snapshot};
use vramscope_core::replay::Recording;

/// One mebibyte.
pub const MIB: u64 = 1 << 20;

/// One device, built event by event.
#[derive(Default)]
pub struct Trace(pub Device);

impl Trace {
    /// Adds an event.
    pub fn event(mut self, action: Action, address: u64, size: u64) -> Self {
        let events = &mut self.0.events;
        events.actions.push(action);
        events.addrs.push(address);
        events.sizes.push(size);
        events.streams.push(StreamId(0));
        events.stacks.push(StackId::EMPTY);
        self
    }

    /// A final segment with its blocks: address, size, requested, state.
    pub fn segment(
        mut self,
        address: u64,
        size: u64,
        pool: PoolId,
        blocks: &[(u64, u64, u64, BlockState)],
    ) -> Self {
        let block = |&(address, size_bytes, requested_bytes, state): &_| Block {
            address,
            size_bytes,
            requested_bytes,
            state,
            stack: StackId::EMPTY,
            forward_stack: None,
        };
        self.0.has_segments = true;
        self.0.segments.push(Segment {
            address,
            size_bytes: size,
            stream: StreamId(0),
            kind: if size <= 2 * MIB { SegmentKind::Small } else { SegmentKind::Large },
            pool,
            expandable: false,
            stack: StackId::EMPTY,
            forward_stack: None,
            blocks: blocks.iter().map(block).collect(),
        });
        self
    }

    /// Replays it and checks the model.
    pub fn open(self) -> Recording {
        recording(vec![self.0])
    }
}

/// Replays devices, numbered from 0, and checks the model.
pub fn recording(mut devices: Vec<Device>) -> Recording {
    for (ordinal, device) in (0..).zip(&mut devices) {
        device.ordinal = ordinal;
    }
    let mut recording = Recording::build(Snapshot { streams: vec![0], devices, ..Snapshot::default() });
    recording.check_all();
    recording
}
