//! Every code position and every call stack, once.

use std::hash::{BuildHasher, Hasher};

use hashbrown::{DefaultHashBuilder, HashMap, HashTable};

use crate::ids::{FrameId, StackId, StringId};
use crate::model::Strings;

/// A code position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Frame {
    /// Function; C++ names are demangled and long.
    pub name: StringId,
    /// File, or "??" when the writer could not tell.
    pub file: StringId,
    /// Line; 0 when unknown.
    pub line: u32,
}

/// The node of an FX graph that a frame of generated code belongs to (2.10 and later, when asked for).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FxNode {
    /// "call_function", "placeholder".
    pub op: Option<StringId>,
    /// The node's name.
    pub name: Option<StringId>,
    /// What it calls.
    pub target: Option<StringId>,
    /// Stack in the model's source, in several lines.
    pub original_trace: Option<StringId>,
}

/// Whose code a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameKind {
    /// The user's Python.
    Own,
    /// An installed Python package other than torch, or Python's own library.
    Library,
    /// Python inside torch.
    Torch,
    /// Native code: torch, CUDA libraries, the interpreter.
    Cpp,
}

impl Frame {
    /// Whose code it is, by its file name: Python files end in `.py` (or `.pyx`, `.pyw`), are scripts with a whole path and no ending, or
    /// are written like `<string>`; packages live below `site-packages` or `dist-packages`, the standard library below `lib/pythonX.Y`.
    pub fn kind(&self, strings: &Strings) -> FrameKind {
        let file = strings.get(self.file);
        let path = file.replace('\\', "/");
        if !is_python(&path) {
            return FrameKind::Cpp;
        }
        let in_package = path.contains("/site-packages/") || path.contains("/dist-packages/");
        if (in_package && path.contains("-packages/torch/")) || path.starts_with("<eval_with_key>") {
            FrameKind::Torch
        } else if in_package || path.contains("/lib/python") || path.starts_with("<frozen ") {
            FrameKind::Library
        } else {
            FrameKind::Own
        }
    }
}

fn is_python(path: &str) -> bool {
    let base = path.rsplit('/').next().unwrap_or_default();
    match base.rsplit_once('.') {
        _ if path.starts_with('<') => true,
        Some((_, ending)) => matches!(ending.to_ascii_lowercase().as_str(), "py" | "pyx" | "pyw" | "pyi"),
        // A script without an ending; native frames without one have no path.
        None => path.starts_with('/'),
    }
}

/// All frames, and all stacks as lists of frames, innermost first. Stack 0 is the empty one.
#[derive(Clone, Debug)]
pub struct Stacks {
    frames: Vec<Frame>,
    frame_index: HashMap<Frame, u32>,
    /// Frames with a node of an FX graph: few, in few files.
    fx: HashMap<FrameId, FxNode>,
    /// Frames of all stacks, end to end.
    lists: Vec<FrameId>,
    /// End of each stack in `lists`.
    ends: Vec<usize>,
    stack_index: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl Default for Stacks {
    fn default() -> Self {
        let mut stacks = Stacks {
            frames: Vec::new(),
            frame_index: HashMap::new(),
            fx: HashMap::new(),
            lists: Vec::new(),
            ends: Vec::new(),
            stack_index: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
        };
        stacks.intern(&[]);
        stacks
    }
}

impl Stacks {
    /// The id of a frame, new or known.
    pub fn intern_frame(&mut self, frame: Frame) -> FrameId {
        let next = self.frames.len() as u32;
        let id = *self.frame_index.entry(frame).or_insert(next);
        if id == next {
            self.frames.push(frame);
        }
        FrameId(id)
    }

    /// The id of a stack, new or known.
    pub fn intern(&mut self, frames: &[FrameId]) -> StackId {
        let key = hash(&self.hasher, frames);
        let Stacks { lists, ends, stack_index, hasher, .. } = self;
        if let Some(&id) = stack_index.find(key, |&id| slice(lists, ends, id) == frames) {
            return StackId(id);
        }
        let id = ends.len() as u32;
        lists.extend_from_slice(frames);
        ends.push(lists.len());
        stack_index.insert_unique(key, id, |&id| hash(hasher, slice(lists, ends, id)));
        StackId(id)
    }

