//! The seed of a backward: `ones_like(loss)`, a scalar that lives exactly as long as `backward()` runs.

use vramscope_core::order;

use super::rank::falls_or_rises;
use crate::facts::{Facts, NONE};
use crate::thresholds::{
    FALLING_WITH_SEED, FEWEST_COVERED, SCALAR_BYTES, SHARE_OF_BEST_COVER, SHORTEST_SEED,
};

/// A scalar, and what of older allocations dies in its life.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seed {
    pub(super) birth: u32,
    pub(super) death: u32,
}

/// The seed among what is born in an excursion, of which backward frees what is older in reverse order.
pub(super) fn find(facts: &Facts<'_>, (first, last): (u32, u32)) -> Option<Seed> {
    let born = facts.born_in(first, last);
    let latest = last + (last - first) / 2;
    let mut scalars: Vec<Seed> = born
        .clone()
        .filter(|&id| SCALAR_BYTES.contains(&facts.size_bytes(id)) && !facts.is_kept(id))
        .map(|id| Seed { birth: facts.birth(id), death: facts.death(id) })
        .filter(|seed| seed.death - seed.birth.min(seed.death) >= SHORTEST_SEED && seed.death <= latest)
        .collect();
    if scalars.is_empty() {
        return None;
    }
    let covered = cover(facts, born.clone(), &mut scalars, (first, latest));
    let most = covered.iter().copied().max().unwrap_or(0);
    if most < FEWEST_COVERED {
        return None;
    }
    let wide = |n: u32| f64::from(n) >= SHARE_OF_BEST_COVER * f64::from(most);
    let candidates = scalars.iter().zip(&covered).filter(|(_, n)| wide(**n)).map(|(seed, _)| seed);
    let seed = *candidates.min_by_key(|seed| (seed.death - seed.birth, seed.birth))?;
    (falls_or_rises(&births_of_covered(facts, born, seed)) < FALLING_WITH_SEED).then_some(seed)
}

/// How many older allocations die in the life of each scalar. Sorts the scalars by birth, the youngest first.
///
/// Those that die in its life, less those of them that are younger: counted from the youngest to the oldest in a tree of sums over deaths.
fn cover(
    facts: &Facts<'_>,
    born: std::ops::Range<u32>,
    scalars: &mut [Seed],
    (first, latest): (u32, u32),
) -> Vec<u32> {
    order::by_number(scalars, |seed| !u64::from(seed.birth));
    let mut deaths = Sums::new((latest - first) as usize + 1);
    let counts = |id: &u32| facts.size_bytes(*id) > 8 && (first..=latest).contains(&facts.death(*id));
    let all: Vec<u32> = born.filter(counts).collect();
    all.iter().for_each(|&id| deaths.add((facts.death(id) - first) as usize, 1));
    let mut younger = all.len();
    let covered = scalars.iter().map(|seed| {
        // From here on only what is older is counted.
        while younger > 0 && facts.birth(all[younger - 1]) >= seed.birth {
            younger -= 1;
            deaths.add((facts.death(all[younger]) - first) as usize, -1);
        }
        let up_to = |event: u32| deaths.up_to((event - first) as usize);
        (up_to(seed.death) - up_to(seed.birth)).max(0) as u32
    });
    covered.collect()
}

/// Births of what a seed covers, in order of death.
fn births_of_covered(facts: &Facts<'_>, born: std::ops::Range<u32>, seed: Seed) -> Vec<u32> {
    (seed.birth..=seed.death)
        .filter_map(|event| facts.freed_at.get(event as usize).copied())
        .filter(|&id| id != NONE && born.contains(&id) && facts.size_bytes(id) > 8)
        .map(|id| facts.birth(id))
        .filter(|&birth| birth < seed.birth)
        .collect()
}

/// Sums of a row of numbers that change (a Fenwick tree).
struct Sums(Vec<i32>);

impl Sums {
    fn new(n: usize) -> Self {
        Self(vec![0; n + 1])
    }

    fn add(&mut self, at: usize, change: i32) {
        let mut at = at + 1;
        while at < self.0.len() {
            self.0[at] += change;
            at += at & at.wrapping_neg();
        }
    }

    /// The sum up to and with a place.
    fn up_to(&self, at: usize) -> i32 {
        let (mut at, mut sum) = ((at + 1).min(self.0.len() - 1), 0);
        while at > 0 {
            sum += self.0[at];
            at -= at & at.wrapping_neg();
        }
        sum
    }
}
