//! Frames and stacks: as dicts, as lines of a Python traceback, and as a C++ backtrace in one text.

use vramscope_pickle::Value;

use super::{bits, pairs, text};
use crate::decode::builder::{Node, SnapshotBuilder};
use crate::decode::keys;
use crate::ids::{FrameId, StackId, StringId};
use crate::model::{Frame, FxNode};

impl SnapshotBuilder {
    pub(super) fn stack(&mut self, value: Value) -> StackId {
        match value {
            Value::List(list) => match self.node(list) {
                Node::Stack(stack) | Node::Lines(stack) => stack,
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

    pub(super) fn frame(&mut self, items: &[Value]) -> FrameId {
        let mut fx = FxNode::default();
        let mut frame = Frame { name: StringId(0), file: StringId(0), line: 0 };
        for (key, value) in pairs(items) {
            match key {
                keys::NAME => frame.name = text(value).unwrap_or(frame.name),
                keys::FILENAME => frame.file = text(value).unwrap_or(frame.file),
                // −1 or 2^64 − 1 stand for an unknown line.
                keys::LINE => frame.line = bits(value).and_then(|line| u32::try_from(line).ok()).unwrap_or(0),
                keys::FX_NODE_OP => fx.op = text(value),
                keys::FX_NODE_NAME => fx.name = text(value),
                keys::FX_NODE_TARGET => fx.target = text(value),
                keys::FX_ORIGINAL_TRACE => fx.original_trace = text(value),
                _ => self.unknown_key(key),
            }
        }
        let id = self.stacks.intern_frame(frame);
        if fx != FxNode::default() {
            self.stacks.set_fx(id, fx);
        }
        id
    }

    /// A list of texts that begins like a Python traceback becomes a stack at once; true if it was one.
    pub(in crate::decode) fn extend_lines(&mut self, list: u32, first: u32, items: &[Value]) -> bool {
        let before = match self.node(list) {
            Node::Lines(stack) => stack,
            Node::Empty if self.strings.bytes(StringId(first)).trim_ascii_start().starts_with(b"File \"") => {
                StackId::EMPTY
            }
            _ => return false,
        };
        if !items.iter().all(|item| matches!(item, Value::Text(_))) {
            return false;
        }
        // Tracebacks end with the innermost call, stacks begin with it.
        let lines = items.iter().rev().filter_map(|item| text(*item));
        let mut frames: Vec<FrameId> = lines.map(|line| self.line_frame(line)).collect();
        frames.extend_from_slice(self.stacks.frames_of(before));
        let stack = self.stacks.intern(&frames);
        self.set_node(list, Node::Lines(stack));
        true
    }

    /// The stack of `forward_frames`: lines of a Python traceback, outermost call first.
    pub(super) fn traceback(&mut self, value: Value) -> Option<StackId> {
        match self.node_of(value) {
            Node::Lines(stack) | Node::Stack(stack) => return Some(stack),
            Node::Generic(_) => {}
            Node::Empty if matches!(value, Value::List(_) | Value::None) => return None,
            _ => {
                self.skipped(1);
                return None;
            }
        }
        let lines: Vec<StringId> = self.generic(value).iter().rev().filter_map(|item| text(*item)).collect();
        let frames: Vec<FrameId> = lines.into_iter().map(|line| self.line_frame(line)).collect();
        (!frames.is_empty()).then(|| self.stacks.intern(&frames))
    }

    /// The frame of one line. A line that is written in another way is a frame with that name.
    fn line_frame(&mut self, line: StringId) -> FrameId {
        if let Some(frame) = self.line_frames.get(&line.0) {
            return *frame;
        }
        let text = self.strings.get(line).into_owned();
        let (name, file, number) = parse_line(&text).unwrap_or((text.trim(), "", 0));
        let frame = Frame {
            name: self.strings.intern(name.as_bytes()),
            file: self.strings.intern(file.as_bytes()),
            line: number,
        };
        let id = self.stacks.intern_frame(frame);
        self.line_frames.insert(line.0, id);
        id
    }

    /// A stack with the frames of a C++ backtrace (2.0) before its own.
    pub(super) fn with_cpp(&mut self, backtrace: StringId, python: StackId) -> StackId {
        let cpp = match self.cpp_stacks.get(&backtrace.0) {
            Some(stack) => *stack,
            None => {
                let text = self.strings.get(backtrace).into_owned();
                let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
                let frames: Vec<FrameId> = lines.map(|line| self.cpp_frame(line)).collect();
                let stack = self.stacks.intern(&frames);
                self.cpp_stacks.insert(backtrace.0, stack);
                stack
            }
        };
        let frames = [self.stacks.frames_of(cpp), self.stacks.frames_of(python)].concat();
        self.stacks.intern(&frames)
    }

    /// A line such as "frame #1: c10::f(long) + 0x57 (0x7f12 in /lib/libc10.so)".
    fn cpp_frame(&mut self, line: &str) -> FrameId {
        let body = match line.strip_prefix("frame #").and_then(|rest| rest.split_once(':')) {
            Some((_, body)) => body.trim(),
            None => line,
        };
        let (body, file) = match body.rsplit_once(" in ") {
            Some((body, file)) => (body, file.trim_end_matches(')')),
            None => (body, "??"),
        };
        let name = body.split(" + 0x").next().unwrap_or(body);
        let name = name.rsplit_once(" (0x").map_or(name, |(name, _)| name);
        let frame = Frame {
            name: self.strings.intern(name.as_bytes()),
            file: self.strings.intern(file.as_bytes()),
            line: 0,
        };
        self.stacks.intern_frame(frame)
    }
}

/// Function, file and line of a text that begins with `File "a.py", line 3, in f`. The source line that may follow is left out.
fn parse_line(text: &str) -> Option<(&str, &str, u32)> {
    let first = text.trim().lines().next()?.trim();
    let (file, rest) = first.strip_prefix("File \"")?.rsplit_once("\", line ")?;
    let (number, name) = rest.split_once(", in ").unwrap_or((rest, ""));
    Some((name.trim(), file, number.trim().parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_traceback() {
        assert_eq!(
            parse_line("  File \"/a/b.py\", line 12, in forward\n    return f(x)\n"),
            Some(("forward", "/a/b.py", 12))
        );
        assert_eq!(parse_line("File \"x.py\", line 3"), Some(("", "x.py", 3)));
        assert_eq!(parse_line("    return f(x)"), None);
        assert_eq!(parse_line("File \"x.py\", line x, in f"), None);
    }
}
