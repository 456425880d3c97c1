//! Indices into the model's tables, so that one cannot be taken for another.

use serde::{Deserialize, Serialize};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
            #[serde(transparent)]
            pub struct $name(pub u32);

            impl $name {
                /// As an index into its table.
                #[inline]
                pub fn index(self) -> usize {
                    self.0 as usize
                }
            }
        )*
    };
}

ids! {
    /// A text of the file, in [`Strings`](crate::model::Strings).
    StringId,
    /// A code position, in [`Stacks`](crate::model::Stacks).
    FrameId,
    /// A call stack, in [`Stacks`](crate::model::Stacks). 0 is the empty stack.
    StackId,
    /// A stream, in [`Snapshot::streams`](crate::model::Snapshot).
    StreamId,
}

impl Default for StackId {
    fn default() -> Self {
        StackId::EMPTY
    }
}

impl StackId {
    /// No stack was recorded.
    pub const EMPTY: StackId = StackId(0);
}
