//! What is alive at a moment.
//!
//! Rows (allocations, segments) are in order of start, so the set alive at moment *t* is what was alive at the last checkpoint and has not ended,
//! followed by what started since and has not ended. No frees have to be applied, and the order is right by itself.

/// When each thing of a table begins and ends: it is alive at moment *m* if start ≤ *m* < end. Rows are in order of start.
pub(super) trait Lives {
    /// How many.
    fn count(&self) -> u32;
    /// First moment at which it is alive.
    fn starts_at(&self, id: u32) -> u32;
    /// First moment at which it is no longer alive.
    fn ends_at(&self, id: u32) -> u32;
}

/// Lists of what is alive at some moments.
#[derive(Clone, Debug, Default)]
pub(super) struct Checkpoints {
    moments: Vec<u32>,
    /// End of each list in `ids`.
    ends: Vec<usize>,
    ids: Vec<u32>,
    /// Rows that started up to each checkpoint.
    started: Vec<u32>,
}

/// Fewest moments between checkpoints. With many alive they stand farther apart (as many moments as rows are alive), so that
/// lists take about four bytes a moment, and a walk at most twice as long as the set.
const SPACING: u32 = 2_048;

impl Checkpoints {
    pub(super) fn build(rows: &impl Lives, n_moments: u32) -> Self {
        let mut checkpoints = Checkpoints::default();
        let mut live: Vec<u32> = Vec::new();
        let mut started = 0;
        let mut moment = 0;
        while moment < n_moments {
            live.retain(|&id| rows.ends_at(id) > moment);
            while started < rows.count() && rows.starts_at(started) <= moment {
                if rows.ends_at(started) > moment {
                    live.push(started);
                }
                started += 1;
            }
            checkpoints.moments.push(moment);
            checkpoints.ids.extend_from_slice(&live);
            checkpoints.ends.push(checkpoints.ids.len());
            checkpoints.started.push(started);
            moment = moment.saturating_add(SPACING.max(live.len() as u32));
        }
        checkpoints
    }

    #[inline]
    pub(super) fn for_each_live(&self, rows: &impl Lives, moment: u32, mut visit: impl FnMut(u32)) {
        let Some(at) = self.moments.partition_point(|&checkpoint| checkpoint <= moment).checked_sub(1) else {
            return;
        };
        let from = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        for &id in &self.ids[from..self.ends[at]] {
            if rows.ends_at(id) > moment {
                visit(id);
            }
        }
        let mut id = self.started[at];
        while id < rows.count() && rows.starts_at(id) <= moment {
            if rows.ends_at(id) > moment {
                visit(id);
            }
            id += 1;
        }
    }
}
