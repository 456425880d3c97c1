//! Events: rows of the columns.

use vramscope_pickle::Value;

use super::{UNKNOWN_TIME, pairs, set, signed, text};
use crate::decode::builder::SnapshotBuilder;
use crate::decode::keys;
use crate::ids::{StackId, StreamId};
use crate::model::{Action, EventNotes};

impl SnapshotBuilder {
    pub(super) fn new_event(&mut self, items: &[Value]) -> u32 {
        let row = self.events.actions.len() as u32;
        self.events.actions.push(Action::Other);
        self.events.addrs.push(0);
        self.events.sizes.push(0);
        self.events.streams.push(StreamId(0));
        self.events.times_us.push(UNKNOWN_TIME);
        self.events.stacks.push(StackId::EMPTY);
        self.set_event_fields(row, items);
        self.count_missing(row, items);
        row
    }

    /// An event that moves memory needs its address and size; without them it counts as one of 0 bytes at 0.
    fn count_missing(&mut self, row: u32, items: &[Value]) {
        let moves = !matches!(
            self.events.actions.get(row as usize),
            Some(Action::Snapshot | Action::Annotate | Action::Other) | None
        );
        let has = |wanted: [u32; 2]| pairs(items).any(|(key, _)| wanted.contains(&key));
        let whole = has([keys::ADDR, keys::DEVICE_FREE]) && has([keys::SIZE, keys::SIZE]);
        if moves && !whole {
            self.warnings
                .add("missing_fields", 1, || "Events have no address or no size; they are read as 0.".into());
        }
    }

    pub(in crate::decode) fn set_event_fields(&mut self, row: u32, items: &[Value]) {
        let at = row as usize;
        let mut notes = EventNotes::default();
        let mut cpp = None;
        for (key, value) in pairs(items) {
            match key {
                keys::ACTION => {
                    if value == Value::Text(keys::USER_DEFINED) {
                        self.user_defined.push(row);
                    }
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
                keys::FORWARD_FRAMES => {
                    self.markers.forward_frames = true;
                    notes.forward_stack = self.traceback(value);
                }
                keys::INTERNAL_METADATA => {
                    self.markers.newest = true;
                    notes.internal_metadata = text(value).filter(|id| id.0 != 0);
                }
                keys::CATEGORY => {
                    self.markers.category = true;
                    notes.category = text(value).filter(|id| id.0 != 0);
                }
                keys::CPP_FRAMES => cpp = text(value),
                keys::ROUNDED_BY => {}
                _ => self.unknown_key(key),
            }
        }
        if let Some(cpp) = cpp {
            let python = self.events.stacks.get(at).copied().unwrap_or(StackId::EMPTY);
            let whole = self.with_cpp(cpp, python);
            set(&mut self.events.stacks, at, whole);
        }
        if notes != EventNotes::default() {
            self.events.notes.push((row, notes));
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
