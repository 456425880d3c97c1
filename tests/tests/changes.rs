//! Changes that people try, against recordings of programs so changed, and against brute force.

use vramscope_core::replay::requests::{Requests, StepKind};
use vramscope_simulate::changes::{KINDS, apply, modules};
use vramscope_tests::opened::Opened;

#[test]
fn checkpointing_comes_near_what_was_recorded_with_it() {
    let all = ["train_plain", "train_checkpointed"].map(Opened::of);
    let [Some(plain), Some(checkpointed)] = all else { return };
    let program = plain.program().unwrap();
    println!("{:#?}", modules(&program));
    let scenario = apply(&program, "checkpoint", None).unwrap();
    let found = plain.simulate(&scenario.requests);
    let (allocated, reserved) = checkpointed.truth.unwrap();
    println!("{} {}", scenario.title, scenario.assumption);
    let off = |told: u64, truth: u64| told.abs_diff(truth) as f64 / truth as f64 * 100.0;
    let off = (off(found.allocated_peak_bytes, allocated), off(found.reserved_peak_bytes, reserved));
    println!("allocated {} for {allocated}, reserved {} ({}..{}) for {reserved}: {off:?} %", found.allocated_peak_bytes, found.reserved_peak_bytes, found.reserved_peak_low_bytes, found.reserved_peak_high_bytes);
    assert!(off.0 <= 15.0 && off.1 <= 15.0, "{off:?}");
}

/// Bytes held after each event, and the most. Each is asked for once before it is freed once.
fn held_after(requests: &Requests) -> Vec<u64> {
    let there = requests.start.iter().flatten().flat_map(|segment| &segment.ranges).flat_map(|range| &range.blocks);
    // 0 not yet, 1 held, 2 dropped, 3 gone.
    let mut state = vec![0u8; requests.wanted.len()];
    let mut now = 0;
    for block in there {
        state[block.key as usize] = if block.pending { 2 } else { 1 };
        now += requests.wanted[block.key as usize].size_bytes;
    }
    let mut after = vec![0; requests.n_events as usize + 1];
    let mut last = 0;
    for step in &requests.steps {
        assert!(step.event >= last, "in order");
        after[last as usize..step.event as usize].fill(now);
        last = step.event;
        let id = step.id as usize;
        let mut go = |from: &[u8], to: u8| {
            assert!(from.contains(&state[id]), "{step:?} after {}", state[id]);
            state[id] = to;
        };
        match step.kind {
            StepKind::Alloc => {
                go(&[0], 1);
                now += requests.wanted[id].size_bytes;
            }
            StepKind::Free => {
                go(&[1], 3);
                now -= requests.wanted[id].size_bytes;
            }
            StepKind::FreeRequested => go(&[1], 2),
            StepKind::FreeCompleted => {
                go(&[2], 3);
                now -= requests.wanted[id].size_bytes;
            }
            _ => {}
        }
        after[step.event as usize] = now.max(after[step.event as usize]);
    }
    after[last as usize..].fill(now);
    after
}

#[test]
fn changed_requests_are_sound_on_every_recording() {
    for file in vramscope_tests::recordings::all() {
        let Some(opened) = Opened::of(&file.name) else { continue };
        let Ok(program) = opened.program() else { continue };
        let peak = |requests: &Requests| held_after(requests).into_iter().max().unwrap_or(0);
        let before = peak(&opened.requests);
        let best = modules(&program);
        println!("{}: {:?}", file.name, best.first());
        for kind in KINDS {
            match apply(&program, kind.key, None) {
                Err(why) => println!("    {}: {why}", kind.key),
                Ok(scenario) => {
                    let after = peak(&scenario.requests);
                    println!("    {}: {before} -> {after} ({:.1} %)  {}", kind.key, after as f64 / before as f64 * 100.0, scenario.assumption);
                    if kind.key != "checkpoint" {
                        assert!(after <= before, "{} {}", file.name, kind.key);
                    }
                }
            }
        }
    }
}
