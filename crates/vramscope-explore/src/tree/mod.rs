//! Whose code holds the bytes: stacks added up to a tree of frames.
//!
//! First the bytes of each stack are summed ([`Sums`]): thousands of stacks stand for millions of allocations. Then each stack becomes a path of
//! keys, changed by what the reader asked for ([`Wish::changes`]), and the paths become a [`Tree`]. Nothing recurses: stacks of a hostile file
//! may be as deep as they like.

mod change;
mod grow;
mod keys;
mod lines;
mod look;
mod node;
mod sums;

pub use change::{Change, What};
pub use keys::{Key, Keys};
pub use lines::{Line, lines_of};
pub use look::{RowOrder, Rows, Towards};
pub use node::{MadeBy, NodeDetails, Part, Shown};
pub use sums::{Sum, Sums, Weigh};

use serde::{Deserialize, Serialize};
use vramscope_core::replay::{Axis, N_SLOTS};

/// How stacks are laid out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// Callers above, what they call below.
    #[default]
    TopDown,
    /// What allocated above, its callers below.
    BottomUp,
    /// One function: its callers above it, what it calls below. A stack counts once, from the outermost place where the function stands.
    Sandwich,
}

/// Which tree is asked for.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct Wish {
    /// Which bytes are added up.
    pub weigh: Weigh,
    /// The moment, where one is looked at.
    #[serde(default)]
    pub moment: u32,
    /// What the range counts.
    #[serde(default)]
    pub axis: Axis,
    /// Where the range begins on its axis.
    #[serde(default)]
    pub x0: f64,
    /// Where it ends.
    #[serde(default)]
    pub x1: f64,
    /// How the stacks lie.
    #[serde(default)]
    pub form: Form,
    /// The function in the middle of a sandwich; by default the one with the most bytes of its own.
    #[serde(default)]
    pub function: Option<Key>,
    /// Torch's and native frames leave their bytes with their caller; the innermost line of Python stays, it names what was done.
    #[serde(default)]
    pub folded: bool,
    /// A pattern: frames that match it leave their bytes with their caller.
    #[serde(default)]
    pub hidden: String,
    /// Done one after the other.
    #[serde(default)]
    pub changes: Vec<Change>,
}

/// A frame where it is called from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// What it shows.
    pub key: Key,
    /// The node that it belongs to, by index.
    pub parent: u32,
    /// Index behind the last node below it.
    pub end: u32,
    /// 0 for the root; callers in a sandwich count down from −1.
    pub level: i32,
    /// Name of its path, the same in every tree that has the path; fits a double.
    pub id: u64,
    /// Where it begins, in units of the weight: right of what stands before it in its row.
    pub start: u128,
    /// Its weight and that of all below.
    pub total: u128,
    /// The part of it that was chosen.
    pub chosen: u128,
    /// What ends here: allocated by this very frame.
    pub own: u128,
    /// Allocations in it and below.
    pub blocks: u32,
    /// Colour slot by category, and by line of code: [`SEVERAL`] where one does not stand for nearly all.
    pub slots: [u8; 2],
}

/// Stands for more than one colour slot.
pub const SEVERAL: u8 = u8::MAX;
/// More nodes than anybody reads; the frames of further paths leave their bytes with the node where they part.
pub const MAX_NODES: usize = 1 << 18;
/// Deeper frames leave their bytes with their caller.
pub const MAX_DEPTH: usize = 4096;

/// Bytes by colour slot.
pub type BySlot = [u128; N_SLOTS];

/// Paths of stacks, added up. Nodes are in the order of a walk: a node, then all below it; siblings by weight.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    nodes: Vec<Node>,
    form: Form,
    /// The node where each stack ends, with its place in the sums; the second list is for callers in a sandwich.
    ends: [Vec<(u32, u32)>; 2],
    /// Ids with their nodes, in order.
    ids: Vec<(u64, u32)>,
    /// Stacks of which the deepest frames are not shown.
    cut_stacks: u32,
    /// The function in the middle of a sandwich.
    function: Option<Key>,
}

impl Tree {
    /// All nodes; the first is the root. An empty tree has a root, too.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// How its stacks lie.
    pub fn form(&self) -> Form {
        self.form
    }

    /// The function in the middle of a sandwich.
    pub fn function(&self) -> Option<Key> {
        self.function
    }

    /// The whole weight.
    pub fn total(&self) -> u128 {
        self.nodes.first().map_or(0, |root| root.total)
    }

    /// Stacks of which the deepest frames are not shown.
    pub fn cut_stacks(&self) -> u32 {
        self.cut_stacks
    }

    /// The level of the uppermost row: below 0 only in a sandwich.
    pub fn first_level(&self) -> i32 {
        self.nodes.iter().map(|node| node.level).min().unwrap_or(0)
    }

    /// The node of an id.
    pub fn find(&self, id: u64) -> Option<u32> {
        let at = self.ids.partition_point(|(known, _)| *known < id);
        self.ids.get(at).filter(|(known, _)| *known == id).map(|(_, node)| *node)
    }

    /// A node by its index.
    pub fn node(&self, index: u32) -> Option<&Node> {
        self.nodes.get(index as usize)
    }
}
