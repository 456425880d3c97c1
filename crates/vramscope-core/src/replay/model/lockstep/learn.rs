//! What a difference teaches about blocks from before the first event.

use super::{Lockstep, Request};
use crate::allocator::BlockId;
use crate::allocator::sizes::{MIN_BLOCK, SMALL_SIZE, round_size};

impl Lockstep {
    /// The model took a free piece that the recording did not. If it lies behind a block of uncertain size, that block is larger than it
    /// seemed, by so much that the piece was too small; the comparison then starts again. It cannot be told whether it is larger still.
    pub(super) fn learn_remainder(&mut self, request: Request, served: Option<BlockId>) -> bool {
        let Some((before, piece)) = served.and_then(|id| self.allocator.piece_behind(id)) else {
            return false;
        };
        let rounded = round_size(request.size, self.allocator.config());
        let more = piece.saturating_sub(rounded).saturating_add(MIN_BLOCK);
        let known = self.remainders.get(&before).copied().unwrap_or(0);
        let learnt = known.saturating_add(more);
        let can_be = self.uncertain.contains(&before)
            && learnt <= SMALL_SIZE
            && self.patience_events >= u64::from(self.event);
        if can_be {
            self.remainders.insert(before, learnt);
            self.starts_again = true;
        }
        can_be
    }
}
