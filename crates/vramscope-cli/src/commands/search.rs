//! `vramscope search`: stacks of the allocations that an expression chooses.

use std::path::Path;
use std::process::ExitCode;

use serde::Serialize;
use vramscope_core::bits::Bits;
use vramscope_core::ids::FrameId;
use vramscope_core::model::{FrameKind, Snapshot};
use vramscope_core::query::has_upper_case;
use vramscope_core::replay::{Recording, Site};
use vramscope_core::units::{count, format_bytes};
use vramscope_explore::filter::{Alive, FoundStack, found, found_stacks};

use crate::filter::{Filter, language};
use crate::{out, read};

/// Stacks printed without `--json`.
const SHOWN: usize = 20;

/// Stacks of the allocations that an expression chooses, most bytes at the peak first
///
/// A plain word is a regular expression for frames, read as "name file:line"; upper and lower case are the same unless it has an upper-case
/// letter.
#[derive(clap::Args)]
#[command(after_long_help = language())]
pub(crate) struct Args {
    /// An expression, in one argument or several, and a snapshot before or after it; `-` reads standard input
    #[arg(value_name = "EXPR… FILE", num_args = 2.., required = true, allow_hyphen_values = true)]
    words: Vec<String>,
    /// One JSON object on standard output, with every stack and frame
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct DeviceFound {
    device: i64,
    label: String,
    allocations: u32,
    bytes: u64,
    stacks: u32,
    /// Frames of the file that match.
    frames: u32,
    alive_at_peak: AliveRow,
    first: Option<u32>,
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
    alive_at_peak: AliveRow,
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

#[derive(Serialize)]
struct AliveRow {
    count: u32,
    bytes: u64,
}

impl From<Alive> for AliveRow {
    fn from(alive: Alive) -> Self {
        Self { count: alive.count, bytes: alive.bytes }
    }
}

/// The file and the expression: the file stands first if there is one of that name, else last.
fn parted(words: &[String]) -> Option<(&str, String)> {
    let (first, rest) = words.split_first()?;
    let (last, start) = words.split_last()?;
    let is_file = |name: &str| name == "-" || Path::new(name).exists();
    match is_file(first) && !is_file(last) {
        true => Some((first, rest.join(" "))),
        false => Some((last, start.join(" "))),
    }
}

/// Prints what is found; 1 if nothing is, as grep does.
pub(crate) fn run(args: &Args) -> ExitCode {
    // An expression may begin with a hyphen, so what follows it is not read as options.
    let (options, words): (Vec<String>, Vec<String>) =
        args.words.iter().cloned().partition(|word| word == "--json");
    let json = args.json || !options.is_empty();
    let Some((file, text)) = parted(&words) else { return told("give an expression and a file", 2) };
    let filter: Filter = match text.parse() {
        Ok(filter) => filter,
        Err(message) => return told(&message, 2),
    };
    let mut recording = match read::open(file) {
        Ok(recording) => recording,
        Err(message) => return told(&message, 1),
    };
    filter.prepare(&mut recording);
    let devices = match all_found(&recording, &filter) {
        Ok(devices) => devices,
        Err(message) => return told(&message, 2),
    };
    let printed = match json {
        true => serde_json::json!({ "schema": 1, "pattern": text, "devices": devices }).to_string() + "\n",
        false => {
            let found = devices.iter().filter(|device| !device.rows.is_empty());
            found.map(device_text).collect::<Vec<_>>().join("\n")
        }
    };
    let written = if json { out::data(&printed) } else { out::text(&printed) };
    match devices.iter().any(|device| !device.rows.is_empty()) {
        false => told(&nothing(&text), 1),
        true if written => ExitCode::SUCCESS,
        true => ExitCode::from(1),
    }
}

fn nothing(pattern: &str) -> String {
    // Of an expression with more than words, the letters of units and keys do not matter.
    let hint = if has_upper_case(pattern) && !pattern.contains([':', '<', '>', '=']) {
        "; with an upper-case letter in it, case counts"
    } else {
        ""
    };
    format!("no allocation matches {pattern}{hint}")
}

fn told(message: &str, status: u8) -> ExitCode {
    out::tell(message);
    ExitCode::from(status)
}

fn all_found(recording: &Recording, filter: &Filter) -> Result<Vec<DeviceFound>, String> {
    let frames = filter.expr.frames(&recording.snapshot);
    let ordinals = recording.snapshot.devices.iter().map(|device| device.ordinal);
    let device = |ordinal| {
        let chosen = filter.choose(recording, ordinal)?;
        Ok(device_found(recording, ordinal, &chosen, &frames))
    };
    ordinals.map(device).filter_map(Result::transpose).collect()
}

fn device_found(recording: &Recording, device: i64, chosen: &Bits, frames: &Bits) -> Option<DeviceFound> {
    let label = recording.device(device)?.0.label();
    let found = found(recording, device, chosen)?;
    let stacks = found_stacks(recording, device, chosen);
    let rows = stacks.iter().map(|stack| stack_row(&recording.snapshot, stack, frames)).collect();
    Some(DeviceFound {
        device,
        label,
        allocations: found.count,
        bytes: found.bytes,
        stacks: found.stacks,
        frames: frames.count(),
        alive_at_peak: found.alive_at_peak.into(),
        first: found.first,
        rows,
    })
}

fn stack_row(snapshot: &Snapshot, found: &FoundStack, matching: &Bits) -> StackRow {
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
            matches: matching.has(id.0),
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
        alive_at_peak: found.alive_at_peak.into(),
        frames,
    }
}

fn device_text(device: &DeviceFound) -> String {
    let DeviceFound { label, rows, .. } = device;
    let mut lines = vec![format!(
        "{label}  {} of {}, {} at the peak",
        count(u64::from(device.allocations), "allocation", "allocations"),
        count(u64::from(device.stacks), "stack", "stacks"),
        format_bytes(device.alive_at_peak.bytes)
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
        assert!(nothing("size > 1 GiB").ends_with("1 GiB"), "nor does that of a unit");
        assert!(nothing("Forward").ends_with("case counts"));
        assert!(nothing(r"\S+zzz").ends_with(r"matches \S+zzz"), "the letter of an escape does not count");
    }
}
