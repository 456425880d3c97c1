//! Order: the one place that sorts.
//!
//! Each type and each comparison that is handed to the sorts of the standard library is five to ten kilobytes of the page. So what is sorted
//! here are always pairs of a number and a place, or places by a comparison that is called through a pointer; then the items are moved. All of
//! it keeps equal items in their order.

use std::cmp::Ordering;

/// Sorts by a number: the fast way.
pub fn by_number<T>(items: &mut [T], number: impl Fn(&T) -> u64) {
    if items.is_sorted_by_key(&number) {
        return;
    }
    let mut numbers: Vec<(u64, u32)> = items.iter().zip(0..).map(|(item, at)| (number(item), at)).collect();
    pairs(&mut numbers);
    arrange(items, numbers.iter().map(|(_, at)| *at).collect());
}

/// Sorts by a number that has few values, in two passes.
pub fn by_class<T>(items: &mut [T], class: impl Fn(&T) -> u8) {
    let mut next = [0u32; 257];
    for item in &*items {
        next[usize::from(class(item)) + 1] += 1;
    }
    for class in 1..next.len() {
        next[class] += next[class - 1];
    }
    let mut order = vec![0; items.len()];
    for (item, at) in items.iter().zip(0..) {
        let place = &mut next[usize::from(class(item))];
        order[*place as usize] = at;
        *place += 1;
    }
    arrange(items, order);
}

/// Sorts by a comparison.
pub fn by<T>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    let order = of(items.len(), |a, b| compare(&items[a], &items[b]));
    arrange(items, order);
}

/// The places 0 to `len` in the order of a comparison of places.
pub fn of(len: usize, compare: impl Fn(usize, usize) -> Ordering) -> Vec<u32> {
    let mut order: Vec<u32> = (0..len as u32).collect();
    compared(&mut order, &|a, b| compare(a as usize, b as usize));
    order
}

/// Sorts millions of numbers by a key of theirs, digit by digit, and only by those bits in which keys differ: sizes, addresses and events need
/// two or three passes, a column of few values one. Eight bytes for each number, twice.
#[inline(never)]
pub fn by_key(numbers: &mut [u32], key: &dyn Fn(u32) -> u64) {
    const LOW: u64 = u32::MAX as u64;
    let (mut all, mut any, mut last, mut rises) = (u64::MAX, 0, 0, true);
    let low_half = |&number: &u32| {
        let key = key(number);
        (all, any, rises, last) = (all & key, any | key, rises && last <= key, key);
        key << 32 | u64::from(number)
    };
    let mut keyed: Vec<u64> = numbers.iter().map(low_half).collect();
    if rises {
        return;
    }
    let mut spare = vec![0; keyed.len()];
    let differ = all ^ any;
    let (mut low, high, mut base) = (differ.trailing_zeros(), u64::BITS - differ.leading_zeros(), 0);
    while low < high {
        if high > base + 32 {
            base = low;
            keyed.iter_mut().for_each(|pair| *pair = key(*pair as u32) >> base << 32 | *pair & LOW);
        }
        let end = high.min(base + 32);
        by_bits(&mut keyed, &mut spare, 32 + low - base, 32 + end - base);
        low = end;
    }
    numbers.iter_mut().zip(keyed).for_each(|(number, pair)| *number = pair as u32);
}

/// The first `count` of numbers by several keys, the first of which decides, as sorting all of them would put them: what is in sight of millions
/// of rows is there long before all are in order. Eight bytes for each number.
#[inline(never)]
pub fn first_by_keys(numbers: &[u32], count: usize, keys: &[&dyn Fn(u32) -> u64]) -> Vec<u32> {
    const BITS: u32 = 11;
    let (mut sure, mut open) = (Vec::new(), numbers.to_vec());
    let mut undecided = keys.iter();
    let mut next = undecided.next();
    // Of those that are open, as many are wanted as are not sure yet. Each round leaves open those with one digit of a key.
    while let (Some(key), true) = (next, open.len() > count.saturating_sub(sure.len())) {
        let (mut all, mut any) = (u64::MAX, 0);
        let look = |&number: &u32| {
            let key = key(number);
            (all, any) = (all & key, any | key);
            key
        };
        let found: Vec<u64> = open.iter().map(look).collect();
        if all == any {
            next = undecided.next();
            continue;
        }
        let shift = (u64::BITS - (all ^ any).leading_zeros()).saturating_sub(BITS);
        let digit = |key: u64| (key >> shift) as usize % (1 << BITS);
        let mut counts = vec![0usize; 1 << BITS];
        found.iter().for_each(|key| counts[digit(*key)] += 1);
        let mut enough = sure.len();
        let last = counts.iter().position(|more| {
            enough += more;
            enough >= count
        });
        let last = last.unwrap_or(counts.len());
        let mut still = Vec::new();
        for (number, key) in open.into_iter().zip(found) {
            match digit(key).cmp(&last) {
                Ordering::Less => sure.push(number),
                Ordering::Equal => still.push(number),
                Ordering::Greater => {}
            }
        }
        open = still;
    }
    open.truncate(count.saturating_sub(sure.len()));
    sure.append(&mut open);
    keys.iter().rev().for_each(|key| by_key(&mut sure, key));
    sure
}

