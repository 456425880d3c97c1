//! Changes that people try, against recordings of programs so changed, and against brute force.

use std::num::NonZeroU64;

use proptest::prelude::*;
use vramscope_core::replay::requests::{Requests, StepKind};
use vramscope_core::replay::{Category, Labels, Phase, PhaseSpan, Recording, Rule, Step};
use vramscope_simulate::batch::{Axis, Scaling};
use vramscope_simulate::changes::{KINDS, apply, modules};
use vramscope_simulate::{Order, Program, Run};
use vramscope_tests::opened::Opened;
use vramscope_tests::script::Script;
use vramscope_tests::{chaos, recordings};

fn off_percent(told: u64, truth: u64) -> f64 {
    told.abs_diff(truth) as f64 / truth as f64 * 100.0
}

/// A change to one program comes within so many percent of the allocator's peaks of another.
fn comes_near(name: &str, change: &str, changed: &str, percent: f64) {
    let [Some(plain), Some(changed)] = [name, changed].map(Opened::of) else { return };
    let scenario = apply(&plain.program().unwrap(), change, None).unwrap();
    let found = plain.simulate(&scenario.requests);
    let (allocated, reserved) = changed.truth.unwrap();
    let off = (
        off_percent(found.allocated_peak_bytes, allocated),
        off_percent(found.reserved_peak_bytes, reserved),
    );
    println!(
        "{name}, {}: allocated {} for {allocated} ({:.2} %), reserved {} for {reserved} ({:.2} %)",
        scenario.title, found.allocated_peak_bytes, off.0, found.reserved_peak_bytes, off.1
    );
    assert!(off.0 <= percent && off.1 <= percent, "{off:?}");
}

#[test]
fn a_checkpointed_program_is_foretold_from_the_plain_one() {
    comes_near("train_plain", "checkpoint", "train_checkpointed", 15.0);
    comes_near("linear_inference", "no_grad", "linear_inference_nograd", 1.0);
}

#[test]
fn modules_are_told_by_the_lines_that_call_them() {
    let best = |name: &str| {
        let opened = Opened::of(name)?;
        let best = modules(&opened.program().ok()?).into_iter().next()?;
        Some((best.place, best.calls))
    };
    assert_eq!(best("train_plain"), Some(("train.py:78 in forward".into(), 6)));
    assert_eq!(best("stacks_python"), Some(("train.py:78 in forward".into(), 4)));
    // Sixteen blocks of a ResNet in four Sequentials.
    assert_eq!(best("resnet_like"), Some(("container.py:253 in forward".into(), 16)));
    // What is checkpointed already saves nothing more.
    assert_eq!(best("train_checkpointed"), None);
}

