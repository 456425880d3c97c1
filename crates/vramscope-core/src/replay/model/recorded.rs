//! Addresses from the recording.

use crate::allocator::{Addresses, PlainDriver};

/// Hands out the addresses that the recording has for the request at hand; invents others, far away from them.
#[derive(Clone, Debug)]
pub(super) struct RecordedDriver {
    /// Sizes and addresses of the new memory that was recorded for this request.
    offers: Vec<(u64, u64)>,
    invented: PlainDriver,
}

impl RecordedDriver {
    pub(super) fn new() -> Self {
        RecordedDriver { offers: Vec::new(), invented: PlainDriver::new(1 << 62) }
    }

    pub(super) fn offer(&mut self, new_memory: impl Iterator<Item = (u64, u64)>) {
        self.offers.clear();
        self.offers.extend(new_memory);
    }
}

impl Addresses for RecordedDriver {
    fn segment(&mut self, size_bytes: u64) -> u64 {
        match self.offers.iter().position(|(size, _)| *size == size_bytes) {
            Some(at) => self.offers.remove(at).1,
            None => self.invented.segment(size_bytes),
        }
    }

    fn free(&mut self, _address: u64, _size_bytes: u64) {}

    fn range(&mut self, size_bytes: u64) -> (u64, bool) {
        match self.offers.first() {
            Some((_, address)) => (*address, false),
            None => (self.invented.range(size_bytes).0, true),
        }
    }
}
