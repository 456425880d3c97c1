//! The pickle reader's builder: containers become rows of the model as they complete.
//!
//! Python's writer fills a dict after it has announced it and sends lists in batches of 1,000; the C++ writer sends a list
//! whole; protocol 0 sends single pairs. So a dict of several pairs with a telling key becomes a record at once, and one
//! that was filled pair by pair becomes a record when it is put into a list.

mod calls;
mod node;

use std::ops::Range;

use hashbrown::HashMap;
use vramscope_pickle::{Refusal, Value, make_room};

use crate::decode::decoder::Limits;
use crate::decode::keys;
use crate::ids::{FrameId, StackId, StreamId, StringId};
use crate::model::{Block, Events, Segment, Stacks, Strings};
use crate::warning::Warnings;
pub(in crate::decode) use node::{Node, Nodes};

/// A segment with the device that it names.
#[derive(Clone, Debug)]
pub(in crate::decode) struct DeviceSegment {
    pub(in crate::decode) device: i64,
    pub(in crate::decode) segment: Segment,
}

/// Newest keys seen, from which the writer's version is told.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::decode) struct Markers {
    pub(in crate::decode) pool_id: bool,
    pub(in crate::decode) forward_frames: bool,
    pub(in crate::decode) user_metadata: bool,
    pub(in crate::decode) compile_context: bool,
    pub(in crate::decode) time_us: bool,
    pub(in crate::decode) block_address: bool,
    pub(in crate::decode) requested_size: bool,
    pub(in crate::decode) history: bool,
    pub(in crate::decode) category: bool,
    /// Something that only 2.12 writes beside pools.
    pub(in crate::decode) newest: bool,
}

const CALLS_BETWEEN_MEASURES: u32 = 256;
/// A list that is kept, without what it holds.
const LIST_BYTES: u64 = 56;

/// Frames of a stack that take as much room as a list.
const FRAMES_IN_A_LIST: usize = 4;

/// Rows and leaves of a snapshot under construction.
pub(in crate::decode) struct SnapshotBuilder {
    pub(in crate::decode) strings: Strings,
    pub(in crate::decode) stacks: Stacks,
    pub(in crate::decode) streams: Vec<u64>,
    stream_index: HashMap<u64, u32>,
    /// Rows of all devices, in file order.
    pub(in crate::decode) events: Events,
    /// Rows of each list of events, as ranges.
    pub(in crate::decode) traces: Vec<Vec<Range<u32>>>,
    pub(in crate::decode) blocks: Vec<Block>,
    pub(in crate::decode) segments: Vec<DeviceSegment>,
    /// Requested bytes and stack of what lived in a block.
    pub(in crate::decode) histories: Vec<(u64, StackId)>,
    /// Rows of events that are annotations.
    pub(in crate::decode) user_defined: Vec<u32>,
    /// Frames of the lines of Python tracebacks, by text.
    pub(in crate::decode) line_frames: HashMap<u32, FrameId>,
    /// Stacks of C++ backtraces, by text.
    pub(in crate::decode) cpp_stacks: HashMap<u32, StackId>,
    pub(in crate::decode) nodes: Nodes,
    pub(in crate::decode) generics: Vec<Vec<Value>>,
    pub(in crate::decode) tuples: Vec<Vec<Value>>,
    /// Tuples of two integers are pool ids: one for each event in new files, nearly all alike.
    pair_index: HashMap<(i64, i64), u32>,
    pub(in crate::decode) markers: Markers,
    pub(in crate::decode) warnings: Warnings,
    /// The text that was interned last.
    last_text: StringId,
    frames_scratch: Vec<FrameId>,
    limits: Limits,
    /// Values in `generics` and `tuples`.
    n_values: usize,
    /// Calls since the rows were measured.
    unmeasured: u32,
    /// Blocks copied into segments; more than there are when lists are shared.
    pub(in crate::decode) blocks_taken: usize,
}

