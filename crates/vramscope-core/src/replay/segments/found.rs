//! Addresses whose pool was found since reserved memory changed last: a training step uses the same ones again and again.

/// Places of the table; a power of two.
const PLACES: usize = 1 << 12;

/// The pool's index for an address, where it is remembered.
#[derive(Clone, Debug)]
pub(super) struct Found {
    cells: Vec<(u64, u32, u16)>,
    /// Cells of an earlier time are void.
    time: u32,
}

impl Default for Found {
    fn default() -> Self {
        Found { cells: vec![(0, 0, 0); PLACES], time: 1 }
    }
}

impl Found {
    pub(super) fn get(&self, address: u64) -> Option<u16> {
        let (known, time, index) = *self.cells.get(place(address))?;
        (known == address && time == self.time).then_some(index)
    }

    pub(super) fn set(&mut self, address: u64, index: u16) {
        if let Some(cell) = self.cells.get_mut(place(address)) {
            *cell = (address, self.time, index);
        }
    }

    /// Forgets everything.
    pub(super) fn forget(&mut self) {
        // There is one event at most for each step of the clock, and fewer than 2^32 events.
        self.time = self.time.wrapping_add(1);
    }
}

/// Blocks are multiples of 512 bytes.
fn place(address: u64) -> usize {
    ((address >> 9).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize % PLACES
}
