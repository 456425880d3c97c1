//! How many allocations there are of each size: bins by powers of two, or finer.

use serde::Serialize;
use vramscope_core::bits::Bits;

use super::facts::Facts;
use super::list::Sums;
use super::of::Of;

/// A histogram of requested bytes.
#[derive(Clone, Debug, Serialize)]
pub struct Sizes {
    /// From the smallest size to the largest, empty ones in between included.
    pub bins: Vec<Bin>,
    /// All of them together.
    #[serde(flatten)]
    pub sums: Sums,
    /// The largest allocation; 0 if there is none.
    pub largest_bytes: u64,
}

/// Sizes from one on to below another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Bin {
    /// The smallest size in it.
    pub from: u64,
    /// The smallest size beyond it.
    pub to: u64,
    /// What is in it.
    #[serde(flatten)]
    pub sums: Sums,
}

/// Bins of an octave, at most.
const MAX_STEPS: u32 = 8;

impl Sizes {
    /// Of the allocations chosen, with so many bins from a power of two to the next: 1, 2, 4 or 8.
    pub fn new(facts: &Facts<'_>, of: Of, matches: Option<&Bits>, steps: u32) -> Sizes {
        let steps = steps.clamp(1, MAX_STEPS).next_power_of_two().ilog2();
        let mut bins = vec![Sums::default(); 65 << steps];
        let (mut sums, mut largest_bytes) = (Sums::default(), 0);
        of.for_each(facts.replay, matches, &mut |id, matches| {
            let bytes = facts.rows.size_bytes(id);
            bins[bin_of(bytes, steps)].add(bytes, matches);
            sums.add(bytes, matches);
            largest_bytes = largest_bytes.max(bytes);
        });
        let used = |bin: &Sums| bin.of_count > 0;
        let first = bins.iter().position(used).unwrap_or(0);
        let end = bins.iter().rposition(used).map_or(0, |last| last + 1);
        let bin = |at| Bin { from: edge(at, steps), to: edge(at + 1, steps), sums: bins[at] };
        // Below so many bytes an octave has fewer sizes than steps.
        let bins = (first..end).map(bin).filter(|bin| bin.from < bin.to).collect();
        Sizes { bins, sums, largest_bytes }
    }
}

/// Octave 0 holds nothing but 0 bytes; octave *n* begins at 2^(*n* − 1).
fn bin_of(bytes: u64, steps: u32) -> usize {
    let Some(octave) = bytes.checked_ilog2() else { return 0 };
    let within = (u128::from(bytes) << steps >> octave) as usize - (1 << steps);
    // Of several bins that begin at the same size only the last has a width.
    (((octave as usize) + 1) << steps) + within
}

fn edge(bin: usize, steps: u32) -> u64 {
    let (octave, within) = (bin >> steps, bin % (1 << steps));
    let Some(octave) = octave.checked_sub(1) else { return u64::from(within > 0) };
    let edge = (((1 << steps) + within as u128) << octave).div_ceil(1 << steps);
    u64::try_from(edge).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn each_size_lies_in_its_bin(bytes in any::<u64>(), shift in 0u32..64, steps in 0u32..4) {
            let bytes = bytes >> shift;
            let bin = bin_of(bytes, steps);
            prop_assert!(edge(bin, steps) <= bytes, "{bytes} {bin}");
            prop_assert!(bytes < edge(bin + 1, steps) || edge(bin + 1, steps) == u64::MAX, "{bytes} {bin}");
        }
    }

    #[test]
    fn edges_are_powers_of_two_and_parts_between() {
        assert_eq!([0, 1, 2, 11, 12].map(|bin| edge(bin, 0)), [0, 1, 2, 1024, 2048]);
        assert_eq!([44, 45, 46, 47, 48].map(|bin| edge(bin, 2)), [1024, 1280, 1536, 1792, 2048]);
        assert_eq!(bin_of(0, 3), 0);
    }
}
