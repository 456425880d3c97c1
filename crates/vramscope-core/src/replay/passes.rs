//! Long loops in short calls.
//!
//! A browser starts a function in code that was compiled in haste, and puts better code in its place only where the function is entered
//! again. One loop over ten million events would run to its end three times too slow; in stretches all but the first few are fast.

use std::ops::Range;

/// Turns of a loop between two calls.
const STRETCH: usize = 1 << 14;

/// Calls `each` for every number below `n`, in order.
pub(super) fn for_each(n: usize, mut each: impl FnMut(usize)) {
    let mut from = 0;
    while from < n {
        let to = n.min(from + STRETCH);
        stretch(from..to, &mut each);
        from = to;
    }
}

#[inline(never)]
fn stretch(range: Range<usize>, each: &mut impl FnMut(usize)) {
    range.for_each(each);
}
