//! Looking around in a tree: its rows as a table, and the node beside another.

use serde::{Deserialize, Serialize};
use vramscope_core::order;

use super::{Key, Node, Tree};

/// Where to go from a node, as it is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum Towards {
    Left,
    Right,
    Up,
    Down,
}

/// Nodes whose parents are all open, in the order of the table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[allow(missing_docs)]
pub struct Rows {
    /// How many rows there are in all.
    pub count: u32,
    /// The place of the one looked for among them.
    pub selected: Option<u32>,
    /// Nodes that had to be opened for it.
    pub opened: Vec<u64>,
    /// Those in the window, by index.
    #[serde(skip)]
    pub nodes: Vec<u32>,
}

/// How the rows below one another are sorted; the tree itself has the heaviest first.
pub struct RowOrder<'a> {
    /// "name", "own", "blocks", "category", or the total weight.
    pub column: &'a str,
    /// The largest first.
    pub down: bool,
    /// A key in words.
    pub name: &'a dyn Fn(Key) -> String,
}

/// Deeper rows are closed until the reader opens them.
const OPEN_TO_LEVEL: u32 = 5;
/// So are those with less than a hundredth of the whole.
const OPEN_FROM: u128 = 100;

impl Tree {
    /// True for a node that has something below it.
    pub fn has_below(&self, index: u32) -> bool {
        self.node(index).is_some_and(|node| node.end > index + 1)
    }

    /// True if the rows below a node are shown. `flipped` nodes, in order of their ids, are what they would else not be.
    pub fn is_open(&self, index: u32, flipped: &[u64]) -> bool {
        self.node(index).is_some_and(|node| {
            let heavy = node.total.saturating_mul(OPEN_FROM) >= self.total();
            let open = node.level == 0 || (heavy && node.level.unsigned_abs() <= OPEN_TO_LEVEL);
            open != flipped.binary_search(&node.id).is_ok()
        })
    }

    /// A window of rows. `selected` is looked for; with `reveal` whatever hides it is opened.
    pub fn rows(
        &self,
        flipped: &[u64],
        (from, most): (u32, u32),
        (selected, reveal): (Option<u64>, bool),
        order: &RowOrder<'_>,
    ) -> Rows {
        let selected = selected.and_then(|id| self.find(id));
        let holds =
            |node: &Node, at: u32| selected.is_some_and(|selected| at < selected && selected < node.end);
        let mut rows = Rows::default();
        let mut next = vec![0];
        while let Some((at, node)) = next.pop().and_then(|at| Some((at, self.node(at)?))) {
            if (from..from.saturating_add(most)).contains(&rows.count) {
                rows.nodes.push(at);
            }
            if selected == Some(at) {
                rows.selected = Some(rows.count);
            }
            rows.count += 1;
            let open = self.is_open(at, flipped);
            let opened = !open && reveal && holds(node, at);
            if opened {
                rows.opened.push(node.id);
            }
            if open || opened {
                next.extend(self.sorted_below(at, order).iter().rev());
            }
        }
        rows
    }

    /// The nodes right below one: callers in a sandwich first, equal ones as they lie.
    fn sorted_below(&self, index: u32, order: &RowOrder<'_>) -> Vec<u32> {
        let (mut below, mut at) = (Vec::new(), index + 1);
        while let Some(node) = self.node(at).filter(|node| node.parent == index) {
            below.push(at);
            at = node.end;
        }
        let node = |at: usize| &self.nodes[below[at] as usize];
        let names: Vec<String> = match order.column {
            "name" => (0..below.len()).map(|at| (order.name)(node(at).key)).collect(),
            _ => Vec::new(),
        };
        let number = |node: &Node| match order.column {
            "own" => node.own,
            "blocks" => node.blocks.into(),
            "category" => node.slots[0].into(),
            _ => node.total,
        };
        let places = order::of(below.len(), |a, b| {
            let (one, other) = (node(a), node(b));
            let by = names.get(a).cmp(&names.get(b)).then_with(|| number(one).cmp(&number(other)));
            (one.level > 0).cmp(&(other.level > 0)).then(if order.down { by.reverse() } else { by })
        });
        places.into_iter().map(|at| below[at as usize]).collect()
    }

    /// The node beside another; within another's width or above it, if `inside` is given.
    pub fn beside(&self, index: u32, towards: Towards, inside: Option<u32>) -> Option<u32> {
        let node = self.node(index)?;
        let level = |at: &u32| self.node(*at).is_some_and(|other| other.level == node.level);
        let below = |level: i32| {
            let mut children = index + 1..node.end;
            children
                .find(|at| self.node(*at).is_some_and(|child| child.parent == index && child.level == level))
        };
        let found = match towards {
            Towards::Left => (1..index).rev().find(level),
            Towards::Right => (node.end..self.nodes.len() as u32).find(level),
            Towards::Up if node.level > 0 => Some(node.parent),
            Towards::Down if node.level < 0 => Some(node.parent),
            Towards::Up => below(node.level - 1),
            Towards::Down => below(node.level + 1),
        }?;
        let Some((frame, holder)) = inside.and_then(|frame| Some((frame, self.node(frame)?))) else {
            return Some(found);
        };
        let other = self.node(found)?;
        let within = (frame..holder.end).contains(&found) || (found..other.end).contains(&frame);
        within.then_some(found)
    }
}
