//! The allocator model against the Python model of the same rules: 1,200 random programs, every step compared by digest.
//!
//! `tests/programs/generate.py` wrote them; `generate.py ORACLE --show N` prints what a program should do, step by step.

use std::collections::HashMap;
use std::fmt::Write;
use std::fs;
use std::io::Read;
use std::path::Path;

use vramscope_core::allocator::{Allocator, BlockId, Config, PlainDriver, SegmentAction, Stat, Ticket};

struct Program {
    name: String,
    config: Config,
    steps: Vec<Vec<String>>,
    digest: String,
}

fn programs() -> Vec<Program> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs/programs.txt.gz");
    let packed = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut text = String::new();
    flate2::read::GzDecoder::new(&packed[..]).read_to_string(&mut text).expect("sound gzip");
    text.lines().map(program).collect()
}

fn program(line: &str) -> Program {
    let fields: Vec<&str> = line.split('|').collect();
    let [name, conf, limit, card, steps, digest] = fields[..] else { panic!("not a program: {line}") };
    let limit: u64 = limit.parse().unwrap();
    let config = Config::parse(conf).unwrap_or_else(|error| panic!("program {name}: {error}"));
    Program {
        name: name.into(),
        config: Config {
            limit_bytes: (limit > 0).then_some(limit),
            device_bytes: card.parse().unwrap(),
            ..config
        },
        steps: steps.split(';').map(|step| step.split(' ').map(str::to_owned).collect()).collect(),
        digest: digest.into(),
    }
}

/// One line for each step, as generate.py writes them.
fn run(program: &Program) -> String {
    let mut driver = PlainDriver::default();
    let mut allocator = Allocator::new(program.config.clone());
    let mut blocks: Vec<Option<BlockId>> = Vec::new();
    let mut tickets: HashMap<u64, Ticket> = HashMap::new();
    let mut log = String::new();
    for step in &program.steps {
        allocator.clear_events();
        let number = |at: usize| step[at].parse::<u64>().unwrap();
        let mut result = "-".to_owned();
        match step[0].as_str() {
            "a" => {
                let block = allocator.malloc(number(1), number(2), (number(3), number(4)), &mut driver).ok();
                result = match block.map(|id| allocator.block(id)) {
                    Some(block) => format!("{:x}+{}", block.address, block.size_bytes),
                    None => "oom".into(),
                };
                blocks.push(block);
            }
            "f" => {
                if let Some(ticket) = blocks[number(1) as usize].and_then(|id| allocator.free_requested(id)) {
                    tickets.insert(number(1), ticket);
                }
            }
            "c" => {
                if let Some(ticket) = tickets.remove(&number(1)) {
                    allocator.free_completed(ticket);
                }
            }
            "e" => allocator.empty_cache(&mut driver),
            "g" => allocator.let_go((number(1), number(2))),
            "x" => {
                let config = allocator.config().clone();
                allocator.reconfigure(Config { expandable_segments: !config.expandable_segments, ..config });
            }
            other => panic!("no such step: {other}"),
        }
        let events: Vec<String> = allocator
            .events()
            .iter()
            .map(|event| {
                let action = match event.action {
                    SegmentAction::Alloc => "segment_alloc",
                    SegmentAction::Free => "segment_free",
                    SegmentAction::Map => "segment_map",
                    SegmentAction::Unmap => "segment_unmap",
                };
                format!("{action}:{}@{:x}/{:x}", event.size_bytes, event.address, event.stream)
            })
            .collect();
        writeln!(log, "{result} {}", events.join(" ")).unwrap();
    }
    let all = allocator.statistics();
    let stats = [all.reserved, all.allocated, all.active, all.requested, all.inactive_split, all.segments];
    let stats = stats.map(|Stat { current, peak }| format!("{current}/{peak}")).join(" ");
    writeln!(log, "{stats} {} {} {}", all.retries, all.driver_allocs, all.driver_frees).unwrap();
    log
}

/// FNV-1a, 64 bits.
fn digest(text: &str) -> String {
    let hash = text
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    format!("{hash:016x}")
}

#[test]
fn no_step_of_any_program_differs() {
    let programs = programs();
    assert!(programs.len() >= 1_000);
    let mut different = Vec::new();
    for program in &programs {
        let log = run(program);
        if digest(&log) != program.digest {
            different.push((program.name.as_str(), log));
        }
    }
    if let Some((name, log)) = different.first() {
        let names: Vec<&str> = different.iter().map(|(name, _)| *name).collect();
        panic!(
            "{} of {} programs differ: {names:?}\nprogram {name}:\n{log}",
            different.len(),
            programs.len()
        );
    }
}
