//! The settings that people try first.

use serde::Serialize;
use vramscope_core::allocator::Config;

use crate::settings;

/// Settings worth a try.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Candidate {
    /// As PyTorch reads them; empty for the default.
    pub settings: String,
    /// Why one would try them.
    pub why: &'static str,
}

/// Settings, why, and whether they need a memory limit to do anything.
const USUAL: [(&str, &str, bool); 8] = [
    ("", "What PyTorch does by itself.", false),
    (
        "expandable_segments:True",
        "Helps against fragmentation of every kind; what PyTorch's own error message advises.",
        false,
    ),
    ("roundup_power2_divisions:4", "Sizes that vary a little fit each other's free blocks.", false),
    ("max_split_size_mb:64", "Large free blocks stay whole, from 64 MiB on.", false),
    ("max_split_size_mb:128", "Large free blocks stay whole, from 128 MiB on.", false),
    ("max_split_size_mb:512", "Large free blocks stay whole, from 512 MiB on.", false),
    (
        "garbage_collection_threshold:0.6",
        "Old free segments go back to the driver before the limit is reached.",
        true,
    ),
    ("garbage_collection_threshold:0.8", "The same, later.", true),
];

/// Settings that people try first, but for those that the recording has, and those that its limit gives nothing to do.
pub fn usual(recorded: &Config) -> Vec<Candidate> {
    let own = settings::text(recorded);
    let mut candidates: Vec<Candidate> = USUAL
        .iter()
        .filter(|(_, _, needs_limit)| !needs_limit || recorded.limit_bytes.is_some())
        .map(|(settings, why, _)| Candidate { settings: (*settings).into(), why })
        .collect();
    // Expandable segments beside what is set already.
    if !own.is_empty() && !recorded.expandable_segments {
        let both = Config { expandable_segments: true, ..recorded.clone() };
        let why = "What was recorded, with expandable segments.";
        candidates.insert(2, Candidate { settings: settings::text(&both), why });
    }
    candidates.retain(|candidate| candidate.settings != own);
    candidates
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_accepted_and_none_is_the_recorded_one() {
        for own in
            ["", "expandable_segments:True", "max_split_size_mb:128", "garbage_collection_threshold:0.6"]
        {
            for limit_bytes in [None, Some(1 << 30)] {
                let recorded = Config { limit_bytes, ..Config::parse(own).unwrap() };
                let candidates = usual(&recorded);
                assert!(candidates.len() >= 5);
                for candidate in &candidates {
                    assert_ne!(candidate.settings, own);
                    let config = Config::parse(&candidate.settings).unwrap();
                    assert!(
                        limit_bytes.is_some()
                            || config.garbage_collection_threshold == 0.0
                            || !own.is_empty()
                    );
                }
            }
        }
    }
}
