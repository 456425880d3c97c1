//! What ranges of `record_function` say of phases.

use regex_lite::Regex;
use vramscope_core::ids::StringId;
use vramscope_core::model::{Annotation, Stage};
use vramscope_core::order;
use vramscope_core::replay::Phase;

use super::from_stacks::EventEvidence;
use crate::facts::{Facts, StackKind};
use crate::numbering::{Numbering, key};

/// A range that names a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    pub(crate) from_us: i64,
    pub(crate) to_us: i64,
    pub(crate) phase: Phase,
}

/// In this order: `Optimizer.zero_grad#…` is no optimizer's step.
const NAMES: [(&str, Phase); 4] = [
    (r"(?i)zero_grad", Phase::ZeroGrad),
    (r"(?i)^Optimizer\.step#|\boptim(izer)?([ ._-]?step)?\b", Phase::Optimizer),
    (r"(?i)backward", Phase::Backward),
    (r"(?i)forward|^## fwd", Phase::Forward),
];

impl Window {
    pub(super) fn all(facts: &Facts<'_>) -> Vec<Window> {
        let annotations = of_device(facts);
        if annotations.is_empty() || facts.n == 0 {
            return Vec::new();
        }
        let names: Vec<(Regex, Phase)> =
            NAMES.iter().filter_map(|(name, phase)| Some((Regex::new(name).ok()?, *phase))).collect();
        let (mut known, mut phases) = (Numbering::default(), Vec::new());
        let mut phase_of = |name: StringId| {
            let number = known.of(key(name.0));
            if number == phases.len() {
                let text = facts.snapshot.strings.get(name);
                let foreign = text.starts_with("nccl") || text.starts_with("FSDP");
                let named = names.iter().find(|(name, _)| name.is_match(&text));
                phases.push(named.filter(|_| !foreign).map(|(_, phase)| *phase));
            }
            phases[number]
        };
        let ends = (facts.time_us(0).unwrap_or(0), facts.time_us(facts.n - 1).unwrap_or(0));
        let mut windows = paired(&annotations, ends)
            .into_iter()
            .filter_map(|(name, from_us, to_us)| Some(Window { from_us, to_us, phase: phase_of(name)? }))
            .collect::<Vec<_>>();
        order::by_number(&mut windows, |window| window.from_us as u64);
        windows
    }
}

fn of_device<'a>(facts: &Facts<'a>) -> Vec<&'a Annotation> {
    let annotations = facts.snapshot.annotations.iter();
    annotations.filter(|annotation| annotation.device == facts.device.ordinal).collect()
}

/// Starts and ends of one name together. A range cut off by the ring begins with the trace, one cut off by its end lasts until then.
fn paired(annotations: &[&Annotation], (first_us, last_us): (i64, i64)) -> Vec<(StringId, i64, i64)> {
    let (mut names, mut open) = (Numbering::default(), Vec::<(StringId, Option<i64>)>::new());
    let mut ranges = Vec::new();
    for annotation in annotations {
        let number = names.of(key(annotation.name.0));
        if number == open.len() {
            open.push((annotation.name, None));
        }
        let began = &mut open[number].1;
        match annotation.stage {
            Stage::Start => *began = Some(annotation.time_us),
            Stage::End => match began.take() {
                Some(from_us) => ranges.push((annotation.name, from_us, annotation.time_us)),
                None if ranges.is_empty() => ranges.push((annotation.name, first_us, annotation.time_us)),
                None => {}
            },
        }
    }
    ranges.extend(open.into_iter().filter_map(|(name, from_us)| Some((name, from_us?, last_us))));
    ranges
}

/// Optimizer and zero_grad hold whatever stacks say; forward and backward only fill what is not known.
pub(super) fn apply(facts: &Facts<'_>, windows: &[Window], evidence: &mut EventEvidence) {
    let ends = |window: &Window| matches!(window.phase, Phase::Optimizer | Phase::ZeroGrad);
    for window in windows {
        for event in events_in(facts, window) {
            let weak = evidence.is_weak(event);
            let phase = &mut evidence.phases[event];
            if ends(window) || phase.is_none() || weak {
                *phase = Some(window.phase);
            }
        }
    }
    if facts.stacks == StackKind::Absent && windows.iter().any(ends) {
        bound_by_windows(facts, windows, &mut evidence.phases);
    }
}

fn events_in(facts: &Facts<'_>, window: &Window) -> std::ops::Range<usize> {
    let times = &facts.device.events.times_us;
    let first = times.partition_point(|&time| time < window.from_us);
    first..times.partition_point(|&time| time <= window.to_us).max(first)
}

/// With nothing but lifetimes: the annotated optimizer ends the backward, and what was guessed of it elsewhere is dropped.
fn bound_by_windows(facts: &Facts<'_>, windows: &[Window], phases: &mut [Option<Phase>]) {
    let mut annotated = vec![false; phases.len()];
    let ends = |window: &&Window| matches!(window.phase, Phase::Optimizer | Phase::ZeroGrad);
    for window in windows.iter().filter(ends) {
        annotated[events_in(facts, window)].fill(true);
    }
    for window in windows.iter().filter(|window| window.phase == Phase::Optimizer) {
        for event in (0..events_in(facts, window).start).rev() {
            let guessed =
                matches!(phases[event], Some(Phase::Optimizer | Phase::ZeroGrad | Phase::Idle) | None);
            if !guessed || annotated[event] {
                break;
            }
            phases[event] = Some(Phase::Backward);
        }
    }
    if !windows.iter().any(|window| window.phase == Phase::ZeroGrad) {
        return;
    }
    for (phase, annotated) in phases.iter_mut().zip(&annotated) {
        if !annotated && matches!(phase, Some(Phase::Optimizer | Phase::ZeroGrad)) {
            *phase = Some(Phase::Idle);
        }
    }
}

/// Ranges in which a fully sharded model gathers parameters or reduces gradients, in order.
#[derive(Debug, Default)]
pub(crate) struct Sharding {
    ranges: Vec<(i64, i64, bool)>,
}

impl Sharding {
    pub(super) fn of(facts: &Facts<'_>) -> Self {
        let strings = &facts.snapshot.strings;
        let kind = |name: StringId| {
            let text = strings.get(name);
            let gathers = text.contains("all_gather");
            let counts = gathers || text.contains("reduce") || text.contains("reshard");
            (text.starts_with("FSDP::") && counts).then_some(gathers)
        };
        let annotations: Vec<&Annotation> =
            of_device(facts).into_iter().filter(|annotation| kind(annotation.name).is_some()).collect();
        let mut ranges: Vec<(i64, i64, bool)> = paired(&annotations, (i64::MAX, i64::MIN))
            .into_iter()
            .filter(|(_, from_us, to_us)| from_us <= to_us)
            .filter_map(|(name, from_us, to_us)| Some((from_us, to_us, kind(name)?)))
            .collect();
        order::by_number(&mut ranges, |range| range.0 as u64);
        Sharding { ranges }
    }

    /// Gathering (true) or reducing (false) at a time.
    pub(crate) fn at(&self, time_us: i64) -> Option<bool> {
        let at = self.ranges.partition_point(|range| range.0 <= time_us).checked_sub(1)?;
        self.ranges.get(at).filter(|range| range.1 >= time_us).map(|range| range.2)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }
}
