//! The cause of every recording at hand, also without some of its frames, and of healthy ones also when they are cut.

use vramscope_core::decode::{Decoder, Limits};
use vramscope_core::model::Snapshot;
use vramscope_core::replay::Recording;
use vramscope_diagnose::report::{DeviceReport, Severity, Verdict};
use vramscope_diagnose::{Options, diagnose};
use vramscope_tests::frames::{KEPT, Kept, only};
use vramscope_tests::part::part;
use vramscope_tests::recordings::{self, File};

use Verdict::{ActivationPeak, Fragmentation, GcSawtooth, Leak, NoHistory, Stable, WeightsOptimizer};

/// What the programs do (their truth files, or the list of recordings); all others are healthy.
const CAUSES: [(&str, Verdict); 18] = [
    ("enabled_state", NoHistory),
    ("leak_cycles_training", GcSawtooth),
    ("leak_loss_list", Leak),
    ("leak_reference_cycle", GcSawtooth),
    ("mempool", NoHistory),
    ("no_history", NoHistory),
    ("oom_activations", ActivationPeak),
    ("oom_backward", ActivationPeak),
    ("oom_fragmentation", Fragmentation),
    ("oom_fragmentation-expandable", Fragmentation),
    ("oom_fragmentation-gc06", Fragmentation),
    ("oom_fragmentation-pow2", Fragmentation),
    ("oom_fragmentation-split64", Fragmentation),
    ("oom_leak", Leak),
    ("oom_logits", ActivationPeak),
    ("oom_optimizer", WeightsOptimizer),
    ("oom_weights", WeightsOptimizer),
    ("segments_only_list", NoHistory),
];

/// Every fourth result of a side stream goes into a list that is never emptied.
const KEEPS_RESULTS: &str = "streams";

/// Steps that the programs make.
const STEPS: [(&str, u32); 2] = [("healthy_ema", 10), ("hf_trainer_like", 8)];

fn cause(name: &str) -> Verdict {
    match CAUSES.iter().find(|(known, _)| *known == name) {
        Some((_, verdict)) => *verdict,
        None if name == KEEPS_RESULTS => Leak,
        None => Stable,
    }
}

fn read(file: &File) -> Snapshot {
    let mut decoder = Decoder::new("test.pickle", Limits::default());
    decoder.feed(&std::fs::read(&file.path).unwrap()).unwrap();
    decoder.finish().unwrap()
}

/// Each device that has events, diagnosed.
fn reports(snapshot: Snapshot) -> Vec<DeviceReport> {
    let mut recording = Recording::build(snapshot);
    recording.check_all();
    diagnose(&mut recording, &Options::default())
}

#[test]
fn every_recording_has_its_cause() {
    let mut wrong = Vec::new();
    for file in recordings::all() {
        for kept in KEPT {
            // Without stacks a collector that ran once, and results that are kept, look like a container that was cleared or filled.
            let needs_stacks = ["leak_reference_cycle", KEEPS_RESULTS].contains(&file.name.as_str());
            if kept == Kept::Nothing && needs_stacks {
                continue;
            }
            let reports = reports(only(read(&file), kept));
            let expected = cause(&file.name);
            let found: Vec<Verdict> = reports.iter().map(|report| report.verdict).collect();
            let right = match expected {
                NoHistory | Stable => found.iter().all(|verdict| [NoHistory, Stable].contains(verdict)),
                expected => found.contains(&expected),
            };
            if !right {
                wrong.push(format!("{} {kept:?}: {found:?}, should be {expected:?}", file.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn steps_are_counted_with_any_frames() {
    for file in recordings::all() {
        let Some((_, steps)) = STEPS.iter().find(|(name, _)| *name == file.name) else { continue };
        for kept in KEPT {
            let reports = reports(only(read(&file), kept));
            assert_eq!(reports[0].steps.count, *steps, "{} {kept:?}", file.name);
        }
    }
}

fn alarms(reports: &[DeviceReport]) -> Vec<String> {
    let alarms = reports.iter().flat_map(|report| {
        let findings = report.findings.iter().filter(|finding| finding.severity != Severity::Note);
        let verdict =
            (![NoHistory, Stable].contains(&report.verdict)).then(|| format!("{:?}", report.verdict));
        findings
            .map(|finding| format!("{}: {}", finding.code, finding.title))
            .chain(verdict)
            .collect::<Vec<_>>()
    });
    alarms.collect()
}

/// Cut anywhere, as by an interrupted copy or a small ring.
#[test]
fn healthy_recordings_raise_no_alarm_when_they_are_cut() {
    let mut wrong = Vec::new();
    for file in recordings::all() {
        if ![Stable, NoHistory].contains(&cause(&file.name)) {
            continue;
        }
        for kept in KEPT {
            for tenth in 0..=9 {
                let at = f64::from(tenth) / 10.0;
                for (from, to) in [(0.0, at), (at, 1.0)] {
                    if (from, to) == (0.0, 0.0) {
                        continue;
                    }
                    let alarms = alarms(&reports(part(only(read(&file), kept), from, to)));
                    if !alarms.is_empty() {
                        wrong.push(format!("{} {kept:?} from {from} to {to}: {alarms:?}", file.name));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of them: {wrong:#?}", wrong.len());
}
