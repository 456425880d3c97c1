//! `vramscope search`: stacks with a frame that a pattern matches.

use std::io::Write;
use std::process::ExitCode;

use serde::Serialize;
use vramscope_core::ids::FrameId;
use vramscope_core::model::{FrameKind, Snapshot};
use vramscope_core::query::{AliveAtPeak, Found, FoundStack, Matches, found_stacks, has_upper_case, search};
use vramscope_core::replay::{Recording, Site};
use vramscope_core::units::{count, format_bytes};

use crate::read;

/// Stacks printed without `--json`.
const SHOWN: usize = 20;

/// Stacks with a frame that a regular expression matches, most bytes at the peak first
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Matched against "name file:line" of each frame; upper and lower case are the same unless it has an upper-case letter
    #[arg(value_name = "PATTERN")]
    pattern: String,
    /// A snapshot; `-` reads standard input
    #[arg(value_name = "FILE")]
    file: String,
    /// One JSON object on standard output, with every stack and frame
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct DeviceFound {
    device: i64,
    label: String,
    #[serde(flatten)]
    found: Found,
    rows: Vec<StackRow>,
}

#[derive(Serialize)]
struct StackRow {
    stack_id: u32,
    name: String,
    at: String,
    own: bool,
    allocations: u32,
    bytes: u64,
    alive_at_peak: AliveAtPeak,
    /// The user's own first, else innermost first.
    frames: Vec<FrameRow>,
}

#[derive(Serialize)]
struct FrameRow {
    name: String,
    file: String,
    line: u32,
    kind: &'static str,
    matches: bool,
}

/// Prints what is found; 1 if nothing is, as grep does.
pub(crate) fn run(args: &Args) -> ExitCode {
    let recording = match read::open(&args.file) {
        Ok(recording) => recording,
        Err(message) => return told(&message, 1),
    };
    let matches = match Matches::new(&recording.snapshot, &args.pattern) {
        Ok(matches) => matches,
        Err(fault) => {
            let place = " ".repeat(fault.at);
            return told(&format!("{}\n  {}\n  {place}^", fault.error, args.pattern), 2);
        }
    };
    let ordinals = recording.snapshot.devices.iter().map(|device| device.ordinal);
    let devices: Vec<DeviceFound> =
        ordinals.filter_map(|ordinal| device_found(&recording, ordinal, &matches)).collect();
    let text = match args.json {
        true => {
            serde_json::json!({ "schema": 1, "pattern": args.pattern, "devices": devices }).to_string() + "\n"
        }
        false => {
            let found = devices.iter().filter(|device| !device.rows.is_empty());
            found.map(device_text).collect::<Vec<_>>().join("\n")
        }
    };
    let written = std::io::stdout().write_all(text.as_bytes()).is_ok();
    match devices.iter().any(|device| !device.rows.is_empty()) {
        false => told(&nothing(&args.pattern), 1),
        true if written => ExitCode::SUCCESS,
        true => ExitCode::from(1),
    }
}

fn nothing(pattern: &str) -> String {
    let hint = if has_upper_case(pattern) { "; with an upper-case letter in it, case counts" } else { "" };
    format!("no allocation has a frame that matches {pattern}{hint}")
}

fn told(message: &str, status: u8) -> ExitCode {
    eprintln!("vramscope: {message}");
    ExitCode::from(status)
}

fn device_found(recording: &Recording, device: i64, matches: &Matches) -> Option<DeviceFound> {
    let label = recording.device(device)?.0.label();
    let found = search(recording, device, matches)?;
    let stacks = found_stacks(recording, device, matches);
    let rows = stacks.iter().map(|stack| stack_row(&recording.snapshot, stack, matches)).collect();
    Some(DeviceFound { device, label, found, rows })
}

fn stack_row(snapshot: &Snapshot, found: &FoundStack, matches: &Matches) -> StackRow {
    let site = Site::of_stack(found.stack, snapshot);
    let row = |id: &FrameId| {
        let frame = snapshot.stacks.frame(*id)?;
        Some(FrameRow {
            name: snapshot.strings.get(frame.name).into_owned(),
            file: snapshot.strings.get(frame.file).into_owned(),
            line: frame.line,
            kind: match frame.kind(&snapshot.strings) {
                FrameKind::Own => "own",
                FrameKind::Library => "library",
                FrameKind::Torch => "torch",
                FrameKind::Cpp => "cpp",
            },
            matches: matches.has_frame(*id),
        })
    };
    let mut frames: Vec<FrameRow> = snapshot.stacks.frames_of(found.stack).iter().filter_map(row).collect();
    frames.sort_by_key(|frame| frame.kind != "own");
    StackRow {
        stack_id: found.stack.0,
        name: site.name(snapshot),
        at: site.at(snapshot),
        own: site.is_own(snapshot),
        allocations: found.allocations,
        bytes: found.bytes,
        alive_at_peak: found.alive_at_peak,
        frames,
    }
}

fn device_text(device: &DeviceFound) -> String {
    let DeviceFound { label, found, rows, .. } = device;
    let mut lines = vec![format!(
        "{label}  {} of {}, {} at the peak",
        count(u64::from(found.allocations), "allocation", "allocations"),
        count(u64::from(found.stacks), "stack", "stacks"),
        format_bytes(found.alive_at_peak.bytes)
    )];
    for row in rows.iter().take(SHOWN) {
        lines.push(format!(
            "\n  {} at the peak in {}; {} in all, {}",
            format_bytes(row.alive_at_peak.bytes),
            count(u64::from(row.alive_at_peak.count), "block", "blocks"),
            count(u64::from(row.allocations), "allocation", "allocations"),
            format_bytes(row.bytes)
        ));
        let (shown, rest): (Vec<_>, Vec<_>) =
            row.frames.iter().partition(|frame| frame.kind == "own" || frame.matches);
        lines.extend(shown.iter().map(|frame| frame_text(frame)));
        if !rest.is_empty() {
            lines.push(format!("      and {}", count(rest.len() as u64, "other frame", "other frames")));
        }
    }
    if let Some(more) = rows.len().checked_sub(SHOWN).filter(|more| *more > 0) {
        lines.push(format!("\n  {} more: see --json", count(more as u64, "stack", "stacks")));
    }
    lines.join("\n") + "\n"
}

/// A frame that matches has a mark.
fn frame_text(frame: &FrameRow) -> String {
    let mark = if frame.matches { '>' } else { ' ' };
    match frame.line {
        0 => format!("    {mark} {}  {}", frame.name, frame.file),
        line => format!("    {mark} {}  {}:{line}", frame.name, frame.file),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_found_says_why_it_may_be() {
        assert!(nothing("Forward").ends_with("case counts"));
        assert!(nothing(r"\S+zzz").ends_with(r"matches \S+zzz"), "the letter of an escape does not count");
    }
}
