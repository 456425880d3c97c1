//! The allocator model agrees with every recording, and its figures equal the allocator's own counters.

use serde_json::Value;
use vramscope_core::query::summary::summary;
use vramscope_core::replay::Recording;
use vramscope_tests::{cut, recordings};

#[test]
fn every_event_of_every_recording_agrees() {
    let mut faults = Vec::new();
    let mut checked = 0;
    for file in recordings::all() {
        let bytes = std::fs::read(&file.path).unwrap();
        let mut recording =
            recordings::open(&bytes, 1 << 20).unwrap_or_else(|error| panic!("{}: {error}", file.name));
        recording.check_all();
        let truth: Option<Value> =
            file.truth.as_ref().map(|truth| serde_json::from_slice(&std::fs::read(truth).unwrap()).unwrap());
        for device in summary(&recording).devices {
            let model = device.model.expect("checked");
            checked += model.agreeing_events;
            if let Some(difference) = &model.difference {
                faults.push(format!(
                    "{} device {}: {} of {}: {difference:?}",
                    file.name, device.device, model.agreeing_events, model.checked_events
                ));
                continue;
            }
            let Some(counters) = truth.as_ref().map(|truth| &truth["devices"][device.device.to_string()])
            else {
                continue;
            };
            if !device.history.complete {
                continue;
            }
            let peak = |quantity: &str| counters[format!("{quantity}_bytes.all.peak")].as_u64();
            for (name, figure) in [
                ("allocated", device.peak.allocated_bytes),
                ("active", device.peak.active_bytes),
                ("inactive_split", device.peak.inactive_split_bytes),
                ("requested", Some(device.peak.requested_bytes)),
                ("reserved", Some(device.peak.reserved_bytes)),
            ] {
                if figure != peak(name) {
                    faults.push(format!("{}: {name} peak {figure:?}, counter {:?}", file.name, peak(name)));
                }
            }
            let end = |quantity: &str| counters[format!("{quantity}_bytes.all.current")].as_u64();
            if device.end.inactive_split_bytes != end("inactive_split") {
                faults.push(format!("{}: inactive_split end", file.name));
            }
        }
    }
    println!("{checked} events agree");
    assert!(faults.is_empty(), "{} faults, {checked} events agree\n{}", faults.len(), faults.join("\n"));
}

/// The start state is rebuilt backwards from the end, with the real sizes of blocks whose alloc is not in the trace.
#[test]
fn histories_that_begin_late_agree_too() {
    let mut faults = Vec::new();
    let mut cases = 0;
    for file in recordings::all() {
        let whole = cut::snapshot(&std::fs::read(&file.path).unwrap());
        for tenths in 1..=9 {
            let mut snapshot = whole.clone();
            for device in &mut snapshot.devices {
                let count = device.events.len() * tenths / 10;
                cut::drop_first(device, count);
            }
            let mut recording = Recording::build(snapshot);
            recording.check_all();
            for (device, replay) in recording.snapshot.devices.iter().zip(&recording.replays) {
                cases += 1;
                if let Some(difference) = &replay.model().expect("checked").difference {
                    let (name, n) = (&file.name, device.events.len());
                    faults.push(format!(
                        "{name} device {} without {tenths}0 %, of {n}: {difference:?}",
                        device.ordinal
                    ));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{} of {cases} differ\n{}", faults.len(), faults.join("\n"));
}