impl SnapshotBuilder {
    pub(in crate::decode) fn new(limits: Limits) -> Self {
        SnapshotBuilder {
            strings: keys::known_strings(),
            stacks: Stacks::default(),
            streams: vec![0],
            stream_index: HashMap::from_iter([(0, 0)]),
            events: Events::default(),
            traces: Vec::new(),
            blocks: Vec::new(),
            segments: Vec::new(),
            histories: Vec::new(),
            user_defined: Vec::new(),
            line_frames: HashMap::new(),
            cpp_stacks: HashMap::new(),
            nodes: Nodes::default(),
            generics: Vec::new(),
            tuples: Vec::new(),
            pair_index: HashMap::new(),
            markers: Markers::default(),
            warnings: Warnings::default(),
            last_text: Strings::EMPTY,
            frames_scratch: Vec::new(),
            limits,
            n_values: 0,
            unmeasured: 0,
            blocks_taken: 0,
        }
    }

    #[inline]
    pub(in crate::decode) fn node(&self, handle: u32) -> Node {
        self.nodes.get(handle)
    }

    /// What became of a container; nothing of other values.
    #[inline]
    pub(in crate::decode) fn node_of(&self, value: Value) -> Node {
        match value {
            Value::List(handle) | Value::Dict(handle) => self.node(handle),
            _ => Node::Empty,
        }
    }

    #[inline]
    pub(in crate::decode) fn set_node(&mut self, handle: u32, node: Node) {
        self.nodes.set(handle, node);
    }

    /// What a list, dict or tuple holds, if it was kept as it is.
    pub(in crate::decode) fn generic(&self, value: Value) -> &[Value] {
        match value {
            Value::Tuple(handle) => self.tuples.get(handle as usize).map_or(&[], Vec::as_slice),
            other => match self.node_of(other) {
                Node::Generic(at) => self.generics.get(at as usize).map_or(&[], Vec::as_slice),
                Node::Pair(at) => self.tuples.get(at as usize).map_or(&[], Vec::as_slice),
                _ => &[],
            },
        }
    }

    #[inline]
    pub(in crate::decode) fn stream_id(&mut self, raw: u64) -> StreamId {
        // Nearly all events are on the default stream.
        if raw == 0 {
            return StreamId(0);
        }
        let next = self.streams.len() as u32;
        let id = *self.stream_index.entry(raw).or_insert(next);
        if id == next {
            self.streams.push(raw);
        }
        StreamId(id)
    }

    /// Other limits from here on.
    pub(in crate::decode) fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// Makes room for the rows to come, as many times those that have come.
    pub(in crate::decode) fn make_room(&mut self, times: f64) {
        let Events { actions, addrs, sizes, streams, times_us, stacks, notes, says_pools: _ } =
            &mut self.events;
        make_room(actions, times);
        make_room(addrs, times);
        make_room(sizes, times);
        make_room(streams, times);
        make_room(times_us, times);
        make_room(stacks, times);
        make_room(notes, times);
        make_room(self.nodes.column(), times);
    }

    #[inline]
    fn new_node(&mut self) -> Result<u32, Refusal> {
        self.add_node(Node::Empty)
    }

    #[inline]
    fn add_node(&mut self, node: Node) -> Result<u32, Refusal> {
        let handle = self.nodes.len();
        // Where containers are used again (JSON), what became of them still takes room.
        let taken =
            handle.max(self.events.actions.len()).max(self.stacks.n_listed_frames() / FRAMES_IN_A_LIST);
        if taken >= self.limits.max_containers {
            return Err(Refusal { what: "lists and dicts", limit: self.limits.max_containers as u64 });
        }
        self.nodes.push(node);
        Ok(handle as u32)
    }

    /// Refuses more rows than the file's size explains. Now and then is often enough.
    #[inline]
    fn measure(&mut self) -> Result<(), Refusal> {
        self.unmeasured += 1;
        if self.unmeasured < CALLS_BETWEEN_MEASURES {
            return Ok(());
        }
        self.unmeasured = 0;
        match self.row_bytes() <= self.limits.max_row_bytes {
            true => Ok(()),
            false => Err(Refusal { what: "bytes of events and blocks", limit: self.limits.max_row_bytes }),
        }
    }

