//! `vramscope report`: what filled the memory, why, and what to change.

mod html;
mod picture;
mod svg;

use std::path::Path;
use std::process::ExitCode;

use serde::Serialize;
use vramscope_core::query::summary::File;
use vramscope_core::replay::{Recording, Replay};
use vramscope_diagnose::report::{DeviceReport, markdown, text};
use vramscope_diagnose::{Options, diagnose, memory_summary};

use crate::bytes::Bytes;
use crate::{out, read};

/// What filled the memory, why, and what to change, for each device of each file
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Snapshots; `-` reads standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
    /// One device only
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    device: Option<i64>,
    /// The memory limit, which no snapshot tells: bytes, or with a unit, such as 12GiB
    #[arg(long, value_name = "BYTES")]
    limit: Option<Bytes>,
    /// One JSON object on standard output: the report, or {"schema":1,"files":[…]} with one for each of several files
    #[arg(long, conflicts_with_all = ["markdown", "html"])]
    json: bool,
    /// Markdown on standard output
    #[arg(long, conflicts_with = "html")]
    markdown: bool,
    /// One page with charts, without scripts, written to a file; `-` writes to standard output
    #[arg(long, value_name = "OUT")]
    html: Option<String>,
}

/// One file, diagnosed.
struct Reported {
    path: String,
    recording: Recording,
    devices: Vec<Device>,
}

struct Device {
    label: String,
    report: DeviceReport,
    /// The table like that of `torch.cuda.memory_summary()`, and what moment it shows.
    summary: String,
    moment: u32,
}

/// Prints or writes what could be read; files that could not are told on standard error.
pub(crate) fn run(args: &Args) -> ExitCode {
    let mut failed = false;
    let mut reported = Vec::new();
    for file in &args.files {
        match report(file, args) {
            Ok(one) => reported.push(one),
            Err(message) => failed |= !tell(&message),
        }
    }
    if let Some(page) = args.html.as_deref().filter(|page| *page != "-") {
        let inputs = args.files.iter().map(Path::new);
        if let Err(message) = out::refuse_inputs(Path::new(page), inputs) {
            tell(&message);
            return ExitCode::from(1);
        }
    }
    if !reported.is_empty() {
        let several = args.files.len() > 1;
        failed |= match &args.html {
            Some(to) => !write(to, &html::page(&reported)),
            None if args.json => !out::data(&json(&reported, several)),
            None if args.markdown => !out::text(&joined(&reported, several, markdown_of)),
            None => !out::text(&joined(&reported, several, text_of)),
        };
    }
    if failed { ExitCode::from(1) } else { ExitCode::SUCCESS }
}

/// Always false: it failed.
fn tell(message: &str) -> bool {
    out::tell(message);
    false
}

fn write(to: &str, page: &str) -> bool {
    if to == "-" {
        return out::data(page);
    }
    match std::fs::write(to, page) {
        Ok(()) => true,
        Err(error) => tell(&format!("{to} cannot be written: {error}")),
    }
}

fn report(path: &str, args: &Args) -> Result<Reported, String> {
    let mut recording = read::open_checked(path)?;
    let ordinals: Vec<i64> = recording.snapshot.devices.iter().map(|device| device.ordinal).collect();
    let wanted = match args.device {
        Some(device) if !ordinals.contains(&device) => {
            return Err(format!("{path} has no device {device}; it has {}", out::numbers(&ordinals)));
        }
        Some(device) => vec![device],
        None => ordinals,
    };
    let options = Options { limit_bytes: args.limit.map(|limit| limit.0) };
    let reports = diagnose(&mut recording, &options);
    let reports = reports.into_iter().filter(|report| wanted.contains(&report.device));
    let devices = reports.filter_map(|report| device(&recording, report)).collect();
    Ok(Reported { path: path.to_owned(), recording, devices })
}

fn device(recording: &Recording, report: DeviceReport) -> Option<Device> {
    let (device, replay) = recording.whole_device(report.device)?;
    let moment = moment_of(&report, replay);
    let summary = memory_summary(recording, report.device, moment)?.text();
    Some(Device { label: device.label(), report, summary, moment })
}

/// What the verdict speaks of: the moment of its bar, else the failed request, else the peak.
fn moment_of(report: &DeviceReport, replay: &Replay) -> u32 {
    let bar = report.bar.as_ref().map(|bar| bar.moment);
    bar.or(report.oom.as_ref().map(|oom| oom.moment)).unwrap_or_else(|| replay.peak())
}

/// A report in JSON. Written as it is: a tree of a million phases would take ten times the memory.
#[derive(Serialize)]
struct Object<'a> {
    schema: u32,
    file: File,
    devices: Vec<&'a DeviceReport>,
}

#[derive(Serialize)]
struct Several<'a> {
    schema: u32,
    files: Vec<Object<'a>>,
}

fn object(one: &Reported) -> Object<'_> {
    let source = &one.recording.snapshot.source;
    let file = File {
        name: source.name.clone(),
        bytes: source.size_bytes,
        container: source.container,
        protocol: source.protocol,
    };
    Object { schema: 1, file, devices: one.devices.iter().map(|device| &device.report).collect() }
}

fn json(reported: &[Reported], several: bool) -> String {
    let text = match reported {
        [one] if !several => serde_json::to_string(&object(one)),
        all => serde_json::to_string(&Several { schema: 1, files: all.iter().map(object).collect() }),
    };
    text.unwrap_or_default() + "\n"
}

/// All files, one after the other; of several each under its path.
fn joined(reported: &[Reported], several: bool, one: fn(&Device) -> String) -> String {
    let file = |file: &Reported| {
        let devices = file.devices.iter().map(one).collect::<Vec<_>>().join("\n");
        let nothing = if file.devices.is_empty() { "no device has events or segments\n" } else { "" };
        if several { format!("# {}\n\n{devices}{nothing}", file.path) } else { devices + nothing }
    };
    reported.iter().map(file).collect::<Vec<_>>().join("\n")
}

fn markdown_of(device: &Device) -> String {
    let heading = summary_heading(device);
    markdown(&device.report, &device.label) + &format!("\n### {heading}\n\n```text\n{}```\n", device.summary)
}

fn text_of(device: &Device) -> String {
    let table: String = device.summary.lines().map(|line| format!("  {line}\n")).collect();
    text(&device.report, &device.label) + &format!("\n  {}\n{table}", summary_heading(device))
}

/// "Memory summary after event 188".
fn summary_heading(device: &Device) -> String {
    match device.moment {
        0 => "Memory summary before the first event".into(),
        moment => {
            let event = vramscope_core::units::group_digits(u64::from(moment) - 1);
            format!("Memory summary after event {event}")
        }
    }
}
