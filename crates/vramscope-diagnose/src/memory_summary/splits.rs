//! Free pieces of segments that are partly in use (`inactive_split`), followed block by block.
//!
//! Only segments that are not expandable count, as in PyTorch: pages of the others can go back whatever lies beside them.

use hashbrown::HashMap;
use vramscope_core::model::{BlockState, SegmentKind};
use vramscope_core::replay::Replay;
use vramscope_core::replay::segments::Span;
use vramscope_core::replay::state::State;

use super::MemorySummary;

/// Start and end of a segment.
type Whole = (u64, u64);

/// Free pieces by where they begin and where they end, and the segments of live blocks.
#[derive(Debug, Default)]
pub(super) struct Splits {
    /// End and segment of a free piece, by its start.
    free: HashMap<u64, (u64, Whole)>,
    /// Start of a free piece, by its end and its segment's start.
    by_end: HashMap<(u64, u64), u64>,
    /// Segments of live blocks.
    live: HashMap<u64, Whole>,
    /// Pieces that were there before the first event: kind and bytes.
    at_start: Vec<(SegmentKind, u64)>,
}

impl Splits {
    /// As it was before the first event.
    pub(super) fn at_start(replay: &Replay) -> Self {
        let mut splits = Splits::default();
        let state = State::at(replay, 0);
        for segment in state.segments.iter().filter(|segment| !segment.expandable) {
            let whole = (segment.address, segment.address.saturating_add(segment.size_bytes));
            for block in state.blocks_of(segment) {
                let end = block.address.saturating_add(block.size_bytes);
                if block.state != BlockState::Inactive {
                    splits.live.insert(block.address, whole);
                    continue;
                }
                splits.insert(block.address, end, whole);
                if (block.address, end) != whole {
                    splits.at_start.push((segment.owner.kind, block.size_bytes));
                }
            }
        }
        splits
    }

    /// Counts what was there before the first event.
    pub(super) fn count_start(&mut self, summary: &mut MemorySummary) {
        for (kind, bytes) in std::mem::take(&mut self.at_start) {
            summary.inactive_splits.up(kind, 1);
            summary.inactive_split_bytes.up(kind, bytes);
        }
    }

    pub(super) fn segment_comes(&mut self, span: &Span) {
        let whole = (span.address, span.address.saturating_add(span.size_bytes));
        self.insert(whole.0, whole.1, whole);
    }

    pub(super) fn segment_goes(&mut self, span: &Span) {
        self.remove(span.address);
    }

    /// A block is handed out from the start of a free piece.
    pub(super) fn take(&mut self, summary: &mut MemorySummary, kind: SegmentKind, block: (u64, u64)) {
        let (address, size) = block;
        let Some((end, whole)) = self.remove(address) else { return };
        self.live.insert(address, whole);
        let was_split = (address, end) != whole;
        let piece = end - address;
        let rest = piece.saturating_sub(size);
        if rest > 0 {
            self.insert(address + size, end, whole);
        }
        let (blocks, bytes) = match (rest > 0, was_split) {
            (true, true) => (0, -i128::from(size)),
            (true, false) => (1, i128::from(rest)),
            (false, true) => (-1, -i128::from(piece)),
            (false, false) => (0, 0),
        };
        summary.inactive_splits.change(kind, blocks);
        summary.inactive_split_bytes.change(kind, bytes);
    }

    /// A block becomes free and merges with the free pieces beside it.
    pub(super) fn give(&mut self, summary: &mut MemorySummary, kind: SegmentKind, block: (u64, u64)) {
        let (address, size) = block;
        let Some(whole) = self.live.remove(&address) else { return };
        let (mut start, mut end) = (address, address.saturating_add(size).min(whole.1));
        let (mut blocks, mut bytes) = (0i128, 0i128);
        if let Some(&before) = self.by_end.get(&(address, whole.0)) {
            (start, blocks, bytes) = (before, blocks - 1, bytes - i128::from(address - before));
            self.remove(before);
        }
        if end < whole.1
            && let Some((behind, _)) = self.remove(end)
        {
            (blocks, bytes) = (blocks - 1, bytes - i128::from(behind - end));
            end = behind;
        }
        if (start, end) != whole {
            (blocks, bytes) = (blocks + 1, bytes + i128::from(end - start));
        }
        self.insert(start, end, whole);
        summary.inactive_splits.change(kind, blocks);
        summary.inactive_split_bytes.change(kind, bytes);
    }

    fn insert(&mut self, start: u64, end: u64, whole: Whole) {
        self.free.insert(start, (end, whole));
        self.by_end.insert((end, whole.0), start);
    }

    fn remove(&mut self, start: u64) -> Option<(u64, Whole)> {
        let (end, whole) = self.free.remove(&start)?;
        self.by_end.remove(&(end, whole.0));
        Some((end, whole))
    }
}
