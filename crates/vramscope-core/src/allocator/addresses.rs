//! R11: where the driver puts segments. Only the order of equal free blocks depends on it.

use std::collections::BTreeMap;

use hashbrown::HashSet;

use super::sizes::{MIB, round_up};

/// Hands out addresses, as `cudaMalloc` and `cuMemAddressReserve` do.
pub trait Addresses {
    /// The address of a new segment.
    fn segment(&mut self, size_bytes: u64) -> u64;
    /// A segment went back.
    fn free(&mut self, address: u64, size_bytes: u64);
    /// The address of a new range for an expandable segment; true if it is invented and the real one will be told later.
    fn range(&mut self, size_bytes: u64) -> (u64, bool);
}

/// What the driver of an H200 was seen to do: stretches of 32 MiB multiples are taken downwards, and later requests are placed
/// first-fit, lowest address first, in the gaps of the stretches that it holds.
#[derive(Clone, Debug)]
pub struct PlainDriver {
    low: u64,
    next_range: u64,
    /// Gaps by address.
    gaps: BTreeMap<u64, u64>,
    stretches: HashSet<u64>,
}

const STRETCH: u64 = 32 * MIB;

/// Gaps tried before a new stretch is taken: more than any program leaves that was not made to.
const MOST_LOOKED_AT: usize = 4096;

impl PlainDriver {
    /// Takes addresses below `top`.
    pub fn new(top: u64) -> Self {
        PlainDriver { low: top, next_range: 1 << 56, gaps: BTreeMap::new(), stretches: HashSet::new() }
    }
}

impl Default for PlainDriver {
    fn default() -> Self {
        PlainDriver::new(0x7f00_0000_0000)
    }
}

impl Addresses for PlainDriver {
    fn segment(&mut self, size_bytes: u64) -> u64 {
        let mut gaps = self.gaps.iter().take(MOST_LOOKED_AT);
        let gap = gaps.find(|(_, size)| **size >= size_bytes).map(|(address, size)| (*address, *size));
        if let Some((address, size)) = gap {
            self.gaps.remove(&address);
            if size > size_bytes {
                self.gaps.insert(address.saturating_add(size_bytes), size - size_bytes);
            }
            return address;
        }
        let stretch = round_up(size_bytes, STRETCH);
        self.low = self.low.saturating_sub(stretch);
        self.stretches.insert(self.low);
        if stretch > size_bytes {
            self.gaps.insert(self.low.saturating_add(size_bytes), stretch - size_bytes);
        }
        self.low
    }

    fn free(&mut self, mut address: u64, mut size_bytes: u64) {
        let end = address.saturating_add(size_bytes);
        if !self.stretches.contains(&end)
            && let Some(size) = self.gaps.remove(&end)
        {
            size_bytes = size_bytes.saturating_add(size);
        }
        let before = self.gaps.range(..address).next_back().map(|(start, size)| (*start, *size));
        if let Some((start, size)) = before
            && start.checked_add(size) == Some(address)
            && !self.stretches.contains(&address)
        {
            self.gaps.remove(&start);
            (address, size_bytes) = (start, size_bytes.saturating_add(size));
        }
        self.gaps.insert(address, size_bytes);
    }

    fn range(&mut self, size_bytes: u64) -> (u64, bool) {
        let base = self.next_range;
        self.next_range = self.next_range.saturating_add(size_bytes);
        (base, false)
    }
}
