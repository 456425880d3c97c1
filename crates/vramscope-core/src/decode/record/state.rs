//! Segments, their blocks, and what lived in these.

use vramscope_pickle::Value;

use super::{MOST_SHARING, bits, pairs, signed, text};
use crate::decode::builder::{DeviceSegment, Node, SnapshotBuilder};
use crate::decode::keys;
use crate::ids::{StackId, StreamId};
use crate::model::{Block, BlockState, Segment, SegmentKind};
use crate::order;

impl SnapshotBuilder {
    pub(super) fn block(&mut self, items: &[Value]) -> u32 {
        let mut block = Block {
            // Without an address (before 2.1) it follows from the segment's.
            address: UNKNOWN_ADDRESS,
            size_bytes: 0,
            requested_bytes: 0,
            state: BlockState::Other,
            stack: StackId::EMPTY,
            forward_stack: None,
        };
        let (mut requested, mut tenant) = (None, None);
        for (key, value) in pairs(items) {
            match key {
                keys::ADDRESS => {
                    self.markers.block_address = true;
                    block.address = bits(value).unwrap_or(UNKNOWN_ADDRESS);
                }
                keys::SIZE => block.size_bytes = self.size(value),
                keys::REQUESTED_SIZE => requested = Some(self.size(value)),
                keys::STATE => block.state = self.block_state(value),
                keys::FRAMES => block.stack = self.stack(value),
                keys::FORWARD_FRAMES => {
                    self.markers.forward_frames = true;
                    block.forward_stack = self.traceback(value);
                }
                keys::HISTORY => tenant = self.tenant(value),
                _ => self.unknown_key(key),
            }
        }
        if let Some((real_size, stack)) = tenant {
            requested = requested.or(Some(real_size));
            if block.stack == StackId::EMPTY {
                block.stack = stack;
            }
        }
        block.requested_bytes = requested.unwrap_or(block.size_bytes);
        self.blocks.push(block);
        self.blocks.len() as u32 - 1
    }

    /// The newest of what lived in a block.
    fn tenant(&mut self, value: Value) -> Option<(u64, StackId)> {
        self.markers.history = true;
        let newest = *self.generic(value).first()?;
        match self.node_of(newest) {
            Node::History(at) => self.histories.get(at as usize).copied(),
            _ => None,
        }
    }

    /// One allocation that lived in a block: `real_size` is what was requested.
    pub(super) fn history(&mut self, items: &[Value]) -> u32 {
        let (mut real_size, mut stack, mut cpp) = (0, StackId::EMPTY, None);
        for (key, value) in pairs(items) {
            match key {
                keys::REAL_SIZE => real_size = self.size(value),
                keys::FRAMES => stack = self.stack(value),
                keys::CPP_FRAMES => cpp = text(value),
                keys::ADDR => {}
                _ => self.unknown_key(key),
            }
        }
        if let Some(cpp) = cpp {
            stack = self.with_cpp(cpp, stack);
        }
        self.histories.push((real_size, stack));
        self.histories.len() as u32 - 1
    }

    fn block_state(&mut self, value: Value) -> BlockState {
        match value {
            Value::Text(keys::ACTIVE_ALLOCATED) => BlockState::Allocated,
            Value::Text(keys::ACTIVE_PENDING_FREE | keys::ACTIVE_AWAITING_FREE) => BlockState::PendingFree,
            Value::Text(keys::INACTIVE) => BlockState::Inactive,
            _ => {
                self.warnings.add("unknown_block_states", 1, || {
                    "Blocks have a state that this version does not know; they are taken as free.".into()
                });
                BlockState::Other
            }
        }
    }

    pub(super) fn segment(&mut self, items: &[Value]) -> u32 {
        let mut segment = Segment {
            address: 0,
            size_bytes: 0,
            stream: StreamId(0),
            kind: SegmentKind::Large,
            pool: (0, 0),
            expandable: false,
            stack: StackId::EMPTY,
            forward_stack: None,
            blocks: Vec::new(),
        };
        let mut device = 0;
        for (key, value) in pairs(items) {
            match key {
                keys::DEVICE => device = signed(value).unwrap_or(0),
                // Snapshots made from a profiler run have segments of no address.
                keys::ADDRESS if value == Value::None => {}
                keys::ADDRESS => segment.address = self.bits_or_unreadable(value),
                keys::TOTAL_SIZE => segment.size_bytes = self.size(value),
                keys::STREAM => {
                    let raw = self.bits_or_unreadable(value);
                    segment.stream = self.stream_id(raw);
                }
                keys::SEGMENT_TYPE if value == Value::Text(keys::SMALL) => segment.kind = SegmentKind::Small,
                keys::REQUESTED_SIZE => self.markers.requested_size = true,
                // Sums over the blocks.
                keys::SEGMENT_TYPE | keys::ALLOCATED_SIZE | keys::ACTIVE_SIZE => {}
                keys::SEGMENT_POOL_ID => segment.pool = self.pool(value).unwrap_or((0, 0)),
                keys::IS_EXPANDABLE => segment.expandable = value == Value::Bool(true),
                keys::FRAMES => segment.stack = self.stack(value),
                keys::FORWARD_FRAMES => {
                    self.markers.forward_frames = true;
                    segment.forward_stack = self.traceback(value);
                }
                keys::BLOCKS => segment.blocks = self.blocks_of(value),
                _ => self.unknown_key(key),
            }
        }
        place_blocks(&mut segment);
        self.segments.push(DeviceSegment { device, segment });
        self.segments.len() as u32 - 1
    }

    /// The blocks of a list. A list that several segments share is copied only so often as to keep memory in proportion.
    fn blocks_of(&mut self, value: Value) -> Vec<Block> {
        let items = self.generic(value);
        if self.blocks_taken + items.len() > MOST_SHARING * self.blocks.len() {
            let count = items.len();
            self.skipped(count);
            return Vec::new();
        }
        let blocks: Vec<Block> = items
            .iter()
            .filter_map(|item| match self.node_of(*item) {
                Node::Block(at) => self.blocks.get(at as usize).cloned(),
                _ => None,
            })
            .collect();
        let strays = items.len() - blocks.len();
        self.blocks_taken += blocks.len();
        self.skipped(strays);
        blocks
    }
}

const UNKNOWN_ADDRESS: u64 = u64::MAX;

/// Gives addresses to blocks that were written without, from the segment's start on, and sorts.
fn place_blocks(segment: &mut Segment) {
    let mut next = segment.address;
    for block in &mut segment.blocks {
        if block.address == UNKNOWN_ADDRESS {
            block.address = next;
        }
        next = block.address.saturating_add(block.size_bytes);
    }
    order::by_number(&mut segment.blocks, |block| block.address);
}
