//! The recording as the diagnosis reads it: lives in events, stacks that may be trusted, places.

use vramscope_core::ids::StackId;
use vramscope_core::model::{Action, Device, Snapshot};
use vramscope_core::replay::Replay;

use crate::evidence::{Evidence, Flags};
use crate::sites::Sites;
use crate::thresholds::SHARE_OF_COPIED_STACKS;

/// No event, no allocation.
pub(crate) const NONE: u32 = u32::MAX;

/// Which frames the stacks have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum StackKind {
    Full,
    Python,
    Native,
    #[default]
    Absent,
}

/// Lives of one device's allocations in events, and whose stacks may be trusted: found once, kept between stages.
#[derive(Debug, Default)]
pub(crate) struct Lives {
    /// The event at which the program dropped an allocation, [`NONE`] if it did not.
    deaths: Vec<u32>,
    /// The allocation that an event frees, [`NONE`] if none.
    freed_at: Vec<u32>,
    /// Events that free an allocation of the trace, in order.
    death_events: Vec<u32>,
    stacks: StackKind,
    frees_have_stacks: bool,
}

impl Lives {
    pub(crate) fn of(device: &Device, replay: &Replay, evidence: &[Evidence]) -> Self {
        let n = device.events.len() as u32;
        let rows = replay.allocations();
        let deaths: Vec<u32> = (0..rows.len()).map(|id| death(rows.release(id), rows.end(id), n)).collect();
        let mut freed_at = vec![NONE; n as usize];
        for (id, &event) in deaths.iter().enumerate() {
            if let Some(cell) = freed_at.get_mut(event as usize) {
                *cell = id as u32;
            }
        }
        let death_events = (0..n).filter(|&event| freed_at[event as usize] != NONE).collect();
        let frees_have_stacks = free_stacks_are_own(device, replay, &deaths);
        Self { deaths, freed_at, death_events, stacks: kind_of_stacks(device, evidence), frees_have_stacks }
    }
}

/// With context='alloc' a free repeats the stack of its alloc: it says nothing of who freed.
fn free_stacks_are_own(device: &Device, replay: &Replay, deaths: &[u32]) -> bool {
    let rows = replay.allocations();
    let (mut pairs, mut same, mut any) = (0u64, 0u64, false);
    for (id, &event) in deaths.iter().enumerate().filter(|(_, event)| **event != NONE) {
        let free = device.events.stacks.get(event as usize).copied().unwrap_or(StackId::EMPTY);
        let alloc = rows.stack(id as u32);
        any |= free != StackId::EMPTY;
        if !rows.before_recording(id as u32) && (free != StackId::EMPTY || alloc != StackId::EMPTY) {
            pairs += 1;
            same += u64::from(free == alloc);
        }
    }
    any && (pairs == 0 || (same as f64) < SHARE_OF_COPIED_STACKS * pairs as f64)
}

fn kind_of_stacks(device: &Device, evidence: &[Evidence]) -> StackKind {
    let mut seen = vec![false; evidence.len()];
    for stack in &device.events.stacks {
        if let Some(seen) = seen.get_mut(stack.index()) {
            *seen = true;
        }
    }
    let of_seen = evidence.iter().zip(seen).filter(|(_, seen)| *seen);
    let flags = of_seen.fold(Flags::default(), |flags, (stack, _)| flags | stack.flags);
    match (flags.has(Flags::PYTHON), flags.has(Flags::NATIVE)) {
        (true, true) => StackKind::Full,
        (true, false) => StackKind::Python,
        (false, true) => StackKind::Native,
        (false, false) => StackKind::Absent,
    }
}

/// One device, with what every rule needs.
pub(crate) struct Facts<'a> {
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) device: &'a Device,
    pub(crate) replay: &'a Replay,
    pub(crate) evidence: &'a [Evidence],
    pub(crate) sites: &'a Sites,
    pub(crate) stacks: StackKind,
    /// Frees carry stacks of their own.
    pub(crate) frees_have_stacks: bool,
    deaths: &'a [u32],
    /// The allocation that an event frees, [`NONE`] if none.
    pub(crate) freed_at: &'a [u32],
    death_events: &'a [u32],
    /// Events.
    pub(crate) n: u32,
    /// Requested bytes at the fullest moment.
    pub(crate) peak_bytes: u64,
}

impl<'a> Facts<'a> {
    pub(crate) fn new(
        snapshot: &'a Snapshot,
        (device, replay): (&'a Device, &'a Replay),
        (evidence, sites): (&'a [Evidence], &'a Sites),
        lives: &'a Lives,
    ) -> Self {
        Self {
            snapshot,
            device,
            replay,
            evidence,
            sites,
            stacks: lives.stacks,
            frees_have_stacks: lives.frees_have_stacks,
            deaths: &lives.deaths,
            freed_at: &lives.freed_at,
            death_events: &lives.death_events,
            n: device.events.len() as u32,
            peak_bytes: replay.requested_at(replay.peak()),
        }
    }