/// By the bits `from..to`, 11 at a time, the low ones first. A digit that all have alike needs no pass.
fn by_bits(keyed: &mut Vec<u64>, spare: &mut Vec<u64>, from: u32, to: u32) {
    const BITS: usize = 11;
    let mut next = vec![0u32; 1 << BITS];
    for shift in (from..to).step_by(BITS) {
        let digit = |pair: u64| (pair >> shift) as usize % (1 << BITS);
        next.fill(0);
        for &pair in &*keyed {
            next[digit(pair)] += 1;
        }
        if keyed.first().is_none_or(|&pair| next[digit(pair)] as usize == keyed.len()) {
            continue;
        }
        let mut start = 0;
        for count in &mut next {
            start += std::mem::replace(count, start);
        }
        for &pair in &*keyed {
            let place = &mut next[digit(pair)];
            spare[*place as usize] = pair;
            *place += 1;
        }
        std::mem::swap(keyed, spare);
    }
}

/// Sorts numbers with something beside them.
#[inline(never)]
pub fn pairs(pairs: &mut [(u64, u32)]) {
    pairs.sort_unstable();
}

#[inline(never)]
fn compared(order: &mut [u32], compare: &dyn Fn(u32, u32) -> Ordering) {
    order.sort_unstable_by(|&a, &b| compare(a, b).then(a.cmp(&b)));
}

/// Puts the item from `order[n]` at place n, for all n: along each circle of places that take from each other.
fn arrange<T>(items: &mut [T], mut order: Vec<u32>) {
    for first in 0..order.len() {
        let mut at = first;
        loop {
            let from = std::mem::replace(&mut order[at], at as u32) as usize;
            if from == first || from == at {
                break;
            }
            items.swap(at, from);
            at = from;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn digit_by_digit_is_stable(
            keys in proptest::collection::vec(any::<u64>(), 1..600),
            (few, up, fixed) in (0u32..64, 0u32..64, any::<u64>()),
        ) {
            // Differ in bits anywhere, and are alike in the others.
            let key = |at: u32| (keys[at as usize] >> few << up) ^ fixed;
            let mut numbers: Vec<u32> = (0..keys.len() as u32).chain(0..keys.len() as u32).rev().collect();
            let mut expected = numbers.clone();
            expected.sort_by_key(|&at| key(at));
            by_key(&mut numbers, &key);
            prop_assert_eq!(numbers, expected);
        }

        #[test]
        fn the_first_are_those_of_all_in_order(
            keys in proptest::collection::vec((any::<u64>(), 0u64..4), 1..600),
            (few, up, count, one) in (0u32..64, 0u32..64, 0usize..700, any::<bool>()),
        ) {
            let wide = |at: u32| keys[at as usize].0 >> few << up;
            let narrow = |at: u32| keys[at as usize].1;
            let by: [&dyn Fn(u32) -> u64; 2] = if one { [&wide, &narrow] } else { [&narrow, &wide] };
            let numbers: Vec<u32> = (0..keys.len() as u32).rev().collect();
            let mut expected = numbers.clone();
            expected.sort_by_key(|&at| (by[0](at), by[1](at)));
            expected.truncate(count);
            prop_assert_eq!(first_by_keys(&numbers, count, &by), expected);
        }

        #[test]
        fn all_ways_sort_as_the_standard_library(keys in proptest::collection::vec(any::<u8>(), 0..600)) {
            let items: Vec<(u8, usize)> = keys.iter().map(|key| key % 50).zip(0..).collect();
            let mut expected = items.clone();
            expected.sort_by_key(|item| item.0);
            let (mut number, mut class, mut compared) = (items.clone(), items.clone(), items.clone());
            by_number(&mut number, |item| u64::from(item.0));
            by_class(&mut class, |item| item.0);
            by(&mut compared, |a, b| a.0.cmp(&b.0));
            prop_assert_eq!(&number, &expected);
            prop_assert_eq!(&class, &expected);
            prop_assert_eq!(&compared, &expected);
            let order = of(items.len(), |a, b| items[a].0.cmp(&items[b].0));
            prop_assert_eq!(order.into_iter().map(|at| items[at as usize]).collect::<Vec<_>>(), expected);
        }
    }
}
