//! Sawtooth: what reference cycles hold goes only when Python's collector runs, in one burst.

use vramscope_core::order;
use vramscope_core::replay::Category;

use super::places::Places;
use crate::categories::Categories;
use crate::evidence::Flags;
use crate::facts::{Facts, NONE, StackKind};
use crate::numbering::{Numbering, Sums, key};
use crate::phases::Timetable;
use crate::thresholds::{
    FEWEST_IN_BURST, FEWEST_STALE_STEPS, FEWEST_TEETH_WITHOUT_STACKS_OF_FREES, LEAST_BURST_BYTES,
    LEAST_SHARE_OF_BURST, MOST_OF_ONE_PLACE, ROUNDS_OF_TOOTH, ROUNDS_OF_TOOTH_WITHOUT_STACKS,
    SEARCHED_FOR_MORE, SHARE_BY_COLLECTOR, SHARE_OF_PLACE_IN_BURSTS,
};

/// One burst of frees by the collector.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tooth {
    pub(crate) first_event: u32,
    pub(crate) last_event: u32,
    pub(crate) bytes: u64,
    /// What it frees, in order of death.
    pub(crate) ids: Vec<u32>,
    /// The stacks of the frees name the collector.
    pub(crate) certain: bool,
}

pub(super) fn find(facts: &Facts<'_>, table: &Timetable, categories: &Categories) -> Vec<Tooth> {
    let mut teeth: Vec<Tooth> = Vec::new();
    let bursts = bursts(facts);
    let in_bursts = match table.trains() {
        true => InBursts::default(),
        false => deaths_in_bursts(facts, &bursts),
    };
    for burst in bursts {
        let tooth = match table.trains() {
            true => of_training(facts, table, categories, &burst),
            false => of_rounds(facts, &burst, &in_bursts),
        };
        teeth.extend(tooth);
    }
    let certain = teeth.iter().any(|tooth| tooth.certain);
    if table.trains() && !certain && teeth.len() < FEWEST_TEETH_WITHOUT_STACKS_OF_FREES {
        teeth.clear();
    }
    teeth
}

/// Deaths without an alloc between, in order.
fn bursts(facts: &Facts<'_>) -> Vec<Vec<u32>> {
    let (mut bursts, mut burst) = (Vec::new(), Vec::new());
    for event in 0..facts.n {
        match facts.freed_at[event as usize] {
            NONE if facts.is_alloc(event) => {
                if burst.len() >= FEWEST_IN_BURST {
                    bursts.push(std::mem::take(&mut burst));
                }
                burst.clear();
            }
            NONE => {}
            id => burst.push(id),
        }
    }
    if burst.len() >= FEWEST_IN_BURST {
        bursts.push(burst);
    }
    bursts
}

fn tooth(facts: &Facts<'_>, ids: Vec<u32>) -> Option<Tooth> {
    let bytes: u64 = ids.iter().map(|&id| facts.size_bytes(id)).sum();
    let least = LEAST_BURST_BYTES.max((LEAST_SHARE_OF_BURST * facts.peak_bytes as f64) as u64);
    if ids.len() < FEWEST_IN_BURST || bytes < least {
        return None;
    }
    let collected = ids.iter().filter(|&&id| facts.evidence_of_free(id).flags.has(Flags::COLLECTOR)).count();
    Some(Tooth {
        first_event: facts.death(*ids.first()?),
        last_event: facts.death(*ids.last()?),
        bytes,
        certain: collected as f64 >= SHARE_BY_COLLECTOR * ids.len() as f64,
        ids,
    })
}

/// In training: what several earlier steps left, none of it lasting.
fn of_training(
    facts: &Facts<'_>,
    table: &Timetable,
    categories: &Categories,
    burst: &[u32],
) -> Option<Tooth> {
    let step = table.step_at(facts.death(*burst.first()?))?;
    let is_stale = |id: &u32| {
        let lasting = matches!(
            categories.category(*id),
            Category::Parameter | Category::OptimizerState | Category::Gradient
        );
        let born = table.step_at(facts.birth(*id));
        !facts.is_old(*id) && !lasting && born.is_some_and(|born| born < step)
    };
    let stale: Vec<u32> = burst.iter().copied().filter(is_stale).collect();
    let mut steps = Numbering::default();
    for id in &stale {
        steps.of(key(table.step_at(facts.birth(*id)).unwrap_or(0)));
    }
    if steps.len() < FEWEST_STALE_STEPS {
        return None;
    }
    tooth(facts, stale).filter(|tooth| tooth.certain || comes_again(facts, &tooth.ids))
}

