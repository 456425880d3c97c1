//! A set of allocations, or of anything else that is numbered from 0.

use std::iter;

/// One bit for each number below a length. What lies beyond is never in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bits {
    len: u32,
    words: Vec<u64>,
}

impl Bits {
    /// None of `len` numbers.
    pub fn none(len: u32) -> Bits {
        Bits { len, words: vec![0; (len as usize).div_ceil(64)] }
    }

    /// Those of `len` numbers that `keep` says yes to.
    pub fn of(len: u32, mut keep: impl FnMut(u32) -> bool) -> Bits {
        let word = |start: u32| {
            let end = len.min(start.saturating_add(64));
            (start..end).fold(0, |word, at| word | u64::from(keep(at)) << (at - start))
        };
        Bits { len, words: (0..len).step_by(64).map(word).collect() }
    }

    /// How many numbers it speaks of.
    pub fn len(&self) -> u32 {
        self.len
    }

    /// It speaks of no number at all.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether a number is in it.
    #[inline]
    pub fn has(&self, at: u32) -> bool {
        self.words.get(at as usize / 64).is_some_and(|word| word >> (at % 64) & 1 == 1)
    }

    /// Puts a number in.
    pub fn insert(&mut self, at: u32) {
        if at < self.len
            && let Some(word) = self.words.get_mut(at as usize / 64)
        {
            *word |= 1 << (at % 64);
        }
    }

    /// How many are in it.
    pub fn count(&self) -> u32 {
        self.words.iter().map(|word| word.count_ones()).sum()
    }

    /// Leaves what is in both.
    pub fn and(&mut self, other: &Bits) {
        let others = other.words.iter().copied().chain(iter::repeat(0));
        self.words.iter_mut().zip(others).for_each(|(word, other)| *word &= other);
    }

    /// Adds what is in the other.
    pub fn or(&mut self, other: &Bits) {
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word |= other);
        self.trim();
    }

    /// Turns it round.
    pub fn not(&mut self) {
        self.words.iter_mut().for_each(|word| *word = !*word);
        self.trim();
    }

    /// Those in it, in order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.words.iter().zip((0..).step_by(64)).flat_map(|(&word, start)| {
            let mut left = word;
            iter::from_fn(move || {
                let at = left.trailing_zeros();
                left &= left.checked_sub(1)?;
                Some(start + at)
            })
        })
    }

    /// No bit stands beyond the length.
    fn trim(&mut self) {
        let (over, last) = (self.len % 64, self.words.last_mut());
        if let Some(last) = last.filter(|_| over > 0) {
            *last &= (1 << over) - 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Bits;

    #[test]
    fn sets_of_numbers() {
        let three = Bits::of(200, |at| at % 3 == 0);
        let mut both = Bits::of(200, |at| at % 2 == 0);
        both.and(&three);
        assert_eq!(both, Bits::of(200, |at| at % 6 == 0));
        assert_eq!(both.iter().collect::<Vec<_>>(), (0..200).step_by(6).collect::<Vec<_>>());
        let mut rest = three.clone();
        rest.not();
        assert_eq!((rest.count(), three.count()), (133, 67));
        rest.or(&three);
        assert_eq!((rest.count(), rest.has(199), rest.has(200)), (200, true, false));
        assert_eq!(Bits::none(65).iter().count() + Bits::of(0, |_| true).iter().count(), 0);
    }
}
