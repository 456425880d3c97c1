//! `vramscope export`: a part of a recording as a snapshot, or its counters for Perfetto.

use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;

use vramscope_core::replay::Recording;
use vramscope_core::units::{count, group_digits};
use vramscope_diagnose::{Options, diagnose};
use vramscope_explore::export::{self, Request};

use crate::{out, read};

/// A smaller snapshot that PyTorch's own tools and this one open, or a trace for ui.perfetto.dev
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A snapshot; `-` reads standard input
    #[arg(value_name = "FILE")]
    file: String,
    /// Events from A to before B, counted from 0; either may be left out. Totals stay what they were
    #[arg(long, value_name = "A..B")]
    events: Option<Events>,
    /// Paths become base names; metadata, names of ranges, compile contexts and FX nodes go. Names of functions stay
    #[arg(long)]
    anonymise: bool,
    /// One device only
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    device: Option<i64>,
    /// Counters, steps, phases and out-of-memory errors in the Trace Event format instead
    #[arg(long)]
    perfetto: bool,
    /// The file to write; a name that ends in .gz is compressed, `-` is standard output
    #[arg(short, long, value_name = "OUT")]
    out: PathBuf,
}

/// A range of events, `A..B`, half open.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Events {
    start: u32,
    end: Option<u32>,
}

impl FromStr for Events {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong =
            || "give two numbers of events as A..B, such as 1000..2000; either may be left out".to_owned();
        let (start, end) = text.split_once("..").ok_or_else(wrong)?;
        let number = |text: &str| match text {
            "" => Ok(None),
            text => text.parse().map(Some).map_err(|_| wrong()),
        };
        let events = Events { start: number(start)?.unwrap_or(0), end: number(end)? };
        match events.end.is_none_or(|end| events.start <= end) {
            true => Ok(events),
            false => Err("the range ends before it begins".into()),
        }
    }
}

/// Writes the file.
pub(crate) fn run(args: &Args) -> ExitCode {
    out::ended(written(args))
}

fn written(args: &Args) -> Result<String, String> {
    out::refuse_inputs(&args.out, [Path::new(&args.file)])?;
    let mut recording = read::open_checked(&args.file)?;
    let (device, events) = chosen(args, &recording)?;
    let request = Request { device, events, anonymise: args.anonymise };
    if args.perfetto {
        diagnose(&mut recording, &Options::default());
    }
    let failed = |error: io::Error| format!("{} cannot be written: {error}", args.out.display());
    let bytes = out::write_out(&args.out, |out| {
        let mut fault = None;
        let mut sink = |piece: &[u8]| match out.write_all(piece) {
            Ok(()) => true,
            Err(error) => {
                fault = Some(error);
                false
            }
        };
        match args.perfetto {
            true => export::trace_events(&recording, &request, &mut sink),
            false => export::snapshot(&recording, &request, &mut sink),
        };
        fault.map_or(Ok(()), Err)
    })
    .map_err(failed)?;
    Ok(out::wrote(&args.out, bytes))
}

/// The device and the events that are meant; a range needs one device to be of.
fn chosen(args: &Args, recording: &Recording) -> Result<(Option<i64>, Option<Range<u32>>), String> {
    let devices = &recording.snapshot.devices;
    let ordinals = || devices.iter().map(|device| device.ordinal.to_string()).collect::<Vec<_>>().join(", ");
    if let Some(wanted) = args.device.filter(|wanted| recording.device(*wanted).is_none()) {
        return Err(format!("{} has no device {wanted}; it has {}", args.file, ordinals()));
    }
    let Some(events) = &args.events else { return Ok((args.device, None)) };
    let mut with_events = devices.iter().filter(|device| !device.events.is_empty());
    let only = match (args.device, with_events.next(), with_events.next()) {
        (Some(device), ..) => device,
        (None, Some(_), Some(_)) => {
            return Err(format!(
                "events are counted for each device, and {} has several: choose one of {} with --device",
                args.file,
                ordinals()
            ));
        }
        (None, first, _) => first.map_or(0, |device| device.ordinal),
    };
    let n = recording.device(only).map_or(0, |(_, replay)| replay.end());
    match events.end.unwrap_or(n).max(events.start) {
        end if end > n => Err(format!(
            "there is no event {}: the trace of device {only} has {}",
            group_digits(u64::from(end) - 1),
            count(n.into(), "event", "events")
        )),
        end => Ok((Some(only), Some(events.start..end))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_events() {
        assert_eq!("10..20".parse(), Ok(Events { start: 10, end: Some(20) }));
        assert_eq!("..20".parse(), Ok(Events { start: 0, end: Some(20) }));
        assert_eq!("10..".parse(), Ok(Events { start: 10, end: None }));
        for wrong in ["10", "a..b", "20..10", "1..2..3", "1..=2", "-1..2"] {
            assert!(wrong.parse::<Events>().is_err(), "{wrong}");
        }
    }
}
