//! Places outside training whose base line rises to the end: in bytes and in blocks, in most parts of the trace.

use vramscope_core::order;
use vramscope_core::replay::Phase;

use super::places::grouped;
use crate::categories::Categories;
use crate::evidence::Flags;
use crate::facts::{Facts, NONE, StackKind};
use crate::phases::Timetable;
use crate::thresholds::{
    FEWEST_CALLS, FEWEST_KEPT, FEWEST_LATE_BLOCKS, FEWEST_RISING_PARTS, FEWEST_ROUNDS,
    FEWEST_ROUNDS_WITHOUT_FAILURE, MOST_OF_RISE_IN_ONE_PART,
};

/// A place that keeps more and more.
#[derive(Clone, Debug, Default)]
pub(crate) struct Retained {
    /// Rise in the second half.
    pub(crate) late_bytes: u64,
    /// Rise in all.
    pub(crate) rise_bytes: u64,
    /// Rounds in the second half: births with a death of something else between.
    pub(crate) rounds: u32,
    /// Alive at the end, in order of birth.
    pub(crate) kept: Vec<u32>,
}

/// The trace is cut into so many equal parts; the second half decides.
const PARTS: usize = 8;
const HALF: usize = PARTS / 2;

/// Frees below this do not end the building of things.
const FIRST_FREE_BYTES: u64 = 1024;

pub(super) fn find(
    facts: &Facts<'_>,
    table: &Timetable,
    categories: &Categories,
    from: u32,
) -> Vec<Retained> {
    if facts.n < 20 || is_one_unfinished_pass(facts, table) {
        return Vec::new();
    }
    let first_free = (0..facts.n).find(|&event| frees_something(facts, event)).unwrap_or(facts.n);
    let later = facts.ids().filter(|&id| facts.birth(id) >= from && (!facts.is_old(id) || from == 0));
    let mut found: Vec<Retained> = grouped(facts, later)
        .iter()
        .filter(|ids| may_leak(facts, table, ids))
        .filter_map(|ids| retained(facts, ids, first_free.max(from)))
        .filter(|place| facts.last_oom().is_some() || is_no_cache(place, categories))
        .collect();
    order::by_number(&mut found, |place| !place.late_bytes);
    found
}

/// As long as nothing failed, a cache may still be filling.
fn is_no_cache(place: &Retained, categories: &Categories) -> bool {
    let in_cache = place.kept.iter().filter(|&&id| categories.is_cache(id)).count();
    place.rounds >= FEWEST_ROUNDS_WITHOUT_FAILURE && 2 * in_cache < place.kept.len()
}

fn frees_something(facts: &Facts<'_>, event: u32) -> bool {
    let id = facts.freed_at[event as usize];
    id != NONE && facts.size_bytes(id) >= FIRST_FREE_BYTES
}

/// A first pass that was cut off keeps everything it made, for backward: that is no leak. What begins a pass must come again.
fn is_one_unfinished_pass(facts: &Facts<'_>, table: &Timetable) -> bool {
    if table.trains() {
        return false;
    }
    // Without stacks rounds cannot be told from layers, with native frames alone hardly.
    let failed = facts.last_oom().is_some();
    match facts.stacks {
        StackKind::Absent if failed || facts.snapshot.partial => return true,
        StackKind::Native if !failed && facts.snapshot.partial => return true,
        StackKind::Absent => return false,
        _ => {}
    }
    let is_call = |id: &u32| facts.evidence(*id).flags.has(Flags::FORWARD) && !facts.is_old(*id);
    let Some(first) = facts.ids().find(is_call) else { return false };
    let site = facts.site(first);
    facts.ids().filter(|&id| facts.site(id) == site).take(FEWEST_CALLS).count() < FEWEST_CALLS
}

