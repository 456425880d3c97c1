//! The allocator's settings in words: each with what it does and whether it was in force.

use serde::Serialize;
use serde_json::Value;

use crate::allocator::Config;
use crate::replay::Recording;
use crate::units;

/// Settings of a recording.
#[derive(Clone, Debug, Serialize)]
#[allow(missing_docs)]
pub struct Settings {
    /// `PYTORCH_ALLOC_CONF` as given; empty if it was not set, null if the file does not say.
    pub text: Option<String>,
    /// What PyTorch would say against that text.
    pub fault: Option<String>,
    pub version: Option<String>,
    pub rows: Vec<Row>,
}

/// One setting.
#[derive(Clone, Debug, Serialize)]
#[allow(missing_docs)]
pub struct Row {
    pub key: String,
    pub value: String,
    /// "in_force": it differs from the default; "default"; "not_recorded".
    pub state: &'static str,
    /// One sentence.
    pub what: &'static str,
    /// As it stands in the file.
    pub raw: Value,
}

/// Keys, in order, with what they do.
const KNOWN: [(&str, &str); 14] = [
    (
        "expandable_segments",
        "New memory comes from segments that grow in place, which avoids most fragmentation.",
    ),
    (
        "max_split_size",
        "Blocks from this size on are never split, so that large free blocks stay whole; unset, every block may be split.",
    ),
    (
        "garbage_collection_threshold",
        "Above this share of the memory limit, free segments are given back before the limit is reached; it does nothing without set_per_process_memory_fraction().",
    ),
    (
        "roundup_power2_divisions",
        "Requests are rounded up to steps between powers of two, so that similar sizes can use the same block; it costs memory by rounding.",
    ),
    ("max_non_split_rounding", "How much larger than its request a block from max_split_size on may be."),
    (
        "large_segment_size",
        "The size of a segment of the large pool for requests below 10 MiB, and the page of expandable ones.",
    ),
    (
        "graph_capture_record_stream_reuse",
        "Blocks freed while a CUDA graph is captured may be used again in the same capture.",
    ),
    (
        "release_lock_on_cudamalloc",
        "Other threads may use the allocator while the driver is asked for memory.",
    ),
    (
        "pinned_use_cuda_host_register",
        "Pinned host memory is made by cudaHostRegister instead of cudaHostAlloc.",
    ),
    ("pinned_num_register_threads", "Threads that register pinned host memory."),
    ("max_round_threshold", "Pinned host memory: the largest size that is rounded to a power of two."),
    ("max_cached_size", "Pinned host memory: the largest block that is kept for later use."),
    ("trace_alloc_max_entries", "How many events the recorder keeps (max_entries)."),
    ("trace_alloc_overflowed", "The recorder dropped events because it was full."),
];

/// The settings of a recording.
#[inline]
pub fn settings(recording: &Recording) -> Settings {
    let snapshot = &recording.snapshot;
    let text = snapshot.settings.as_ref().map(|settings| settings.alloc_conf.clone().unwrap_or_default());
    let config = Config::of(snapshot);
    let values =
        snapshot.settings.as_ref().map(|settings| serde_json::to_value(settings).unwrap_or_default());
    let mut rows: Vec<Row> =
        KNOWN.iter().filter_map(|(key, what)| row(key, what, values.as_ref(), &config)).collect();
    let others = values.as_ref().and_then(Value::as_object).into_iter().flatten();
    for (key, value) in others.filter(|(key, _)| !key.starts_with("PYTORCH_") && !is_known(key)) {
        let what = "This version does not know what it does; it is shown as it stands in the file.";
        rows.push(Row {
            key: key.clone(),
            value: value.to_string(),
            state: "in_force",
            what,
            raw: value.clone(),
        });
    }
    Settings {
        fault: text.as_deref().and_then(|text| Config::parse(text).err()).map(|error| error.to_string()),
        text,
        version: snapshot.written_by_at_least.map(|version| format!("{version} or later")),
        rows,
    }
}

fn is_known(key: &str) -> bool {
    KNOWN.iter().any(|(known, _)| *known == key)
}

#[inline]
fn row(key: &str, what: &'static str, values: Option<&Value>, config: &Config) -> Option<Row> {
    let default = Config::default();
    let recorded = values.and_then(|values| values.get(key));
    let (value, is_default) = match key {
        "expandable_segments" => (on_off(config.expandable_segments), !config.expandable_segments),
        "max_split_size" => (bytes_or_unlimited(config.max_split_bytes), config.max_split_bytes == u64::MAX),
        "garbage_collection_threshold" => match config.garbage_collection_threshold {
            threshold if threshold > 0.0 => (format!("{threshold}"), false),
            _ => ("off".into(), true),
        },
        "roundup_power2_divisions" => divisions(config),
        // Only in the raw text.
        "max_non_split_rounding" => {
            let bytes = config.max_non_split_rounding_bytes;
            (units::format_bytes(bytes), bytes == config.large_segment_bytes)
        }
        "large_segment_size" => (
            units::format_bytes(config.large_segment_bytes),
            config.large_segment_bytes == default.large_segment_bytes,
        ),
        "pinned_num_register_threads" => {
            let (value, _) = plain(recorded?);
            let is_default = value == "1";
            (value, is_default)
        }
        // The rest is shown only where the file has it.
        _ => plain(recorded?),
    };
    let state = match (values, is_default) {
        (None, _) => "not_recorded",
        (_, true) => "default",
        (_, false) => "in_force",
    };
    let value = if values.is_none() { "not in the file".into() } else { value };
    Some(Row { key: key.into(), value, state, what, raw: recorded.cloned().unwrap_or_default() })
}

fn on_off(on: bool) -> String {
    if on { "on" } else { "off" }.into()
}

fn bytes_or_unlimited(bytes: u64) -> String {
    if bytes == u64::MAX { "unlimited".into() } else { units::format_bytes(bytes) }
}

/// "off", "4 for every size", or the sizes from which each holds.
#[inline]
fn divisions(config: &Config) -> (String, bool) {
    let table = &config.power2_divisions;
    let name = |divisions: u32| if divisions > 1 { divisions.to_string() } else { "off".into() };
    if table.iter().all(|divisions| *divisions <= 1) {
        return ("off".into(), true);
    }
    if table.iter().all(|divisions| *divisions == table[0]) {
        return (format!("{} for every size", table[0]), false);
    }
    let mut parts = Vec::new();
    for (interval, divisions) in table.iter().enumerate() {
        if interval == 0 || table[interval - 1] != *divisions {
            let from = if interval == 0 { 0 } else { 1u64 << (20 + interval) };
            parts.push(format!("{} from {}", name(*divisions), units::format_bytes(from)));
        }
    }
    (parts.join(", "), false)
}

/// A value as it stands, and whether it means "off" or "unlimited".
#[inline]
fn plain(value: &Value) -> (String, bool) {
    match value {
        Value::Bool(on) => (on_off(*on), !on),
        Value::Number(number) if number.as_i64() == Some(-1) => ("unlimited".into(), true),
        Value::Number(number) => (number.to_string(), false),
        Value::String(text) => (text.clone(), false),
        other => (other.to_string(), false),
    }
}