    #[cold]
    fn row_bytes(&self) -> u64 {
        fn of<T>(column: &[T]) -> u64 {
            size_of_val(column) as u64
        }
        let Events { actions, addrs, sizes, streams, times_us, stacks, notes, says_pools: _ } = &self.events;
        let events =
            of(actions) + of(addrs) + of(sizes) + of(streams) + of(times_us) + of(stacks) + of(notes);
        // Each of these holds some on its own.
        let lists = (self.traces.len() + self.generics.len() + self.tuples.len()) as u64 * LIST_BYTES;
        events + of(&self.blocks) + of(&self.segments) + of(&self.histories) + of(&self.user_defined) + lists
    }

    /// Counts values that stay.
    fn keep(&mut self, count: usize) -> Result<(), Refusal> {
        self.n_values += count;
        match self.n_values <= self.limits.max_values {
            true => Ok(()),
            false => Err(Refusal { what: "values outside of records", limit: self.limits.max_values as u64 }),
        }
    }

    /// Adds to a container that is kept as it is.
    fn extend_generic(&mut self, handle: u32, items: &[Value]) -> Result<(), Refusal> {
        self.keep(items.len())?;
        match self.node(handle) {
            Node::Generic(at) => {
                if let Some(known) = self.generics.get_mut(at as usize) {
                    known.extend_from_slice(items);
                }
            }
            Node::Empty => {
                self.set_node(handle, Node::Generic(self.generics.len() as u32));
                self.generics.push(items.to_vec());
            }
            Node::Pair(at) => {
                let mut all = self.tuples.get(at as usize).cloned().unwrap_or_default();
                all.extend_from_slice(items);
                self.set_node(handle, Node::Generic(self.generics.len() as u32));
                self.generics.push(all);
            }
            // A record that gets stray items: they have no place.
            _ => self.skipped(items.len()),
        }
        Ok(())
    }

    pub(in crate::decode) fn skipped(&mut self, count: usize) {
        self.warnings.add("skipped_values", count as u64, || {
            "Values that are not where the format has them were passed over.".into()
        });
    }

    /// Counts a field whose value is of no use.
    pub(in crate::decode) fn unreadable(&mut self) {
        self.warnings.add("unreadable_fields", 1, || {
            "Fields have values of unexpected kinds; they were read as unknown or 0.".into()
        });
    }

    /// Counts a key of a record that has no meaning here.
    pub(in crate::decode) fn unknown_key(&mut self, key: u32) {
        let SnapshotBuilder { strings, warnings, .. } = self;
        warnings.add("unknown_fields", 1, || {
            let key: String = strings.get(StringId(key)).chars().take(40).collect();
            format!(
                "Records have fields that this version does not know (first: `{key}`); they were passed over."
            )
        });
    }

    /// All items are frames: the list is a stack, or the rest of one.
    fn extend_stack(&mut self, handle: u32, items: &[Value]) -> bool {
        let mut frames = std::mem::take(&mut self.frames_scratch);
        frames.clear();
        let start = match self.node(handle) {
            Node::Empty => true,
            Node::Stack(stack) => {
                frames.extend_from_slice(self.stacks.frames_of(stack));
                true
            }
            _ => false,
        };
        let whole = start
            && items.iter().all(|item| match self.node_of(*item) {
                Node::Frame(frame) => {
                    frames.push(frame);
                    true
                }
                _ => false,
            });
        if whole {
            let stack = self.stacks.intern(&frames);
            self.set_node(handle, Node::Stack(stack));
        }
        self.frames_scratch = frames;
        whole
    }

    /// Rows for a list of events. Items that are no events are counted.
    fn extend_trace(&mut self, handle: u32, items: &[Value]) {
        let at = match self.node(handle) {
            Node::Trace(at) => at,
            _ => {
                self.traces.push(Vec::new());
                self.traces.len() as u32 - 1
            }
        };
        self.set_node(handle, Node::Trace(at));
        let mut strays = 0;
        for item in items {
            let Node::Event(row) = self.node_of(*item) else {
                strays += 1;
                continue;
            };
            let Some(ranges) = self.traces.get_mut(at as usize) else { continue };
            match ranges.last_mut() {
                Some(last) if last.end == row => last.end += 1,
                _ => ranges.push(row..row + 1),
            }
        }
        self.skipped(strays);
    }
}
