//! A moment's segments in the order in which they are drawn. Kept while the moment is looked at: scrolling, hovering and labels use it again.

use std::cmp::Reverse;

use vramscope_core::model::SegmentKind;
use vramscope_core::order;
use vramscope_core::query;
use vramscope_core::replay::Replay;
use vramscope_core::replay::segments::Owner;
use vramscope_core::replay::stacking::Stacking;
use vramscope_core::replay::state::{SegmentNow, State};

use super::view::{Grouping, Sorting};

/// Segments that stand together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Whom they serve; `None` where all stand together.
    pub owner: Option<Owner>,
    /// Indices into [`State::segments`], in the order in which they are drawn.
    pub segments: Vec<u32>,
    /// Bytes of the largest.
    pub widest_bytes: u64,
    /// Bytes of all.
    pub reserved_bytes: u64,
}

/// The allocator at a moment, ready to be drawn.
#[derive(Clone, Debug)]
pub struct Scene {
    pub(super) state: State,
    /// Colour slot of each block; of no meaning for free ones.
    pub(super) slots: Vec<u8>,
    pub(super) groups: Vec<Group>,
    arranged: Option<(Grouping, Sorting)>,
    coloured: Stacking,
}

impl Scene {
    /// What is reserved and alive at a moment.
    pub fn at(replay: &Replay, moment: u32) -> Self {
        Self::new(State::at(replay, moment), |allocation| replay.slot_of(allocation))
    }

    /// Colours live blocks as the timeline does. Nothing happens if they are so already.
    pub fn colour(&mut self, replay: &Replay, stacking: Stacking) {
        if self.coloured != stacking {
            let slots = stacking.slots(replay);
            let of_block = self.state.blocks.iter().map(|block| block.allocation);
            self.slots = of_block.map(|allocation| allocation.map_or(0, |id| slots.get(id))).collect();
            self.coloured = stacking;
        }
    }

    /// From a state, with the colour slot of each allocation.
    pub fn new(state: State, slot_of: impl Fn(u32) -> u8) -> Self {
        let slots = state.blocks.iter().map(|block| block.allocation.map_or(0, &slot_of)).collect();
        Self { state, slots, groups: Vec::new(), arranged: None, coloured: Stacking::default() }
    }

    /// The state.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The groups, from the top; none before [`Scene::arrange`].
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// Index of the segment that holds an address.
    pub fn segment_at(&self, address: u64) -> Option<usize> {
        let after = self.state.segments.partition_point(|segment| segment.address <= address);
        let segment = self.state.segments.get(after.checked_sub(1)?)?;
        (address - segment.address < segment.size_bytes).then_some(after - 1)
    }

    /// Puts segments into groups and in order. Nothing happens if they are so already.
    pub fn arrange(&mut self, grouping: Grouping, sorting: Sorting) {
        if self.arranged == Some((grouping, sorting)) {
            return;
        }
        let segments = &self.state.segments;
        let owner = |index: &u32| match grouping {
            Grouping::PoolStream => segments.get(*index as usize).map(|segment| segment.owner),
            Grouping::None => None,
        };
        let key = |(at, segment)| (owner(&at).as_ref().map(owner_rank), rank(segment, sorting));
        let keys: Vec<_> = (0..).zip(segments).map(key).collect();
        self.groups = order::of(keys.len(), |a, b| keys[a].cmp(&keys[b]))
            .chunk_by(|a, b| owner(a) == owner(b))
            .map(|indices| Group::new(owner(&indices[0]), indices, segments))
            .collect();
        let key = |group: &Group| (group.owner.map(|owner| family(&owner)), Reverse(group.reserved_bytes));
        order::by(&mut self.groups, |a, b| key(a).cmp(&key(b)));
        self.arranged = Some((grouping, sorting));
    }
}

impl Group {
    fn new(owner: Option<Owner>, indices: &[u32], segments: &[SegmentNow]) -> Self {
        let sizes =
            indices.iter().filter_map(|&at| segments.get(at as usize)).map(|segment| segment.size_bytes);
        Self {
            owner,
            segments: indices.to_vec(),
            widest_bytes: sizes.clone().max().unwrap_or(0).max(1),
            reserved_bytes: sizes.fold(0, u64::saturating_add),
        }
    }
}

/// Large pools come first, then small ones, then private ones of either kind.
fn family(owner: &Owner) -> u8 {
    match (owner.pool, owner.kind) {
        ((0, 0), SegmentKind::Large) => 0,
        ((0, 0), SegmentKind::Small) => 1,
        _ => 2,
    }
}

/// Any order that keeps the segments of an owner together.
fn owner_rank(owner: &Owner) -> (u8, SegmentKind, (u64, u64), u32) {
    (family(owner), owner.kind, owner.pool, owner.stream.0)
}

/// Small ones come first.
fn rank(segment: &SegmentNow, sorting: Sorting) -> (u64, u64) {
    let first = match sorting {
        Sorting::Size => u64::MAX - segment.size_bytes,
        Sorting::Free => u64::MAX - segment.free_bytes(),
        Sorting::Age => u64::from(segment.since),
        Sorting::Address => 0,
    };
    (first, segment.address)
}

/// A text that names a group, the same as in the answer to `state`: "large/0:0/0", with the raw handle of its stream; "all" where all stand
/// together.
pub fn group_key(owner: Option<Owner>, stream: u64) -> String {
    let Some(owner) = owner else { return "all".into() };
    query::group_key(owner.kind, owner.pool, &query::stream_text(stream))
}
