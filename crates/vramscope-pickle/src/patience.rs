//! When looking for what was there before is not worth it: a file in which nothing comes again must not be slower for it.

/// What is not found counts so much; what is found takes 1 back.
const MISS: u32 = 4;
/// Beyond the patience only one in so many is looked for.
const SELDOM: u32 = 32;

/// Decides what is looked for.
pub(crate) struct Patience {
    most: u32,
    missed: u32,
    /// Passed over since one was looked for.
    passed: u32,
}

impl Patience {
    /// For so many misses in a row.
    pub(crate) const fn new(misses: u32) -> Self {
        Patience { most: misses * MISS, missed: 0, passed: 0 }
    }

    /// Whether to look for this one.
    #[inline]
    pub(crate) fn allows(&mut self) -> bool {
        if self.missed > self.most && self.passed < SELDOM {
            self.passed += 1;
            return false;
        }
        self.passed = 0;
        true
    }

    /// Whether the last one was passed over.
    pub(crate) fn passed_over(&self) -> bool {
        self.passed > 0
    }

    #[inline]
    pub(crate) fn hit(&mut self) {
        self.missed = self.missed.saturating_sub(1);
    }

    pub(crate) fn miss(&mut self) {
        self.missed = (self.missed + MISS).min(self.most + SELDOM);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hits_pay_misses_back() {
        let mut patience = Patience::new(2);
        let mut allowed = |hits: bool| {
            let allowed = patience.allows();
            match (allowed, hits) {
                (true, true) => patience.hit(),
                (true, false) => patience.miss(),
                _ => {}
            }
            allowed
        };
        assert!((0..3).all(|_| allowed(false)));
        assert_eq!((0..330).filter(|_| allowed(false)).count(), 10, "one in 33");
        // Thirty-two hits pay back; from then on every one is allowed.
        assert_eq!((0..40 * 33).filter(|_| allowed(true)).count(), 32 + 8 * 33);
    }
}
