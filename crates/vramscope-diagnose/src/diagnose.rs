//! From a recording to a report.

use vramscope_core::replay::Recording;

use crate::oom::explain;
use crate::report::DeviceReport;

/// What the user adds to the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The memory limit, which no file tells.
    pub limit_bytes: Option<u64>,
}

/// One device, diagnosed; `None` for one that is not there.
pub fn diagnose(recording: &Recording, ordinal: i64, options: &Options) -> Option<DeviceReport> {
    recording.whole_device(ordinal)?;
    let oom = explain(recording, ordinal, options.limit_bytes);
    Some(DeviceReport { device: ordinal, oom, ..DeviceReport::default() })
}
