//! The trace for Perfetto: valid, and its counters say what the recording says.

use std::collections::BTreeMap;

use serde_json::Value;
use vramscope_core::replay::Recording;
use vramscope_explore::export::{self, MOST_POINTS, Request};
use vramscope_tests::recordings;
use vramscope_tests::synth::{Source, write};

use crate::checked;

fn trace(recording: &Recording, request: &Request) -> Value {
    let mut bytes = Vec::new();
    assert!(export::trace_events(recording, request, &mut |piece| {
        bytes.extend_from_slice(piece);
        true
    }));
    serde_json::from_slice(&bytes).expect("JSON")
}

fn rows<'a>(trace: &'a Value, kind: &'a str) -> impl Iterator<Item = &'a Value> {
    trace["traceEvents"].as_array().unwrap().iter().filter(move |row| row["ph"] == kind)
}

/// A counter of a process: time to the last value then.
fn counter(trace: &Value, process: u64, name: &str) -> Vec<(i64, u64)> {
    let of = rows(trace, "C").filter(|row| row["pid"] == process && row["name"] == name);
    of.map(|row| (row["ts"].as_i64().unwrap(), row["args"]["bytes"].as_u64().unwrap())).collect()
}

#[test]
fn counters_follow_every_event() {
    for name in ["train_plain", "oom_logits", "two_devices", "expandable", "mempool"] {
        let recording = checked(&recordings::pickle(name));
        let trace = trace(&recording, &Request::default());
        for (nth, replay) in recording.replays.iter().enumerate() {
            let origin = recording.replays.iter().filter_map(|replay| replay.first_time_us()).min().unwrap();
            let shift = replay.first_time_us().unwrap_or(origin) - origin;
            type Series<'a> = (&'a str, &'a dyn Fn(u32) -> Option<u64>);
            let series: [Series<'_>; 3] = [
                ("requested", &|moment| Some(replay.requested_at(moment))),
                ("allocated", &|moment| replay.allocated_at(moment)),
                ("reserved", &|moment| Some(replay.reserved_at(moment))),
            ];
            for (which, value) in series {
                let points = counter(&trace, nth as u64 + 1, which);
                assert!(points.is_sorted_by_key(|(at, _)| *at), "{name}: {which} in order");
                // Of moments at one time the last one stays.
                let shown: BTreeMap<i64, u64> = points.into_iter().collect();
                let truth: BTreeMap<i64, u64> = (0..=replay.end())
                    .filter_map(|moment| Some((replay.time_at(moment).unwrap_or(0) + shift, value(moment)?)))
                    .collect();
                for (at, bytes) in truth {
                    let last = shown.range(..=at).next_back().map(|(_, bytes)| *bytes);
                    assert_eq!(last, Some(bytes), "{name}: {which} at {at}");
                }
            }
        }
        let ooms: usize = recording.replays.iter().map(|replay| replay.ooms().len()).sum();
        assert_eq!(rows(&trace, "i").count(), ooms, "{name}");
        assert_eq!(
            rows(&trace, "M").filter(|row| row["name"] == "process_name").count(),
            recording.replays.len()
        );
    }
}

#[test]
fn steps_and_phases_are_slices_that_do_not_overlap() {
    let mut recording = checked(&recordings::pickle("train_plain"));
    recordings::label(&mut recording);
    let trace = trace(&recording, &Request { events: Some(100..900), ..Request::default() });
    let labels = recording.replays[0].labels().unwrap();
    let within = labels.steps.iter().filter(|step| step.last_event >= 100 && step.first_event < 900).count();
    for (row, at_least) in [(1, within), (2, within)] {
        let slices: Vec<(i64, i64)> = rows(&trace, "X")
            .filter(|slice| slice["tid"] == row)
            .map(|slice| (slice["ts"].as_i64().unwrap(), slice["dur"].as_i64().unwrap()))
            .collect();
        assert!(slices.len() >= at_least && at_least > 10, "{} slices", slices.len());
        assert!(slices.windows(2).all(|pair| pair[0].0 + pair[0].1 <= pair[1].0), "row {row}");
    }
    assert_eq!(rows(&trace, "M").filter(|row| row["name"] == "thread_name").count(), 2);
}

#[test]
fn a_long_recording_is_thinned_and_keeps_its_peaks() {
    let mut bytes = Vec::new();
    let source = Source::read(&mut recordings::pickle("train_sgd").as_slice()).unwrap();
    write(&source, 200_000, &mut bytes).unwrap();
    let recording = recordings::open(&bytes, 1 << 20).unwrap();
    let trace = trace(&recording, &Request::default());
    let replay = &recording.replays[0];
    let points = counter(&trace, 1, "requested");
    assert!((MOST_POINTS as usize / 4..=MOST_POINTS as usize).contains(&points.len()), "{}", points.len());
    assert_eq!(points.iter().map(|(_, bytes)| *bytes).max(), Some(replay.requested_at(replay.peak())));
    assert_eq!(points.last().map(|(_, bytes)| *bytes), Some(replay.requested_at(replay.end())));
    assert!(trace["otherData"]["points"].as_str().unwrap().contains("50,000 points"));
    assert_eq!(counter(&trace, 1, "allocated"), [], "not known before the check");
}

#[test]
fn without_times_an_event_is_a_microsecond() {
    let mut recording = checked(&recordings::pickle("train_plain"));
    let mut snapshot = std::mem::take(&mut recording.snapshot);
    snapshot.devices[0].events.times_us.clear();
    let recording = Recording::build(snapshot);
    let trace = trace(&recording, &Request { events: Some(10..20), ..Request::default() });
    assert!(trace["otherData"]["clock"].as_str().unwrap().contains("one event takes one microsecond"));
    assert!(counter(&trace, 1, "requested").iter().all(|(at, _)| (10..=20).contains(at)));
}
