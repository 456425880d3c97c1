//! Reserved memory in the timeline: segments as the driver gave them, or pools with what is in use inside.
//!
//! A column shows the moment of its range with the most reserved bytes.

use std::ops::Range;

use vramscope_core::model::{PoolId, SegmentKind};
use vramscope_core::order;
use vramscope_core::replay::Replay;
use vramscope_core::replay::segments::Owner;
use vramscope_core::replay::stacking::Stacking;

use crate::geometry::Rows;
use crate::pile::{Allocated, Pile, Things};

/// A pool at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolNow {
    /// Small or large.
    pub kind: SegmentKind,
    /// Private pool; (0, 0) is the default one.
    pub pool: PoolId,
    /// Bytes held from the driver.
    pub reserved_bytes: u64,
    /// Requested bytes of what is alive in it.
    pub used_bytes: u64,
    /// Its colour slot.
    pub slot: u8,
}

impl PoolNow {
    /// Its height in the picture. More used than reserved cannot be, but a damaged file may say so.
    pub(crate) fn height_bytes(&self) -> u64 {
        self.reserved_bytes.max(self.used_bytes)
    }
}

/// Slots of private pools: those after the default pools' and before the neutral ones.
const PRIVATE_SLOTS: Range<u8> = 2..7;

/// All pools of a recording from the bottom to the top: large, small, then private ones by number; each with its slot.
pub fn pools(replay: &Replay) -> Vec<PoolNow> {
    let mut pools = replay.segments().pools().to_vec();
    let family = |(kind, pool): &(SegmentKind, PoolId)| (*pool != (0, 0), *pool, *kind == SegmentKind::Small);
    order::by(&mut pools, |a, b| family(a).cmp(&family(b)));
    let mut private = PRIVATE_SLOTS.cycle();
    let with_slot = |(kind, pool)| {
        let slot = match (pool, kind) {
            ((0, 0), SegmentKind::Large) => 0,
            ((0, 0), SegmentKind::Small) => 1,
            _ => private.next().unwrap_or(PRIVATE_SLOTS.start),
        };
        PoolNow { kind, pool, reserved_bytes: 0, used_bytes: 0, slot }
    };
    pools.into_iter().map(with_slot).collect()
}

/// The colour slot of a pool's segments.
pub fn slot_of_owner(replay: &Replay, owner: &Owner) -> u8 {
    slot_in(&pools(replay), owner)
}

fn slot_in(pools: &[PoolNow], owner: &Owner) -> u8 {
    let own = |pool: &&PoolNow| (owner.kind, owner.pool) == (pool.kind, pool.pool);
    pools.iter().find(own).map_or(PRIVATE_SLOTS.start, |pool| pool.slot)
}

/// Reserved bytes over time, as the spans have them.
#[derive(Debug)]
pub(crate) struct Reserved {
    /// Each change: the moment from which on a sum holds.
    changes: Vec<(u32, u64)>,
}

impl Reserved {
    pub(crate) fn of(replay: &Replay) -> Self {
        let spans = replay.segments().spans().iter();
        let mut ends: Vec<(u32, i128)> = spans
            .flat_map(|span| {
                let size = i128::from(span.size_bytes);
                [(span.start, size), (span.end, -size)]
            })
            .collect();
        order::by_number(&mut ends, |(moment, _)| (*moment).into());
        let (mut changes, mut sum): (Vec<(u32, u64)>, i128) = (Vec::new(), 0);
        for change in ends.chunk_by(|a, b| a.0 == b.0) {
            sum += change.iter().map(|(_, bytes)| bytes).sum::<i128>();
            changes.push((change[0].0, sum.clamp(0, i128::from(u64::MAX)) as u64));
        }
        Self { changes }
    }

    /// The first moment of a range with the most bytes.
    pub(crate) fn fullest(&self, range: Range<u32>) -> u32 {
        let after = self.changes.partition_point(|(moment, _)| *moment <= range.start);
        let before = after.checked_sub(1).map_or(0, |before| self.changes[before].1);
        let inside = self.changes[after..].iter().take_while(|(moment, _)| *moment < range.end);
        let first = (range.start, before);
        inside.fold(first, |best, next| if next.1 > best.1 { *next } else { best }).0
    }
}

