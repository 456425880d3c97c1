//! `vramscope summary`: the figures of each file.

use std::process::ExitCode;

use vramscope_core::query::summary::{DeviceSummary, Figures, Model, Summary, summary};
use vramscope_core::units::{count, format_bytes, format_bytes_group, format_duration_us, group_digits};

use vramscope_core::warning::{Severity, Warning};

use vramscope_explore::compare::thresholds::FEWEST_RANKS;
use vramscope_explore::compare::{self, Rank, RankRow, one_job, ranks};

use super::parallel;
use crate::{out, read};

/// Peak and end of requested, allocated, active and reserved bytes, for each device of each file
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Snapshots: pickles, JSON or pages of trace_plot, also in gzip or zip; `-` reads standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
    /// One JSON object on standard output: the summary, or {"schema":1,"files":[…]} with one for each of several files
    #[arg(long)]
    json: bool,
    /// Leave out the allocator model: faster, but peaks of allocated and active bytes are then not known
    #[arg(long)]
    no_model: bool,
}

/// Prints what could be read; files that could not are told on standard error.
pub(crate) fn run(args: &Args) -> ExitCode {
    let mut failed = false;
    let (mut summaries, mut programs) = (Vec::new(), Vec::new());
    let summarised = |file: &String| {
        let opened = if args.no_model { read::open(file) } else { read::open_checked(file) };
        opened.map(|recording| (summary(&recording), compare::program(&recording.snapshot)))
    };
    parallel::each(&args.files, summarised, |at, result| match result {
        Ok((summary, program)) => {
            failed |= !args.json && !out::text(&text(&args.files[at], &summary));
            programs.push(program);
            summaries.push(summary);
        }
        Err(message) => {
            out::tell(&message);
            failed = true;
        }
    });
    if !args.json
        && let Some(table) = ranks_text(&summaries, &programs)
    {
        failed |= !out::text(&table);
    }
    if args.json && !summaries.is_empty() {
        failed |= !out::data(&json(&summaries, args.files.len() > 1));
    }
    if failed { ExitCode::from(1) } else { ExitCode::SUCCESS }
}

fn json(summaries: &[Summary], several: bool) -> String {
    let text = match summaries {
        [summary] if !several => serde_json::to_string(summary),
        _ => serde_json::to_string(&serde_json::json!({ "schema": 1, "files": summaries })),
    };
    text.unwrap_or_default() + "\n"
}

/// Peaks beside each other, where all files are ranks of one job; `None` if they are not, or too few.
fn ranks_text(summaries: &[Summary], programs: &[Option<String>]) -> Option<String> {
    let mut all = Vec::new();
    for (summary, program) in summaries.iter().zip(programs) {
        let busy = summary.devices.iter().filter(|device| device.events > 0);
        let busiest = busy.max_by_key(|device| device.peak.requested_bytes)?;
        let (peak_bytes, reserved_bytes) = (busiest.peak.requested_bytes, busiest.peak.reserved_bytes);
        let (first_time_us, last_time_us) = (busiest.history.first_time_us, busiest.history.last_time_us);
        let (name, program) = (summary.file.name.clone(), program.clone());
        all.push(Rank { name, peak_bytes, reserved_bytes, program, first_time_us, last_time_us });
    }
    if all.len() < FEWEST_RANKS || one_job(&all).len() < all.len() {
        return None;
    }
    let ranks = ranks(&all);
    let width = ranks.rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0).max(5);
    let peaks = format_bytes_group(&all.iter().map(|rank| rank.peak_bytes).collect::<Vec<_>>());
    let reserved = format_bytes_group(&all.iter().map(|rank| rank.reserved_bytes).collect::<Vec<_>>());
    let mut text =
        format!("\nRanks of {}: {}\n", programs[0].as_deref().unwrap_or("one program"), ranks.sentence);
    text += &format!("  {:<width$}{:>14}{:>14}{:>16}\n", "", "requested", "reserved", "to the median");
    for ((row, peak), reserved) in ranks.rows.iter().zip(&peaks).zip(&reserved) {
        let outlier = if row.outlier { "  out of line" } else { "" };
        text += &format!("  {:<width$}{peak:>14}{reserved:>14}{:>16}{outlier}\n", row.name, difference(row));
    }
    Some(text)
}

/// "+1.0 MiB".
fn difference(row: &RankRow) -> String {
    match row.difference_bytes {
        0 => "0".into(),
        less if less < 0 => format!("−{}", format_bytes(less.unsigned_abs())),
        more => format!("+{}", format_bytes(more.unsigned_abs())),
    }
}

