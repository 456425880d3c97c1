//! Phases where no stack tells: the rise of transient memory is forward, its fall in reverse order backward, the last burst of frees zero_grad.

use vramscope_core::order;
use vramscope_core::replay::Phase;

use super::excursions::{self, Excursion};
use super::from_stacks::EventEvidence;
use super::rank::falls_or_rises;
use super::seed::{self, Seed};
use crate::facts::{Facts, NONE};
use crate::thresholds::{FALLING_WITHOUT_SEED, FEWEST_ALLOCS_OF_BACKWARD};

/// One reading of the trace.
struct Reading {
    phases: Vec<Option<Phase>>,
    /// Excursions that look like training steps and have a seed.
    seeds: u32,
    trains: bool,
}

/// Of five readings of "transient" the one with the most training steps; of equal ones the first.
pub(super) fn evidence(facts: &Facts<'_>) -> EventEvidence {
    let mut evidence = EventEvidence::none(facts.n);
    if facts.n == 0 {
        return evidence;
    }
    let n = facts.n;
    let teardown = (0..n).rev().find(|&event| facts.is_alloc(event)).map_or(0, |event| event + 1);
    let readings: [&dyn Fn(u32, u32) -> bool; 5] = [
        &|_, _| true,
        &|birth, death| death < teardown || death - birth < n / 3,
        &|_, death| death < teardown,
        &|birth, death| death - birth < n / 2,
        &|birth, death| death - birth < n / 5,
    ];
    let mut best: Option<Reading> = None;
    for is_transient in readings {
        let reading = read(facts, &excursions::find(facts, is_transient));
        if best.as_ref().is_none_or(|best| reading.seeds > best.seeds) {
            best = Some(reading);
        }
    }
    let Some(mut best) = best else { return evidence };
    if best.trains {
        let first = best.phases.iter().position(Option::is_some).unwrap_or(best.phases.len());
        best.phases[..first].fill(Some(Phase::Build));
    }
    evidence.phases = best.phases;
    evidence
}

fn read(facts: &Facts<'_>, excursions: &[Excursion]) -> Reading {
    let mut reading = Reading { phases: vec![None; facts.n as usize], seeds: 0, trains: false };
    let mut previous_end = None;
    for excursion in excursions {
        let (first, last) = (excursion.first, excursion.last);
        let seed = seed::find(facts, (first, last));
        if seed.is_some() || falls_in_reverse(facts, excursion) {
            let parts = Parts::of(facts, excursion, seed, previous_end);
            parts.write(&mut reading.phases, last);
            reading.seeds += u32::from(seed.is_some());
            reading.trains = true;
        } else {
            reading.phases[first as usize..=last as usize].fill(Some(Phase::Forward));
        }
        previous_end = Some(last);
    }
    reading
}

/// What is alive at the top dies in reverse order, and about as much is allocated while it falls as while it rose.
fn falls_in_reverse(facts: &Facts<'_>, excursion: &Excursion) -> bool {
    let Excursion { first, last, top } = *excursion;
    let at_top = alive_at(facts, (first, top), top, last);
    if at_top.len() < 4 {
        return false;
    }
    let mut by_death: Vec<(u64, u32)> =
        at_top.iter().map(|&id| (u64::from(facts.death(id)), facts.birth(id))).collect();
    order::pairs(&mut by_death);
    let births: Vec<u32> = by_death.iter().map(|(_, birth)| *birth).collect();
    if falls_or_rises(&births) >= FALLING_WITHOUT_SEED {
        return false;
    }
    let last_death = at_top.iter().map(|&id| facts.death(id)).max().unwrap_or(top);
    let rising = facts.born_in(first, top).len() as f64;
    let falling = facts.born_in(top + 1, last_death.min(last)).len() as f64;
    falling >= FEWEST_ALLOCS_OF_BACKWARD * rising
}

/// Allocations born in a range that are alive after `event` and die by `last`.
fn alive_at(facts: &Facts<'_>, (first, end): (u32, u32), event: u32, last: u32) -> Vec<u32> {
    let dies_later = |id: &u32| facts.death(*id) > event && facts.death(*id) <= last;
    facts.born_in(first, end).filter(dies_later).collect()
}

