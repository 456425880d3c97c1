//! Marks that a stack can carry, as a set of bits.

use std::ops::{BitOr, BitOrAssign};

/// A set of marks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Flags(u32);

impl Flags {
    /// Has a Python frame.
    pub(crate) const PYTHON: Flags = Flags(1);
    /// Has a native frame.
    pub(crate) const NATIVE: Flags = Flags(1 << 1);
    /// In a module's forward or a function of `torch.nn.functional`.
    pub(crate) const FORWARD: Flags = Flags(1 << 2);
    /// The optimizer makes its state.
    pub(crate) const OPTIMIZER_INIT: Flags = Flags(1 << 3);
    /// Checkpointed forward runs again in backward.
    pub(crate) const RECOMPUTE: Flags = Flags(1 << 4);
    /// Code of a key-value cache.
    pub(crate) const KV_CACHE: Flags = Flags(1 << 5);
    /// Kernels are tried out.
    pub(crate) const AUTOTUNE: Flags = Flags(1 << 6);
    /// Workspace of a kernel library.
    pub(crate) const WORKSPACE: Flags = Flags(1 << 7);
    /// Buckets of DistributedDataParallel.
    pub(crate) const BUCKET: Flags = Flags(1 << 8);
    /// Fully sharded: gradients are reduced.
    pub(crate) const REDUCE: Flags = Flags(1 << 9);
    /// Fully sharded: parameters are gathered.
    pub(crate) const ALL_GATHER: Flags = Flags(1 << 10);
    /// Python's collector runs.
    pub(crate) const COLLECTOR: Flags = Flags(1 << 11);
    /// Native code that optimizers call; clipping and averaging of weights do, too.
    pub(crate) const NATIVE_OPTIMIZER: Flags = Flags(1 << 12);
    /// Native code of differentiable operators; also without gradients.
    pub(crate) const NATIVE_FORWARD: Flags = Flags(1 << 13);
    /// `tensor.to()` and the like, natively.
    pub(crate) const NATIVE_TO: Flags = Flags(1 << 14);
    /// In the backward engine.
    pub(crate) const ENGINE: Flags = Flags(1 << 15);
    /// The phase follows from native frames alone: it may be another.
    pub(crate) const WEAK: Flags = Flags(1 << 16);
    /// `torch.cuda.empty_cache()`.
    pub(crate) const EMPTY_CACHE: Flags = Flags(1 << 17);

    /// All marks of another set are in this one.
    pub(crate) fn has(self, other: Flags) -> bool {
        self.0 & other.0 == other.0
    }

    /// A mark of another set is in this one.
    pub(crate) fn has_any(self, other: Flags) -> bool {
        self.0 & other.0 != 0
    }
}

impl BitOr for Flags {
    type Output = Flags;

    fn bitor(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }
}

impl BitOrAssign for Flags {
    fn bitor_assign(&mut self, other: Flags) {
        self.0 |= other.0;
    }
}
