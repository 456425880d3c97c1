//! From sums of stacks to a tree: paths are put in order, so that those with a common beginning stand together, and walked once.

use std::cmp::Reverse;
use std::ops::Range;

use vramscope_core::model::Snapshot;
use vramscope_core::order;
use vramscope_core::query::{Matches, PatternError};
use vramscope_core::replay::{N_SLOTS, Replay};

use super::{BySlot, Form, Key, Keys, MAX_DEPTH, MAX_NODES, Node, SEVERAL, Sum, Sums, Tree, Wish};

/// Paths of keys, end to end, each with the sum that it belongs to.
#[derive(Default)]
struct Paths {
    keys: Vec<Key>,
    rows: Vec<(Range<usize>, u32)>,
}

impl Paths {
    fn push(&mut self, keys: impl Iterator<Item = Key>, row: u32) {
        let from = self.keys.len();
        self.keys.extend(keys);
        self.rows.push((from..self.keys.len(), row));
    }

    fn get(&self, at: usize) -> &[Key] {
        self.rows.get(at).and_then(|(range, _)| self.keys.get(range.clone())).unwrap_or_default()
    }
}

impl Tree {
    /// The tree of some sums. A pattern that is none hides nothing: [`Tree::pattern_fault`] says what is wrong with it.
    pub fn grow(replay: &Replay, snapshot: &Snapshot, keys: &Keys, sums: &Sums, wish: &Wish) -> Tree {
        let hidden = match wish.hidden.is_empty() {
            true => None,
            false => Matches::new(snapshot, &wish.hidden).ok(),
        };
        let mut paths = Paths::default();
        let mut path = Vec::new();
        for (sum, row) in sums.rows.iter().zip(0..) {
            let hides = |frame| hidden.as_ref().is_some_and(|hidden| hidden.has_frame(frame));
            keys.write_path(snapshot, sum.stack, wish.folded, hides, &mut path);
            if wish.changes.iter().all(|change| change.apply(&mut path)) {
                paths.push(path.iter().copied(), row);
            }
        }
        let mut tree = Tree { form: wish.form, ..Tree::default() };
        let down = match wish.form {
            Form::TopDown => paths,
            Form::BottomUp => turned(&paths, |path| Some(path.len())),
            Form::Sandwich => {
                let function = wish.function.or_else(|| heaviest(&paths, sums));
                tree.function = function;
                let middle = |path: &[Key]| path.iter().position(|key| Some(*key) == function);
                let callers = turned(&paths, middle);
                tree.add_side(keys, sums, &callers, -1);
                let below = |path: &[Key]| middle(path).map(|at| at + 1..path.len());
                parts(&paths, below)
            }
        };
        tree.add_side(keys, sums, &down, 1);
        let middle = tree.function;
        if let Some((root, key)) = tree.nodes.first_mut().zip(middle) {
            root.key = key;
        }
        tree.colour(replay, sums);
        tree.ids = tree.nodes.iter().zip(0..).map(|(node, at)| (node.id, at)).collect();
        order::pairs(&mut tree.ids);
        tree
    }

    /// What is wrong with a pattern of hidden frames.
    pub fn pattern_fault(snapshot: &Snapshot, wish: &Wish) -> Option<PatternError> {
        Some(&wish.hidden)
            .filter(|hidden| !hidden.is_empty())
            .and_then(|hidden| Matches::new(snapshot, hidden).err())
    }

    /// Grows a tree of paths and puts it below the root; callers in a sandwich first, their levels turned round.
    fn add_side(&mut self, keys: &Keys, sums: &Sums, paths: &Paths, towards: i32) {
        let mut grown = Grown::new(keys.root(), if towards < 0 { CALLERS } else { 0 });
        grown.plant(paths, sums);
        self.cut_stacks += grown.cut_stacks;
        let places = grown.walk();
        let shift = self.nodes.len().saturating_sub(1) as u32;
        let mut nodes = grown.arranged(&places);
        for node in nodes.iter_mut().skip(1) {
            node.level *= towards;
            node.parent += if node.parent == 0 { 0 } else { shift };
            node.end += shift;
        }
        let mut ends: Vec<(u32, u32)> = grown
            .ends
            .iter()
            .map(|(row, node)| (*row, places[*node as usize]))
            .map(|(row, node)| (row, if node == 0 { 0 } else { node + shift }))
            .collect();
        order::by_number(&mut ends, |(_, node)| u64::from(*node));
        self.ends[usize::from(towards < 0)] = ends;
        if let Some(root) = nodes.first_mut() {
            root.end += shift;
            match self.nodes.first_mut() {
                // What calls and what is called is the same weight.
                Some(known) => *known = root.clone(),
                None => self.nodes.push(root.clone()),
            }
        }
        self.nodes.extend(nodes.into_iter().skip(1));
        if self.form == Form::BottomUp {
            self.own_above();
        }
        if towards < 0 {
            self.nodes.iter_mut().skip(1).for_each(|node| node.own = 0);
        }
    }

