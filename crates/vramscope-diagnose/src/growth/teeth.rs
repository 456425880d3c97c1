//! Sawtooth: what reference cycles hold goes only when Python's collector runs, in one burst.

use hashbrown::{HashMap, HashSet};
use vramscope_core::replay::Category;

use super::places::Places;
use crate::categories::Categories;
use crate::evidence::Flags;
use crate::facts::{Facts, NONE, StackKind};
use crate::phases::Timetable;
use crate::thresholds::{
    FEWEST_IN_BURST, FEWEST_STALE_STEPS, FEWEST_TEETH_WITHOUT_STACKS_OF_FREES, LEAST_BURST_BYTES,
    LEAST_SHARE_OF_BURST, MOST_OF_ONE_PLACE, ROUNDS_OF_TOOTH, ROUNDS_OF_TOOTH_WITHOUT_STACKS,
    SHARE_BY_COLLECTOR, SHARE_OF_PLACE_IN_BURSTS,
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
        true => HashMap::new(),
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
    let steps: HashSet<Option<u32>> = stale.iter().map(|&id| table.step_at(facts.birth(id))).collect();
    if steps.len() < FEWEST_STALE_STEPS {
        return None;
    }
    tooth(facts, stale).filter(|tooth| tooth.certain || comes_again(facts, &tooth.ids))
}

/// Without training: by the collector; or many blocks of one place, each of a round of its own, that die in no other way and come again.
fn of_rounds(facts: &Facts<'_>, burst: &[u32], in_bursts: &HashMap<u32, (u32, u32)>) -> Option<Tooth> {
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
    let mut of_place: HashMap<u32, u32> = HashMap::new();
    found.ids.iter().for_each(|&id| *of_place.entry(places.number(facts, id)).or_default() += 1);
    let (&place, &most) = of_place.iter().max_by_key(|(place, n)| (**n, **place))?;
    let of_one_place = f64::from(most) >= MOST_OF_ONE_PLACE * found.ids.len() as f64;
    let only_in_bursts = facts.site(found.ids[0]) == 0
        || in_bursts
            .get(&place)
            .is_none_or(|(burst, all)| f64::from(*burst) >= SHARE_OF_PLACE_IN_BURSTS * f64::from(*all));
    (of_one_place && only_in_bursts && comes_again(facts, &found.ids)).then_some(found)
}

/// By place: deaths in bursts of several rounds, and deaths in all.
fn deaths_in_bursts(facts: &Facts<'_>, bursts: &[Vec<u32>]) -> HashMap<u32, (u32, u32)> {
    let mut deaths: HashMap<u32, (u32, u32)> = HashMap::new();
    for id in facts.ids().filter(|&id| !facts.is_kept(id) && !facts.is_old(id)) {
        deaths.entry(facts.site(id)).or_default().1 += 1;
    }
    for burst in bursts.iter().filter(|burst| rounds(facts, burst) >= ROUNDS_OF_TOOTH) {
        for &id in burst {
            deaths.entry(facts.site(id)).or_default().0 += 1;
        }
    }
    deaths
}

/// Births with a death of something else between: their holders belong to different rounds.
fn rounds(facts: &Facts<'_>, ids: &[u32]) -> usize {
    let mut births: Vec<u32> = ids.iter().map(|&id| facts.birth(id)).collect();
    births.sort_unstable();
    births.windows(2).filter(|pair| facts.drops_something(pair[0], pair[1])).count() + 1
}

/// The same places go on making blocks that live on.
fn comes_again(facts: &Facts<'_>, ids: &[u32]) -> bool {
    let Some(end) = ids.iter().map(|&id| facts.death(id)).max() else { return false };
    let stacks: HashSet<_> = ids.iter().map(|&id| facts.stack(id)).collect();
    let sizes = || ids.iter().map(|&id| facts.size_bytes(id));
    let (least, most) = (sizes().min().unwrap_or(0), sizes().max().unwrap_or(0));
    let lives_on = |id: &u32| {
        let size = facts.size_bytes(*id);
        let long = facts.is_kept(*id) || facts.death(*id) - facts.birth(*id) > 20;
        stacks.contains(&facts.stack(*id)) && (least..=most).contains(&size) && long
    };
    facts.born_in(end + 1, facts.n).filter(lives_on).take(3).count() == 3
}
