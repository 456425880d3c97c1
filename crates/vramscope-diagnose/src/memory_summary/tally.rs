//! Counters with their peaks and totals, as PyTorch keeps them.

use vramscope_core::model::SegmentKind;

/// A counter: now, the most so far, and all that was ever added and taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Now.
    pub current: u64,
    /// The most so far.
    pub peak: u64,
    /// All that was added.
    pub allocated: u64,
    /// All that was taken.
    pub freed: u64,
}

impl Tally {
    pub(super) fn up(&mut self, amount: u64) {
        self.current = self.current.saturating_add(amount);
        self.allocated = self.allocated.saturating_add(amount);
        self.peak = self.peak.max(self.current);
    }

    pub(super) fn down(&mut self, amount: u64) {
        self.current = self.current.saturating_sub(amount);
        self.freed = self.freed.saturating_add(amount);
    }

    /// By how much it changes, up or down.
    pub(super) fn change(&mut self, by: i128) {
        let amount = u64::try_from(by.unsigned_abs()).unwrap_or(u64::MAX);
        match by {
            0 => {}
            1.. => self.up(amount),
            _ => self.down(amount),
        }
    }
}

/// A counter over all pools, and for each of the two kinds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pools {
    /// `all`
    pub all: Tally,
    /// `large_pool`
    pub large: Tally,
    /// `small_pool`
    pub small: Tally,
}

impl Pools {
    pub(super) fn up(&mut self, kind: SegmentKind, amount: u64) {
        self.all.up(amount);
        self.of(kind).up(amount);
    }

    pub(super) fn down(&mut self, kind: SegmentKind, amount: u64) {
        self.all.down(amount);
        self.of(kind).down(amount);
    }

    pub(super) fn change(&mut self, kind: SegmentKind, by: i128) {
        self.all.change(by);
        self.of(kind).change(by);
    }

    fn of(&mut self, kind: SegmentKind) -> &mut Tally {
        match kind {
            SegmentKind::Large => &mut self.large,
            SegmentKind::Small => &mut self.small,
        }
    }
}
