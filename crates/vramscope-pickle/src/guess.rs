//! What comes next, by what came last: steps of a training loop repeat.

/// Places of the table; a power of two.
const PLACES: usize = 4096;
/// No guess.
pub(crate) const NONE: u32 = u32::MAX;

/// For the last two numbers, which two have followed them, the newest first.
pub(crate) struct Guess {
    after: Vec<[u32; 2]>,
    last: [u32; 2],
}

impl Default for Guess {
    fn default() -> Self {
        Guess { after: vec![[NONE; 2]; PLACES], last: [NONE; 2] }
    }
}

impl Guess {
    /// The numbers that may come now, the likelier first.
    #[inline]
    pub(crate) fn next(&self) -> [u32; 2] {
        self.after.get(self.place()).copied().unwrap_or([NONE; 2])
    }

    /// What came; `guessed` is what [`Guess::next`] had said.
    #[inline]
    pub(crate) fn came(&mut self, number: u32, guessed: [u32; 2]) {
        if guessed[0] != number {
            let place = self.place();
            if let Some(known) = self.after.get_mut(place) {
                *known = [number, guessed[0]];
            }
        }
        self.last = [number, self.last[0]];
    }

    #[inline]
    fn place(&self) -> usize {
        let [one, two] = self.last.map(u64::from);
        let mixed = (one << 32 | two).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> 32) as usize % PLACES
    }
}