fn may_leak(facts: &Facts<'_>, table: &Timetable, ids: &[u32]) -> bool {
    let kept = || ids.iter().filter(|&&id| facts.is_kept(id));
    let evidence = facts.evidence(ids[0]);
    let lasting = matches!(evidence.phase, Some(Phase::Build | Phase::Optimizer))
        || evidence.flags.has_any(Flags::WORKSPACE | Flags::BUCKET | Flags::ALL_GATHER);
    let built = || {
        facts.stacks == StackKind::Absent && kept().all(|&id| table.phase(facts.birth(id)) == Phase::Build)
    };
    kept().take(FEWEST_KEPT).count() >= FEWEST_KEPT && !lasting && !built()
}

/// Bytes and blocks alive after an event, as lowest from then on.
#[derive(Clone, Copy, Default)]
struct Low {
    event: u32,
    bytes: u64,
    blocks: u32,
}

fn retained(facts: &Facts<'_>, ids: &[u32], from: u32) -> Option<Retained> {
    let lows = future_lows(facts, ids);
    let from = from.max(lows.first()?.event);
    let edges: Vec<u32> = (0..=PARTS as u64)
        .map(|part| from + (u64::from(facts.n - from) * part / PARTS as u64) as u32)
        .collect();
    let at = |event: u32| match lows.partition_point(|low| low.event <= event) {
        0 => Low::default(),
        n => lows[n - 1],
    };
    let low: Vec<Low> = edges.iter().map(|&edge| at(edge)).collect();
    let rise = |a: usize, b: usize| low[b].bytes.saturating_sub(low[a].bytes);
    let (late, late_blocks) = (rise(HALF, PARTS), low[PARTS].blocks.saturating_sub(low[HALF].blocks));
    let parts = HALF..PARTS;
    let rising = parts.clone().filter(|&p| rise(p, p + 1) > 0 && low[p + 1].blocks > low[p].blocks).count();
    let most = parts.map(|part| rise(part, part + 1)).max().unwrap_or(0);
    let kept: Vec<u32> = ids.iter().copied().filter(|&id| facts.is_kept(id)).collect();
    let rounds = rounds(facts, &kept, edges[HALF]);
    let leaks = late > 0
        && late_blocks >= FEWEST_LATE_BLOCKS
        && rising >= FEWEST_RISING_PARTS
        && most as f64 <= MOST_OF_RISE_IN_ONE_PART * late as f64
        && rounds >= FEWEST_ROUNDS;
    leaks.then(|| Retained { late_bytes: late, rise_bytes: rise(0, PARTS), rounds, kept })
}

/// What is alive after each birth and death, as lowest from then on.
fn future_lows(facts: &Facts<'_>, ids: &[u32]) -> Vec<Low> {
    // Event and what happens, with the allocation beside it.
    let mut changes: Vec<(u64, u32)> = Vec::new();
    for &id in ids {
        changes.push((u64::from(facts.birth(id)) << 1 | 1, id));
        if !facts.is_kept(id) {
            changes.push((u64::from(facts.death(id)) << 1, id));
        }
    }
    order::pairs(&mut changes);
    let mut lows = Vec::with_capacity(changes.len());
    let (mut bytes, mut blocks) = (0u64, 0u32);
    for (packed, id) in changes {
        let event = (packed >> 1) as u32;
        match packed & 1 == 1 {
            true => (bytes, blocks) = (bytes.saturating_add(facts.size_bytes(id)), blocks + 1),
            false => (bytes, blocks) = (bytes.saturating_sub(facts.size_bytes(id)), blocks.saturating_sub(1)),
        }
        lows.push(Low { event, bytes, blocks });
    }
    for at in (1..lows.len()).rev() {
        let next = lows[at];
        let low = &mut lows[at - 1];
        (low.bytes, low.blocks) = (low.bytes.min(next.bytes), low.blocks.min(next.blocks));
    }
    lows
}

/// Births from an event on with a death of anything between.
fn rounds(facts: &Facts<'_>, kept: &[u32], from: u32) -> u32 {
    let births: Vec<u32> = kept.iter().map(|&id| facts.birth(id)).filter(|&birth| birth >= from).collect();
    let apart = births.windows(2).filter(|pair| facts.drops_something(pair[0], pair[1])).count();
    apart as u32 + u32::from(!births.is_empty())
}
