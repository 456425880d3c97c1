//! How long tables and sums of stacks take over a recording: `cargo run --release -p vramscope-explore --example explore_speed FILE`.

use std::error::Error;
use std::time::Instant;

use vramscope_core::decode::{Decoder, Limits};
use vramscope_core::replay::{Axis, Recording};
use vramscope_explore::table::{Column, Facts, Names, Of, Sort, Table};
use vramscope_explore::tree::{Keys, Sums, Tree, Weigh, Wish};

const ROUNDS: usize = 7;
const SORTED: [&str; 14] = [
    "size", "block", "rounding", "category", "site", "operator", "alloc", "free", "lived", "stream", "pool",
    "phase", "step", "address",
];
const GROUPED: [&str; 8] = ["site", "stack", "category", "size", "stream", "pool", "phase", "step"];

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: explore_speed FILE")?;
    let bytes = std::fs::read(&path)?;
    let mut decoder = Decoder::new(&path, Limits::default());
    for piece in bytes.chunks(1 << 20) {
        decoder.feed(piece)?;
    }
    drop(bytes);
    let recording = Recording::build(decoder.finish()?);
    let snapshot = &recording.snapshot;
    let device = snapshot.devices.first().ok_or("no device")?.ordinal;
    let names = Names::of(snapshot);
    let facts = Facts::of(&recording, device, &names).ok_or("no device")?;
    for column in SORTED.into_iter().filter_map(Column::named) {
        for down in [false, true] {
            let what = format!("sorted by {} {}", column.name(), if down { "down" } else { "up" });
            timed(&what, || Table::new(&facts, Of::All, None, &[Sort { column, down }], None).ids().len());
        }
    }
    for column in GROUPED.into_iter().filter_map(Column::named) {
        let what = format!("grouped by {}", column.name());
        timed(&what, || Table::new(&facts, Of::All, None, &[Sort::LARGEST], Some(column)).groups().len());
    }
    let (_, replay) = recording.device(device).ok_or("no device")?;
    let keys = Keys::new(snapshot);
    for weigh in [Weigh::Peak, Weigh::Allocated, Weigh::Freed, Weigh::Retained, Weigh::Lifetime] {
        for axis in [Axis::Event, Axis::Time] {
            let wish = Wish { weigh, axis, x0: 0.0, x1: f64::INFINITY, ..Wish::default() };
            timed(&format!("{weigh:?} over {axis:?}"), || Sums::of(replay, snapshot, &wish, None).rows.len());
            let sums = Sums::of(replay, snapshot, &wish, None);
            timed("  its tree", || Tree::grow(replay, snapshot, &keys, &sums, &wish).nodes().len());
        }
    }
    Ok(())
}

/// Prints the fastest of several times: what else the machine does makes none faster.
fn timed(what: &str, act: impl Fn() -> usize) {
    let mut ms = [0.0; ROUNDS];
    let mut count = 0;
    for ms in &mut ms {
        let start = Instant::now();
        count = act();
        *ms = start.elapsed().as_secs_f64() * 1e3;
    }
    ms.sort_by(f64::total_cmp);
    println!("{:7.1} ms: {what} ({count})", ms[0]);
}
