//! What the readers of pickles and of JSON call.

use vramscope_pickle::{Build, Refusal, Value};

use super::{Node, SnapshotBuilder};
use crate::decode::json::JsonBuild;
use crate::decode::keys;
use crate::ids::{StackId, StringId};

impl Build for SnapshotBuilder {
    fn text(&mut self, utf8: &[u8]) -> Result<u32, Refusal> {
        // A text that is written out for every event is mostly the one before ("N/A").
        if self.strings.bytes(self.last_text) != utf8 {
            self.last_text = self.strings.intern(utf8);
        }
        Ok(self.last_text.0)
    }

    fn list(&mut self) -> Result<u32, Refusal> {
        self.new_node()
    }

    fn dict(&mut self) -> Result<u32, Refusal> {
        self.new_node()
    }

    fn tuple(&mut self, items: &[Value]) -> Result<u32, Refusal> {
        let next = self.tuples.len() as u32;
        if let [Value::Int(a), Value::Int(b)] = *items {
            let handle = *self.pair_index.entry((a, b)).or_insert(next);
            if handle != next {
                return Ok(handle);
            }
        }
        self.keep(items.len() + 1)?;
        self.tuples.push(items.to_vec());
        Ok(next)
    }

    fn extend_list(&mut self, list: u32, items: &[Value]) -> Result<(), Refusal> {
        if items.is_empty() {
            return Ok(());
        }
        if let [Value::Int(_), Value::Int(_)] = items
            && matches!(self.node(list), Node::Empty)
        {
            let pair = self.tuple(items)?;
            self.set_node(list, Node::Pair(pair));
            return Ok(());
        }
        if let [Value::Text(first), ..] = *items
            && self.extend_lines(list, first, items)
        {
            return Ok(());
        }
        // Nine lists in ten are stacks of frames that are records already.
        if self.extend_stack(list, items) {
            return Ok(());
        }
        for item in items {
            if let Value::Dict(dict) = *item {
                self.measure()?;
                self.promote(dict);
            }
        }
        if self.extend_stack(list, items) {
            return Ok(());
        }
        self.measure()?;
        let has_event = |item: &Value| matches!(self.node_of(*item), Node::Event(_));
        match self.node(list) {
            Node::Trace(_) => self.extend_trace(list, items),
            Node::Empty if items.iter().any(has_event) => self.extend_trace(list, items),
            _ => return self.extend_generic(list, items),
        }
        Ok(())
    }

    fn extend_dict(&mut self, dict: u32, pairs: &[Value]) -> Result<(), Refusal> {
        self.measure()?;
        match self.node(dict) {
            Node::Event(row) => self.set_event_fields(row, pairs),
            Node::Empty if pairs.len() > 2 => match self.record(pairs) {
                Some(node) => self.set_node(dict, node),
                None => return self.extend_generic(dict, pairs),
            },
            _ => return self.extend_generic(dict, pairs),
        }
        Ok(())
    }

    fn remember(&mut self, list: u32) -> Option<u32> {
        // Frames are records, which do not change, and so are stacks.
        match self.node(list) {
            Node::Stack(stack) => Some(stack.0),
            _ => None,
        }
    }

    #[inline]
    fn list_again(&mut self, token: u32) -> Result<u32, Refusal> {
        self.add_node(Node::Stack(StackId(token)))
    }

    fn show(&self, text: u32) -> String {
        self.strings.get(StringId(text)).into_owned()
    }
}

impl JsonBuild for SnapshotBuilder {
    fn top_key(&mut self, key: u32) -> Result<(), &'static str> {
        match key {
            keys::TRACE_EVENTS => Err("a profiler trace in JSON"),
            _ => Ok(()),
        }
    }

    fn settle(&mut self, container: u32) {
        // Lists and dicts that are kept as they are still name what is in them.
        if !matches!(self.node(container), Node::Empty | Node::Generic(_)) {
            self.nodes.truncate(container as usize + 1);
        }
    }
}
