//! Peaks at another batch, against what the allocator counted there.

use std::num::NonZeroU64;

use vramscope_core::allocator::Config;
use vramscope_core::replay::Category;
use vramscope_simulate::batch::{Axis, Largest, Scaling};
use vramscope_simulate::{Order, Program, Run};
use vramscope_tests::frames::{KEPT, only};
use vramscope_tests::opened::Opened;
use vramscope_tests::part::part;

fn batch(n: u64) -> NonZeroU64 {
    NonZeroU64::new(n).expect("a batch")
}

fn off_percent(told: u64, truth: u64) -> f64 {
    told.abs_diff(truth) as f64 / truth as f64 * 100.0
}

/// Both peaks of a recording at a batch, foretold from others, are within so many percent of what the allocator counted.
fn foretells(scaling: &Scaling<'_>, from: &Opened, to: (&Opened, u64), percent: f64) {
    let scenario = scaling.at(batch(to.1));
    let found = from.simulate(&scenario.requests);
    let (allocated, reserved) = to.0.truth.expect("counters");
    let off = (
        off_percent(found.allocated_peak_bytes, allocated),
        off_percent(found.reserved_peak_bytes, reserved),
    );
    println!(
        "{}: allocated {} for {allocated} ({:.2} %), reserved {} ({}..{}) for {reserved} ({:.2} %), told to be sure to {:?} %",
        scenario.title,
        found.allocated_peak_bytes,
        off.0,
        found.reserved_peak_bytes,
        found.reserved_peak_low_bytes,
        found.reserved_peak_high_bytes,
        off.1,
        scenario.uncertainty_percent
    );
    assert!(off.0 <= percent && off.1 <= percent, "{off:?}");
    let [_, parts] = scenario.parts.expect("both peaks");
    let told = parts.scaling_bytes + parts.fixed_bytes;
    assert!(
        off_percent(told, found.allocated_peak_bytes) < 1.0,
        "requested bytes are nearly those of blocks"
    );
}

#[test]
fn one_recording_foretells_other_batches() {
    let all = ["train_bs8", "train_plain", "train_bs32"].map(Opened::of);
    let [Some(bs8), Some(bs16), Some(bs32)] = all else { return };
    let program = bs8.program().unwrap();
    let scaling = Scaling::of(&program, Axis::Batch, batch(8)).unwrap();
    foretells(&scaling, &bs8, (&bs16, 16), 5.0);
    foretells(&scaling, &bs8, (&bs32, 32), 5.0);
    foretells(&scaling, &bs8, (&bs8, 8), 0.0);
}

#[test]
fn two_recordings_foretell_a_third() {
    let all = ["train_bs8", "train_plain", "train_bs32"].map(Opened::of);
    let [Some(bs8), Some(bs16), Some(bs32)] = all else { return };
    let (program, other) = (bs16.program().unwrap(), bs8.program().unwrap());
    let scaling = Scaling::of(&program, Axis::Batch, batch(16)).unwrap().fitted(&other, batch(8)).unwrap();
    foretells(&scaling, &bs16, (&bs32, 32), 2.0);
    foretells(&scaling, &bs16, (&bs8, 8), 5.0);
}

#[test]
fn other_recorder_settings_tell_the_same() {
    let all = ["train_plain", "train_bs32"].map(Opened::of);
    let [Some(bs16), Some(bs32)] = all else { return };
    for kept in KEPT {
        let Some(bs8) = Opened::changed("train_bs8", |snapshot| only(snapshot, kept)) else { return };
        let Some(own) = Opened::changed("train_plain", |snapshot| only(snapshot, kept)) else { return };
        println!("{kept:?}");
        let (program, other) = (bs8.program().unwrap(), own.program().unwrap());
        let scaling = Scaling::of(&program, Axis::Batch, batch(8)).unwrap();
        foretells(&scaling, &bs8, (&bs16, 16), 5.0);
        foretells(&scaling, &bs8, (&bs32, 32), 5.0);
        let scaling =
            Scaling::of(&other, Axis::Batch, batch(16)).unwrap().fitted(&program, batch(8)).unwrap();
        foretells(&scaling, &own, (&bs32, 32), 2.0);
        let scaling = scaling_of_both(&program, &other);
        foretells(&scaling, &bs8, (&bs32, 32), 5.0);
    }
}

