//! Small snapshots written by hand: a few events and segments, pickled by serde-pickle.

use std::collections::BTreeMap;

use serde_pickle::{HashableValue, SerOptions, Value};

/// A snapshot under construction: one device.
#[derive(Clone, Debug, Default)]
pub struct Script {
    events: Vec<Value>,
    segments: Vec<Value>,
    extra: Vec<(String, Value)>,
}

fn dict(pairs: impl IntoIterator<Item = (&'static str, Value)>) -> Value {
    let pairs = pairs.into_iter().map(|(key, value)| (HashableValue::String(key.into()), value));
    Value::Dict(pairs.collect::<BTreeMap<_, _>>())
}

fn text(text: &str) -> Value {
    Value::String(text.into())
}

fn int(number: u64) -> Value {
    i64::try_from(number).map_or_else(|_| Value::Int(number.into()), Value::I64)
}

impl Script {
    /// Adds an event of any action. Times count up by 10 µs.
    pub fn event(mut self, action: &str, addr: u64, size: u64) -> Self {
        let time_us = 1_700_000_000_000_000 + 10 * self.events.len() as i64;
        self.events.push(dict([
            ("action", text(action)),
            (if action == "oom" { "device_free" } else { "addr" }, int(addr)),
            ("size", int(size)),
            ("stream", int(0)),
            ("time_us", Value::I64(time_us)),
        ]));
        self
    }

    /// Adds an `alloc` whose stack is one line of the user's code.
    pub fn alloc_at(mut self, addr: u64, size: u64, file: &str, line: u64) -> Self {
        self = self.event("alloc", addr, size);
        let frame = dict([("name", text("f")), ("filename", text(file)), ("line", int(line))]);
        if let Some(Value::Dict(event)) = self.events.last_mut() {
            event.insert(HashableValue::String("frames".into()), Value::List(vec![frame]));
        }
        self
    }

    /// Adds `free_requested` and `free_completed`.
    pub fn free(self, addr: u64, size: u64) -> Self {
        self.event("free_requested", addr, size).event("free_completed", addr, size)
    }

    /// Adds a final segment with its blocks: address, size, requested size, state.
    pub fn segment(mut self, address: u64, size: u64, blocks: &[(u64, u64, u64, &str)]) -> Self {
        let blocks = blocks.iter().map(|&(address, size, requested, state)| {
            dict([
                ("address", int(address)),
                ("size", int(size)),
                ("requested_size", int(requested)),
                ("state", text(state)),
                ("frames", Value::List(Vec::new())),
            ])
        });
        let blocks = Value::List(blocks.collect());
        self.segments.push(dict([
            ("device", int(0)),
            ("address", int(address)),
            ("total_size", int(size)),
            ("stream", int(0)),
            ("segment_type", text("large")),
            ("segment_pool_id", Value::Tuple(vec![int(0), int(0)])),
            ("is_expandable", Value::Bool(false)),
            ("blocks", blocks),
        ]));
        self
    }

    /// Adds a key at the top level.
    pub fn top(mut self, key: &str, value: Value) -> Self {
        self.extra.push((key.into(), value));
        self
    }

    /// Drops the first `n` events, as a full ring buffer does.
    pub fn without_first(mut self, n: usize) -> Self {
        self.events.drain(..n.min(self.events.len()));
        self
    }

    /// The pickle.
    pub fn pickle(&self) -> Vec<u8> {
        let mut top = match dict([
            ("segments", Value::List(self.segments.clone())),
            ("device_traces", Value::List(vec![Value::List(self.events.clone())])),
        ]) {
            Value::Dict(top) => top,
            _ => BTreeMap::new(),
        };
        top.extend(self.extra.iter().map(|(key, value)| (HashableValue::String(key.clone()), value.clone())));
        serde_pickle::value_to_vec(&Value::Dict(top), SerOptions::new()).expect("plain values")
    }
}
