//! Recordings opened, checked and labelled, as scenarios need them.

use vramscope_core::allocator::Config;
use vramscope_core::model::Snapshot;
use vramscope_core::replay::Recording;
use vramscope_core::replay::requests::Requests;
use vramscope_simulate::{Program, Simulated, Simulation};

use crate::recordings;

/// A recording of a name with the requests of its first device; none where it is not at hand.
pub struct Opened {
    /// Checked and labelled.
    pub recording: Recording,
    /// Of the first device.
    pub requests: Requests,
    /// The allocator's own peaks: allocated and reserved.
    pub truth: Option<(u64, u64)>,
}

impl Opened {
    /// By name.
    pub fn of(name: &str) -> Option<Opened> {
        Opened::changed(name, |snapshot| snapshot)
    }

    /// By name, as if it had been recorded otherwise.
    pub fn changed(name: &str, change: impl Fn(Snapshot) -> Snapshot) -> Option<Opened> {
        let file = recordings::all().into_iter().find(|file| file.name == name)?;
        let recording = recordings::open(&std::fs::read(&file.path).ok()?, 1 << 20).ok()?;
        let mut recording = Recording::build(change(recording.snapshot));
        recording.check_all();
        let mut opened = Opened::labelled(recording);
        opened.truth = file.truth.and_then(|path| {
            let truth: serde_json::Value = serde_json::from_slice(&std::fs::read(path).ok()?).ok()?;
            let of = |name: &str| truth["devices"]["0"][name].as_u64();
            Some((of("allocated_bytes.all.peak")?, of("reserved_bytes.all.peak")?))
        });
        Some(opened)
    }

    /// Labelled by the diagnosis.
    pub fn labelled(mut recording: Recording) -> Opened {
        let ordinal = recording.snapshot.devices[0].ordinal;
        if let Some(labels) = vramscope_diagnose::label(&recording, ordinal) {
            recording.set_labels(ordinal, labels);
        }
        let requests = Requests::read(
            &recording.snapshot,
            &recording.snapshot.devices[0],
            &recording.replays[0],
            u32::MAX,
        );
        Opened { recording, requests, truth: None }
    }

    /// What scenarios read; or why there are none.
    pub fn program(&self) -> Result<Program<'_>, &'static str> {
        Program::of(&self.recording, self.recording.snapshot.devices[0].ordinal, &self.requests)
    }

    /// The recorded settings, without a limit.
    pub fn config(&self) -> Config {
        Config::of(&self.recording.snapshot)
    }

    /// These requests under the recorded settings, in all orders of addresses.
    pub fn simulate(&self, requests: &Requests) -> Simulated {
        let mut simulation = Simulation::new(requests, self.config());
        simulation.run_all(requests);
        simulation.found(requests).expect("a sound start")
    }
}
