//! Peaks at another batch, against what the allocator counted there.

use std::num::NonZeroU64;

use vramscope_simulate::Program;
use vramscope_simulate::batch::{Axis, Scaling};
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
        "{}: allocated {} for {allocated} ({:.2} %), reserved {} ({}..{}) for {reserved} ({:.2} %), {scenario:#?}",
        scenario.title,
        found.allocated_peak_bytes,
        off.0,
        found.reserved_peak_bytes,
        found.reserved_peak_low_bytes,
        found.reserved_peak_high_bytes,
        off.1,
        scenario = (scenario.uncertainty_percent, scenario.parts, &scenario.assumption, &scenario.notes)
    );
    assert!(off.0 <= percent && off.1 <= percent, "{off:?}");
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
        foretells(&scaling, &bs8, (&bs32, 32), 15.0);
    }
}

fn scaling_of_both<'a>(bs8: &'a Program<'a>, bs16: &Program<'_>) -> Scaling<'a> {
    Scaling::of(bs8, Axis::Batch, batch(8)).unwrap().fitted(bs16, batch(16)).unwrap()
}
