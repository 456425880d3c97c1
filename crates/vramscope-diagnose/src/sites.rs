//! Places in the code: stacks with equal Python frames are one.

use hashbrown::DefaultHashBuilder;
use std::hash::BuildHasher;
use vramscope_core::ids::{FrameId, StackId};
use vramscope_core::model::{FrameKind, Snapshot};

use crate::numbering::Numbering;

/// Python frames, innermost first, that tell one purpose from another whatever called it.
const INNER_FRAMES: usize = 6;

/// Without Python frames: the native frames that tell places apart. The innermost are the allocator's own, the outer ones the interpreter's.
const NATIVE_FRAMES: std::ops::Range<usize> = 5..25;

/// For each stack, the number of its place.
#[derive(Debug, Default)]
pub(crate) struct Sites {
    sites: Vec<u32>,
    inner: Vec<u32>,
}

impl Sites {
    pub(crate) fn new(snapshot: &Snapshot) -> Self {
        let stacks = &snapshot.stacks;
        let python: Vec<bool> = (0..stacks.n_frames() as u32)
            .map(|id| {
                stacks.frame(FrameId(id)).is_some_and(|frame| frame.kind(&snapshot.strings) != FrameKind::Cpp)
            })
            .collect();
        let mut numbers = Numbers::default();
        let (mut sites, mut inner) = (vec![0], vec![0]);
        let mut frames: Vec<u32> = Vec::new();
        for stack in 1..stacks.n_stacks() as u32 {
            let all = stacks.frames_of(StackId(stack));
            frames.clear();
            frames.extend(all.iter().filter(|id| python.get(id.index()) == Some(&true)).map(|id| id.0));
            if frames.is_empty() {
                let end = NATIVE_FRAMES.end.min(all.len());
                frames.extend(all[NATIVE_FRAMES.start.min(end)..end].iter().map(|id| id.0));
                frames.push(u32::MAX);
            }
            sites.push(numbers.of(&frames));
            let few = match frames.last() {
                Some(&u32::MAX) => &frames[..],
                _ => &frames[..frames.len().min(INNER_FRAMES)],
            };
            inner.push(numbers.of(few));
        }
        Self { sites, inner }
    }

    /// The place of a stack; 0 without a stack.
    pub(crate) fn of_stack(&self, stack: StackId) -> u32 {
        self.sites.get(stack.index()).copied().unwrap_or(0)
    }

    /// The inner place of a stack, whatever called it; 0 without a stack.
    pub(crate) fn inner(&self, stack: StackId) -> u32 {
        self.inner.get(stack.index()).copied().unwrap_or(0)
    }
}

/// Numbers for lists of frames, by two hashes: 128 bits, so that lists need not be kept.
#[derive(Default)]
struct Numbers {
    known: Numbering,
    hasher: DefaultHashBuilder,
}

impl Numbers {
    fn of(&mut self, frames: &[u32]) -> u32 {
        let key = (self.hash(frames, 0), self.hash(frames, 1));
        self.known.of(key) as u32 + 1
    }

    fn hash(&self, frames: &[u32], seed: u32) -> u64 {
        self.hasher.hash_one((seed, frames))
    }
}
