//! A snapshot with all its devices replayed.

use std::sync::Arc;

use serde::Serialize;

use super::model::Lockstep;
use super::{Filter, Labels, Replay};
use crate::model::{Device, DeviceKind, Snapshot};

/// A snapshot with every device replayed.
#[derive(Debug)]
pub struct Recording {
    /// What the file says.
    pub snapshot: Snapshot,
    /// One for each of the snapshot's devices, in the same order; nothing left out.
    pub replays: Vec<Replay>,
    check: Option<Box<Lockstep>>,
    filter: Filter,
    /// The part that the filter shows, one for each device once it was asked for.
    shown: Vec<Option<Replay>>,
}

/// How far the check of the allocator model has come, over all devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct CheckProgress {
    /// Nothing is left to check.
    pub done: bool,
    /// Events compared.
    pub checked_events: u64,
    /// Events in all.
    pub events: u64,
}

impl Recording {
    /// Replays every device of a snapshot. The allocator model is not checked yet: see [`Recording::check`].
    pub fn build(snapshot: Snapshot) -> Recording {
        let replays = snapshot.devices.iter().map(|device| Replay::build(device, &snapshot)).collect();
        Recording { snapshot, replays, check: None, filter: Filter::default(), shown: Vec::new() }
    }

    /// A device and its replay, by the device's number; under a filter the part that it shows.
    pub fn device(&self, ordinal: i64) -> Option<(&Device, &Replay)> {
        let at = self.index_of(ordinal)?;
        let shown = self.shown.get(at).and_then(Option::as_ref);
        Some((&self.snapshot.devices[at], shown.unwrap_or(&self.replays[at])))
    }

    /// A device with nothing left out.
    pub fn whole_device(&self, ordinal: i64) -> Option<(&Device, &Replay)> {
        let at = self.index_of(ordinal)?;
        Some((&self.snapshot.devices[at], &self.replays[at]))
    }

    fn index_of(&self, ordinal: i64) -> Option<usize> {
        self.snapshot.devices.iter().position(|device| device.ordinal == ordinal)
    }

    /// From now on [`Recording::device`] gives only the part that a filter shows. The work is done when the filter changes.
    pub fn set_filter(&mut self, filter: &Filter) {
        if self.filter != *filter {
            self.filter = filter.clone();
            self.apply_filter();
        }
    }

    /// Takes what a diagnosis says of a device.
    pub fn set_labels(&mut self, ordinal: i64, labels: Labels) {
        let Some(at) = self.index_of(ordinal) else { return };
        let (slots, labels) = (Arc::new(labels.slots()), Arc::new(labels));
        let shown = self.shown.get_mut(at).and_then(Option::as_mut);
        for replay in shown.into_iter().chain([&mut self.replays[at]]) {
            replay.labels = Some(Arc::clone(&labels));
            replay.category_slots = Arc::clone(&slots);
        }
    }

    /// The filter in force.
    pub fn filter(&self) -> &Filter {
        &self.filter
    }

    fn apply_filter(&mut self) {
        self.shown.clear();
        if self.filter.is_empty() {
            return;
        }
        let devices = self.snapshot.devices.iter().zip(&self.replays);
        let shown =
            devices.map(|(device, replay)| Some(replay.filtered(device, &self.snapshot, &self.filter)));
        self.shown = shown.collect();
    }

    /// Goes on checking the allocator model, by about so many events. When it is done, sizes of blocks are exact where it agrees.
    pub fn check(&mut self, events: u32) -> CheckProgress {
        let Some(at) = self.replays.iter().position(|replay| replay.model().is_none()) else {
            return self.check_progress();
        };
        let (device, replay) = (&self.snapshot.devices[at], &self.replays[at]);
        if matches!(device.kind, DeviceKind::Host | DeviceKind::Cpu) {
            self.replays[at].finish_without_check();
            return self.check_progress();
        }
        let mut check =
            self.check.take().unwrap_or_else(|| Box::new(Lockstep::new(&self.snapshot, device, replay)));
        if check.run(&self.snapshot, device, replay, events) {
            self.replays[at].finish_check(device, *check);
            if self.check_progress().done {
                self.apply_filter();
            }
        } else {
            self.check = Some(check);
        }
        self.check_progress()
    }

    /// Checks the allocator model to the end.
    pub fn check_all(&mut self) {
        while !self.check(u32::MAX).done {}
    }

    fn check_progress(&self) -> CheckProgress {
        let done = |replay: &&Replay| replay.model().is_some();
        let events_of = |replay: &Replay| u64::from(replay.end());
        CheckProgress {
            done: self.replays.iter().all(|replay| done(&replay)),
            checked_events: self.replays.iter().filter(done).map(events_of).sum::<u64>()
                + self.check.as_ref().map_or(0, |check| u64::from(check.event())),
            events: self.replays.iter().map(events_of).sum(),
        }
    }
}
