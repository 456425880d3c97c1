//! Everything about one node.

use serde::Serialize;
use vramscope_core::ids::StackId;
use vramscope_core::model::{FrameKind, Snapshot};
use vramscope_core::order;
use vramscope_core::replay::operator;

use super::{BySlot, Key, Keys, Sum, Sums, Tree};

/// A node as rows and labels show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[allow(missing_docs)]
pub struct Shown {
    pub id: u64,
    /// Below 0 for callers in a sandwich.
    pub level: i32,
    pub name: String,
    /// Without its folders.
    pub file: String,
    pub line: u32,
    /// "own", "library", "torch", "cpp", or "none" for what is no frame.
    pub kind: &'static str,
    pub total: u128,
    /// The part of it that was chosen.
    pub chosen: u128,
    /// What ends here.
    pub own: u128,
    pub blocks: u32,
    /// By category and by line of code; 255 for several.
    pub slots: [u8; 2],
    /// `None` if there is nothing below it.
    pub open: Option<bool>,
}

/// A part of a weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[allow(missing_docs)]
pub struct Part {
    pub slot: u8,
    pub weight: u128,
}

/// What an operator allocated below a node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[allow(missing_docs)]
pub struct MadeBy {
    pub name: String,
    pub weight: u128,
    pub blocks: u32,
}

/// A frame of a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[allow(missing_docs)]
pub struct Above {
    pub name: String,
    pub file: String,
    pub line: u32,
}

/// Everything about a node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[allow(missing_docs)]
pub struct NodeDetails {
    #[serde(flatten)]
    pub shown: Shown,
    pub key: Key,
    /// Its file with all folders.
    pub path: String,
    /// Keys from below the root to it.
    pub keys: Vec<Key>,
    /// The frames that these are, the node's own first.
    pub above: Vec<Above>,
    pub parent: u64,
    /// Weight of everything.
    pub whole: u128,
    /// Where it begins.
    pub start: u128,
    pub least_bytes: u64,
    pub most_bytes: u64,
    /// The largest allocation of it and all below.
    pub largest: Option<u32>,
    pub stacks: u32,
    /// Category slots that have something.
    pub parts: Vec<Part>,
    /// Heaviest first.
    pub made_by: Vec<MadeBy>,
    /// Weight of the operators that are not listed.
    pub made_by_rest: u128,
}

const MOST_OPERATORS: usize = 8;
const MOST_ABOVE: usize = 200;

impl Tree {
    /// A node as rows and labels show it.
    pub fn shown(&self, snapshot: &Snapshot, keys: &Keys, index: u32, flipped: &[u64]) -> Option<Shown> {
        let node = self.node(index)?;
        let named = keys.named(snapshot, node.key);
        Some(Shown {
            id: node.id,
            level: node.level,
            name: named.name,
            file: named.file.rsplit(['/', '\\']).next().unwrap_or_default().to_owned(),
            line: named.line,
            kind: named.kind,
            total: node.total,
            chosen: node.chosen,
            own: node.own,
            blocks: node.blocks,
            slots: node.slots,
            open: self.has_below(index).then(|| self.is_open(index, flipped)),
        })
    }

    /// The sums of the stacks that end in a node or below it.
    fn below<'a>(&'a self, sums: &'a Sums, index: u32) -> impl Iterator<Item = &'a Sum> {
        let node = self.node(index);
        let end = node.map_or(0, |node| node.end);
        let side = &self.ends[usize::from(node.is_some_and(|node| node.level < 0))];
        let ended = side.iter().skip_while(move |(_, at)| *at < index).take_while(move |(_, at)| *at < end);
        ended.filter_map(|(row, _)| sums.rows.get(*row as usize))
    }

    /// Everything about a node.
    pub fn details(&self, snapshot: &Snapshot, keys: &Keys, sums: &Sums, index: u32) -> Option<NodeDetails> {
        let node = self.node(index)?;
        let mut parts: BySlot = Default::default();
        let (mut least_bytes, mut most_bytes, mut largest, mut stacks) = (u64::MAX, 0, None, 0);
        let mut made: Vec<MadeBy> = Vec::new();
        for sum in self.below(sums, index) {
            parts.iter_mut().zip(sum.by_category).for_each(|(part, more)| *part = part.saturating_add(more));
            least_bytes = least_bytes.min(sum.least_bytes);
            if sum.most_bytes > most_bytes || largest.is_none() {
                (most_bytes, largest) = (sum.most_bytes, Some(sum.largest));
            }
            stacks += 1;
            made.push(MadeBy {
                name: made_by(snapshot, keys, sum.stack),
                weight: sum.weight,
                blocks: sum.blocks,
            });
        }
        let (made_by, made_by_rest) = most(made);
        let named = keys.named(snapshot, node.key);
        let path = self.path_to(index);
        let above = path.iter().rev().take(MOST_ABOVE).map(|key| keys.named(snapshot, *key));
        Some(NodeDetails {
            shown: self.shown(snapshot, keys, index, &[])?,
            key: node.key,
            path: named.file,
            above: above.map(|it| Above { name: it.name, file: it.file, line: it.line }).collect(),
            keys: path,
            parent: self.node(node.parent).map_or(0, |parent| parent.id),
            whole: self.total(),
            start: node.start,
            least_bytes: least_bytes.min(most_bytes),
            most_bytes,
            largest,
            stacks,
            parts: (0..)
                .zip(parts)
                .filter(|(_, weight)| *weight > 0)
                .map(|(slot, weight)| Part { slot, weight })
                .collect(),
            made_by,
            made_by_rest,
        })
    }

    /// Keys from below the root to a node.
    pub fn path_to(&self, index: u32) -> Vec<Key> {
        let mut path = Vec::new();
        let mut at = index;
        while let Some(node) = self.node(at).filter(|_| at != 0) {
            path.push(node.key);
            at = node.parent;
        }
        path.reverse();
        path
    }
}

/// The operator that allocated: the outermost that native code names below the innermost line of Python, or else that line's function.
fn made_by(snapshot: &Snapshot, keys: &Keys, stack: StackId) -> String {
    let mut found = None;
    for &id in snapshot.stacks.frames_of(stack) {
        let name =
            snapshot.stacks.frame(id).map(|frame| snapshot.strings.get(frame.name)).unwrap_or_default();
        if keys.kind(id) != FrameKind::Cpp {
            return found.unwrap_or_else(|| name.into_owned());
        }
        found = operator(&name).map(str::to_owned).or(found);
    }
    found.unwrap_or_else(|| "not told".into())
}

/// Operators of one name together, heaviest first, and the weight of those that are not among them.
fn most(mut made: Vec<MadeBy>) -> (Vec<MadeBy>, u128) {
    order::by(&mut made, |a, b| a.name.cmp(&b.name));
    let together = made.chunk_by(|a, b| a.name == b.name).filter_map(|same| {
        let weight = same.iter().map(|each| each.weight).fold(0, u128::saturating_add);
        let blocks = same.iter().map(|each| each.blocks).fold(0, u32::saturating_add);
        same.first().map(|first| MadeBy { name: first.name.clone(), weight, blocks })
    });
    let mut together: Vec<MadeBy> = together.collect();
    order::by(&mut together, |a, b| b.weight.cmp(&a.weight));
    let rest = together.iter().skip(MOST_OPERATORS).map(|each| each.weight).fold(0, u128::saturating_add);
    together.truncate(MOST_OPERATORS);
    (together, rest)
}
