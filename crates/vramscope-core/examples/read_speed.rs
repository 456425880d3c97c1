//! How fast a file is read and replayed: `cargo run --release -p vramscope-core --example read_speed -- FILE`.
//! The file is held in memory and fed in pieces, so that only reading is timed.

use std::time::Instant;

use vramscope_core::decode::{Decoder, Limits};
use vramscope_core::replay::Recording;

const PIECE_BYTES: usize = 1 << 20;

fn main() {
    let path = std::env::args().nth(1).expect("a file");
    let bytes = std::fs::read(&path).expect("it can be read");
    for _ in 0..3 {
        let start = Instant::now();
        let mut decoder = Decoder::new(&path, Limits::default());
        for piece in bytes.chunks(PIECE_BYTES) {
            decoder.feed(piece).expect("a sound file");
        }
        let fed_s = start.elapsed().as_secs_f64();
        let snapshot = decoder.finish().expect("a snapshot");
        let read_s = start.elapsed().as_secs_f64();
        let recording = Recording::build(snapshot);
        let built_s = start.elapsed().as_secs_f64();
        let megabytes = bytes.len() as f64 / 1e6;
        println!(
            "fed {fed_s:.3} s ({:.0} MB/s), finished {:.3} s, replayed {:.3} s, {} devices",
            megabytes / fed_s,
            read_s - fed_s,
            built_s - read_s,
            recording.snapshot.devices.len()
        );
    }
}