    /// From the bottom up, what a function allocated by itself stands at the top.
    fn own_above(&mut self) {
        for node in self.nodes.iter_mut().skip(1) {
            node.own = if node.level == 1 { node.total } else { 0 };
        }
    }

    /// Gives each node the colour of what most of its weight is: one walk, with what is open on the way down.
    fn colour(&mut self, replay: &Replay, sums: &Sums) {
        for side in [1, 0] {
            let mut open: Vec<(u32, [BySlot; 2])> = Vec::new();
            let mut ends = self.ends[side].iter().peekable();
            for at in 0..=self.nodes.len() as u32 {
                while let Some((node, slots)) = open.pop_if(|(node, _)| self.nodes[*node as usize].end <= at)
                {
                    self.nodes[node as usize].slots = slots.map(|slots| main_slot(&slots));
                    if let Some((_, above)) = open.last_mut() {
                        (0..2).for_each(|way| add(&mut above[way], &slots[way]));
                    }
                }
                // The other side has been coloured already, or will be.
                let other = |node: &Node| node.level != 0 && (node.level < 0) != (side == 1);
                if self.nodes.get(at as usize).is_none_or(other) {
                    continue;
                }
                let mut slots = [[0; N_SLOTS]; 2];
                while let Some((row, _)) = ends.next_if(|(_, node)| *node == at) {
                    let Some(sum) = sums.rows.get(*row as usize) else { continue };
                    add(&mut slots[0], &sum.by_category);
                    let place = usize::from(replay.slot_of_stack(sum.stack)).min(N_SLOTS - 1);
                    slots[1][place] = slots[1][place].saturating_add(sum.weight);
                }
                open.push((at, slots));
            }
        }
    }
}

fn add(to: &mut BySlot, more: &BySlot) {
    to.iter_mut().zip(more).for_each(|(to, more)| *to = to.saturating_add(*more));
}

/// The slot of nearly all of a weight: the next one has less than a fiftieth.
fn main_slot(slots: &BySlot) -> u8 {
    let (mut best, mut next, mut total) = (0, 0, 0u128);
    for (slot, weight) in slots.iter().enumerate() {
        total = total.saturating_add(*weight);
        if *weight > slots[best] {
            (best, next) = (slot, slots[best]);
        } else if slot != best {
            next = next.max(*weight);
        }
    }
    if next > 0 && next >= total / 50 { SEVERAL } else { best as u8 }
}

/// The function with the most bytes of its own.
fn heaviest(paths: &Paths, sums: &Sums) -> Option<Key> {
    let innermost = |at: usize| paths.get(at).last();
    let order = order::of(paths.rows.len(), |a, b| innermost(a).cmp(&innermost(b)));
    let same = order.chunk_by(|a, b| innermost(*a as usize) == innermost(*b as usize));
    let weight = |at: &u32| sum_of(sums, paths.rows[*at as usize].1).weight;
    let sums = same.filter_map(|rows| {
        let key = *innermost(*rows.first()? as usize)?;
        Some((rows.iter().map(weight).fold(0, u128::saturating_add), Reverse(key)))
    });
    sums.max().map(|(_, Reverse(key))| key)
}

/// Parts of paths; those without one are left out.
fn parts(paths: &Paths, part: impl Fn(&[Key]) -> Option<Range<usize>>) -> Paths {
    let mut found = Paths::default();
    for (at, (_, row)) in paths.rows.iter().enumerate() {
        let path = paths.get(at);
        if let Some(keys) = part(path).and_then(|range| path.get(range)) {
            found.push(keys.iter().copied(), *row);
        }
    }
    found
}

/// The first so many keys of each path, the other way round.
fn turned(paths: &Paths, length: impl Fn(&[Key]) -> Option<usize>) -> Paths {
    let mut found = parts(paths, |path| length(path).map(|length| 0..length));
    for (range, _) in &found.rows {
        if let Some(keys) = found.keys.get_mut(range.clone()) {
            keys.reverse();
        }
    }
    found
}

static NOTHING: Sum = Sum {
    stack: vramscope_core::ids::StackId::EMPTY,
    weight: 0,
    chosen: 0,
    blocks: 0,
    by_category: [0; N_SLOTS],
    least_bytes: 0,
    most_bytes: 0,
    largest: 0,
};

fn sum_of(sums: &Sums, row: u32) -> &Sum {
    sums.rows.get(row as usize).unwrap_or(&NOTHING)
}

/// Callers in a sandwich have names of their own: a recursive function stands on both sides.
const CALLERS: u64 = 0x63;
/// Ids fit a double.
const ID_BITS: u64 = (1 << 53) - 1;

