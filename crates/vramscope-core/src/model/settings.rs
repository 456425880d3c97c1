//! Allocator settings in force during the recording.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// `allocator_settings` of the file. Values of keys that this version does not know are in `other`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Settings {
    /// `PYTORCH_CUDA_ALLOC_CONF` (or `PYTORCH_ALLOC_CONF`) as given.
    #[serde(rename = "PYTORCH_CUDA_ALLOC_CONF", skip_serializing_if = "Option::is_none")]
    pub alloc_conf: Option<String>,
    /// Bytes; −1 is no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_split_size: Option<i64>,
    /// Share of the limit at which free segments are given back; 0 is off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub garbage_collection_threshold: Option<f64>,
    /// Segments that grow in place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expandable_segments: Option<bool>,
    /// Divisions between powers of two by size in MiB; 0 is off.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub roundup_power2_divisions: BTreeMap<String, i64>,
    /// All other keys.
    #[serde(flatten)]
    pub other: BTreeMap<String, Value>,
}

impl Settings {
    /// Settings as the file has them; `None` if a known key holds another type. Not derived: with keys of its own and all others beside
    /// them, that is twenty times the code.
    pub fn of(tree: &Value) -> Option<Settings> {
        let mut settings = Settings::default();
        for (key, value) in tree.as_object()? {
            match key.as_str() {
                // The file has it by one of its names.
                "PYTORCH_CUDA_ALLOC_CONF" | "PYTORCH_ALLOC_CONF" if settings.alloc_conf.is_some() => {
                    return None;
                }
                "PYTORCH_CUDA_ALLOC_CONF" | "PYTORCH_ALLOC_CONF" => settings.alloc_conf = typed(value)?,
                "max_split_size" => settings.max_split_size = typed(value)?,
                "garbage_collection_threshold" => settings.garbage_collection_threshold = typed(value)?,
                "expandable_segments" => settings.expandable_segments = typed(value)?,
                "roundup_power2_divisions" => {
                    for (size, divisions) in value.as_object()? {
                        settings.roundup_power2_divisions.insert(size.clone(), divisions.as_i64()?);
                    }
                }
                _ => {
                    settings.other.insert(key.clone(), value.clone());
                }
            }
        }
        Some(settings)
    }
}

fn typed<'a, T: Deserialize<'a>>(value: &'a Value) -> Option<T> {
    T::deserialize(value).ok()
}
