//! What a node of the tree can show: a line of a function, or what stands for stacks that have none.

use serde::{Deserialize, Serialize};
use vramscope_core::ids::{FrameId, StackId, StringId};
use vramscope_core::model::{FrameKind, Snapshot, Strings};
use vramscope_core::replay::Site;

/// A function at a line: the number of a frame of the file, or above those the number of a name that stands for native stacks. The same in
/// every tree of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Key(pub u32);

/// Names that stand for stacks without a line of Python, in this order behind the frames. The first is the root's.
const NAMES: [&str; 5] = ["", "no stack", "autograd engine", "no Python frame", "native code"];
const NO_STACK: u32 = 1;
const ENGINE: u32 = 2;
const NO_PYTHON: u32 = 3;
const NATIVE: u32 = 4;

/// A key in words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Named {
    /// The function.
    pub name: String,
    /// Its file; empty if there is none.
    pub file: String,
    /// Its line; 0 if it is not known.
    pub line: u32,
    /// "own", "library", "torch", "cpp"; "none" for what is no frame.
    pub kind: &'static str,
}

/// What each frame of a file is, and what stands for its native stacks.
#[derive(Clone, Debug)]
pub struct Keys {
    kinds: Vec<FrameKind>,
    names: Strings,
    /// By stack what stands for it when its framework frames are folded away; empty where lines stay.
    instead: Vec<[u32; 2]>,
}

impl Keys {
    /// Judges each frame of a file once.
    pub fn new(snapshot: &Snapshot) -> Keys {
        let stacks = &snapshot.stacks;
        let kind =
            |id| stacks.frame(FrameId(id)).map_or(FrameKind::Cpp, |frame| frame.kind(&snapshot.strings));
        let mut keys = Keys {
            kinds: (0..stacks.n_frames() as u32).map(kind).collect(),
            names: Strings::default(),
            instead: Vec::new(),
        };
        for name in NAMES {
            keys.names.intern(name.as_bytes());
        }
        keys.instead =
            (0..stacks.n_stacks() as u32).map(|id| keys.stands_for(StackId(id), snapshot)).collect();
        keys
    }

    /// The root's key.
    pub fn root(&self) -> Key {
        self.special(0)
    }

    fn special(&self, name: u32) -> Key {
        Key(self.kinds.len() as u32 + name)
    }

    /// Whose code a frame is.
    pub fn kind(&self, frame: FrameId) -> FrameKind {
        self.kinds.get(frame.index()).copied().unwrap_or(FrameKind::Cpp)
    }

    /// Native stacks by their autograd node, or else their operator; torch's own by their innermost line, which stays.
    fn stands_for(&mut self, stack: StackId, snapshot: &Snapshot) -> [u32; 2] {
        let frames = snapshot.stacks.frames_of(stack);
        if frames.is_empty() {
            return [NO_STACK, 0];
        }
        if frames.iter().any(|id| matches!(self.kind(*id), FrameKind::Own | FrameKind::Library)) {
            return [0, 0];
        }
        match Site::of_stack(stack, snapshot) {
            Site::AutogradNode(name) => [ENGINE, self.names.intern(name.as_bytes()).0],
            Site::Operator(name) => [NO_PYTHON, self.names.intern(name.as_bytes()).0],
            Site::Unnamed => [NATIVE, 0],
            Site::Line(_) | Site::NoStack => [0, 0],
        }
    }

    /// The keys of a stack, outermost first, before anything is changed. `hides` says which frames are left out.
    pub(super) fn write_path(
        &self,
        snapshot: &Snapshot,
        stack: StackId,
        folded: bool,
        hides: impl Fn(FrameId) -> bool,
        path: &mut Vec<Key>,
    ) {
        path.clear();
        let frames = snapshot.stacks.frames_of(stack);
        let [first, second] = self.instead.get(stack.index()).copied().unwrap_or_default();
        if frames.is_empty() || (folded && first != 0) {
            let names = [first, second].into_iter().filter(|name| *name != 0);
            path.extend(names.map(|name| self.special(name)));
            return;
        }
        let innermost = frames.iter().position(|id| self.kind(*id) != FrameKind::Cpp);
        for (at, &id) in frames.iter().enumerate().rev() {
            let stays = match self.kind(id) {
                FrameKind::Own | FrameKind::Library => true,
                FrameKind::Torch => !folded || innermost == Some(at),
                FrameKind::Cpp => !folded,
            };
            if stays && !hides(id) {
                path.push(Key(id.0));
            }
        }
    }

    /// A key in words.
    pub fn named(&self, snapshot: &Snapshot, key: Key) -> Named {
        let strings = &snapshot.strings;
        match snapshot.stacks.frame(FrameId(key.0)) {
            Some(frame) => Named {
                name: shortened(&strings.get(frame.name)),
                file: strings.get(frame.file).into_owned(),
                line: frame.line,
                kind: match self.kind(FrameId(key.0)) {
                    FrameKind::Own => "own",
                    FrameKind::Library => "library",
                    FrameKind::Torch => "torch",
                    FrameKind::Cpp => "cpp",
                },
            },
            None => {
                let name = self.names.get(StringId(key.0.saturating_sub(self.kinds.len() as u32)));
                Named { name: name.into_owned(), kind: "none", ..Named::default() }
            }
        }
    }
}

/// Demangled names of templates fill a page.
fn shortened(name: &str) -> String {
    const MOST: usize = 240;
    match name.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}
