//! `vramscope diff`: what grew and what shrank from one recording to another.

use std::process::ExitCode;

use vramscope_core::query;
use vramscope_core::replay::Recording;
use vramscope_diagnose::{Options, diagnose};
use vramscope_explore::compare::{self, Align, Holdings};

use super::state::At;
use crate::{out, read};

/// What grew and what shrank from A to B, by category and by stack
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The snapshot to start from; `-` reads standard input
    #[arg(value_name = "A")]
    a: String,
    /// The snapshot to compare with it; the same file with two moments compares these
    #[arg(value_name = "B")]
    b: String,
    /// The moment: `peak` (of requested bytes), `end`, or after an event, counted from 0; two of them for A and B
    #[arg(
        long,
        value_name = "peak|end|EVENT[,…]",
        default_value = "peak",
        value_delimiter = ',',
        num_args = 1
    )]
    at: Vec<At>,
    /// One device; without it, the one with most events of each
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    device: Option<i64>,
    /// One JSON object on standard output, with every stack
    #[arg(long)]
    json: bool,
    /// Markdown on standard output
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
}

/// Prints the change.
pub(crate) fn run(args: &Args) -> ExitCode {
    match compared(args) {
        Ok(text) if (if args.json { out::data(&text) } else { out::text(&text) }) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::from(1),
        Err(message) => {
            out::tell(&message);
            ExitCode::from(1)
        }
    }
}

fn compared(args: &Args) -> Result<String, String> {
    let (first, last) = match args.at.as_slice() {
        [both] => (*both, *both),
        [a, b] => (*a, *b),
        _ => return Err("give one moment, or two: --at peak,end".into()),
    };
    if args.a == "-" && args.b == "-" {
        return Err("standard input can be only one of the two".into());
    }
    let a = held(&args.a, args.device, first)?;
    let b = held(&args.b, args.device, last)?;
    let limit = if args.json { usize::MAX } else { 1_000 };
    let diff = compare::diff(&a, &b, Align::Step, limit);
    if args.json {
        return serde_json::to_string(&diff).map(|text| text + "\n").map_err(|error| error.to_string());
    }
    Ok(if args.markdown { compare::markdown(&a, &b, &diff) } else { compare::text(&a, &b, &diff) })
}

/// What a file holds at a moment. The recording itself is not kept: the other one may be as large.
fn held(path: &str, device: Option<i64>, at: At) -> Result<Holdings, String> {
    let mut recording = read::open(path)?;
    diagnose(&mut recording, &Options::default());
    let device = device.unwrap_or_else(|| query::opened(&recording).default_device);
    let Some((_, replay)) = recording.device(device) else {
        return Err(format!("{path} has no device {device}; it has {}", out::numbers(&ordinals(&recording))));
    };
    let moment = at.moment(replay).map_err(|message| format!("{path}: {message}"))?;
    let at = match at {
        At::Peak => compare::At::Peak,
        At::End => compare::At::End,
        At::Event(_) => compare::At::Event,
    };
    compare::holdings(&recording, device, moment, at).ok_or_else(|| format!("{path} has no device {device}"))
}

fn ordinals(recording: &Recording) -> Vec<i64> {
    recording.snapshot.devices.iter().map(|device| device.ordinal).collect()
}
