//! Parts of a report, in words.

use vramscope_core::units::{count, format_bytes, format_bytes_group, group_digits};

use super::document::{Block, Document};
use super::plain::place;
use super::{Categories, DeviceReport, Finding, Frame, Severity};

/// Frames printed of a stack, and phases of a recording.
const MOST_FRAMES: usize = 8;
const MOST_PHASES: usize = 60;

pub(super) fn verdict(blocks: &mut Document, report: &DeviceReport) {
    if report.sentence.is_empty() {
        return;
    }
    let (eyebrow, sentence) = (report.eyebrow.clone(), report.sentence.clone());
    blocks.push(Block::Verdict { eyebrow, sentence });
    if !report.why.is_empty() {
        blocks.push(Block::Paragraph(report.why.join(" ")));
    }
    let mut facts = vec![format!("Confidence {:.2}", report.confidence)];
    if !report.confidence_reason.is_empty() {
        facts[0] += &format!(": {}", report.confidence_reason);
    }
    if let Some(next) = &report.runner_up {
        facts.push(format!("Next-best cause: {}", next.text));
    }
    blocks.push(Block::Paragraph(facts.join(". ") + "."));
}

fn words(code: &str) -> String {
    code.replace('_', " ")
}

pub(super) fn advice(blocks: &mut Document, report: &DeviceReport) {
    if report.advice.is_empty() {
        return;
    }
    blocks.push(Block::Heading("What to change".into()));
    let items = report.advice.iter().map(|advice| {
        let effect =
            advice.effect_bytes.map(|bytes| format!(" ({})", format_bytes(bytes))).unwrap_or_default();
        format!("**{}**{effect} {}", advice.title, advice.text).trim().to_owned()
    });
    blocks.push(Block::List(items.collect()));
}

pub(super) fn lines(blocks: &mut Document, report: &DeviceReport) {
    let lines = &report.lines;
    if lines.rows.is_empty() {
        return;
    }
    blocks.push(Block::Heading(lines.title.clone()));
    let bytes: Vec<u64> = lines.rows.iter().map(|line| line.bytes).collect();
    let rows = lines.rows.iter().zip(format_bytes_group(&bytes)).map(|(line, bytes)| {
        vec![place(&line.name, &line.at), words(&line.category), group_digits(line.count.into()), bytes]
    });
    let heads = vec!["Line", "Category", "Allocations", "Bytes"];
    blocks.push(Block::Table { heads, figures_from: 2, rows: rows.collect() });
}

pub(super) fn findings(blocks: &mut Document, report: &DeviceReport) {
    if report.findings.is_empty() {
        return;
    }
    blocks.push(Block::Heading("Findings".into()));
    for finding in &report.findings {
        blocks.push(Block::Paragraph(finding_text(finding)));
        // What the verdict says already is not said again.
        let told = |text: &&String| {
            report.why.contains(text) || report.advice.iter().any(|advice| text.starts_with(&advice.title))
        };
        let items = finding.evidence.iter().chain(&finding.advice).filter(|text| !told(text)).cloned();
        let items: Vec<String> = items.collect();
        if !items.is_empty() {
            blocks.push(Block::List(items));
        }
        if let Some(stack) = finding.stack.as_ref().filter(|stack| !stack.is_empty()) {
            blocks.push(Block::Fixed(frames(stack)));
        }
    }
}

fn finding_text(finding: &Finding) -> String {
    let kind = match finding.severity {
        Severity::Error => "Error",
        Severity::Warning => "Warning",
        Severity::Note => "Note",
    };
    let bytes = finding.bytes.map(|bytes| format!(", {}", format_bytes(bytes))).unwrap_or_default();
    let events = finding.events.map(|(first, last)| {
        format!(" (events {} to {})", group_digits(first.into()), group_digits(last.into()))
    });
    format!("{kind}: **{}**{bytes}{}", finding.title, events.unwrap_or_default())
}

/// Python frames, innermost first, own ones marked; native ones only where there are no others.
fn frames(stack: &[Frame]) -> String {
    let line = |frame: &&Frame| {
        let mark = if frame.kind == "own" { ">" } else { " " };
        match frame.line {
            0 => format!("{mark} {}  {}", frame.name, frame.file),
            line => format!("{mark} {}  {}:{line}", frame.name, frame.file),
        }
    };
    let python: Vec<&Frame> = stack.iter().filter(|frame| frame.kind != "cpp").collect();
    let told = if python.is_empty() { stack.iter().collect() } else { python };
    let mut lines: Vec<String> = told.iter().take(MOST_FRAMES).map(line).collect();
    let left_out = stack.len() - lines.len();
    if left_out > 0 {
        lines.push(format!("  and {}", count(left_out as u64, "other frame", "other frames")));
    }
    lines.join("\n")
}

