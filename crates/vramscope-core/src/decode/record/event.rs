//! Events: rows of the columns.

use vramscope_pickle::Value;

use super::{LARGEST_SIZE, UNKNOWN_TIME, pairs, set, signed, text};
use crate::decode::builder::SnapshotBuilder;
use crate::decode::keys;
use crate::ids::{StackId, StreamId, StringId};
use crate::model::{Action, EventNotes, Events};

/// The fields of one event, from one dict or several parts of it.
struct Row {
    action: Action,
    addr: Option<u64>,
    size: Option<u64>,
    stream: StreamId,
    time_us: i64,
    stack: StackId,
    notes: EventNotes,
    cpp: Option<StringId>,
    user_defined: bool,
}

impl Default for Row {
    fn default() -> Self {
        Row {
            action: Action::Other,
            addr: None,
            size: None,
            stream: StreamId(0),
            time_us: UNKNOWN_TIME,
            stack: StackId::EMPTY,
            notes: EventNotes::default(),
            cpp: None,
            user_defined: false,
        }
    }
}

impl SnapshotBuilder {
    pub(super) fn new_event(&mut self, items: &[Value]) -> u32 {
        let at = self.events.actions.len() as u32;
        let mut row = Row::default();
        self.read_fields(&mut row, items);
        self.count_missing(&row);
        self.tell_beside(at, &mut row);
        self.events.actions.push(row.action);
        self.events.addrs.push(row.addr.unwrap_or(0));
        self.events.sizes.push(row.size.unwrap_or(0));
        self.events.streams.push(row.stream);
        self.events.times_us.push(row.time_us);
        self.events.stacks.push(row.stack);
        at
    }

    /// More fields of an event that came in parts.
    pub(in crate::decode) fn set_event_fields(&mut self, at: u32, items: &[Value]) {
        let index = at as usize;
        let Events { actions, addrs, sizes, streams, times_us, stacks, .. } = &self.events;
        let mut row = Row {
            action: actions.get(index).copied().unwrap_or(Action::Other),
            addr: addrs.get(index).copied(),
            size: sizes.get(index).copied(),
            stream: streams.get(index).copied().unwrap_or(StreamId(0)),
            time_us: times_us.get(index).copied().unwrap_or(UNKNOWN_TIME),
            stack: stacks.get(index).copied().unwrap_or(StackId::EMPTY),
            ..Row::default()
        };
        self.read_fields(&mut row, items);
        self.tell_beside(at, &mut row);
        set(&mut self.events.actions, index, row.action);
        set(&mut self.events.addrs, index, row.addr.unwrap_or(0));
        set(&mut self.events.sizes, index, row.size.unwrap_or(0));
        set(&mut self.events.streams, index, row.stream);
        set(&mut self.events.times_us, index, row.time_us);
        set(&mut self.events.stacks, index, row.stack);
    }

    /// An event that moves memory needs its address and size; without them it counts as one of 0 bytes at 0.
    fn count_missing(&mut self, row: &Row) {
        let moves = !matches!(row.action, Action::Snapshot | Action::Annotate | Action::Other);
        if moves && (row.addr.is_none() || row.size.is_none()) {
            self.warnings
                .add("missing_fields", 1, || "Events have no address or no size; they are read as 0.".into());
        }
    }

    /// What has no column of its own.
    #[inline]
    fn tell_beside(&mut self, at: u32, row: &mut Row) {
        if row.user_defined {
            self.user_defined.push(at);
        }
        if let Some(cpp) = row.cpp {
            row.stack = self.with_cpp(cpp, row.stack);
        }
        if row.notes != EventNotes::default() {
            self.events.notes.push((at, row.notes));
        }
    }

    fn read_fields(&mut self, row: &mut Row, items: &[Value]) {
        let rest = match *items {
            // The order in which PyTorch writes them: nine in ten events take the straight way.
            [
                Value::Text(keys::ACTION),
                action,
                Value::Text(keys::ADDR),
                Value::Int(addr),
                Value::Text(keys::SIZE),
                Value::Int(size),
                Value::Text(keys::STREAM),
                Value::Int(stream),
                Value::Text(keys::TIME_US),
                Value::Int(time_us),
                ref rest @ ..,
            ] if (0..=LARGEST_SIZE as i64).contains(&size) => {
                row.user_defined |= action == Value::Text(keys::USER_DEFINED);
                row.action = self.action(action);
                row.addr = Some(addr as u64);
                row.size = Some(size as u64);
                row.stream = self.stream_id(stream as u64);
                self.markers.time_us = true;
                row.time_us = time_us;
                rest
            }
            _ => items,
        };
        for (key, value) in pairs(rest) {
            match key {
                keys::ACTION => {
                    row.user_defined |= value == Value::Text(keys::USER_DEFINED);
                    row.action = self.action(value);
                }
                keys::ADDR | keys::DEVICE_FREE => row.addr = Some(self.bits_or_unreadable(value)),
                keys::SIZE => row.size = Some(self.size(value)),
                keys::STREAM => {
                    let raw = self.bits_or_unreadable(value);
                    row.stream = self.stream_id(raw);
                }
                keys::TIME_US => match signed(value) {
                    Some(time_us) => {
                        self.markers.time_us = true;
                        row.time_us = time_us;
                    }
                    None => self.unreadable(),
                },
                keys::FRAMES => row.stack = self.stack(value),
                keys::COMPILE_CONTEXT => {
                    self.markers.compile_context = true;
                    row.notes.compile_context =
                        text(value).filter(|id| id.0 != keys::NOT_COMPILED && id.0 != 0);
                }
                _ => self.read_rare_field(row, key, value),
            }
        }
    }

    fn read_rare_field(&mut self, row: &mut Row, key: u32, value: Value) {
        match key {
            keys::USER_METADATA => {
                self.markers.user_metadata = true;
                row.notes.user_metadata = text(value).filter(|id| id.0 != 0);
            }
            keys::POOL_ID => {
                self.markers.pool_id = true;
                let pool = self.pool(value);
                row.notes.pool = pool.filter(|pool| *pool != (0, 0));
                if pool.is_none() {
                    self.unreadable();
                }
            }
            keys::FORWARD_FRAMES => {
                self.markers.forward_frames = true;
                row.notes.forward_stack = self.traceback(value);
            }
            keys::INTERNAL_METADATA => {
                self.markers.newest = true;
                row.notes.internal_metadata = text(value).filter(|id| id.0 != 0);
            }
            keys::CATEGORY => {
                self.markers.category = true;
                row.notes.category = text(value).filter(|id| id.0 != 0);
            }
            keys::CPP_FRAMES => row.cpp = text(value),
            keys::ROUNDED_BY => {}
            _ => self.unknown_key(key),
        }
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
            Value::Text(keys::ANNOTATE) => {
                self.markers.newest = true;
                Action::Annotate
            }
            // Becomes an annotation when the file has ended.
            Value::Text(keys::USER_DEFINED) => Action::Other,
            _ => {
                self.warnings.add("unknown_actions", 1, || {
                    "Events have an action that this version does not know; they are kept, without effect.".into()
                });
                Action::Other
            }
        }
    }
}
