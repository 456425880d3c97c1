//! The table like `torch.cuda.memory_summary()`, against the allocator's own counters.

use serde_json::Value;
use vramscope_core::model::{Action, BlockState};
use vramscope_diagnose::{Pools, Tally, memory_summary};
use vramscope_tests::recordings;
use vramscope_tests::trace::{MIB, Trace};

/// Figures that differ from the counters of `torch.cuda.memory_stats()`, and how many were compared.
fn differences(counters: &Value, named: &[(&str, &Pools)]) -> (Vec<String>, usize) {
    let (mut faults, mut compared) = (Vec::new(), 0);
    for (name, pools) in named {
        for (pool, tally) in [("all", pools.all), ("large_pool", pools.large), ("small_pool", pools.small)] {
            let Tally { current, peak, allocated, freed } = tally;
            for (what, own) in
                [("current", current), ("peak", peak), ("allocated", allocated), ("freed", freed)]
            {
                let key = format!("{name}.{pool}.{what}");
                let Some(counter) = counters[&key].as_u64() else { continue };
                compared += 1;
                if counter != own {
                    faults.push(format!("{key}: {own}, counter {counter}"));
                }
            }
        }
    }
    (faults, compared)
}

#[test]
fn every_figure_equals_the_allocators_counter_where_history_is_complete() {
    let (mut faults, mut compared) = (Vec::new(), 0);
    for file in recordings::all() {
        let Some(truth) = &file.truth else { continue };
        let truth: Value = serde_json::from_slice(&std::fs::read(truth).unwrap()).unwrap();
        let mut recording = recordings::open(&std::fs::read(&file.path).unwrap(), 1 << 20).unwrap();
        recording.check_all();
        for (device, replay) in recording.snapshot.devices.iter().zip(&recording.replays) {
            let counters = &truth["devices"][device.ordinal.to_string()];
            let summary = memory_summary(&recording, device.ordinal, replay.end()).expect("there is one");
            if !summary.from_the_beginning || !summary.sizes_known {
                assert!(!summary.notes.is_empty(), "{}: it is said", file.name);
                continue;
            }
            let (differ, n) = differences(
                counters,
                &[
                    ("allocated_bytes", &summary.allocated_bytes),
                    ("active_bytes", &summary.active_bytes),
                    ("requested_bytes", &summary.requested_bytes),
                    ("reserved_bytes", &summary.reserved_bytes),
                    ("inactive_split_bytes", &summary.inactive_split_bytes),
                    ("allocation", &summary.allocations),
                    ("active", &summary.active),
                    ("segment", &summary.segments),
                    ("inactive_split", &summary.inactive_splits),
                ],
            );
            compared += n;
            faults.extend(differ.into_iter().map(|text| format!("{} {text}", file.name)));
            for (key, own) in [
                ("num_ooms", summary.ooms),
                ("oversize_allocations.current", summary.oversize_allocations.current),
                ("oversize_segments.current", summary.oversize_segments.current),
            ] {
                let counter = counters[key].as_u64();
                if counter.is_some_and(|counter| counter != own) {
                    faults.push(format!("{} {key}: {own}, counter {counter:?}", file.name));
                }
                compared += usize::from(counter.is_some());
            }
        }
    }
    println!("{compared} counters compared");
    assert!(compared > 100, "{compared}");
    assert!(faults.is_empty(), "{} of {compared} differ\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn what_came_before_the_recording_is_said() {
    let base = 0x7000_0000_0000;
    let recording = Trace::default()
        .event(Action::FreeRequested, base, 4 * MIB)
        .event(Action::FreeCompleted, base, 4 * MIB)
        .event(Action::Alloc, base, 6 * MIB)
        .segment(
            base,
            20 * MIB,
            (0, 0),
            &[
                (base, 6 * MIB, 6 * MIB, BlockState::Allocated),
                (base + 6 * MIB, 14 * MIB, 0, BlockState::Inactive),
            ],
        )
        .open();
    let summary = memory_summary(&recording, 0, u32::MAX).unwrap();
    assert_eq!((summary.moment, summary.requested_bytes.all.current), (3, 6 * MIB));
    assert_eq!(summary.requested_bytes.all.peak, 6 * MIB);
    let text = summary.text();
    assert!(text.contains("and 4.0\u{a0}MiB were in use then."), "{text}");
    assert!(
        text.contains("Requested memory      |   6144 KiB |   6144 KiB |      –     |      –     "),
        "{text}"
    );
    let start = memory_summary(&recording, 0, 0).unwrap();
    assert_eq!(start.requested_bytes.all.current, 4 * MIB);
    assert!(memory_summary(&recording, 9, 0).is_none());
}