    /// All allocations, in order of birth.
    pub(crate) fn ids(&self) -> std::ops::Range<u32> {
        0..self.replay.allocations().len()
    }

    /// Allocations born in some events, which are consecutive.
    pub(crate) fn born_in(&self, first_event: u32, last_event: u32) -> std::ops::Range<u32> {
        let rows = self.replay.allocations();
        let before = |moment: u32| {
            let (mut low, mut high) = (0, rows.len());
            while low < high {
                let middle = low + (high - low) / 2;
                match rows.start(middle) < moment {
                    true => low = middle + 1,
                    false => high = middle,
                }
            }
            low
        };
        before(first_event.saturating_add(1))..before(last_event.saturating_add(2))
    }

    /// It was there before the first event.
    pub(crate) fn is_old(&self, id: u32) -> bool {
        self.replay.allocations().before_recording(id)
    }

    /// The event of its alloc; 0 for what was there before.
    #[inline]
    pub(crate) fn birth(&self, id: u32) -> u32 {
        self.replay.allocations().start(id).saturating_sub(1)
    }

    /// The event at which the program dropped it; [`NONE`] if it did not.
    #[inline]
    pub(crate) fn death(&self, id: u32) -> u32 {
        self.deaths.get(id as usize).copied().unwrap_or(NONE)
    }

    /// Something is dropped in `from..to`.
    pub(crate) fn drops_something(&self, from: u32, to: u32) -> bool {
        let next = self.death_events.partition_point(|&event| event < from);
        self.death_events.get(next).is_some_and(|&event| event < to)
    }

    /// It is there at the end.
    #[inline]
    pub(crate) fn is_kept(&self, id: u32) -> bool {
        self.death(id) == NONE
    }

    #[inline]
    pub(crate) fn size_bytes(&self, id: u32) -> u64 {
        self.replay.allocations().size_bytes(id)
    }

    /// The stack of its alloc; of what was there before, only one that the final segments tell.
    pub(crate) fn stack(&self, id: u32) -> StackId {
        let rows = self.replay.allocations();
        match rows.before_recording(id) && rows.end(id) <= self.replay.end() {
            true => StackId::EMPTY,
            false => rows.stack(id),
        }
    }

    /// What the stack of its alloc says.
    #[inline]
    pub(crate) fn evidence(&self, id: u32) -> Evidence {
        self.evidence_of(self.stack(id))
    }

    /// What the stack of its free says.
    pub(crate) fn evidence_of_free(&self, id: u32) -> Evidence {
        match self.death(id) {
            NONE => Evidence::default(),
            event => self.evidence_of(self.event_stack(event)),
        }
    }

    fn evidence_of(&self, stack: StackId) -> Evidence {
        self.evidence.get(stack.index()).copied().unwrap_or_default()
    }

    /// What an event's stack says.
    #[inline]
    pub(crate) fn evidence_at(&self, event: u32) -> Evidence {
        self.evidence_of(self.event_stack(event))
    }

    /// The stack of an event, if it is its own.
    #[inline]
    pub(crate) fn event_stack(&self, event: u32) -> StackId {
        match self.is_free(event) && !self.frees_have_stacks {
            true => StackId::EMPTY,
            false => self.raw_stack(event),
        }
    }

    fn raw_stack(&self, event: u32) -> StackId {
        self.device.events.stacks.get(event as usize).copied().unwrap_or(StackId::EMPTY)
    }

    /// What happens at an event.
    #[inline]
    pub(crate) fn action(&self, event: u32) -> Action {
        self.device.events.actions.get(event as usize).copied().unwrap_or(Action::Other)
    }

    pub(crate) fn is_alloc(&self, event: u32) -> bool {
        self.action(event) == Action::Alloc
    }

    pub(crate) fn is_free(&self, event: u32) -> bool {
        matches!(self.action(event), Action::FreeRequested | Action::FreeCompleted | Action::Free)
    }

    /// Where it was made, as a number: equal stacks of Python frames are one place; without stacks, equal sizes.
    pub(crate) fn site(&self, id: u32) -> u32 {
        self.sites.of_stack(self.stack(id))
    }

    /// Microseconds of an event since the epoch.
    pub(crate) fn time_us(&self, event: u32) -> Option<i64> {
        self.device.events.time_us(event as usize)
    }

    /// A request failed.
    pub(crate) fn last_oom(&self) -> Option<u32> {
        self.replay.ooms().last().copied()
    }
}

fn death(release: u32, end: u32, n: u32) -> u32 {
    let dropped = |moment: &u32| (1..=n).contains(moment);
    [release, end].iter().find(|moment| dropped(moment)).map_or(NONE, |moment| moment - 1)
}