/// Bytes held after each event, and the most. Each is asked for once before it is freed once.
fn held_after(requests: &Requests) -> Vec<u64> {
    let there =
        requests.start.iter().flatten().flat_map(|segment| &segment.ranges).flat_map(|range| &range.blocks);
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

fn peak(requests: &Requests) -> u64 {
    held_after(requests).into_iter().max().unwrap_or(0)
}

/// Every scenario of a program is sound, and holds no more than the recording at any event unless it makes something again.
fn all_are_sound(program: &Program<'_>, requests: &Requests, name: &str) {
    let before = held_after(requests);
    for kind in KINDS {
        let scenario = match apply(program, kind.key, None) {
            Ok(scenario) => scenario,
            Err(why) => {
                assert!(why.ends_with('.') && why.len() > 30, "{name}: {why}");
                continue;
            }
        };
        assert!(scenario.assumption.ends_with('.') && !scenario.title.is_empty(), "{name}: {}", kind.key);
        let after = held_after(&scenario.requests);
        // What was there before may be asked for within the first event.
        let more = before.iter().zip(&after).skip(1).position(|(before, after)| after > before);
        assert!(kind.key == "checkpoint" || more.is_none(), "{name}: {} at {more:?}", kind.key);
        assert_eq!(scenario.requests.wanted.len(), requests.wanted.len() + scenario.remade.len(), "{name}");
        let run = Run::new(&scenario.requests, Default::default(), Order::Borrowed);
        if let Some(mut run) = run {
            while !run.run(&scenario.requests, usize::MAX) {}
        }
    }
    for axis in [Axis::Batch, Axis::Length] {
        let Ok(scaling) = Scaling::of(program, axis, NonZeroU64::new(4).unwrap()) else { continue };
        let at = |batch: u64| scaling.at(NonZeroU64::new(batch).unwrap()).requests;
        let same = at(4);
        assert_eq!((&same.steps, &same.wanted), (&requests.steps, &requests.wanted), "{name}");
        assert!(peak(&at(1)) <= peak(requests) && peak(requests) <= peak(&at(9)), "{name}");
    }
}

#[test]
fn changed_requests_are_sound_on_every_recording() {
    for file in recordings::all() {
        let Some(opened) = Opened::of(&file.name) else { continue };
        let Ok(program) = opened.program() else { continue };
        all_are_sound(&program, &opened.requests, &file.name);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn changed_requests_are_sound_whatever_labels_say(bytes in proptest::collection::vec(any::<u8>(), 2..600), pools: bool) {
        let mut recording = Recording::build(chaos::record(&bytes, pools));
        recording.check_all();
        recordings::label(&mut recording);
        let (device, replay) = (&recording.snapshot.devices[0], &recording.replays[0]);
        let requests = Requests::read(&recording.snapshot, device, replay, u32::MAX);
        if let Ok(program) = Program::of(&recording, device.ordinal, &requests) {
            all_are_sound(&program, &requests, "chaos");
        }
    }
}

#[test]
fn without_labels_or_phases_nothing_is_told() {
    let file = recordings::pickle("streams");
    let recording = recordings::open(&file, 1 << 20).unwrap();
    let (device, replay) = (&recording.snapshot.devices[0], &recording.replays[0]);
    let requests = Requests::read(&recording.snapshot, device, replay, u32::MAX);
    assert!(
        Program::of(&recording, device.ordinal, &requests).is_err_and(|why| why.contains("Nothing says"))
    );
    let opened = Opened::labelled(recording);
    if let Ok(program) = opened.program() {
        assert!(apply(&program, "half_state", None).is_err());
    }
}

const MIB: u64 = 1 << 20;

/// Three steps by hand: a parameter, activations that each backward frees, and two gradients that each backward makes anew, or that stay.
struct Hand {
    script: Script,
    spans: Vec<(Phase, Option<u32>, u32, u32)>,
    categories: Vec<Category>,
    events: u32,
}

impl Hand {
    fn alloc(&mut self, address: u64, category: Category) {
        self.script = std::mem::take(&mut self.script).event("alloc", address * MIB, MIB);
        self.categories.push(category);
        self.events += 1;
    }

    fn free(&mut self, address: u64) {
        self.script = std::mem::take(&mut self.script).free(address * MIB, MIB);
        self.events += 2;
    }

    fn phase(&mut self, phase: Phase, step: Option<u32>, work: impl FnOnce(&mut Hand)) {
        let first = self.events;
        work(self);
        self.spans.push((phase, step, first, self.events - 1));
    }

    fn of(gradients_stay: bool) -> Opened {
        let mut hand =
            Hand { script: Script::default(), spans: Vec::new(), categories: Vec::new(), events: 0 };
        hand.phase(Phase::Build, None, |hand| hand.alloc(1, Category::Parameter));
        for step in 0..3 {
            hand.phase(Phase::Forward, Some(step), |hand| {
                hand.alloc(2, Category::Activation);
                hand.alloc(3, Category::Activation);
            });
            let makes = step == 0 || !gradients_stay;
            hand.phase(Phase::Backward, Some(step), |hand| {
                for (gradient, activation) in [(4, 3), (5, 2)] {
                    hand.alloc(
                        if makes { gradient } else { 6 },
                        if makes { Category::Gradient } else { Category::Temporary },
                    );
                    hand.free(activation);
                    if !makes {
                        hand.free(6);
                    }
                }
            });
            hand.phase(Phase::Optimizer, Some(step), |hand| {
                hand.alloc(7, Category::Temporary);
                hand.free(7);
            });
            if !gradients_stay {
                hand.phase(Phase::ZeroGrad, Some(step), |hand| {
                    hand.free(4);
                    hand.free(5);
                });
            }
        }
        hand.opened()
    }

    fn opened(self) -> Opened {
        let mut recording = recordings::open(&self.script.pickle(), 1 << 20).unwrap();
        recording.check_all();
        let rule = |category| Rule { category, confidence_percent: 90, ..Rule::default() };
        let span =
            |&(phase, step, first_event, last_event): &_| PhaseSpan { phase, step, first_event, last_event };
        let phases: Vec<PhaseSpan> = self.spans.iter().map(span).collect();
        let of_step = |step: u32| {
            let mut spans = phases.iter().filter(|span| span.step == Some(step));
            let first_event = spans.next().map_or(0, |span| span.first_event);
            Step {
                first_event,
                last_event: spans.next_back().map_or(0, |span| span.last_event),
                micro_batches: 1,
            }
        };
        let steps = (0..3).map(of_step).collect();
        let rules = Category::ALL.map(rule).to_vec();
        let rule_of = self.categories.iter().map(|category| category.index() as u8).collect();
        recording.set_labels(0, Labels { rules, rule_of, phases, steps });
        let (device, replay) = (&recording.snapshot.devices[0], &recording.replays[0]);
        let requests = Requests::read(&recording.snapshot, device, replay, u32::MAX);
        Opened { recording, requests, truth: None }
    }
}

/// The most that is held in each phase of the steps, in MiB.
fn most_in(opened: &Opened, requests: &Requests, wanted: Phase) -> Vec<u64> {
    let after = held_after(requests);
    let labels = opened.recording.replays[0].labels().unwrap();
    let spans = labels.phases.iter().filter(|span| span.phase == wanted);
    spans
        .map(|span| after[span.first_event as usize..=span.last_event as usize].iter().max().unwrap() / MIB)
        .collect()
}

#[test]
fn gradients_that_stay_are_dropped_between_steps() {
    let opened = Hand::of(true);
    assert_eq!(most_in(&opened, &opened.requests, Phase::Forward), [3, 5, 5]);
    let program = opened.program().unwrap();
    let scenario = apply(&program, "set_to_none", None).unwrap();
    assert_eq!(most_in(&opened, &scenario.requests, Phase::Forward), [3, 3, 3]);
    // Parameter, both gradients, and what the optimizer needs.
    assert_eq!(most_in(&opened, &scenario.requests, Phase::Optimizer), [4, 4, 4]);
    assert_eq!(scenario.remade.len(), 4, "two gradients in two more backwards");
    assert!(apply(&program, "fused_backward", None).is_err_and(|why| why.contains("stay")));
    assert!(
        apply(&Hand::of(false).program().unwrap(), "set_to_none", None)
            .is_err_and(|why| why.contains("already"))
    );
}

#[test]
fn gradients_go_as_the_next_one_comes() {
    let opened = Hand::of(false);
    assert_eq!(most_in(&opened, &opened.requests, Phase::Optimizer), [4, 4, 4]);
    let scenario = apply(&opened.program().unwrap(), "fused_backward", None).unwrap();
    // The parameter, and what the optimizer needs.
    assert_eq!(most_in(&opened, &scenario.requests, Phase::Optimizer), [2, 2, 2]);
    assert_eq!(most_in(&opened, &scenario.requests, Phase::Backward), [4, 4, 4]);
}