/// Segments as things to be piled up.
#[derive(Clone)]
pub(crate) struct Spans<'a> {
    replay: &'a Replay,
    pools: Vec<PoolNow>,
}

impl<'a> Spans<'a> {
    pub(crate) fn of(replay: &'a Replay) -> Self {
        Self { replay, pools: pools(replay) }
    }
}

impl Things for Spans<'_> {
    fn count(&self) -> u32 {
        self.replay.segments().spans().len() as u32
    }

    fn start(&self, id: u32) -> u32 {
        self.replay.segments().spans().get(id as usize).map_or(u32::MAX, |span| span.start)
    }

    fn end(&self, id: u32) -> u32 {
        self.replay.segments().spans().get(id as usize).map_or(0, |span| span.end)
    }

    fn size_bytes(&self, id: u32) -> u64 {
        self.replay.segments().spans().get(id as usize).map_or(0, |span| span.size_bytes)
    }

    fn slot(&self, id: u32) -> u8 {
        let span = self.replay.segments().spans().get(id as usize);
        span.map_or(PRIVATE_SLOTS.start, |span| slot_in(&self.pools, &span.owner))
    }

    fn for_each_live(&self, moment: u32, mut visit: impl FnMut(u32)) {
        self.replay.segments().for_each_at(moment, |id, _| visit(id));
    }
}

/// Pools, moved along from column to column.
pub(crate) struct Pools<'a> {
    replay: &'a Replay,
    pools: Vec<PoolNow>,
    allocations: Pile<Allocated<'a>>,
    segments: Pile<Spans<'a>>,
}

impl<'a> Pools<'a> {
    pub(crate) fn of(replay: &'a Replay) -> Self {
        Self {
            replay,
            pools: pools(replay),
            allocations: Pile::new(Allocated::new(replay, Stacking::Age, None), Stacking::Age),
            segments: Pile::new(Spans::of(replay), Stacking::Age),
        }
    }

    /// The pools at a moment, from the bottom to the top. Cheap if the moment is not before the last one.
    pub(crate) fn at(&mut self, moment: u32) -> &[PoolNow] {
        let (segments, pools) = (self.replay.segments(), &mut self.pools);
        for pool in pools.iter_mut() {
            (pool.reserved_bytes, pool.used_bytes) = (0, 0);
        }
        let find = |pools: &mut [PoolNow], key, add: &dyn Fn(&mut PoolNow)| {
            pools.iter_mut().filter(|pool| (pool.kind, pool.pool) == key).for_each(add);
        };
        self.segments.for_each(moment, |block| {
            if let Some(span) = segments.spans().get(block.allocation as usize) {
                let add = |pool: &mut PoolNow| {
                    pool.reserved_bytes = pool.reserved_bytes.saturating_add(block.size_bytes)
                };
                find(pools, (span.owner.kind, span.owner.pool), &add);
            }
        });
        self.allocations.for_each(moment, |block| {
            let add = |pool: &mut PoolNow| pool.used_bytes = pool.used_bytes.saturating_add(block.size_bytes);
            find(pools, segments.pool_of(block.allocation), &add);
        });
        &self.pools
    }
}

/// The thing of a pile that was painted at a row.
pub(crate) fn in_row<T: Things>(pile: &mut Pile<T>, moment: u32, rows: Rows, row: i32) -> Option<u32> {
    let (mut bytes, mut found) = (0u64, None);
    pile.for_each(moment, |block| {
        let to = bytes.saturating_add(block.size_bytes);
        if rows.edge(bytes) <= row && row < rows.edge(to) {
            found = Some(block.allocation);
        }
        bytes = to;
    });
    found
}

/// The pool that was painted at a row.
pub(crate) fn pool_in_row(pools: &[PoolNow], rows: Rows, row: i32) -> Option<PoolNow> {
    let mut bytes = 0u64;
    pools.iter().copied().find(|pool| {
        let from = bytes;
        bytes = bytes.saturating_add(pool.height_bytes());
        rows.edge(from) <= row && row < rows.edge(bytes)
    })
}

#[cfg(test)]
mod tests;
