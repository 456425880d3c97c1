//! `cargo xtask synth` makes recordings that are as true as the one they come from.

use std::io::Write;
use std::process::{Command, Stdio};

use vramscope_core::query::summary::{DeviceSummary, Summary, summary};
use vramscope_tests::recordings;
use vramscope_tests::synth::{Source, write};

fn source(name: &str) -> Source {
    Source::read(&mut recordings::pickle(name).as_slice()).unwrap()
}

fn synthesised(name: &str, events: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(&source(name), events, &mut bytes).unwrap();
    bytes
}

/// Figures with the allocator model checked to the end.
fn checked(bytes: &[u8]) -> Summary {
    let mut recording = recordings::open(bytes, 1 << 20).unwrap();
    recording.check_all();
    summary(&recording)
}

#[test]
fn nothing_repeated_is_the_file_that_python_wrote() {
    for name in
        ["train_sgd", "healthy_ema", "pickled_protocols_p4", "annotations", "mempool", "streams", "metadata"]
    {
        let original = recordings::pickle(name);
        let events = Source::read(&mut original.as_slice()).unwrap().n_events();
        let written = synthesised(name, events);
        let differs = written.iter().zip(&original).position(|(a, b)| a != b);
        assert_eq!(
            (differs, written.len()),
            (None, original.len()),
            "{name}: first byte that differs, and length"
        );
    }
}

#[test]
fn more_events_have_the_same_peaks_and_end_and_the_model_agrees() {
    for (name, events) in
        [("train_sgd", 20_000), ("train_plain", 10_000), ("healthy_ema", 50_001), ("fsdp_rank0", 12_345)]
    {
        let before = checked(&recordings::pickle(name));
        let bytes = synthesised(name, events);
        let after = checked(&bytes);
        let total: u64 = after.devices.iter().map(|device| device.events).sum();
        assert!((events..events + 100).contains(&total), "{name}: {total} events");
        for (before, after) in
            before.devices.iter().zip(&after.devices).filter(|(before, _)| before.events > 0)
        {
            assert_eq!(
                after.peak.requested_bytes, before.peak.requested_bytes,
                "{name}: requested at the peak"
            );
            assert_eq!(after.peak.reserved_bytes, before.peak.reserved_bytes, "{name}: reserved at the peak");
            assert_eq!(
                after.peak.allocated_bytes, before.peak.allocated_bytes,
                "{name}: allocated at the peak"
            );
            assert_eq!(after.end.requested_bytes, before.end.requested_bytes, "{name}: requested at the end");
            assert_eq!(after.end.allocated_bytes, before.end.allocated_bytes, "{name}: allocated at the end");
            let agreeing = |device: &DeviceSummary| {
                device
                    .model
                    .as_ref()
                    .map(|model| (model.agreeing_events, model.checked_events - device.events))
            };
            assert_eq!(
                agreeing(before),
                Some((before.events, 0)),
                "{name}: the model agrees with the source"
            );
            assert_eq!(agreeing(after), Some((after.events, 0)), "{name}: the model agrees");
        }
        assert_eq!(
            after.warnings.iter().map(|warning| &warning.code).collect::<Vec<_>>(),
            before.warnings.iter().map(|warning| &warning.code).collect::<Vec<_>>(),
            "{name}"
        );
    }
}

#[test]
fn times_never_go_back() {
    let recording = recordings::open(&synthesised("train_sgd", 20_000), 1 << 20).unwrap();
    let events = &recording.snapshot.devices[0].events;
    let times: Vec<_> = (0..events.len()).map(|event| events.time_us(event)).collect();
    assert!(times.is_sorted() && times[0].is_some());
}

#[test]
fn fewer_events_leave_out_a_window() {
    let bytes = synthesised("train_sgd", 2_000);
    let after = checked(&bytes);
    assert!((2_000..3_000).contains(&after.devices[0].events), "{}", after.devices[0].events);
    assert_eq!(
        after.devices[0].end.requested_bytes,
        checked(&recordings::pickle("train_sgd")).devices[0].end.requested_bytes
    );
}

/// What a file weighs for each event is what makes it like a real one.
#[test]
fn bytes_for_each_event_are_those_of_the_source() {
    let [small, large] = [20_000, 40_000].map(|events| synthesised("train_sgd", events).len() as f64);
    let window = large - small;
    let original = recordings::pickle("train_sgd").len() as f64 / 5_044.0;
    assert!((0.7..1.1).contains(&(window / 20_000.0 / original)), "{} and {original}", window / 20_000.0);
}

#[test]
fn a_recording_without_steps_is_refused() {
    let mut bytes = Vec::new();
    let error = write(&source("resnet_like"), 100_000, &mut bytes).unwrap_err().to_string();
    assert!(error.contains("no steps to repeat"), "{error}");
    assert!(Source::read(&mut b"\x80\x04}.".as_slice()).err().unwrap().to_string().contains("history"));
    assert!(Source::read(&mut b"hello".as_slice()).err().unwrap().to_string().contains("no sound pickle"));
}

/// CPython's own reader agrees, where there is one.
#[test]
fn python_opens_it() {
    let program = "import pickle, sys; d = pickle.load(sys.stdin.buffer); t = d['device_traces'][0]; \
         print(len(t), len({id(e['frames']) for e in t if 'frames' in e}), all(a['time_us'] <= b['time_us'] for a, b in zip(t, t[1:])))";
    let python =
        Command::new("python3").args(["-c", program]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let Ok(mut python) = python else { return };
    python.stdin.take().unwrap().write_all(&synthesised("train_sgd", 20_000)).unwrap();
    let output = python.wait_with_output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let [events, lists, sorted] = said.split_whitespace().collect::<Vec<_>>()[..] else { panic!("{said}") };
    assert!(events.parse::<u32>().unwrap() >= 20_000 && lists.parse::<u32>().unwrap() > 13_000, "{said}");
    assert_eq!(sorted, "True");
}