/// Where one training step divides.
struct Parts {
    forward: u32,
    last_forward: u32,
    last_backward: u32,
    /// First event of the last burst of frees.
    burst: u32,
}

impl Parts {
    fn of(facts: &Facts<'_>, excursion: &Excursion, seed: Option<Seed>, previous_end: Option<u32>) -> Self {
        let Excursion { first, last, top } = *excursion;
        let end_of_allocs = (top + 1..=last).rev().find(|&event| facts.is_alloc(event)).unwrap_or(top);
        let burst = end_of_allocs + 1;
        let last_forward = match seed {
            Some(seed) => seed.birth.saturating_sub(1),
            None => most_alive(facts, (first, last), burst),
        };
        let forward = beginning(facts, first, burst, previous_end);
        let last_backward = match seed {
            Some(seed) => seed.death,
            None => end_of_backward(facts, excursion, (forward, last_forward, burst)),
        };
        Self { forward, last_forward, last_backward, burst }
    }

    fn write(&self, phases: &mut [Option<Phase>], last: u32) {
        for event in self.forward..=last {
            let phase = if event <= self.last_forward {
                Phase::Forward
            } else if event <= self.last_backward {
                Phase::Backward
            } else if event < self.burst {
                Phase::Optimizer
            } else {
                Phase::ZeroGrad
            };
            if let Some(cell) = phases.get_mut(event as usize) {
                *cell = Some(phase);
            }
        }
    }
}

/// The last event at which most allocations are alive that die before the burst: bytes would be most inside backward or optimizer.
fn most_alive(facts: &Facts<'_>, (first, last): (u32, u32), burst: u32) -> u32 {
    let mut changes = vec![0i32; (last - first) as usize + 2];
    for id in facts.born_in(first, last).filter(|&id| facts.death(id) < burst) {
        changes[(facts.birth(id) - first) as usize] += 1;
        changes[(facts.death(id) - first) as usize] -= 1;
    }
    let (mut alive, mut most, mut at) = (0, i32::MIN, 0);
    for (nth, change) in changes.iter().enumerate() {
        alive += change;
        if alive >= most {
            (most, at) = (alive, nth);
        }
    }
    first + at as u32
}

/// Forward began with the first allocation that overlaps what dies inside.
fn beginning(facts: &Facts<'_>, first: u32, burst: u32, previous_end: Option<u32>) -> u32 {
    let from = previous_end.map_or(0, |end| end + 1);
    let mut beginning = first;
    if from >= first {
        return beginning;
    }
    for id in facts.born_in(from, first - 1).rev().filter(|&id| !facts.is_old(id)) {
        if (beginning..burst).contains(&facts.death(id)) {
            beginning = facts.birth(id);
        }
    }
    beginning
}

/// The death of the last allocation made in forward, then of those made in backward so far, and the frees right after it.
fn end_of_backward(
    facts: &Facts<'_>,
    excursion: &Excursion,
    (forward, last_forward, burst): (u32, u32, u32),
) -> u32 {
    let Excursion { first, last, .. } = *excursion;
    let saved = alive_at(facts, (forward, last_forward), last_forward, last);
    let deaths = saved.iter().map(|&id| facts.death(id)).filter(|&death| death < burst);
    let mut end = deaths.max().unwrap_or(burst.saturating_sub(1));
    let born = facts.born_in(last_forward + 1, last);
    for id in born {
        if facts.birth(id) > end {
            break;
        }
        if facts.death(id) < burst {
            end = end.max(facts.death(id));
        }
    }
    while end + 1 < burst && !facts.is_alloc(end + 1) {
        let freed = facts.freed_at.get(end as usize + 1).copied().unwrap_or(NONE);
        let inside = freed != NONE && facts.birth(freed) >= first && !facts.is_old(freed);
        if inside && facts.birth(freed) > end {
            break;
        }
        end += 1;
    }
    end
}
