//! What every diagnosis must hold, whatever its verdict: sums that add up, phases in order, and the lines that a leak is told by.

use vramscope_core::decode::{Decoder, Limits};
use vramscope_core::replay::{Category, Recording};
use vramscope_diagnose::report::{Categories, DeviceReport, Verdict};
use vramscope_diagnose::{Options, diagnose};
use vramscope_tests::recordings::{self, File};

fn diagnosed(file: &File) -> (Recording, Vec<DeviceReport>) {
    let mut decoder = Decoder::new("test.pickle", Limits::default());
    decoder.feed(&std::fs::read(&file.path).unwrap()).unwrap();
    let mut recording = Recording::build(decoder.finish().unwrap());
    recording.check_all();
    let reports = diagnose(&mut recording, &Options::default());
    (recording, reports)
}

fn sum(bytes: &Categories) -> u64 {
    let Categories { parameter, gradient, optimizer_state, activation, input, temporary, other, unknown } =
        bytes;
    parameter + gradient + optimizer_state + activation + input + temporary + other + unknown
}

#[test]
fn sums_add_up() {
    for file in recordings::all() {
        let (recording, reports) = diagnosed(&file);
        for report in &reports {
            let name = format!("{} device {}", file.name, report.device);
            let (_, replay) = recording.whole_device(report.device).unwrap();
            assert_eq!(sum(&report.peak.categories), report.peak.requested_bytes, "{name}");
            assert_eq!(report.peak.requested_bytes, replay.requested_at(replay.peak()), "{name}");
            assert_eq!(sum(&report.end.categories), replay.requested_at(replay.end()), "{name}");
            for end in &report.phase_ends {
                assert_eq!(sum(&end.categories), replay.requested_at(end.moment), "{name} {}", end.moment);
            }
            if let Some(bar) = &report.bar {
                let parts: u64 = bar.parts.iter().map(|part| part.bytes).sum();
                assert_eq!(parts, bar.total_bytes, "{name}");
            }
            let lines: Vec<u64> = report.lines.rows.iter().map(|line| line.bytes).collect();
            assert!(lines.is_sorted_by(|a, b| a >= b), "{name} {lines:?}");
        }
    }
}

#[test]
fn phases_cover_every_event_in_order_and_steps_do_not_overlap() {
    for file in recordings::all() {
        let (recording, reports) = diagnosed(&file);
        for report in &reports {
            let n = recording.whole_device(report.device).unwrap().0.events.len() as u32;
            let mut next = 0;
            for phase in &report.phases {
                assert_eq!(phase.first_event, next, "{}", file.name);
                assert!(phase.last_event >= phase.first_event, "{}", file.name);
                assert!(phase.step.is_none_or(|step| step < report.steps.count), "{}", file.name);
                next = phase.last_event + 1;
            }
            assert_eq!(next, n, "{}", file.name);
            let labels = recording.whole_device(report.device).unwrap().1.labels().expect("labels");
            let apart = |pair: &[vramscope_core::replay::Step]| pair[0].last_event < pair[1].first_event;
            assert!(labels.steps.windows(2).all(apart), "{}: {:?}", file.name, labels.steps);
        }
    }
}

#[test]
fn below_one_half_it_is_unknown() {
    for file in recordings::all() {
        let (recording, _) = diagnosed(&file);
        for replay in &recording.replays {
            let labels = replay.labels().expect("labels");
            assert_eq!(labels.rule_of.len() as u32, replay.allocations().len(), "{}", file.name);
            for rule in &labels.rules {
                assert!(
                    rule.confidence_percent >= 50 || rule.category == Category::Unknown,
                    "{}: {rule:?}",
                    file.name
                );
                assert!(rule.confidence_percent <= 100 && !rule.why.is_empty(), "{}: {rule:?}", file.name);
            }
        }
    }
}

#[test]
fn findings_say_something_and_lead_somewhere() {
    for file in recordings::all() {
        let (recording, reports) = diagnosed(&file);
        for report in &reports {
            let replay = recording.whole_device(report.device).unwrap().1;
            assert!(
                !report.eyebrow.is_empty() && report.sentence.ends_with('.'),
                "{}: {report:?}",
                file.name
            );
            assert!(
                (0.0..=1.0).contains(&report.confidence) && !report.confidence_reason.is_empty(),
                "{}",
                file.name
            );
            let severities: Vec<_> = report.findings.iter().map(|finding| finding.severity).collect();
            assert!(severities.is_sorted(), "{}: {severities:?}", file.name);
            for finding in &report.findings {
                assert!(
                    !finding.title.is_empty() && !finding.code.contains(' '),
                    "{}: {finding:?}",
                    file.name
                );
                let show = finding.show.unwrap_or_else(|| panic!("{}: {finding:?} shows nothing", file.name));
                assert!(show.moment <= replay.end(), "{}: {finding:?}", file.name);
                if let Some(id) = show.allocation {
                    let life = replay.allocations().is_live(id, show.moment);
                    assert!(life, "{}: {} is not alive at the moment shown", file.name, finding.code);
                }
            }
        }
    }
}

/// The line behind which the program keeps what it should not, by the programs' source.
#[test]
fn leaks_name_the_line_of_the_script() {
    let lines = [
        ("leak_loss_list", "train.py:263"),
        ("oom_leak", "train.py:247"),
        ("leak_reference_cycle", "train.py:276"),
        ("leak_cycles_training", "train.py:980"),
    ];
    for file in recordings::all() {
        let Some((_, line)) = lines.iter().find(|(name, _)| *name == file.name) else { continue };
        let (_, reports) = diagnosed(&file);
        let report = &reports[0];
        assert!([Verdict::Leak, Verdict::GcSawtooth].contains(&report.verdict), "{}", file.name);
        let stack = report.findings[0].stack.as_ref().expect("the responsible stack");
        let own = stack.iter().filter(|frame| frame.kind == "own");
        let mut named = own.map(|frame| format!("{}:{}", frame.file.rsplit('/').next().unwrap(), frame.line));
        assert!(named.any(|name| name == *line), "{}: {stack:?}", file.name);
    }
}