fn text(path: &str, summary: &Summary) -> String {
    let file = &summary.file;
    let path = if path == "-" { &file.name } else { path };
    let container = file.container;
    let protocol = file.protocol.map(|protocol| format!(", pickle protocol {protocol}")).unwrap_or_default();
    let mut lines = vec![format!("{path}  {} bytes, {container}{protocol}", group_digits(file.bytes))];
    if summary.devices.is_empty() {
        lines.push("  no device has events or segments".into());
    }
    for device in &summary.devices {
        lines.extend(device_lines(device));
    }
    for warning in &summary.warnings {
        lines.push(warning_line(warning));
    }
    lines.join("\n") + "\n"
}

/// "note: … (12 ×, 3.1 MiB)".
fn warning_line(warning: &Warning) -> String {
    let kind = match warning.severity {
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    let bytes = warning.bytes.map_or(String::new(), |bytes| format!(", {}", format_bytes(bytes)));
    format!("  {kind}: {} ({} ×{bytes})", warning.message, group_digits(warning.count))
}

fn device_lines(device: &DeviceSummary) -> Vec<String> {
    let history = &device.history;
    let name = &device.label;
    let mut facts = vec![
        count(device.events, "event", "events"),
        count(device.allocations, "allocation", "allocations"),
        count(device.segments, "segment", "segments"),
    ];
    if let (Some(first), Some(last)) = (history.first_time_us, history.last_time_us) {
        facts.push(format_duration_us(last.abs_diff(first)));
    }
    let mut lines = vec![format!("  {name}  {}", facts.join(", "))];
    lines.push(format!(
        "    {:<6}{:>14}{:>14}{:>14}{:>14}",
        "", "requested", "allocated", "active", "reserved"
    ));
    // One moment has no peak.
    if device.events > 0 {
        lines.push(figures_line("peak", &device.peak));
    }
    lines.push(figures_line("end", &device.end));
    lines.push(format!("    {}", history_line(device)));
    if device.model.is_some() && device.peak.allocated_bytes.is_none() {
        lines.extend(device.unknown_reason.as_ref().map(|reason| format!("    – is not known: {reason}")));
    }
    lines.extend(device.model.as_ref().map(|model| format!("    {}", model_line(model))));
    lines
}

/// Values that are not known show a dash.
fn figures_line(label: &str, figures: &Figures) -> String {
    let values = [
        Some(figures.requested_bytes),
        figures.allocated_bytes,
        figures.active_bytes,
        Some(figures.reserved_bytes),
    ];
    let mut texts = format_bytes_group(&values.iter().flatten().copied().collect::<Vec<_>>()).into_iter();
    let cells: String = values
        .iter()
        .map(|value| value.and_then(|_| texts.next()).unwrap_or_else(|| "–".into()))
        .map(|text| format!("{text:>14}"))
        .collect();
    format!("    {label:<6}{cells}")
}

fn model_line(model: &Model) -> String {
    let agreeing = group_digits(model.agreeing_events);
    let all = count(model.checked_events, "event", "events");
    match &model.difference {
        None if model.checked_events == 0 => "allocator model: no events to check".into(),
        None => format!("allocator model agrees on {agreeing} of {all}"),
        Some(difference) if difference.event >= model.checked_events => format!(
            "allocator model agrees on {agreeing} of {all}, but not on the end: recorded {}, model {}. {}",
            difference.recorded, difference.expected, difference.text
        ),
        Some(difference) => format!(
            "allocator model agrees up to event {agreeing} of {all}; recorded {}, model {}. {}: {}",
            difference.recorded, difference.expected, difference.title, difference.text
        ),
    }
}

fn history_line(device: &DeviceSummary) -> String {
    let history = &device.history;
    let ooms = match history.ooms {
        0 => String::new(),
        ooms => format!("; ran out of memory {}", count(ooms, "time", "times")),
    };
    let state = if history.complete {
        "history complete".to_owned()
    } else if device.events == 0 && device.end.reserved_bytes == 0 {
        "nothing was allocated on this device".to_owned()
    } else if device.events == 0 {
        "no history: one moment, peaks are not known".to_owned()
    } else if history.baseline_bytes > 0 || history.unmatched_frees > 0 {
        format!(
            "history incomplete, peaks are those of the recording: {} bytes were there before it, {} without alloc",
            group_digits(history.baseline_bytes),
            count(history.unmatched_frees, "free", "frees")
        )
    } else {
        "history incomplete, peaks are those of the recording: memory was reserved before it".to_owned()
    };
    state + &ooms
}
