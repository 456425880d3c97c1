//! One walk over a recording, from its first moment to the one asked for.

use vramscope_core::allocator::Config;
use vramscope_core::model::SegmentKind;
use vramscope_core::replay::Replay;

use super::MemorySummary;
use super::splits::Splits;

/// Things that happen, each with its moment, in order of moments.
struct Queue {
    /// Moment in the upper half, number in the lower.
    items: Vec<u64>,
    at: usize,
}

impl Queue {
    fn new(items: impl Iterator<Item = (u32, u32)>) -> Self {
        let mut items: Vec<u64> = items.map(|(moment, id)| u64::from(moment) << 32 | u64::from(id)).collect();
        items.sort_unstable();
        Queue { items, at: 0 }
    }

    /// The next one, if it happens by a moment.
    fn next_by(&mut self, moment: u32) -> Option<u32> {
        let item = *self.items.get(self.at)?;
        if (item >> 32) as u32 > moment {
            return None;
        }
        self.at += 1;
        Some(item as u32)
    }
}

struct Walk<'a> {
    summary: &'a mut MemorySummary,
    replay: &'a Replay,
    splits: Splits,
    max_split_bytes: u64,
}

pub(super) fn count(summary: &mut MemorySummary, replay: &Replay, config: &Config) {
    let until = summary.moment;
    let rows = replay.allocations();
    let ids = 0..rows.len();
    let lives = |id: &u32| rows.is_shown(*id);
    let dies = |end: u32| (1..=until).contains(&end);
    // What is never released by itself is released as it ends.
    let release = |id: u32| rows.release(id).min(rows.end(id));
    let releases = ids.clone().filter(lives).map(|id| (release(id), id));
    let mut releases = Queue::new(releases.filter(|(moment, _)| *moment <= until));
    let ends = ids.filter(lives).map(|id| (rows.end(id), id));
    let mut ends = Queue::new(ends.filter(|(end, _)| dies(*end)));
    let spans = replay.segments().spans();
    let span_ends = (0..).zip(spans).map(|(id, span)| (span.end, id));
    let mut span_ends = Queue::new(span_ends.filter(|(end, _)| dies(*end)));
    let (mut next, mut next_span) = (0, 0);
    let splits = if summary.sizes_known { Splits::at_start(replay) } else { Splits::default() };
    let max_split_bytes = config.max_split_bytes;
    let mut walk = Walk { summary, replay, splits, max_split_bytes };
    for moment in 0..=until {
        let mut reserved = [0i128; 2];
        while let Some(id) = span_ends.next_by(moment) {
            walk.segment(id as usize, false, &mut reserved);
        }
        while spans.get(next_span).is_some_and(|span| span.start <= moment) {
            walk.segment(next_span, true, &mut reserved);
            next_span += 1;
        }
        // One event is one call of the driver, whatever stretches come and go with it.
        walk.summary.reserved_bytes.change(SegmentKind::Large, reserved[0]);
        walk.summary.reserved_bytes.change(SegmentKind::Small, reserved[1]);
        // What was dropped before the first event was never allocated since.
        while moment > 0
            && let Some(id) = releases.next_by(moment)
        {
            walk.release(id);
        }
        while let Some(id) = ends.next_by(moment) {
            walk.end(id);
        }
        while next < rows.len() && rows.start(next) <= moment {
            if rows.is_shown(next) {
                walk.start(next);
            }
            next += 1;
        }
        if moment == 0 {
            walk.splits.count_start(walk.summary);
        }
    }
}

impl Walk<'_> {
    fn segment(&mut self, span: usize, comes: bool, reserved: &mut [i128; 2]) {
        let Some(span) = self.replay.segments().spans().get(span) else { return };
        let sign = if comes { 1 } else { -1 };
        reserved[usize::from(span.owner.kind == SegmentKind::Small)] += sign * i128::from(span.size_bytes);
        if span.expandable {
            return; // not a segment of PyTorch's counter: it grows and shrinks
        }
        self.summary.segments.change(span.owner.kind, sign);
        if span.size_bytes >= self.max_split_bytes {
            self.summary.oversize_segments.change(sign);
        }
        match comes {
            true if span.start > 0 => self.splits.segment_comes(span),
            true => {}
            false => self.splits.segment_goes(span),
        }
    }

    fn kind_and_block(&self, id: u32) -> (SegmentKind, u64) {
        (self.replay.segments().pool_of(id).0, self.replay.block_bytes(id))
    }

    fn start(&mut self, id: u32) {
        let (kind, block) = self.kind_and_block(id);
        let rows = self.replay.allocations();
        self.summary.requested_bytes.up(kind, rows.size_bytes(id));
        self.summary.active.up(kind, 1);
        self.summary.active_bytes.up(kind, block);
        if rows.release(id) > 0 {
            self.summary.allocations.up(kind, 1);
            self.summary.allocated_bytes.up(kind, block);
            if block >= self.max_split_bytes {
                self.summary.oversize_allocations.up(1);
            }
        }
        if rows.start(id) > 0 && self.summary.sizes_known {
            self.splits.take(self.summary, kind, (rows.address(id), block));
        }
    }

    fn release(&mut self, id: u32) {
        let (kind, block) = self.kind_and_block(id);
        if self.replay.allocations().release(id) == 0 {
            return;
        }
        self.summary.allocations.down(kind, 1);
        self.summary.allocated_bytes.down(kind, block);
        if block >= self.max_split_bytes {
            self.summary.oversize_allocations.down(1);
        }
    }

    fn end(&mut self, id: u32) {
        let (kind, block) = self.kind_and_block(id);
        let rows = self.replay.allocations();
        self.summary.requested_bytes.down(kind, rows.size_bytes(id));
        self.summary.active.down(kind, 1);
        self.summary.active_bytes.down(kind, block);
        if self.summary.sizes_known {
            self.splits.give(self.summary, kind, (rows.address(id), block));
        }
    }
}
