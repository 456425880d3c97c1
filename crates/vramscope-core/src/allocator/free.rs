//! R7: free and merge (`free`, `free_block`, `try_merge_blocks`).

use super::Allocator;
use super::blocks::BlockId;

/// A dropped block that is waited for. Blocks are used again; a ticket never is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ticket(u64);

impl Allocator {
    /// The program drops a block. Until [`Allocator::free_completed`] it is active and nobody can have it. `None` if it does not
    /// hold the block.
    pub fn free_requested(&mut self, id: BlockId) -> Option<Ticket> {
        let block = self.blocks.get_mut(id);
        if !block.allocated {
            return None;
        }
        (block.allocated, block.pending) = (false, true);
        block.ticket = self.next_ticket;
        self.waiting.insert((0, 0, self.next_ticket), id);
        self.next_ticket += 1;
        self.statistics.allocated.down(block.size_bytes);
        Some(Ticket(block.ticket))
    }

    /// The ticket of a block that was adopted while it waited.
    pub fn ticket_of(&self, id: BlockId) -> Ticket {
        Ticket(self.blocks.get(id).ticket)
    }

    /// A dropped block becomes free and merges with its free neighbours. Nothing happens if it has been completed already, as a
    /// retry does with all waiting blocks.
    pub fn free_completed(&mut self, ticket: Ticket) {
        if let Some(id) = self.waiting.remove(&(0, 0, ticket.0)) {
            self.blocks.get_mut(id).pending = false;
            self.join_free(id);
        }
    }

    /// The program drops a block that no other stream uses: it becomes free at once. Nothing happens if it does not hold the block.
    pub fn free(&mut self, id: BlockId) {
        let block = self.blocks.get_mut(id);
        if block.allocated {
            block.allocated = false;
            self.statistics.allocated.down(block.size_bytes);
            self.join_free(id);
        }
    }

    /// A block that nobody uses any longer joins the free ones.
    fn join_free(&mut self, id: BlockId) {
        let block = self.blocks.get(id);
        self.statistics.active.down(block.size_bytes);
        self.statistics.requested.down(block.requested_bytes);
        let (prev, next) = (block.prev, block.next);
        let merged = self.try_merge(id, prev) + self.try_merge(id, next);
        self.insert_free(id);
        let block = self.blocks.get(id);
        if !block.is_expandable() {
            let now = if block.is_split() { block.size_bytes } else { 0 };
            match now >= merged {
                true => self.statistics.inactive_split.up(now - merged),
                false => self.statistics.inactive_split.down(merged - now),
            }
        }
    }

    /// All waiting blocks become free, in the order in which they were dropped.
    pub(super) fn complete_all(&mut self) {
        let waiting: Vec<u64> = self.waiting.keys().map(|key| key.2).collect();
        for ticket in waiting {
            self.free_completed(Ticket(ticket));
        }
    }

    /// Takes a free neighbour into a block, if both are mapped or both are not. Returns its bytes.
    pub(super) fn try_merge(&mut self, into: BlockId, neighbour: Option<BlockId>) -> u64 {
        let Some(other) = neighbour else { return 0 };
        let taken = self.blocks.get(other).clone();
        if !taken.is_free() || taken.mapped != self.blocks.get(into).mapped {
            return 0;
        }
        match taken.mapped {
            true => self.remove_free(other),
            false => self.remove_unmapped(other),
        }
        let block = self.blocks.get_mut(into);
        block.size_bytes = block.size_bytes.saturating_add(taken.size_bytes);
        let (mut prev, mut next) = (block.prev, block.next);
        if prev == Some(other) {
            block.address = taken.address;
            prev = taken.prev;
        } else {
            next = taken.next;
        }
        self.blocks.link(into, prev, next);
        self.blocks.remove(other);
        taken.size_bytes
    }
}
