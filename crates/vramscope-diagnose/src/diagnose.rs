//! One device, diagnosed in one go.

use vramscope_core::replay::Recording;

use crate::report::DeviceReport;
use crate::stages::Diagnosing;

/// What the user may say beside the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The memory limit, if it is known better than the recording proves it.
    pub limit_bytes: Option<u64>,
}

/// Diagnoses every device, and gives each its labels; in the order of the snapshot's devices.
pub fn diagnose(recording: &mut Recording, options: &Options) -> Vec<DeviceReport> {
    let mut diagnosing = Diagnosing::default();
    while !diagnosing.step(recording).done {}
    let devices = recording.snapshot.devices.iter();
    let report = |ordinal: i64| match options.limit_bytes {
        Some(_) => diagnosing.report_under(recording, ordinal, options),
        None => diagnosing.report(ordinal).cloned(),
    };
    devices.filter_map(|device| report(device.ordinal)).collect()
}
