//! R12: `PYTORCH_ALLOC_CONF`, accepted and refused as PyTorch 2.11 does (`AcceleratorAllocatorConfig::parseArgs` and its helpers).

use std::fmt;

use super::Config;
use super::sizes::{MIB, MIN_LARGE_ALLOC};

/// Why PyTorch would refuse to start with this text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// The key at fault.
    pub key: String,
    /// What is wrong with it.
    pub message: String,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.key, self.message)
    }
}

impl std::error::Error for ConfigError {}

/// Options that other parts of PyTorch read; they do not change where memory goes.
const WITHOUT_EFFECT: [&str; 10] = [
    "backend",
    "release_lock_on_cudamalloc",
    "pinned_use_cuda_host_register",
    "pinned_num_register_threads",
    "pinned_use_background_threads",
    "pinned_reserve_segment_size_mb",
    "graph_capture_record_stream_reuse",
    "per_process_memory_fraction",
    "pinned_max_round_threshold_mb",
    "pinned_max_cached_size_mb",
];

impl Config {
    /// Reads `key:value,key:value`. White space is ignored, a trailing comma allowed.
    ///
    /// # Errors
    /// Where PyTorch refuses: an unknown key, a value out of range.
    pub fn parse(text: &str) -> Result<Config, ConfigError> {
        let items = items(text);
        let mut config = Config::default();
        let find =
            |wanted: &str| items.iter().rev().find(|(key, _)| key == wanted).map(|(_, value)| value.as_str());
        if let Some(value) = find("large_segment_size_mb") {
            let mib = leading_integer("large_segment_size_mb", value)?;
            if mib <= MIN_LARGE_ALLOC / MIB {
                return Err(error("large_segment_size_mb", "must be more than 10"));
            }
            config.large_segment_bytes = mebibytes(mib);
        }
        config.max_non_split_rounding_bytes = config.large_segment_bytes;
        for (key, value) in &items {
            config.set(key, value)?;
        }
        Ok(config)
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), ConfigError> {
        match key {
            "large_segment_size_mb" => {}
            "max_split_size_mb" => self.max_split_bytes = self.at_least_large(key, value)?,
            "max_non_split_rounding_mb" => {
                self.max_non_split_rounding_bytes = self.at_least_large(key, value)?
            }
            "garbage_collection_threshold" => {
                let share: f64 = value.parse().map_err(|_| error(key, "is not a number"))?;
                if !(share > 0.0 && share < 1.0) {
                    return Err(error(key, "must lie between 0 and 1, both excluded"));
                }
                self.garbage_collection_threshold = share;
            }
            "expandable_segments" => {
                self.expandable_segments = match value {
                    "True" => true,
                    "False" => false,
                    _ => return Err(error(key, "must be True or False")),
                }
            }
            "roundup_power2_divisions" => self.power2_divisions = divisions(key, value)?,
            _ if WITHOUT_EFFECT.contains(&key) => {}
            _ => return Err(error(key, "is not a known option")),
        }
        Ok(())
    }

    /// Sizes below the segment size of the large pool are refused, never clamped.
    fn at_least_large(&self, key: &str, value: &str) -> Result<u64, ConfigError> {
        let mib = leading_integer(key, value)?;
        if mib < self.large_segment_mib() {
            return Err(error(key, format!("must be at least {}", self.large_segment_mib())));
        }
        Ok(mebibytes(mib))
    }
}

fn error(key: &str, message: impl Into<String>) -> ConfigError {
    ConfigError { key: key.into(), message: message.into() }
}

fn mebibytes(mib: u64) -> u64 {
    mib.min(u64::MAX / MIB) * MIB
}

