//! Allocator settings in force during the recording.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// `allocator_settings` of the file. Values of keys that this version does not know are in `other`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// `PYTORCH_CUDA_ALLOC_CONF` (or `PYTORCH_ALLOC_CONF`) as given.
    #[serde(
        rename = "PYTORCH_CUDA_ALLOC_CONF",
        alias = "PYTORCH_ALLOC_CONF",
        skip_serializing_if = "Option::is_none"
    )]
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
    pub other: BTreeMap<String, serde_json::Value>,
}
