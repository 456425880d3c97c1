//! Dicts that are records: events, frames, blocks, segments.

use vramscope_pickle::Value;

use super::builder::{DeviceSegment, Node, SnapshotBuilder};
use super::keys;
use crate::ids::{FrameId, StackId, StringId};
use crate::model::{Action, Block, BlockState, EventNotes, Frame, PoolId, Segment, SegmentKind};

/// No device has more (64 TiB): a larger size is damage, and is read as 0. Also keeps sums far from overflow.
const LARGEST_SIZE: u64 = 1 << 46;

/// The time of an event that has none; replaced by its neighbour's at the end.
pub(super) const UNKNOWN_TIME: i64 = i64::MIN;

/// Keys and values of a dict.
fn pairs(items: &[Value]) -> impl Iterator<Item = (u32, Value)> + '_ {
    items.chunks_exact(2).filter_map(|pair| match *pair {
        [Value::Text(key), value] => Some((key, value)),
        _ => None,
    })
}

/// An integer as its 64 bits: the C++ writer writes addresses and streams from 2^63 on as negative numbers.
pub(super) fn bits(value: Value) -> Option<u64> {
    match value {
        Value::Int(int) => Some(int as u64),
        Value::Unsigned(unsigned) => Some(unsigned),
        Value::Float(float) if float.fract() == 0.0 && float.abs() < 9e15 => Some(float as i64 as u64),
        _ => None,
    }
}

/// A signed integer.
pub(super) fn signed(value: Value) -> Option<i64> {
    bits(value).map(|bits| bits as i64)
}

impl SnapshotBuilder {
    /// The record that these pairs are, by their telling key; `None` keeps the dict as it is.
    pub(super) fn record(&mut self, items: &[Value]) -> Option<Node> {
        let telling = pairs(items).find_map(|(key, _)| match key {
            keys::ACTION | keys::FILENAME | keys::TOTAL_SIZE | keys::STATE => Some(key),
            keys::SEGMENTS | keys::DEVICE_TRACES | keys::STAGE => Some(keys::SEGMENTS),
            _ => None,
        })?;
        match telling {
            keys::ACTION => Some(Node::Event(self.new_event(items))),
            keys::FILENAME => Some(Node::Frame(self.frame(items))),
            keys::TOTAL_SIZE => Some(Node::Segment(self.segment(items))),
            keys::STATE => Some(Node::Block(self.block(items))),
            _ => None,
        }
    }

    /// Makes a record of a dict that was filled pair by pair, now that it is complete.
    pub(super) fn promote(&mut self, dict: u32) {
        let Node::Generic(at) = self.node(dict) else { return };
        let items = self.generics.get_mut(at as usize).map(std::mem::take).unwrap_or_default();
        match self.record(&items) {
            Some(node) => self.set_node(dict, node),
            None => {
                if let Some(known) = self.generics.get_mut(at as usize) {
                    *known = items;
                }
            }
        }
    }

    fn new_event(&mut self, items: &[Value]) -> u32 {
        let row = self.events.actions.len() as u32;
        self.events.actions.push(Action::Other);
        self.events.addrs.push(0);
        self.events.sizes.push(0);
        self.events.streams.push(crate::ids::StreamId(0));
        self.events.times_us.push(UNKNOWN_TIME);
        self.events.stacks.push(StackId::EMPTY);
        self.set_event_fields(row, items);
        row
    }

    pub(super) fn set_event_fields(&mut self, row: u32, items: &[Value]) {
        let at = row as usize;
        let mut notes = EventNotes::default();
        for (key, value) in pairs(items) {
            match key {
                keys::ACTION => {
                    let action = self.action(value);
                    set(&mut self.events.actions, at, action);
                }
                keys::ADDR | keys::DEVICE_FREE => {
                    let addr = self.bits_or_unreadable(value);
                    set(&mut self.events.addrs, at, addr);
                }
                keys::SIZE => {
                    let size = self.size(value);
                    set(&mut self.events.sizes, at, size);
                }
                keys::STREAM => {
                    let raw = self.bits_or_unreadable(value);
                    let stream = self.stream_id(raw);
                    set(&mut self.events.streams, at, stream);
                }
                keys::TIME_US => match signed(value) {
                    Some(time_us) => {
                        self.markers.time_us = true;
                        set(&mut self.events.times_us, at, time_us);
                    }
                    None => self.unreadable(),
                },
                keys::FRAMES => {
                    let stack = self.stack(value);
                    set(&mut self.events.stacks, at, stack);
                }
                keys::COMPILE_CONTEXT => {
                    self.markers.compile_context = true;
                    notes.compile_context = text(value).filter(|id| id.0 != keys::NOT_COMPILED && id.0 != 0);
                }
                keys::USER_METADATA => {
                    self.markers.user_metadata = true;
                    notes.user_metadata = text(value).filter(|id| id.0 != 0);
                }
                keys::POOL_ID => {
                    self.markers.pool_id = true;
                    let pool = self.pool(value);
                    notes.pool = pool.filter(|pool| *pool != (0, 0));
                    if pool.is_none() {
                        self.unreadable();
                    }
                }
                keys::FORWARD_FRAMES => self.markers.forward_frames = true,
                _ => {}
            }
        }
        if notes != EventNotes::default() {
            self.events.notes.push((row, notes));
        }
    }

