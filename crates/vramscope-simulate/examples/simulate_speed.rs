//! How fast a recording is simulated: `cargo run --release -p vramscope-simulate --example simulate_speed SNAPSHOT`.

use std::time::Instant;

use vramscope_core::allocator::Config;
use vramscope_core::decode::{Decoder, Limits};
use vramscope_core::replay::Recording;
use vramscope_core::replay::requests::Requests;
use vramscope_simulate::{Order, Run};

fn main() {
    let path = std::env::args().nth(1).expect("a snapshot");
    let bytes = std::fs::read(&path).expect("a readable file");
    let mut decoder = Decoder::new(&path, Limits::default());
    decoder.feed(&bytes).expect("a snapshot");
    let mut recording = Recording::build(decoder.finish().expect("a snapshot"));
    let started = Instant::now();
    recording.check_all();
    println!("check: {:?}", started.elapsed());
    let started = Instant::now();
    let requests =
        Requests::read(&recording.snapshot, &recording.snapshot.devices[0], &recording.replays[0], u32::MAX);
    println!("read: {:?}, {} steps, {} requests", started.elapsed(), requests.steps.len(), requests.count());
    for text in [
        "",
        "expandable_segments:True",
        "max_split_size_mb:64",
        "roundup_power2_divisions:4",
        "garbage_collection_threshold:0.6",
    ] {
        for order in [Order::Borrowed, Order::Plain, Order::Shuffled(0)] {
            let config = Config::parse(text).expect("settings");
            let started = Instant::now();
            let mut run = Run::new(&requests, config, order).expect("a sound start");
            run.run(&requests, usize::MAX);
            let seconds = started.elapsed().as_secs_f64();
            let rate = requests.count() as f64 / seconds / 1e6;
            println!("{text:34} {order:?}: {seconds:.2} s, {rate:.2} M requests/s");
        }
    }
}
