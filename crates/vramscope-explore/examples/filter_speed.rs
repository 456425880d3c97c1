//! How long expressions take over a recording: `cargo run --release -p vramscope-explore --example filter_speed FILE [EXPR…]`.

use std::error::Error;
use std::time::Instant;

use vramscope_core::decode::{Decoder, Limits};
use vramscope_core::replay::Recording;
use vramscope_explore::filter::{Scope, found, parse};

const ROUNDS: usize = 9;
const EXPRESSIONS: [&str; 9] = [
    "attention",
    "name:^forward$ -file:optim",
    "size > 1 MiB",
    "lifetime:100us..20ms",
    "stream:0 pool:large",
    "alive:peak",
    "made:100000..2000000 freed:..2500000",
    "address:0x7f0000000000..",
    "(backward or size > 100 KiB) lifetime < 5 ms not alive:end -meta:x",
];

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let path = args.next().ok_or("usage: filter_speed FILE [EXPR…]")?;
    let bytes = std::fs::read(&path)?;
    let mut decoder = Decoder::new(&path, Limits::default());
    for piece in bytes.chunks(1 << 20) {
        decoder.feed(piece)?;
    }
    drop(bytes);
    let recording = Recording::build(decoder.finish()?);
    let device = recording.snapshot.devices.first().ok_or("no device")?.ordinal;
    let scope = Scope::new(&recording, device, [None; 2]).ok_or("no device")?;
    let asked: Vec<String> = args.collect();
    let asked = if asked.is_empty() { EXPRESSIONS.map(str::to_owned).to_vec() } else { asked };
    for text in asked {
        let mut ms = [(0.0, 0.0); ROUNDS];
        let mut count = 0;
        for ms in &mut ms {
            let start = Instant::now();
            let expr = parse(&text).map_err(|fault| fault.message)?;
            let chosen = expr.choose(&scope).map_err(|fault| fault.message)?;
            let chosen_ms = start.elapsed().as_secs_f64() * 1e3;
            count = found(&recording, device, &chosen).map_or(0, |found| found.count);
            *ms = (chosen_ms, start.elapsed().as_secs_f64() * 1e3 - chosen_ms);
        }
        ms.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (chosen_ms, found_ms) = ms[ROUNDS / 2];
        println!("{chosen_ms:7.1} ms, counted in {found_ms:5.1} ms: {count:>8} by {text}");
    }
    Ok(())
}