    fn bits_or_unreadable(&mut self, value: Value) -> u64 {
        bits(value).unwrap_or_else(|| {
            self.unreadable();
            0
        })
    }

    fn action(&mut self, value: Value) -> Action {
        match value {
            Value::Text(keys::ALLOC) => Action::Alloc,
            Value::Text(keys::FREE_REQUESTED) => Action::FreeRequested,
            Value::Text(keys::FREE_COMPLETED) => Action::FreeCompleted,
            Value::Text(keys::FREE) => Action::Free,
            Value::Text(keys::SEGMENT_ALLOC) => Action::SegmentAlloc,
            Value::Text(keys::SEGMENT_FREE) => Action::SegmentFree,
            Value::Text(keys::SEGMENT_MAP) => Action::SegmentMap,
            Value::Text(keys::SEGMENT_UNMAP) => Action::SegmentUnmap,
            Value::Text(keys::OOM) => Action::Oom,
            Value::Text(keys::SNAPSHOT) => Action::Snapshot,
            Value::Text(keys::ANNOTATE) => Action::Annotate,
            _ => {
                self.warnings.add("unknown_actions", 1, || {
                    "Events have an action that this version does not know; they are kept, without effect.".into()
                });
                Action::Other
            }
        }
    }

    fn size(&mut self, value: Value) -> u64 {
        match bits(value) {
            Some(size) if size <= LARGEST_SIZE => size,
            _ => {
                self.warnings.add("impossible_sizes", 1, || {
                    "Sizes that no device can have (negative, above 64 TiB or no number) were read as 0."
                        .into()
                });
                0
            }
        }
    }

    fn stack(&mut self, value: Value) -> StackId {
        match value {
            Value::List(list) => match self.node(list) {
                Node::Stack(stack) => stack,
                Node::Empty => StackId::EMPTY,
                _ => {
                    self.skipped(1);
                    StackId::EMPTY
                }
            },
            Value::None => StackId::EMPTY,
            _ => {
                self.skipped(1);
                StackId::EMPTY
            }
        }
    }

    /// A pair of numbers; some vendors write a single one.
    fn pool(&self, value: Value) -> Option<PoolId> {
        match self.generic(value) {
            [first, second] => Some((bits(*first)?, bits(*second)?)),
            _ => bits(value).map(|id| (0, id)),
        }
    }

    fn frame(&mut self, items: &[Value]) -> FrameId {
        let mut frame = Frame { name: StringId(0), file: StringId(0), line: 0 };
        for (key, value) in pairs(items) {
            match key {
                keys::NAME => frame.name = text(value).unwrap_or(frame.name),
                keys::FILENAME => frame.file = text(value).unwrap_or(frame.file),
                // −1 or 2^64 − 1 stand for an unknown line.
                keys::LINE => frame.line = bits(value).and_then(|line| u32::try_from(line).ok()).unwrap_or(0),
                _ => {}
            }
        }
        self.stacks.intern_frame(frame)
    }

    fn block(&mut self, items: &[Value]) -> u32 {
        let mut block = Block {
            // Without an address (before 2.1) it follows from the segment's.
            address: UNKNOWN_ADDRESS,
            size_bytes: 0,
            requested_bytes: 0,
            state: BlockState::Other,
            stack: StackId::EMPTY,
        };
        let mut requested = None;
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
                _ => {}
            }
        }
        block.requested_bytes = requested.unwrap_or(block.size_bytes);
        self.blocks.push(block);
        self.blocks.len() as u32 - 1
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

    fn segment(&mut self, items: &[Value]) -> u32 {
        let mut segment = Segment {
            address: 0,
            size_bytes: 0,
            stream: crate::ids::StreamId(0),
            kind: SegmentKind::Large,
            pool: (0, 0),
            expandable: false,
            stack: StackId::EMPTY,
            blocks: Vec::new(),
        };
        let mut device = 0;
        for (key, value) in pairs(items) {
            match key {
                keys::DEVICE => device = signed(value).unwrap_or(0),
                keys::ADDRESS => segment.address = self.bits_or_unreadable(value),
                keys::TOTAL_SIZE => segment.size_bytes = self.size(value),
                keys::STREAM => {
                    let raw = self.bits_or_unreadable(value);
                    segment.stream = self.stream_id(raw);
                }
                keys::SEGMENT_TYPE if value == Value::Text(keys::SMALL) => segment.kind = SegmentKind::Small,
                keys::SEGMENT_POOL_ID => segment.pool = self.pool(value).unwrap_or((0, 0)),
                keys::IS_EXPANDABLE => segment.expandable = value == Value::Bool(true),
                keys::FRAMES => segment.stack = self.stack(value),
                keys::BLOCKS => segment.blocks = self.blocks_of(value),
                _ => {}
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

/// How often rows may be used that the file has once. Writers use each once.
pub(super) const MOST_SHARING: usize = 4;

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
    segment.blocks.sort_by_key(|block| block.address);
}

fn set<T>(column: &mut [T], at: usize, value: T) {
    if let Some(cell) = column.get_mut(at) {
        *cell = value;
    }
}

fn text(value: Value) -> Option<StringId> {
    match value {
        Value::Text(id) => Some(StringId(id)),
        _ => None,
    }
}