/// The name of a path that goes on from another: a mix as in SplitMix64.
fn id_below(above: u64, key: Key) -> u64 {
    let mut id = (above ^ (u64::from(key.0) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
        .wrapping_add(0x9e37_79b9_7f4a_7c15);
    id = (id ^ id >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    id = (id ^ id >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    (id ^ id >> 31) & ID_BITS
}

fn empty(key: Key) -> Node {
    let (start, total, chosen, own) = (0, 0, 0, 0);
    let (level, blocks, slots) = (0, 0, [SEVERAL; 2]);
    Node { key, parent: 0, end: 1, level, id: 0, start, total, chosen, own, blocks, slots }
}

/// A tree as it grows: nodes in the order of keys.
struct Grown {
    nodes: Vec<Node>,
    /// Rows of the sums, and where they end.
    ends: Vec<(u32, u32)>,
    cut_stacks: u32,
    seed: u64,
}

impl Grown {
    fn new(root: Key, seed: u64) -> Self {
        Grown { nodes: vec![empty(root)], ends: Vec::new(), cut_stacks: 0, seed }
    }

    /// Adds all paths; a path goes on where it parts from the one before.
    fn plant(&mut self, paths: &Paths, sums: &Sums) {
        // The nodes of the path before, without the root, and their keys.
        let mut open: Vec<u32> = Vec::new();
        let order = order::of(paths.rows.len(), |a, b| paths.get(a).cmp(paths.get(b)));
        for at in order {
            let path = paths.get(at as usize);
            let common =
                open.iter().zip(path).take_while(|(node, key)| self.nodes[**node as usize].key == **key);
            open.truncate(common.count());
            for &key in path.iter().take(MAX_DEPTH).skip(open.len()) {
                if self.nodes.len() >= MAX_NODES {
                    break;
                }
                let parent = open.last().copied().unwrap_or(0);
                let above = if parent == 0 { self.seed } else { self.nodes[parent as usize].id };
                let level = open.len() as i32 + 1;
                let id = id_below(above, key);
                open.push(self.nodes.len() as u32);
                self.nodes.push(Node { parent, level, id, ..empty(key) });
            }
            self.cut_stacks += u32::from(open.len() < path.len());
            let row = paths.rows[at as usize].1;
            let (node, sum) = (open.last().copied().unwrap_or(0), sum_of(sums, row));
            self.ends.push((row, node));
            let node = &mut self.nodes[node as usize];
            node.own = node.own.saturating_add(sum.weight);
            node.total = node.total.saturating_add(sum.weight);
            node.chosen = node.chosen.saturating_add(sum.chosen);
            node.blocks = node.blocks.saturating_add(sum.blocks);
        }
        for at in (1..self.nodes.len()).rev() {
            let Node { parent, total, chosen, blocks, .. } = self.nodes[at];
            let above = &mut self.nodes[parent as usize];
            above.total = above.total.saturating_add(total);
            above.chosen = above.chosen.saturating_add(chosen);
            above.blocks = above.blocks.saturating_add(blocks);
        }
    }

    /// The place of each node in a walk that meets the heaviest sibling first.
    fn walk(&self) -> Vec<u32> {
        let nodes = &self.nodes;
        let rank = |at: usize| (at > 0, nodes[at].parent, Reverse(nodes[at].total), nodes[at].key);
        let siblings = order::of(nodes.len(), |a, b| rank(a).cmp(&rank(b)));
        // The children of a node stand together there.
        let mut first = vec![u32::MAX; nodes.len()];
        for (&node, at) in siblings.iter().zip(0..).skip(1) {
            let first = &mut first[nodes[node as usize].parent as usize];
            *first = at.min(*first);
        }
        let mut places = vec![0; nodes.len()];
        let (mut open, mut next) = (vec![0], 0);
        while let Some(node) = open.pop() {
            places[node as usize] = next;
            next += 1;
            let from = open.len();
            let children = siblings.get(first[node as usize] as usize..).unwrap_or_default();
            open.extend(
                children.iter().take_while(|child| nodes[**child as usize].parent == node && **child != 0),
            );
            open[from..].reverse();
        }
        places
    }

    /// The nodes at their places, with where they begin and end.
    fn arranged(&self, places: &[u32]) -> Vec<Node> {
        let mut nodes = vec![self.nodes[0].clone(); self.nodes.len()];
        for (node, place) in self.nodes.iter().zip(places) {
            nodes[*place as usize] = Node { parent: places[node.parent as usize], ..node.clone() };
        }
        // Siblings stand side by side: each is told where the next one begins.
        let mut next: Vec<u128> = vec![0; nodes.len()];
        for at in 1..nodes.len() {
            let parent = nodes[at].parent as usize;
            nodes[at].start = next[parent];
            next[parent] = next[parent].saturating_add(nodes[at].total);
            next[at] = nodes[at].start;
        }
        for (node, at) in nodes.iter_mut().zip(1..) {
            node.end = at;
        }
        for at in (1..nodes.len()).rev() {
            let (parent, end) = (nodes[at].parent as usize, nodes[at].end);
            nodes[parent].end = nodes[parent].end.max(end);
        }
        nodes
    }
}