/// Keys and values, split at commas outside of brackets.
fn items(text: &str) -> Vec<(String, String)> {
    let mut items = Vec::new();
    let (mut depth, mut item) = (0i32, String::new());
    for char in text.chars().filter(|char| !char.is_whitespace()).chain([',']) {
        depth += i32::from(char == '[') - i32::from(char == ']');
        if char != ',' || depth != 0 {
            item.push(char);
            continue;
        }
        let (key, value) = item.split_once(':').unwrap_or((&item, ""));
        if !key.is_empty() {
            items.push((key.to_owned(), value.to_owned()));
        }
        item.clear();
    }
    items
}

/// The digits in front; what follows them is ignored, as `std::stoull` does.
fn leading_integer(key: &str, text: &str) -> Result<u64, ConfigError> {
    let digits = &text[..text.len() - text.trim_start_matches(|char: char| char.is_ascii_digit()).len()];
    digits.parse().map_err(|_| error(key, format!("\u{201c}{text}\u{201d} is not a number")))
}

/// `4` for all sizes, or `[256:1,512:2,>:8]` by size in MiB. The first size also fills everything below it; `>` everything after the last.
fn divisions(key: &str, value: &str) -> Result<[u32; 16], ConfigError> {
    if !value.starts_with('[') {
        let all = leading_integer(key, value)?;
        return match power_of_two(all) {
            Some(all) => Ok([all; 16]),
            None => Err(error(key, "must be a power of two")),
        };
    }
    let (mut table, mut first, mut last) = ([0; 16], true, 0);
    for item in value.trim_matches(['[', ']']).split(',') {
        let (size, count) = item.split_once(':').ok_or_else(|| error(key, "must be size:divisions"))?;
        let count = match leading_integer(key, count)? {
            0 => 0,
            count => power_of_two(count).ok_or_else(|| error(key, "divisions must be powers of two or 0"))?,
        };
        if size == ">" {
            table[last + 1..].fill(count);
            continue;
        }
        let mib = leading_integer(key, size)?;
        if !mib.is_power_of_two() {
            return Err(error(key, "sizes must be powers of two"));
        }
        last = (mib.ilog2() as usize).min(15);
        if first {
            table[..last].fill(count);
            first = false;
        }
        table[last] = count;
    }
    Ok(table)
}

fn power_of_two(number: u64) -> Option<u32> {
    u32::try_from(number).ok().filter(|number| number.is_power_of_two())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn divisions_of(value: &str) -> [u32; 16] {
        Config::parse(&format!("roundup_power2_divisions:{value}")).unwrap().power2_divisions
    }

    #[test]
    fn every_option() {
        let text = " max_split_size_mb:64 , expandable_segments:True,garbage_collection_threshold:0.6,backend:native,";
        let config = Config::parse(text).unwrap();
        assert_eq!(config.max_split_bytes, 64 * MIB);
        assert!(config.expandable_segments);
        assert_eq!(config.garbage_collection_threshold, 0.6);
        let config = Config::parse("max_non_split_rounding_mb:64.5,large_segment_size_mb:32").unwrap();
        assert_eq!((config.max_non_split_rounding_bytes, config.large_segment_bytes), (64 * MIB, 32 * MIB));
    }

    #[test]
    fn divisions_by_size() {
        assert_eq!(divisions_of("4"), [4; 16]);
        assert_eq!(divisions_of("[1:2,4:8,64:4,>:1]"), [2, 0, 8, 0, 0, 0, 4, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
        assert_eq!(divisions_of("[>:4]"), [0, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4]);
        assert_eq!(divisions_of("[65536:2,>:4]"), [2; 16]);
    }

    #[test]
    fn what_is_refused() {
        for text in [
            "max_split_size_mb:19",
            "max_split_size_mb:x",
            "max_split_size_mb:20,large_segment_size_mb:32",
            "large_segment_size_mb:10",
            "garbage_collection_threshold:1",
            "garbage_collection_threshold:nan",
            "expandable_segments:true",
            "roundup_power2_divisions:3",
            "roundup_power2_divisions:[3:4]",
            "roundup_power2_divisions:[4]",
            "unknown:1",
        ] {
            assert!(Config::parse(text).is_err(), "{text}");
        }
    }
}
