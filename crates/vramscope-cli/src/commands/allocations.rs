//! `vramscope allocations`: what is alive at a moment, one by one or in groups.

use std::io::{BufWriter, Write};
use std::process::ExitCode;

use vramscope_core::replay::Recording;
use vramscope_core::units::{count, format_bytes, format_duration_us, group_digits};
use vramscope_diagnose::{Options, diagnose};
use vramscope_explore::table::{Column, Facts, Format, Names, Of, Row, Sort, Table};

use super::state::At;
use crate::filter::Filter;
use crate::{out, read};

/// Allocations alive at a moment, the largest first, for each device
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A snapshot; `-` reads standard input
    #[arg(value_name = "FILE")]
    file: String,
    /// The moment: `peak` (of requested bytes), `end`, or after an event, counted from 0
    #[arg(long, value_name = "peak|end|EVENT", default_value = "peak")]
    at: At,
    /// One device only
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    device: Option<i64>,
    /// Only what an expression of the filter's language chooses; `vramscope search --help` lists it
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true)]
    filter: Option<Filter>,
    /// Put together what has the same whole stack, line of code, category, stream, pool, size, phase or step
    #[arg(long, value_parser = ["stack", "line", "category", "stream", "pool", "size", "phase", "step"])]
    group: Option<String>,
    /// The first N rows only; without --json and --csv, 50 unless told otherwise
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// One JSON object on standard output
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Comma-separated values on standard output; with several devices, give one
    #[arg(long)]
    csv: bool,
}

/// Rows printed without `--limit`, for people.
const SHOWN: usize = 50;
/// Rows written at once.
const AT_ONCE: u32 = 10_000;

/// Prints what is alive on each device.
pub(crate) fn run(args: &Args) -> ExitCode {
    let out = BufWriter::new(std::io::stdout().lock());
    match read::open_checked(&args.file).and_then(|recording| print(args, recording, out)) {
        Ok(true) => ExitCode::SUCCESS,
        // Nobody reads on.
        Ok(false) => ExitCode::from(1),
        Err(message) => {
            out::tell(&message);
            ExitCode::from(1)
        }
    }
}

fn print(args: &Args, mut recording: Recording, mut out: impl Write) -> Result<bool, String> {
    diagnose(&mut recording, &Options::default());
    let moments = args.at.moments(&args.file, &recording, args.device)?;
    if args.csv && moments.len() > 1 {
        let devices: Vec<i64> = moments.iter().map(|(device, _)| *device).collect();
        return Err(format!(
            "{} has devices {}: choose one with --device for --csv",
            args.file,
            out::numbers(&devices)
        ));
    }
    if moments.is_empty() && !args.json {
        return Ok(out.write_all(b"no device has events or segments\n").is_ok());
    }
    let names = Names::of(&recording.snapshot);
    let mut written = true;
    if args.json {
        written &= out.write_all(b"{\"schema\":1,\"devices\":[").is_ok();
    }
    for (at, &(device, moment)) in moments.iter().enumerate() {
        let Some(facts) = Facts::of(&recording, device, &names) else { continue };
        let group = args.group.as_deref().and_then(column);
        let chosen = args.filter.as_ref().map(|filter| filter.choose(&recording, device)).transpose()?;
        let mut table = Table::new(&facts, Of::Alive(moment), chosen.as_ref(), &[Sort::LARGEST], group);
        let rows = table.groups().len().max(if group.is_some() { 0 } else { table.ids().len() });
        let default = if args.json || args.csv { usize::MAX } else { SHOWN };
        table.truncate(args.limit.unwrap_or(default));
        if args.json || args.csv {
            let format = if args.json { Format::Json } else { Format::Csv };
            let comma = if at > 0 { &b","[..] } else { b"" };
            written &= out.write_all(comma).is_ok() && export(&table, &facts, device, format, &mut out);
        } else {
            let label = recording.device(device).map(|(device, _)| device.label()).unwrap_or_default();
            let gap = if at > 0 { "\n" } else { "" };
            let text = format!("{gap}{label}  {}", text(&table, &facts, group, moment, rows));
            written &= out.write_all(out::harmless(&text).as_bytes()).is_ok();
        }
    }
    if args.json {
        written &= out.write_all(b"]}\n").is_ok();
    }
    Ok(written && out.flush().is_ok())
}

