//! R12: the settings that change what the allocator does.

use super::sizes::{LARGE_BUFFER, MIB};
use crate::model::{Settings, Snapshot};

/// Settings of one device's allocator. Sizes in bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Blocks from this size on are never split; `u64::MAX` if unset.
    pub max_split_bytes: u64,
    /// How much larger than its request an unsplittable block may be.
    pub max_non_split_rounding_bytes: u64,
    /// Share of the limit from which on whole free segments are given back; 0 is off.
    pub garbage_collection_threshold: f64,
    /// New memory comes from expandable segments.
    pub expandable_segments: bool,
    /// Divisions between powers of two, for \[1, 2) MiB and below, \[2, 4) MiB, … from 32 GiB on.
    pub power2_divisions: [u32; 16],
    /// Segment size of the large pool, and page of its expandable segments.
    pub large_segment_bytes: u64,
    /// `set_per_process_memory_fraction` in bytes; `None` if it was not called.
    pub limit_bytes: Option<u64>,
    /// The card's memory.
    pub device_bytes: u64,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            max_split_bytes: u64::MAX,
            max_non_split_rounding_bytes: LARGE_BUFFER,
            garbage_collection_threshold: 0.0,
            expandable_segments: false,
            power2_divisions: [0; 16],
            large_segment_bytes: LARGE_BUFFER,
            limit_bytes: None,
            device_bytes: UNKNOWN_DEVICE_BYTES,
        }
    }
}

/// More than any card has: a snapshot does not tell how much its card had.
const UNKNOWN_DEVICE_BYTES: u64 = 1 << 45;

impl Config {
    /// The settings that a snapshot was recorded under; PyTorch's defaults if it does not tell.
    pub fn of(snapshot: &Snapshot) -> Config {
        snapshot.settings.as_ref().map(Config::recorded).unwrap_or_default()
    }

    /// What these settings mean. Two options stand only in the raw text; if that does not parse, they are
    /// taken as unset.
    pub fn recorded(settings: &Settings) -> Config {
        let raw =
            settings.alloc_conf.as_deref().and_then(|text| Config::parse(text).ok()).unwrap_or_default();
        let mut config = Config {
            max_split_bytes: match settings.max_split_size {
                Some(bytes) if bytes >= 0 => bytes as u64,
                Some(_) => u64::MAX,
                None => raw.max_split_bytes,
            },
            garbage_collection_threshold: settings
                .garbage_collection_threshold
                .unwrap_or(raw.garbage_collection_threshold),
            expandable_segments: settings.expandable_segments.unwrap_or(raw.expandable_segments),
            ..raw
        };
        if !settings.roundup_power2_divisions.is_empty() {
            config.power2_divisions = std::array::from_fn(|interval| {
                let divisions = settings.roundup_power2_divisions.get(&(1u32 << interval).to_string());
                // Not a power of two: no writer writes it; the model takes it as off.
                let divisions = divisions.and_then(|divisions| u32::try_from(*divisions).ok()).unwrap_or(0);
                if divisions.is_power_of_two() { divisions } else { 0 }
            });
        }
        config
    }

    /// The segment size of the large pool in MiB.
    pub fn large_segment_mib(&self) -> u64 {
        self.large_segment_bytes / MIB
    }

    /// Garbage collection happens: it needs a limit (R10).
    pub(super) fn collects_garbage(&self) -> bool {
        self.limit_bytes.is_some() && self.garbage_collection_threshold > 0.0
    }
}
