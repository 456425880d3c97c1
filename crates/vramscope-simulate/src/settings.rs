//! R12: the settings as people write them. What they mean to the allocator is [`Config`]'s.

use serde::Serialize;
use vramscope_core::allocator::sizes::MIB;
use vramscope_core::allocator::{Config, ConfigError};

/// A setting of the allocator.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Setting {
    /// Its name in `PYTORCH_ALLOC_CONF`.
    pub key: &'static str,
    /// What it does, in a sentence or two.
    pub what: &'static str,
    /// What can stand there.
    pub values: &'static str,
    /// What holds without it.
    pub default: &'static str,
    /// Something worth a try.
    pub example: &'static str,
}

/// All settings that change where memory goes.
pub const SETTINGS: [Setting; 6] = [
    Setting {
        key: "expandable_segments",
        what: "One segment for each stream and pool, which grows and shrinks by pages: free memory does not lie in pieces of fixed segments.",
        values: "True or False",
        default: "False",
        example: "True",
    },
    Setting {
        key: "max_split_size_mb",
        what: "Blocks of this size or more are never split, so that small requests cannot break large free blocks.",
        values: "whole MiB, at least the large segment's size",
        default: "no limit",
        example: "128",
    },
    Setting {
        key: "garbage_collection_threshold",
        what: "When more than this share of the memory limit is reserved, old free segments are given back before new memory is asked for. Without a limit it does nothing.",
        values: "a number between 0 and 1",
        default: "off",
        example: "0.8",
    },
    Setting {
        key: "roundup_power2_divisions",
        what: "Sizes are rounded up to one of so many steps between powers of two: more requests of one size, which fit each other's free blocks, for some bytes of each.",
        values: "a power of two, or [size in MiB:divisions,…,>:divisions]",
        default: "off",
        example: "4",
    },
    Setting {
        key: "max_non_split_rounding_mb",
        what: "How much larger than its request a block that may not be split can be. It matters with max_split_size_mb only.",
        values: "whole MiB, at least the large segment's size",
        default: "20",
        example: "64",
    },
    Setting {
        key: "large_segment_size_mb",
        what: "Size of the segments that serve requests from 1 to 10 MiB, and page of expandable segments for large requests. PyTorch 2.11 and later.",
        values: "whole MiB, more than 10",
        default: "20",
        example: "64",
    },
];

/// Settings from `key=value` or `key:value`, each as PyTorch takes it.
///
/// # Errors
/// What PyTorch refuses.
pub fn parse(settings: &[(String, String)]) -> Result<Config, ConfigError> {
    Config::parse(&text_of(settings))
}

/// Keys that PyTorch takes and that do not change where memory goes.
pub fn ignored(settings: &[(String, String)]) -> impl Iterator<Item = &str> {
    let keys = settings.iter().map(|(key, _)| key.as_str());
    keys.filter(|key| SETTINGS.iter().all(|setting| setting.key != *key))
}

/// `key:value,key:value`
pub fn text_of(settings: &[(String, String)]) -> String {
    settings.iter().map(|(key, value)| format!("{key}:{value}")).collect::<Vec<_>>().join(",")
}

/// The settings of a configuration that are not the default, by name.
pub fn listed(config: &Config) -> Vec<(&'static str, String)> {
    let default = Config::default();
    let mut listed = Vec::new();
    if config.expandable_segments {
        listed.push(("expandable_segments", "True".into()));
    }
    if config.max_split_bytes != default.max_split_bytes {
        listed.push(("max_split_size_mb", (config.max_split_bytes / MIB).to_string()));
    }
    if config.garbage_collection_threshold > 0.0 {
        listed.push(("garbage_collection_threshold", config.garbage_collection_threshold.to_string()));
    }
    if config.power2_divisions.iter().any(|divisions| *divisions > 1) {
        listed.push(("roundup_power2_divisions", divisions_text(&config.power2_divisions)));
    }
    if config.max_non_split_rounding_bytes != config.large_segment_bytes {
        listed.push(("max_non_split_rounding_mb", (config.max_non_split_rounding_bytes / MIB).to_string()));
    }
    if config.large_segment_bytes != default.large_segment_bytes {
        listed.push(("large_segment_size_mb", (config.large_segment_bytes / MIB).to_string()));
    }
    listed
}

/// The same as PyTorch reads it; empty where all is the default.
pub fn text(config: &Config) -> String {
    let listed = listed(config);
    listed.iter().map(|(key, value)| format!("{key}:{value}")).collect::<Vec<_>>().join(",")
}

/// `4`, or by size in MiB where they differ.
fn divisions_text(divisions: &[u32; 16]) -> String {
    let last = divisions[15];
    if divisions.iter().all(|of| *of == last) {
        return last.to_string();
    }
    let same = divisions.iter().rev().take_while(|of| **of == last).count();
    let listed = divisions[..16 - same].iter().enumerate();
    let sizes: String = listed.map(|(interval, of)| format!("{}:{of},", 1u32 << interval)).collect();
    format!("[{sizes}>:{last}]")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_means_the_same() {
        for text in [
            "",
            "expandable_segments:True",
            "max_split_size_mb:64,garbage_collection_threshold:0.6",
            "roundup_power2_divisions:8",
            "roundup_power2_divisions:[1:2,4:8,64:4,>:1]",
            "roundup_power2_divisions:[256:1,512:2,>:8]",
            "roundup_power2_divisions:[32768:4]",
            "max_non_split_rounding_mb:96,large_segment_size_mb:32",
        ] {
            let config = Config::parse(text).unwrap();
            assert_eq!(Config::parse(&super::text(&config)).unwrap(), config, "{text}");
        }
        assert_eq!(super::text(&Config::parse("roundup_power2_divisions:1").unwrap()), "");
    }

    #[test]
    fn examples_are_accepted() {
        for setting in SETTINGS {
            let text = format!("{}:{}", setting.key, setting.example);
            assert_eq!(super::text(&Config::parse(&text).unwrap()), text);
        }
    }
}