fn column(name: &str) -> Option<Column> {
    Column::named(if name == "line" { "site" } else { name })
}

fn export(table: &Table, facts: &Facts<'_>, device: i64, format: Format, out: &mut impl Write) -> bool {
    let mut from = Some(0);
    while let Some(begin) = from {
        let piece = table.export(facts, device, format, true, begin, AT_ONCE);
        if out.write_all(piece.text.as_bytes()).is_err() {
            return false;
        }
        from = piece.next;
    }
    true
}

fn text(table: &Table, facts: &Facts<'_>, group: Option<Column>, moment: u32, rows: usize) -> String {
    let when = match moment {
        0 => "before the first event".to_owned(),
        moment => format!("after event {}", group_digits(u64::from(moment) - 1)),
    };
    let sums = table.sums;
    let alive = count(u64::from(sums.count), "allocation", "allocations");
    let heading = format!("{alive} alive {when}, {}\n", format_bytes(sums.bytes));
    let (lines, shown) = match group {
        Some(_) => (group_lines(table, facts), table.groups().len()),
        None => (row_lines(table, facts), table.ids().len()),
    };
    let rest = match (rows.saturating_sub(shown) as u64, group) {
        (0, _) => String::new(),
        (more, None) => {
            format!("  {} more, smaller ones: see --limit\n", count(more, "allocation", "allocations"))
        }
        (more, Some(_)) => format!("  {} more, smaller ones: see --limit\n", count(more, "group", "groups")),
    };
    heading + &lines + &rest
}

fn group_lines(table: &Table, facts: &Facts<'_>) -> String {
    let all = table.sums.bytes.max(1) as f64;
    let mut lines = format!("  {:>12}{:>9}{:>12}\n", "size", "share", "count");
    for (at, group) in table.groups().iter().enumerate() {
        let share = format!("{:.1} %", 100.0 * group.bytes as f64 / all);
        let number = group_digits(u64::from(group.count));
        let name = table.group_name(facts, at).unwrap_or_default();
        lines += &format!("  {:>12}{share:>9}{number:>12}  {name}\n", format_bytes(group.bytes));
    }
    lines
}

fn row_lines(table: &Table, facts: &Facts<'_>) -> String {
    let rows: Vec<Row<'_>> = table.ids().iter().map(|&id| facts.row(id)).collect();
    let place = |row: &Row<'_>| {
        let freed = if row.of_free { "freed at " } else { "" };
        format!("{freed}{} {}", row.name, row.at)
    };
    let width = rows.iter().map(|row| place(row).chars().count()).max().unwrap_or(0).clamp(8, 60);
    let mut lines = format!(
        "  {:>12}{:>12}  {:<16}{:<width$}  {:<18}{:>13}{:>13}{:>12}  stream\n",
        "size", "block", "category", "made at", "operator", "alloc event", "free event", "lived"
    );
    for row in &rows {
        let event = |event: Option<u32>| event.map_or("–".into(), |event| group_digits(u64::from(event)));
        let lived = match row.lived_us {
            Some(us) => format_duration_us(us),
            None => count(u64::from(row.lived_events), "event", "events"),
        };
        let about = if row.bytes.is_none() { "~" } else { "" };
        lines += &format!(
            "  {:>12}{:>12}  {:<16}{:<width$}  {:<18}{:>13}{:>13}{:>12}  {}\n",
            format_bytes(row.requested_bytes),
            format!("{about}{}", format_bytes(row.block_bytes)),
            row.category,
            place(row),
            row.operator.unwrap_or("–"),
            event(row.alloc_event),
            event(row.free_event),
            if row.alive_at_end { format!("≥ {lived}") } else { lived },
            row.stream,
        );
    }
    lines
}
