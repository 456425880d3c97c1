//! One moment: its bytes, what is alive, and what is at a height in the picture.

use hashbrown::HashMap;
use serde::Serialize;

use super::allocation::{Allocation, allocation_in};
use super::event_before;
use crate::ids::StackId;
use crate::replay::stacking::{Piled, Run, Stacking};
use crate::replay::{Category, N_SLOTS, Recording, Replay, Site};

/// Bytes at a moment, and the allocation at a height if one was asked for.
#[derive(Clone, Debug, Serialize)]
#[allow(missing_docs)]
pub struct Moment {
    pub moment: u32,
    pub event: u32,
    /// Microseconds since the first event.
    pub time_us: Option<i64>,
    pub requested_bytes: u64,
    /// Bytes of blocks held by the program; null unless the allocator model agrees.
    pub allocated_bytes: Option<u64>,
    /// Bytes of blocks held or waited for; null unless the allocator model agrees.
    pub active_bytes: Option<u64>,
    pub reserved_bytes: u64,
    /// Bytes in each colour slot.
    pub slots: Vec<u64>,
    /// What the slots stand for.
    pub stacking: Stacking,
    /// Allocations alive.
    pub alive: u32,
    pub allocation: Option<Allocation>,
}

/// What is alive at a moment, by stack.
#[derive(Clone, Debug, Serialize)]
#[allow(missing_docs)]
pub struct Alive {
    pub moment: u32,
    pub event: u32,
    pub bytes: u64,
    pub count: u32,
    /// Largest first.
    pub rows: Vec<Row>,
    /// What the limit cut off.
    pub rest: Rest,
}

/// Allocations of one stack.
#[derive(Clone, Debug, Serialize)]
#[allow(missing_docs)]
pub struct Row {
    pub bytes: u64,
    pub count: u32,
    pub slot: u8,
    /// That of most of its bytes, "own" for a name of the user; null before there are labels.
    pub category: Option<&'static str>,
    pub name: String,
    pub at: String,
    /// The line is the user's own.
    pub own: bool,
    pub stack: StackId,
    /// The largest allocation of the row.
    pub largest: u32,
    /// The stack is that of the frees: the allocs were not recorded.
    pub of_free: bool,
}

/// Rows that are not listed.
#[derive(Clone, Copy, Debug, Default, Serialize)]
#[allow(missing_docs)]
pub struct Rest {
    pub bytes: u64,
    pub count: u32,
    pub rows: u32,
}

/// Bytes at a moment, and the allocation whose place in the pile covers a height.
#[inline]
pub fn point(
    recording: &Recording,
    device: i64,
    at: u32,
    bytes: Option<u64>,
    stacking: Stacking,
) -> Option<Moment> {
    let (_, replay) = recording.device(device)?;
    let pile = Piled::at(replay, at.min(replay.end()), stacking);
    point_in(recording, device, &pile, bytes.and_then(|bytes| pile.run_at(bytes)))
}

/// Bytes at the moment of a pile, and one allocation of it.
pub fn point_in(recording: &Recording, device: i64, pile: &Piled, run: Option<Run>) -> Option<Moment> {
    let (_, replay) = recording.device(device)?;
    let details = |run: Run| allocation_in(recording, device, run.allocation, Some(run.from_bytes));
    Some(Moment { allocation: run.and_then(details), ..Moment::of(replay, pile) })
}

impl Moment {
    /// The bytes at a moment of the recording.
    pub(super) fn at(replay: &Replay, moment: u32) -> Moment {
        Moment::of(replay, &Piled::at(replay, moment, Stacking::Age))
    }

    /// The bytes of a pile.
    fn of(replay: &Replay, pile: &Piled) -> Moment {
        let moment = pile.moment();
        Moment {
            moment,
            event: event_before(moment),
            time_us: replay.time_at(moment),
            requested_bytes: replay.requested_at(moment),
            allocated_bytes: replay.allocated_at(moment),
            active_bytes: replay.active_at(moment),
            reserved_bytes: replay.reserved_at(moment),
            slots: pile.slot_bytes().to_vec(),
            stacking: pile.stacking(),
            alive: pile.runs().len() as u32,
            allocation: None,
        }
    }
}

/// What is alive at a moment, by stack: the `limit` largest and the rest.
#[inline]
pub fn alive(recording: &Recording, device: i64, at: u32, limit: u32) -> Option<Alive> {
    let (_, replay) = recording.device(device)?;
    let at = at.min(replay.end());
    let mut groups = by_stack(replay, at);
    groups.sort_unstable_by_key(|(stack, group)| (std::cmp::Reverse(group.bytes), *stack));
    let cut = groups.split_off(groups.len().min(limit as usize));
    let mut rest = Rest { rows: cut.len() as u32, ..Rest::default() };
    for (_, group) in &cut {
        rest.bytes = rest.bytes.saturating_add(group.bytes);
        rest.count += group.count;
    }
    let rows = groups.iter().map(|(stack, group)| row(recording, replay, *stack, *group)).collect();
    Some(Alive {
        moment: at,
        event: event_before(at),
        bytes: replay.requested_at(at),
        count: replay.n_live(at),
        rows,
        rest,
    })
}

#[derive(Clone, Copy)]
struct Sum {
    bytes: u64,
    count: u32,
    largest: u32,
    /// By category.
    slots: [u64; N_SLOTS],
}

fn by_stack(replay: &Replay, at: u32) -> Vec<(StackId, Sum)> {
    let (allocations, slots) = (replay.allocations(), Stacking::Category.slots(replay));
    let mut groups: HashMap<StackId, Sum> = HashMap::new();
    replay.for_each_live(at, |id| {
        let size = allocations.size_bytes(id);
        let group = groups.entry(allocations.stack(id)).or_insert(Sum {
            bytes: 0,
            count: 0,
            largest: id,
            slots: [0; N_SLOTS],
        });
        let in_slot = &mut group.slots[usize::from(slots.get(id)).min(N_SLOTS - 1)];
        *in_slot = in_slot.saturating_add(size);
        group.bytes = group.bytes.saturating_add(size);
        group.count += 1;
        if size > allocations.size_bytes(group.largest) {
            group.largest = id;
        }
    });
    groups.into_iter().collect()
}

#[inline]
fn row(recording: &Recording, replay: &Replay, stack: StackId, sum: Sum) -> Row {
    let site = Site::of_stack(stack, &recording.snapshot);
    Row {
        bytes: sum.bytes,
        count: sum.count,
        slot: replay.slot_of_stack(stack),
        category: replay.labels().map(|_| category_of_most(&sum.slots)),
        name: site.name(&recording.snapshot),
        at: site.at(&recording.snapshot),
        own: site.is_own(&recording.snapshot),
        stack,
        largest: sum.largest,
        of_free: replay.stack_is_of_free(sum.largest),
    }
}

/// The category with the most bytes, the lowest in the picture of equals; "own" for the user's own names.
fn category_of_most(slots: &[u64; N_SLOTS]) -> &'static str {
    let most = (1..N_SLOTS).fold(0, |best, slot| if slots[slot] > slots[best] { slot } else { best });
    Category::ALL.get(most).map_or("own", |category| category.name())
}