/// Without training: by the collector; or many blocks of one place, each of a round of its own, that die in no other way and come again.
fn of_rounds(facts: &Facts<'_>, burst: &[u32], in_bursts: &InBursts) -> Option<Tooth> {
    let ids: Vec<u32> = burst.iter().copied().filter(|&id| !facts.is_old(id)).collect();
    let found = tooth(facts, ids)?;
    if found.certain {
        return Some(found);
    }
    let without_stacks = facts.stacks == StackKind::Absent;
    let sizes = || found.ids.iter().map(|&id| facts.size_bytes(id));
    let alike = sizes().max()? <= sizes().min()?.saturating_mul(2);
    let rounds = rounds(facts, &found.ids);
    let fewest = if without_stacks { ROUNDS_OF_TOOTH_WITHOUT_STACKS } else { ROUNDS_OF_TOOTH };
    if rounds < fewest || 2 * rounds < found.ids.len() || (without_stacks && !alike) {
        return None;
    }
    let mut places = Places::default();
    let mut of_place = Sums::default();
    found.ids.iter().for_each(|&id| of_place.add(key(places.number(facts, id)), 1));
    let most = of_place.all().iter().map(|sum| sum.1).max()?;
    let place = *found.ids.iter().find(|&&id| of_place.count(key(places.number(facts, id))) == most)?;
    let of_one_place = f64::from(most) >= MOST_OF_ONE_PLACE * found.ids.len() as f64;
    let site = key(facts.site(place));
    let (burst, all) = (in_bursts.burst.count(site), in_bursts.all.count(site));
    let only_in_bursts =
        facts.site(place) == 0 || f64::from(burst) >= SHARE_OF_PLACE_IN_BURSTS * f64::from(all);
    (of_one_place && only_in_bursts && comes_again(facts, &found.ids)).then_some(found)
}

/// Deaths by place: in bursts of several rounds, and in all.
#[derive(Default)]
struct InBursts {
    burst: Sums,
    all: Sums,
}

fn deaths_in_bursts(facts: &Facts<'_>, bursts: &[Vec<u32>]) -> InBursts {
    let mut deaths = InBursts::default();
    for id in facts.ids().filter(|&id| !facts.is_kept(id) && !facts.is_old(id)) {
        deaths.all.add(key(facts.site(id)), 1);
    }
    for burst in bursts.iter().filter(|burst| rounds(facts, burst) >= ROUNDS_OF_TOOTH) {
        burst.iter().for_each(|&id| deaths.burst.add(key(facts.site(id)), 1));
    }
    deaths
}

/// Births with a death of something else between: their holders belong to different rounds.
fn rounds(facts: &Facts<'_>, ids: &[u32]) -> usize {
    let mut births: Vec<u32> = ids.iter().map(|&id| facts.birth(id)).collect();
    order::by_number(&mut births, |event| u64::from(*event));
    births.windows(2).filter(|pair| facts.drops_something(pair[0], pair[1])).count() + 1
}

/// The same places go on making blocks that live on.
fn comes_again(facts: &Facts<'_>, ids: &[u32]) -> bool {
    let Some(end) = ids.iter().map(|&id| facts.death(id)).max() else { return false };
    let mut stacks = Numbering::default();
    for &id in ids {
        stacks.of(key(facts.stack(id).0));
    }
    let sizes = || ids.iter().map(|&id| facts.size_bytes(id));
    let (least, most) = (sizes().min().unwrap_or(0), sizes().max().unwrap_or(0));
    let lives_on = |id: &u32| {
        let size = facts.size_bytes(*id);
        let long = facts.is_kept(*id) || facts.death(*id) - facts.birth(*id) > 20;
        stacks.get(key(facts.stack(*id).0)).is_some() && (least..=most).contains(&size) && long
    };
    // What comes again comes soon; the rest of a long trace is not searched for each tooth.
    facts.born_in(end + 1, facts.n).take(SEARCHED_FOR_MORE).filter(lives_on).take(3).count() == 3
}
