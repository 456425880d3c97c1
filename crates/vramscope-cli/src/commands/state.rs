//! `vramscope state`: segments and blocks at a moment.

use std::process::ExitCode;
use std::str::FromStr;

use vramscope_core::query::{AllocatorState, listed, state};
use vramscope_core::replay::{Recording, Replay};
use vramscope_core::units::{count, format_bytes, group_digits};
use vramscope_diagnose::memory_summary;

use crate::{out, read};

/// Segments and blocks of the allocator at a moment, for each device
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A snapshot; `-` reads standard input
    #[arg(value_name = "FILE")]
    file: String,
    /// The moment: `peak` (of requested bytes), `end`, or after an event, counted from 0
    #[arg(long, value_name = "peak|end|EVENT", default_value = "end")]
    at: At,
    /// One device only
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    device: Option<i64>,
    /// One JSON object on standard output, with every segment and block
    #[arg(long)]
    json: bool,
    /// The counters then, as a table like that of `torch.cuda.memory_summary()`
    #[arg(long, conflicts_with = "json")]
    summary: bool,
}

/// A moment to look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum At {
    Peak,
    End,
    Event(u32),
}

impl FromStr for At {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "peak" => Ok(At::Peak),
            "end" => Ok(At::End),
            number => {
                number.parse().map(At::Event).map_err(|_| "give peak, end, or the number of an event".into())
            }
        }
    }
}

impl At {
    /// The moment in a recording; an error says how many events there are.
    pub(crate) fn moment(self, replay: &Replay) -> Result<u32, String> {
        match self {
            At::Peak => Ok(replay.peak()),
            At::End => Ok(replay.end()),
            At::Event(event) if event < replay.end() => Ok(event + 1),
            At::Event(event) => Err(format!(
                "there is no event {}: the trace has {}",
                group_digits(u64::from(event)),
                count(u64::from(replay.end()), "event", "events")
            )),
        }
    }

    /// The moment on each device, or on the one that is wanted; an error if no device has it.
    pub(crate) fn moments(
        self,
        file: &str,
        recording: &Recording,
        wanted: Option<i64>,
    ) -> Result<Vec<(i64, u32)>, String> {
        let ordinals: Vec<i64> = recording.snapshot.devices.iter().map(|device| device.ordinal).collect();
        let wanted: Vec<i64> = match wanted {
            Some(device) if ordinals.contains(&device) => vec![device],
            Some(device) => {
                return Err(format!("{file} has no device {device}; it has {}", out::numbers(&ordinals)));
            }
            None => ordinals,
        };
        let mut moments = Vec::new();
        let mut without = Vec::new();
        for ordinal in wanted {
            let Some((_, replay)) = recording.device(ordinal) else { continue };
            match self.moment(replay) {
                Ok(moment) => moments.push((ordinal, moment)),
                Err(message) => without.push(format!("device {ordinal}: {message}")),
            }
        }
        if moments.is_empty() && !without.is_empty() { Err(without.join("; ")) } else { Ok(moments) }
    }
}

/// Prints the state of each device.
pub(crate) fn run(args: &Args) -> ExitCode {
    let printed = read::open_checked(&args.file).and_then(|recording| text(args, &recording));
    match printed {
        Ok(text) if (if args.json { out::data(&text) } else { out::text(&text) }) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::from(1),
        Err(message) => {
            out::tell(&message);
            ExitCode::from(1)
        }
    }
}

fn text(args: &Args, recording: &Recording) -> Result<String, String> {
    let moments = args.at.moments(&args.file, recording, args.device)?;
    if args.json {
        let devices: Vec<_> =
            moments.iter().filter_map(|(device, moment)| listed(recording, *device, *moment)).collect();
        let json = serde_json::json!({ "schema": 1, "devices": devices });
        return Ok(json.to_string() + "\n");
    }
    if args.summary {
        let tables =
            moments.iter().filter_map(|(device, moment)| memory_summary(recording, *device, *moment));
        return Ok(tables.map(|table| table.text()).collect::<Vec<_>>().join("\n"));
    }
    let lines = moments.iter().filter_map(|(device, moment)| {
        let label = recording.device(*device)?.0.label();
        Some(device_text(&label, &state(recording, *device, *moment)?))
    });
    Ok(lines.collect::<Vec<_>>().join("\n"))
}

fn device_text(name: &str, state: &AllocatorState) -> String {
    let when = match (state.moment, state.action) {
        (0, _) if state.only_moment => "at the one moment that was recorded".to_owned(),
        (0, _) => "before the first event".to_owned(),
        (_, action) => {
            format!("after event {}, {}", group_digits(u64::from(state.event)), action.unwrap_or("unknown"))
        }
    };
    let mut lines = vec![format!("{name}  {when}")];
    if let Some(reason) = &state.exact_reason {
        lines.push(format!("  Sizes of blocks are estimated by rounding. {reason}"));
    }
    let width = state.groups.iter().map(|group| group.label.len()).max().unwrap_or(0).max(8);
    lines.push(format!(
        "  {:<width$}{:>10}{:>13}{:>13}{:>15}{:>13}{:>14}{:>15}",
        "", "segments", "reserved", "allocated", "awaiting free", "free", "largest free", "fragmentation"
    ));
    let rows = state.groups.iter().map(|group| (group.label.as_str(), &group.figures));
    for (label, figures) in rows.chain([("all", &state.total)]) {
        lines.push(format!(
            "  {label:<width$}{:>10}{:>13}{:>13}{:>15}{:>13}{:>14}{:>15}",
            group_digits(u64::from(figures.segments)),
            format_bytes(figures.reserved_bytes),
            format_bytes(figures.allocated_bytes),
            format_bytes(figures.pending_bytes),
            format_bytes(figures.free_bytes),
            format_bytes(figures.largest_free_bytes),
            figures.fragmentation.map_or("–".into(), |share| format!("{share:.2}")),
        ));
    }
    if state.pinned.segments > 0 {
        lines.push(format!(
            "  {} of live blocks keep {} half-empty {} with {} free from going back to the driver",
            format_bytes(state.pinned.live_bytes),
            group_digits(u64::from(state.pinned.segments)),
            if state.pinned.segments == 1 { "segment" } else { "segments" },
            format_bytes(state.pinned.free_bytes),
        ));
    }
    lines.join("\n") + "\n"
}
