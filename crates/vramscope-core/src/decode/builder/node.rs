//! What became of containers: four bytes for each.

use crate::ids::{FrameId, StackId};

/// What became of a container; the handle given to the reader indexes a table of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::decode) enum Node {
    /// Nothing in it yet.
    Empty,
    /// Kept as it is: `SnapshotBuilder::generics`.
    Generic(u32),
    Frame(FrameId),
    Stack(StackId),
    /// A row of the event columns.
    Event(u32),
    /// A list of events: `SnapshotBuilder::traces`.
    Trace(u32),
    Block(u32),
    Segment(u32),
    /// What lived in a block (1.13 and 2.0): `SnapshotBuilder::histories`.
    History(u32),
    /// Lines of a Python traceback.
    Lines(StackId),
    /// A list of two integers: `SnapshotBuilder::tuples`. JSON has no tuples, so pool ids are lists there.
    Pair(u32),
}

/// Kind in the upper four bits, number below.
#[derive(Default)]
pub(in crate::decode) struct Nodes {
    packed: Vec<u32>,
}

const NUMBER_BITS: u32 = 28;
const NUMBER: u32 = (1 << NUMBER_BITS) - 1;

impl Nodes {
    /// Most containers that can be told apart; [`crate::decode::Limits`] allows no more.
    pub(in crate::decode) const MOST: usize = 1 << NUMBER_BITS;

    pub(in crate::decode) fn len(&self) -> usize {
        self.packed.len()
    }

    #[inline]
    pub(in crate::decode) fn push(&mut self, node: Node) {
        self.packed.push(pack(node));
    }

    #[inline]
    pub(in crate::decode) fn get(&self, handle: u32) -> Node {
        self.packed.get(handle as usize).map_or(Node::Empty, |word| unpack(*word))
    }

    #[inline]
    pub(in crate::decode) fn set(&mut self, handle: u32, node: Node) {
        if let Some(known) = self.packed.get_mut(handle as usize) {
            *known = pack(node);
        }
    }

    pub(in crate::decode) fn truncate(&mut self, len: usize) {
        self.packed.truncate(len);
    }

    pub(in crate::decode) fn column(&mut self) -> &mut Vec<u32> {
        &mut self.packed
    }
}

fn pack(node: Node) -> u32 {
    let (kind, number) = match node {
        Node::Empty => (0, 0),
        Node::Generic(at) => (1, at),
        Node::Frame(FrameId(id)) => (2, id),
        Node::Stack(StackId(id)) => (3, id),
        Node::Event(row) => (4, row),
        Node::Trace(at) => (5, at),
        Node::Block(at) => (6, at),
        Node::Segment(at) => (7, at),
        Node::History(at) => (8, at),
        Node::Lines(StackId(id)) => (9, id),
        Node::Pair(at) => (10, at),
    };
    // Each of them takes a container or two, and there are at most `MOST`: a larger number would be a container without content.
    if number > NUMBER { 0 } else { kind << NUMBER_BITS | number }
}

#[inline]
fn unpack(word: u32) -> Node {
    let number = word & NUMBER;
    match word >> NUMBER_BITS {
        1 => Node::Generic(number),
        2 => Node::Frame(FrameId(number)),
        3 => Node::Stack(StackId(number)),
        4 => Node::Event(number),
        5 => Node::Trace(number),
        6 => Node::Block(number),
        7 => Node::Segment(number),
        8 => Node::History(number),
        9 => Node::Lines(StackId(number)),
        10 => Node::Pair(number),
        _ => Node::Empty,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_node_comes_back() {
        let nodes = [
            Node::Empty,
            Node::Generic(0),
            Node::Frame(FrameId(1)),
            Node::Stack(StackId(NUMBER)),
            Node::Event(3),
            Node::Trace(4),
            Node::Block(5),
            Node::Segment(6),
            Node::History(7),
            Node::Lines(StackId(8)),
            Node::Pair(9),
        ];
        let mut table = Nodes::default();
        for node in nodes {
            table.push(node);
        }
        for (handle, node) in nodes.into_iter().enumerate() {
            assert_eq!(table.get(handle as u32), node);
        }
        table.set(0, Node::Event(12));
        assert_eq!((table.get(0), table.get(99)), (Node::Event(12), Node::Empty));
    }
}
