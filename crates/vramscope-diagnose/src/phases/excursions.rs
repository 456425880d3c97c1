//! Times in which transient memory rises and falls again.

use crate::facts::{Facts, NONE};
use crate::thresholds::SHARE_OF_EXCURSION;

/// One rise and fall.
#[derive(Clone, Copy, Debug)]
pub(super) struct Excursion {
    pub(super) first: u32,
    pub(super) last: u32,
    /// The event after which most is alive.
    pub(super) top: u32,
}

/// Excursions of what counts as transient.
pub(super) fn find(facts: &Facts<'_>, is_transient: impl Fn(u32, u32) -> bool) -> Vec<Excursion> {
    let alive = alive(facts, is_transient);
    let most = alive.iter().copied().max().unwrap_or(0);
    let low = SHARE_OF_EXCURSION * most as f64;
    let mut found: Vec<Excursion> = Vec::new();
    let mut open: Option<Excursion> = None;
    for (event, &bytes) in alive.iter().enumerate() {
        let event = event as u32;
        match (&mut open, bytes as f64 > low) {
            (None, true) => open = Some(Excursion { first: event, last: event, top: event }),
            (Some(excursion), above) => {
                excursion.last = event;
                if bytes > alive[excursion.top as usize] {
                    excursion.top = event;
                }
                if !above {
                    found.extend(open.take());
                }
            }
            (None, false) => {}
        }
    }
    found.extend(open);
    found
}

/// Bytes of transient allocations after each event.
fn alive(facts: &Facts<'_>, is_transient: impl Fn(u32, u32) -> bool) -> Vec<u64> {
    let mut changes = vec![0u64; facts.n as usize];
    for id in facts.ids().filter(|&id| !facts.is_old(id)) {
        let (birth, death) = (facts.birth(id), facts.death(id));
        if death == NONE || !is_transient(birth, death) {
            continue;
        }
        let size = facts.size_bytes(id);
        if let Some(cell) = changes.get_mut(birth as usize) {
            *cell = cell.wrapping_add(size);
        }
        if let Some(cell) = changes.get_mut(death as usize) {
            *cell = cell.wrapping_sub(size);
        }
    }
    let mut sum = 0u64;
    for cell in &mut changes {
        sum = sum.wrapping_add(*cell);
        *cell = sum;
    }
    changes
}
