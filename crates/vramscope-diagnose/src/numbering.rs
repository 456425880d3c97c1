//! Numbers for keys, in the order in which they come.
//!
//! One map for the whole crate: each type of map is some kilobytes of the page. What belongs to a key lies in a list, at its number.

use hashbrown::HashMap;

/// Keys and their numbers, from 0.
#[derive(Clone, Debug, Default)]
pub(crate) struct Numbering {
    numbers: HashMap<(u64, u64), u32>,
}

impl Numbering {
    /// The number of a key, new or known.
    pub(crate) fn of(&mut self, key: (u64, u64)) -> usize {
        let next = self.numbers.len() as u32;
        *self.numbers.entry(key).or_insert(next) as usize
    }

    /// The number of a key that is known.
    pub(crate) fn get(&self, key: (u64, u64)) -> Option<usize> {
        self.numbers.get(&key).map(|number| *number as usize)
    }

    pub(crate) fn len(&self) -> usize {
        self.numbers.len()
    }
}

/// Sums by key.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sums {
    keys: Numbering,
    /// Bytes and count by number.
    sums: Vec<(u64, u32)>,
}

impl Sums {
    pub(crate) fn add(&mut self, key: (u64, u64), bytes: u64) {
        let number = self.keys.of(key);
        if number == self.sums.len() {
            self.sums.push((0, 0));
        }
        let sum = &mut self.sums[number];
        *sum = (sum.0.saturating_add(bytes), sum.1 + 1);
    }

    /// Bytes and count of a key.
    pub(crate) fn get(&self, key: (u64, u64)) -> (u64, u32) {
        self.keys.get(key).and_then(|number| self.sums.get(number)).copied().unwrap_or_default()
    }

    /// How often a key came.
    pub(crate) fn count(&self, key: (u64, u64)) -> u32 {
        self.get(key).1
    }

    /// All sums, in the order in which their keys came.
    pub(crate) fn all(&self) -> &[(u64, u32)] {
        &self.sums
    }
}

/// A key of one number.
pub(crate) fn key(number: impl Into<u64>) -> (u64, u64) {
    (number.into(), 0)
}
