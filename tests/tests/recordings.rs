//! Peaks and ends equal the allocator's own counters, to the byte.

use serde_json::Value;
use vramscope_core::query::summary::{DeviceSummary, summary};
use vramscope_core::warning::Severity;
use vramscope_tests::recordings;

/// Recordings of the project itself; more where the shared ones are at hand.
const AT_LEAST: usize = 50;

#[test]
fn figures_equal_the_allocators_counters() {
    let mut checked = 0;
    let mut complete = 0;
    for file in recordings::all() {
        let Some(truth) = &file.truth else { continue };
        let truth: Value = serde_json::from_slice(&std::fs::read(truth).unwrap()).unwrap();
        let bytes = std::fs::read(&file.path).unwrap();
        let recording =
            recordings::open(&bytes, 1 << 20).unwrap_or_else(|error| panic!("{}: {error}", file.name));
        let summary = summary(&recording);
        let wrong = summary.warnings.iter().filter(|warning| warning.severity == Severity::Warning);
        assert_eq!(wrong.count(), 0, "{}: {:?}", file.name, summary.warnings);
        for device in &summary.devices {
            let counters = &truth["devices"][device.device.to_string()];
            assert!(counters.is_object(), "{}: no truth for device {}", file.name, device.device);
            check_end(&file.name, device, counters);
            if device.history.complete {
                check_peak(&file.name, device, counters);
                complete += 1;
            }
            checked += 1;
        }
    }
    assert!(
        checked >= AT_LEAST && complete >= AT_LEAST - 6,
        "only {checked} devices checked, {complete} complete"
    );
}

fn counter(counters: &Value, name: &str) -> u64 {
    counters[name].as_u64().unwrap_or_else(|| panic!("truth has no {name}"))
}

fn check_end(name: &str, device: &DeviceSummary, counters: &Value) {
    let current = |quantity: &str| counter(counters, &format!("{quantity}_bytes.all.current"));
    assert_eq!(device.end.requested_bytes, current("requested"), "{name}: requested at the end");
    assert_eq!(device.end.reserved_bytes, current("reserved"), "{name}: reserved at the end");
    assert_eq!(device.end.allocated_bytes, Some(current("allocated")), "{name}: allocated at the end");
    assert_eq!(device.end.active_bytes, Some(current("active")), "{name}: active at the end");
}

fn check_peak(name: &str, device: &DeviceSummary, counters: &Value) {
    let peak = |quantity: &str| counter(counters, &format!("{quantity}_bytes.all.peak"));
    assert_eq!(device.peak.requested_bytes, peak("requested"), "{name}: requested at the peak");
    assert_eq!(device.peak.reserved_bytes, peak("reserved"), "{name}: reserved at the peak");
    assert_eq!(
        device.allocations,
        counter(counters, "allocation.all.allocated"),
        "{name}: number of allocations"
    );
    assert_eq!(device.history.ooms, counter(counters, "num_ooms"), "{name}: number of OOMs");
}

/// Histories that are cut or begin late say so, and never claim a peak that was lost.
#[test]
fn incomplete_histories_say_so() {
    for (name, events) in
        [("ring_truncated", true), ("late_start", true), ("no_history", false), ("segments_only_list", false)]
    {
        let recording = recordings::open(&recordings::pickle(name), 4096).unwrap();
        let summary = summary(&recording);
        assert!(!summary.devices[0].history.complete, "{name}");
        assert_eq!(summary.devices[0].events > 0, events, "{name}");
    }
}