    /// The frames of a stack, innermost first.
    pub fn frames_of(&self, stack: StackId) -> &[FrameId] {
        slice(&self.lists, &self.ends, stack.0)
    }

    /// A frame.
    pub fn frame(&self, id: FrameId) -> Option<&Frame> {
        self.frames.get(id.index())
    }

    /// The FX node of a frame, if it has one.
    pub fn fx(&self, frame: FrameId) -> Option<&FxNode> {
        self.fx.get(&frame)
    }

    /// Says the FX node of a frame. The first one stays.
    pub fn set_fx(&mut self, frame: FrameId, node: FxNode) {
        self.fx.entry(frame).or_insert(node);
    }

    /// How many different frames there are.
    pub fn n_frames(&self) -> usize {
        self.frames.len()
    }

    /// Frames of all stacks together.
    pub fn n_listed_frames(&self) -> usize {
        self.lists.len()
    }

    /// How many different stacks there are, the empty one included.
    pub fn n_stacks(&self) -> usize {
        self.ends.len()
    }
}

/// Two frames at a time: stacks are looked up once for each event, and are long.
fn hash(hasher: &DefaultHashBuilder, frames: &[FrameId]) -> u64 {
    let mut state = hasher.build_hasher();
    for pair in frames.chunks(2) {
        let word = match pair {
            [a, b] => u64::from(a.0) << 32 | u64::from(b.0),
            [a] => u64::from(a.0),
            _ => 0,
        };
        state.write_u64(word);
    }
    state.write_usize(frames.len());
    state.finish()
}

fn slice<'a>(lists: &'a [FrameId], ends: &[usize], id: u32) -> &'a [FrameId] {
    let id = id as usize;
    let start = id.checked_sub(1).and_then(|before| ends.get(before)).copied().unwrap_or(0);
    ends.get(id).and_then(|&end| lists.get(start..end)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whose_code() {
        let mut strings = Strings::default();
        let mut kind = |file: &str| {
            let file = strings.intern(file.as_bytes());
            Frame { name: StringId(0), file, line: 1 }.kind(&strings)
        };
        assert_eq!(kind("/home/me/torch/train.py"), FrameKind::Own);
        assert_eq!(kind("/venv/lib/python3.12/site-packages/torch/nn/modules/module.py"), FrameKind::Torch);
        assert_eq!(kind("C:\\venv\\Lib\\site-packages\\torch\\optim\\adamw.py"), FrameKind::Torch);
        assert_eq!(
            kind("/venv/lib/python3.12/site-packages/transformers/modeling_utils.py"),
            FrameKind::Library
        );
        assert_eq!(kind("/usr/lib/python3.12/runpy.py"), FrameKind::Library);
        assert_eq!(kind("<frozen runpy>"), FrameKind::Library);
        assert_eq!(kind("<stdin>"), FrameKind::Own);
        assert_eq!(kind("<eval_with_key>.5"), FrameKind::Torch);
        assert_eq!(kind("/home/me/bin/train"), FrameKind::Own);
        assert_eq!(kind("/home/me/KERNEL.PYX"), FrameKind::Own);
        assert_eq!(kind("CUDACachingAllocator.cpp"), FrameKind::Cpp);
        assert_eq!(kind("??"), FrameKind::Cpp);
        assert_eq!(kind(""), FrameKind::Cpp);
    }

    #[test]
    fn equal_stacks_are_one() {
        let mut stacks = Stacks::default();
        let f = stacks.intern_frame(Frame { name: StringId(1), file: StringId(2), line: 3 });
        let g = stacks.intern_frame(Frame { name: StringId(1), file: StringId(2), line: 4 });
        let a = stacks.intern(&[f, g]);
        assert_eq!(stacks.intern(&[f, g]), a);
        assert_ne!(stacks.intern(&[g, f]), a);
        assert_eq!(stacks.intern(&[]), StackId::EMPTY);
        assert_eq!(stacks.frames_of(a), [f, g]);
        assert!(stacks.frames_of(StackId(99)).is_empty());
    }
}
