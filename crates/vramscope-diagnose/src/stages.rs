//! The diagnosis in stages, so that a page can answer between them, and show what is ready.

use serde::Serialize;
use vramscope_core::replay::Recording;

use crate::analysis::Analysis;
use crate::assemble;
use crate::categories::Categories;
use crate::diagnose::Options;
use crate::growth::Growth;
use crate::labelling::{Reading, Stacks};
use crate::oom::{self, Oom, Trial};
use crate::report::DeviceReport;

/// What one call did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Progress {
    /// The stage that is done now.
    pub stage: &'static str,
    /// Nothing is left to do.
    pub done: bool,
    /// Phases and categories of a device are new.
    pub labels: bool,
}

/// A diagnosis under way: one for a recording.
#[derive(Debug, Default)]
pub struct Diagnosing {
    stacks: Option<Stacks>,
    devices: Vec<Device>,
    /// Reports were made after the allocator model had been checked.
    refined: bool,
}

#[derive(Debug, Default)]
struct Device {
    ordinal: i64,
    reading: Reading,
    growth: Option<Growth>,
    report: Option<DeviceReport>,
    /// Whether expandable segments would have served the failed request.
    trial: Option<Trial>,
}

/// Events of a trial in one call.
const TRIAL_EVENTS: u32 = 20_000;

impl Diagnosing {
    /// Does the next stage. Once everything is done it does nothing, but after [`Recording::check`] it refines what depends on it.
    pub fn step(&mut self, recording: &mut Recording) -> Progress {
        let Some(stacks) = self.stacks.as_ref() else {
            self.stacks = Some(Stacks::of(recording));
            let devices = recording.snapshot.devices.iter();
            self.devices =
                devices.map(|device| Device { ordinal: device.ordinal, ..Device::default() }).collect();
            return progress("stacks", self.devices.is_empty());
        };
        if let Some(device) = self.devices.iter_mut().find(|device| !device.reading.is_done()) {
            let stage = device.reading.step(recording, stacks, device.ordinal).unwrap_or("categories");
            if device.reading.is_done() {
                recording.set_labels(device.ordinal, device.reading.labels());
            }
            // Told once, however many devices there are.
            let labels = self.devices.iter().all(|device| device.reading.is_done());
            return Progress { labels, ..progress(stage, false) };
        }
        let without_growth = |device: &&mut Device| device.growth.is_none();
        if let Some(device) = self.devices.iter_mut().find(without_growth) {
            device.growth = Some(device.grow(recording, stacks).unwrap_or_default());
            return progress("growth", false);
        }
        let checked = recording.replays.iter().all(|replay| replay.model().is_some());
        if checked && !self.refined {
            self.devices.iter_mut().for_each(|device| device.report = None);
            self.refined = true;
        }
        if let Some(device) = self.devices.iter_mut().find(|device| device.report.is_none()) {
            device.tell_first(recording, stacks);
        } else if let Some(device) = self.devices.iter_mut().find(|device| device.trial.is_some()) {
            device.try_further(recording, stacks);
        }
        let is_done = |device: &Device| device.report.is_some() && device.trial.is_none();
        progress("verdict", self.devices.iter().all(is_done))
    }

    /// What is said of a device, once that stage is reached.
    pub fn report(&self, ordinal: i64) -> Option<&DeviceReport> {
        self.device(ordinal)?.report.as_ref()
    }

    /// The report under a limit that the user knows.
    pub fn report_under(
        &self,
        recording: &Recording,
        ordinal: i64,
        options: &Options,
    ) -> Option<DeviceReport> {
        let mut oom = oom::explain(recording, ordinal, options.limit_bytes);
        if let Some(oom) = &mut oom {
            oom::try_expandable(recording, ordinal, oom);
        }
        self.device(ordinal)?.tell(recording, self.stacks.as_ref()?, oom)
    }

    /// Tells anew what is known: the user's rules have given other categories.
    pub fn retell(&mut self, recording: &Recording) {
        let Some(stacks) = &self.stacks else { return };
        for device in self.devices.iter_mut().filter(|device| device.report.is_some()) {
            let oom = device.report.as_ref().and_then(|report| report.oom.clone());
            device.report = Some(device.tell(recording, stacks, oom).unwrap_or_default());
        }
    }

    fn device(&self, ordinal: i64) -> Option<&Device> {
        self.devices.iter().find(|device| device.ordinal == ordinal)
    }
}

fn progress(stage: &'static str, done: bool) -> Progress {
    Progress { stage, done, labels: false }
}

impl Device {
    fn grow(&self, recording: &Recording, stacks: &Stacks) -> Option<Growth> {
        let reading = &self.reading;
        let facts = reading.facts(recording, stacks, self.ordinal)?;
        Some(Growth::of(&facts, &reading.table, &reading.categories))
    }

    fn tell_first(&mut self, recording: &Recording, stacks: &Stacks) {
        let oom = oom::explain(recording, self.ordinal, None);
        self.trial = oom.as_ref().and_then(|oom| Trial::new(recording, self.ordinal, oom));
        self.report = Some(self.tell(recording, stacks, oom).unwrap_or_default());
    }

    fn try_further(&mut self, recording: &Recording, stacks: &Stacks) {
        let Some(mut trial) = self.trial.take() else { return };
        if !trial.run(TRIAL_EVENTS) {
            self.trial = Some(trial);
            return;
        }
        let mut oom = self.report.as_ref().and_then(|report| report.oom.clone());
        if let Some(oom) = &mut oom {
            trial.settle(oom);
        }
        self.report = Some(self.tell(recording, stacks, oom).unwrap_or_default());
    }

    fn tell(&self, recording: &Recording, stacks: &Stacks, oom: Option<Oom>) -> Option<DeviceReport> {
        let (reading, growth) = (&self.reading, self.growth.as_ref()?);
        let facts = reading.facts(recording, stacks, self.ordinal)?;
        // Those in force: the user's rules may have changed some.
        let in_force = facts.replay.labels().map(Categories::in_force);
        let (table, categories) = (&reading.table, in_force.as_ref().unwrap_or(&reading.categories));
        Some(assemble::report(&Analysis { facts: &facts, table, categories, growth, oom }))
    }
}