#[test]
fn a_recording_that_began_late_tells_the_same() {
    let Some(bs32) = Opened::of("train_bs32") else { return };
    for from in [0.36, 0.45, 0.6] {
        let Some(bs8) = Opened::changed("train_bs8", |snapshot| part(snapshot, from, 1.0)) else { return };
        println!("from {from}");
        let program = bs8.program().unwrap();
        let scaling = Scaling::of(&program, Axis::Batch, batch(8)).unwrap();
        foretells(&scaling, &bs8, (&bs32, 32), 5.0);
    }
}

fn scaling_of_both<'a>(bs8: &'a Program<'a>, bs16: &Program<'_>) -> Scaling<'a> {
    Scaling::of(bs8, Axis::Batch, batch(8)).unwrap().fitted(bs16, batch(16)).unwrap()
}

#[test]
fn a_wrong_batch_is_noticed() {
    let Some(bs8) = Opened::of("train_bs8") else { return };
    let program = bs8.program().unwrap();
    let says = |recorded: u64| {
        let scenario = Scaling::of(&program, Axis::Batch, batch(recorded)).unwrap().at(batch(64));
        scenario.notes.iter().any(|note| note.contains("is that the recorded batch?"))
    };
    assert!(says(7) && !says(8) && !says(4));
}

#[test]
fn recordings_of_different_programs_are_not_fitted() {
    let all = ["train_bs8", "resnet_like", "linear_inference"].map(Opened::of);
    let [Some(gpt), Some(other), Some(inference)] = all else { return };
    let program = gpt.program().unwrap();
    let scaling = || Scaling::of(&program, Axis::Batch, batch(8)).unwrap();
    assert!(scaling().fitted(&inference.program().unwrap(), batch(16)).is_err());
    // Whatever little is alike, it is told how far off it is.
    if let Ok(fitted) = scaling().fitted(&other.program().unwrap(), batch(16)) {
        assert!(fitted.at(batch(32)).uncertainty_percent.is_some_and(|percent| percent > 20.0));
    }
    assert!(scaling().fitted(&program, batch(8)).is_err());
}

#[test]
fn the_largest_batch_is_the_last_that_is_served() {
    let Some(bs8) = Opened::of("train_bs8") else { return };
    let program = bs8.program().unwrap();
    let scaling = Scaling::of(&program, Axis::Batch, batch(8)).unwrap();
    for limit_mib in [700, 1400, 2100, 5000] {
        let config = Config { limit_bytes: Some(limit_mib << 20), ..bs8.config() };
        let mut search = Largest::new(&scaling, config.clone());
        while !search.step(&scaling) {}
        let serves = |n: u64| {
            let requests = scaling.at(batch(n)).requests;
            let mut run = Run::new(&requests, config.clone(), Order::Borrowed).unwrap();
            while !run.run(&requests, usize::MAX) {}
            run.oom().is_none()
        };
        let found = search.found();
        println!("{limit_mib} MiB: {found:?}");
        assert!(!found.at_least);
        let last = (1..=60).take_while(|n| serves(*n)).last();
        assert_eq!(found.batch, last);
    }
}

#[test]
fn where_nothing_grows_it_is_said() {
    let Some(opened) = Opened::of("train_bs8") else { return };
    let mut recording = opened.recording;
    let ordinal = recording.snapshot.devices[0].ordinal;
    let mut labels = recording.replays[0].labels().unwrap().clone();
    for rule in &mut labels.rules {
        rule.category = Category::Parameter;
    }
    recording.set_labels(ordinal, labels);
    let program = Program::of(&recording, ordinal, &opened.requests).unwrap();
    assert!(
        Scaling::of(&program, Axis::Batch, batch(8)).is_err_and(|why| why.contains("grow with the batch"))
    );
}
