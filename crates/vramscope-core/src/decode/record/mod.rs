//! Dicts that are records: events, frames, blocks, segments, and what lived in blocks.

mod event;
mod stack;
mod state;

use vramscope_pickle::Value;

use super::builder::{Node, SnapshotBuilder};
use super::keys;
use crate::ids::StringId;
use crate::model::PoolId;

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
    #[inline]
    pub(super) fn record(&mut self, items: &[Value]) -> Option<Node> {
        match items {
            [Value::Text(keys::ACTION), ..] => Some(Node::Event(self.new_event(items))),
            _ => self.record_by_any_key(items),
        }
    }

    fn record_by_any_key(&mut self, items: &[Value]) -> Option<Node> {
        let telling = pairs(items).find_map(|(key, _)| match key {
            keys::ACTION | keys::FILENAME | keys::TOTAL_SIZE | keys::STATE | keys::REAL_SIZE => Some(key),
            keys::SEGMENTS | keys::DEVICE_TRACES | keys::STAGE => Some(keys::SEGMENTS),
            _ => None,
        })?;
        match telling {
            keys::ACTION => Some(Node::Event(self.new_event(items))),
            keys::FILENAME => Some(Node::Frame(self.frame(items))),
            keys::TOTAL_SIZE => Some(Node::Segment(self.segment(items))),
            keys::STATE => Some(Node::Block(self.block(items))),
            keys::REAL_SIZE => Some(Node::History(self.history(items))),
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

    fn bits_or_unreadable(&mut self, value: Value) -> u64 {
        bits(value).unwrap_or_else(|| {
            self.unreadable();
            0
        })
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

    /// A pair of numbers; some vendors write a single one.
    fn pool(&self, value: Value) -> Option<PoolId> {
        match self.generic(value) {
            [first, second] => Some((bits(*first)?, bits(*second)?)),
            _ => bits(value).map(|id| (0, id)),
        }
    }
}

/// How often rows may be used that the file has once. Writers use each once.
pub(super) const MOST_SHARING: usize = 4;

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