pub(super) fn evidence(blocks: &mut Document, report: &DeviceReport) {
    if report.evidence.is_empty() {
        return;
    }
    blocks.push(Block::Heading("Measured".into()));
    let items = report.evidence.iter().map(|evidence| match evidence.threshold.is_empty() {
        true => evidence.text.clone(),
        false => format!("{} ({})", evidence.text, evidence.threshold),
    });
    blocks.push(Block::List(items.collect()));
}

pub(super) fn stacks(blocks: &mut Document, report: &DeviceReport) {
    if report.peak.stacks.is_empty() {
        return;
    }
    let event = group_digits(report.peak.event.into());
    let requested = format_bytes(report.peak.requested_bytes);
    blocks.push(Block::Heading(format!("Stacks at the peak of {requested}, event {event}")));
    let bytes: Vec<u64> = report.peak.stacks.iter().map(|stack| stack.bytes).collect();
    let rows = report.peak.stacks.iter().zip(format_bytes_group(&bytes)).map(|(stack, bytes)| {
        vec![format!("`{}`", stack.place), words(stack.category), group_digits(stack.count.into()), bytes]
    });
    let heads = vec!["Line", "Category", "Allocations", "Bytes"];
    blocks.push(Block::Table { heads, figures_from: 2, rows: rows.collect() });
}

/// Composition at the peak, at the end, and at the end of each phase.
pub(super) fn compositions(blocks: &mut Document, report: &DeviceReport) {
    let none = Categories::default();
    let mut rows = Vec::new();
    if report.peak.categories != none {
        rows.push(row("Peak".into(), &report.peak.categories));
    }
    if report.end.categories != none {
        rows.push(row("End".into(), &report.end.categories));
    }
    rows.extend(report.phase_ends.iter().take(MOST_PHASES).map(|end| {
        let step =
            end.step.map(|step| format!(", step {}", group_digits(u64::from(step) + 1))).unwrap_or_default();
        row(format!("End of {}{step}", words(end.phase)), &end.categories)
    }));
    if rows.is_empty() {
        return;
    }
    blocks.push(Block::Heading("Composition".into()));
    let heads = vec![
        "Moment",
        "Parameter",
        "Optimizer state",
        "Gradient",
        "Activation",
        "Input",
        "Temporary",
        "Other",
        "Unknown",
    ];
    blocks.push(Block::Table { heads, figures_from: 1, rows });
    more(blocks, report.phase_ends.len());
}

fn row(name: String, bytes: &Categories) -> Vec<String> {
    let Categories { parameter, optimizer_state, gradient, activation, input, temporary, other, unknown } =
        bytes;
    let values = [parameter, optimizer_state, gradient, activation, input, temporary, other, unknown];
    let cell = |bytes: &u64| if *bytes == 0 { "0".to_owned() } else { format_bytes(*bytes) };
    std::iter::once(name).chain(values.into_iter().map(cell)).collect()
}

pub(super) fn phases(blocks: &mut Document, report: &DeviceReport) {
    let steps = &report.steps;
    if report.phases.is_empty() && steps.count == 0 {
        return;
    }
    blocks.push(Block::Heading("Steps and phases".into()));
    let mut facts = vec![count(steps.count.into(), "step", "steps")];
    facts.extend(
        steps.period_events.map(|events| format!("{} each", count(events.into(), "event", "events"))),
    );
    facts.extend(steps.growth_bytes_per_step.map(|bytes| {
        let sign = if bytes < 0 { "−" } else { "+" };
        format!("{sign}{} per step", format_bytes(bytes.unsigned_abs()))
    }));
    blocks.push(Block::Paragraph(facts.join(", ") + "."));
    let rows = report.phases.iter().take(MOST_PHASES).map(|phase| {
        let step = phase.step.map_or("–".into(), |step| group_digits(u64::from(step) + 1));
        let event = |event: u32| group_digits(event.into());
        vec![words(phase.phase), step, event(phase.first_event), event(phase.last_event)]
    });
    let rows: Vec<Vec<String>> = rows.collect();
    if !rows.is_empty() {
        let heads = vec!["Phase", "Step", "First event", "Last event"];
        blocks.push(Block::Table { heads, figures_from: 1, rows });
    }
    more(blocks, report.phases.len());
}

fn more(blocks: &mut Document, all: usize) {
    if let Some(more) = all.checked_sub(MOST_PHASES).filter(|more| *more > 0) {
        blocks.push(Block::Paragraph(format!("And {}.", count(more as u64, "more phase", "more phases"))));
    }
}
