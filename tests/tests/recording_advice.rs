//! What a recording should do differently, told from the file; and the recipes that avoid it.

use vramscope_diagnose::recipe::{Purpose, RecordingAdvice, Version, advice_for, recipe};
use vramscope_tests::recordings;

fn told(name: &str) -> Vec<RecordingAdvice> {
    let bytes = recordings::pickle(name);
    advice_for(&recordings::open(&bytes, bytes.len()).expect("it opens"))
}

fn codes(name: &str) -> Vec<&'static str> {
    told(name).iter().map(|advice| advice.code).collect()
}

#[test]
fn every_recording_gets_the_advice_that_fits() {
    for (name, wanted) in [
        ("train_plain", &[][..]),
        ("oom_weights", &[]),
        ("context_none", &["no_stacks"]),
        ("no_history", &["no_history"]),
        ("ring_truncated", &["ring_too_small"]),
        ("late_start", &["late_start"]),
        ("context_alloc_python", &["python_stacks_only"]),
        ("cpp_pickled", &[]),
    ] {
        assert_eq!(codes(name), wanted, "{name}: {:?}", told(name));
    }
}

#[test]
fn a_small_ring_says_how_many_entries_it_needs() {
    let advice = told("ring_truncated");
    assert!(advice[0].text.contains("max_entries"), "{advice:?}");
}

#[test]
fn recipes_follow_version_and_purpose() {
    let code = |text: &str, purpose| recipe(Version::parse(text).unwrap(), purpose).code;
    let new = code("2.11.0+cu130", Purpose::Steps);
    assert!(
        new.contains("_record_memory_history(\n    max_entries=1_000_000)") && new.contains("_dump_snapshot")
    );
    let first = code("2.0.1", Purpose::OutOfMemory);
    assert!(
        first.contains("trace_alloc_max_entries")
            && first.contains("pickle.dump")
            && !first.contains("_dump_snapshot")
    );
    assert!(code("2.4", Purpose::OutOfMemory).contains("_cuda_attach_out_of_memory_observer"));
    assert!(code("2.4", Purpose::Leak).contains("six steps"));
    assert!(code("2.4", Purpose::Ranks).contains("snapshot_rank{rank}.pickle"));
    let old = recipe(Version::parse("1.13").unwrap(), Purpose::OutOfMemory);
    assert!(!old.makes_snapshot && old.code.contains("memory_summary"));
    assert_eq!((Version::parse("x"), Version::parse("2")), (None, None));
    for version in ["1.4", "2.0", "2.1", "2.11"] {
        for purpose in [Purpose::Steps, Purpose::OutOfMemory, Purpose::Leak, Purpose::Ranks] {
            let recipe = recipe(Version::parse(version).unwrap(), purpose);
            assert!(
                !recipe.notes.is_empty() && recipe.code.lines().all(|line| line.len() <= 66),
                "{}",
                recipe.code
            );
        }
    }
}
