//! The top level: what a snapshot has there, and what a file is that has something else.

use vramscope_pickle::Value;

use crate::decode::builder::{Markers, Node, SnapshotBuilder};
use crate::decode::keys;
use crate::decode::record::bits;
use crate::model::{Ring, Strings};

/// What the top level holds.
#[derive(Default)]
pub(in crate::decode) struct Top {
    pub(super) segments: Option<Value>,
    pub(super) traces: Option<Value>,
    pub(super) settings: Option<Value>,
    pub(super) annotations: Option<Value>,
    pub(super) host_segments: Option<Value>,
    pub(super) host_traces: Option<Value>,
    is_dict: bool,
    /// Keys that are none of the format's, and the first of them.
    pub(super) extra: Vec<u32>,
}

/// The top level is no snapshot: what it is instead, in a few words.
pub(in crate::decode) struct NotASnapshot {
    pub(in crate::decode) found: String,
    /// A kind of file that is known, if it is one.
    pub(in crate::decode) kind: Option<&'static str>,
}

const MEMORY_TIMELINE: &str =
    "a memory timeline of torch.profiler (export_memory_timeline), which has no allocations";

impl SnapshotBuilder {
    pub(in crate::decode) fn top(&self, root: Value) -> Result<Top, NotASnapshot> {
        let mut top = Top::default();
        match root {
            Value::Dict(_) => {
                top.is_dict = true;
                for pair in self.generic(root).chunks_exact(2) {
                    match *pair {
                        [Value::Text(keys::SEGMENTS), value] => top.segments = Some(value),
                        [Value::Text(keys::DEVICE_TRACES), value] => top.traces = Some(value),
                        [Value::Text(keys::ALLOCATOR_SETTINGS), value] => top.settings = Some(value),
                        // Made by PyTorch's own reader out of a list.
                        [Value::Text(keys::TRACES), value] if top.traces.is_none() => {
                            top.traces = Some(value)
                        }
                        [Value::Text(keys::EXTERNAL_ANNOTATIONS), value] => top.annotations = Some(value),
                        [Value::Text(keys::HOST_SEGMENTS), value] => top.host_segments = Some(value),
                        [Value::Text(keys::HOST_TRACES), value] => top.host_traces = Some(value),
                        [Value::Text(keys::TRACE_ALLOC_OVERFLOWED | keys::TRACE_ALLOC_MAX_ENTRIES), _] => {}
                        [Value::Text(key), _] => top.extra.push(key),
                        _ => top.extra.push(Strings::EMPTY.0),
                    }
                }
                if top.segments.is_none() && top.traces.is_none() {
                    return Err(NotASnapshot { found: self.describe_dict(root), kind: None });
                }
                Ok(top)
            }
            Value::List(list) => {
                let is_segments = match self.node(list) {
                    Node::Empty => true,
                    _ => self.generic(root).iter().any(|item| self.is_segment(*item)),
                };
                if !is_segments {
                    return Err(NotASnapshot {
                        found: "a list of something else".into(),
                        kind: self.is_memory_timeline(root).then_some(MEMORY_TIMELINE),
                    });
                }
                top.segments = Some(root);
                Ok(top)
            }
            other => Err(NotASnapshot { found: other.kind().into(), kind: None }),
        }
    }

    /// True for both forms of torch.profiler's `export_memory_timeline`: a list of times and one of sizes, or a list of
    /// (time, action, bytes, category).
    fn is_memory_timeline(&self, root: Value) -> bool {
        let is_number = |value: Option<&Value>| matches!(value, Some(Value::Int(_) | Value::Float(_)));
        match self.generic(root) {
            [times, sizes] if is_number(self.generic(*times).first()) => !self.generic(*sizes).is_empty(),
            [first, ..] => {
                matches!(self.generic(*first), row @ [_, _, _, _] if is_number(row.first()) && is_number(row.get(2)))
            }
            [] => false,
        }
    }

    fn is_segment(&self, item: Value) -> bool {
        matches!(self.node_of(item), Node::Segment(_))
    }

    /// "a dict with the keys epoch, model": the first few keys of something that is no snapshot.
    fn describe_dict(&self, root: Value) -> String {
        let keys: Vec<String> = self
            .generic(root)
            .chunks_exact(2)
            .filter_map(|pair| match pair {
                [Value::Text(key), _] => {
                    Some(self.strings.get(crate::ids::StringId(*key)).chars().take(40).collect())
                }
                _ => None,
            })
            .take(6)
            .collect();
        match keys.is_empty() {
            true => "a dict without text keys".into(),
            false => format!("a dict with the keys {}", keys.join(", ")),
        }
    }

    /// What the writer says of the ring buffer of a device: in the settings or at the top, for all devices or one by one.
    pub(super) fn ring(&self, root: Value, settings: Option<Value>, ordinal: i64) -> Ring {
        let find = |wanted: u32| {
            let places = [settings.unwrap_or(Value::None), root].into_iter();
            places.flat_map(|place| self.generic(place).chunks_exact(2)).find_map(|pair| match *pair {
                [Value::Text(key), value] if key == wanted => Some(self.of_device(value, ordinal)),
                _ => None,
            })
        };
        Ring {
            overflowed: match find(keys::TRACE_ALLOC_OVERFLOWED) {
                Some(Value::Bool(overflowed)) => Some(overflowed),
                Some(Value::Int(overflowed)) => Some(overflowed != 0),
                _ => None,
            },
            max_entries: find(keys::TRACE_ALLOC_MAX_ENTRIES).and_then(bits),
        }
    }

    /// An item of a list by device, or the one value for all.
    fn of_device(&self, value: Value, ordinal: i64) -> Value {
        match value {
            Value::List(_) | Value::Tuple(_) => {
                let at = usize::try_from(ordinal).ok();
                at.and_then(|at| self.generic(value).get(at)).copied().unwrap_or(Value::None)
            }
            other => other,
        }
    }

    /// True if the settings are those of another accelerator than CUDA's.
    pub(super) fn is_another_accelerator(&self, settings: Option<Value>) -> bool {
        let has = |wanted: u32| {
            let pairs = self.generic(settings.unwrap_or(Value::None)).chunks_exact(2);
            pairs.into_iter().any(|pair| pair.first() == Some(&Value::Text(wanted)))
        };
        has(keys::ALLOC_CONF) && !has(keys::CUDA_ALLOC_CONF)
    }
}

/// The release that first wrote the newest marker seen. Valid for CUDA and ROCm builds; others lack many markers.
pub(super) fn version(markers: &Markers, top: &Top) -> Option<&'static str> {
    let table = [
        (markers.pool_id || markers.newest || top.host_segments.is_some(), "2.12"),
        (markers.forward_frames, "2.11"),
        (markers.user_metadata, "2.10"),
        (markers.compile_context, "2.8"),
        (top.annotations.is_some(), "2.5"),
        (top.settings.is_some(), "2.3"),
        (markers.time_us, "2.2"),
        (markers.block_address, "2.1"),
        (top.is_dict || markers.requested_size, "2.0"),
        (markers.history, "1.13"),
    ];
    table.iter().find(|(seen, _)| *seen).map(|(_, version)| *version)
}
