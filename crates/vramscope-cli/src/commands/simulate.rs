//! `vramscope simulate`: the recorded requests under other settings, on another card, at another batch, or of a changed program.

mod scenario;
mod text;

use std::process::ExitCode;

use serde_json::{Map, Value, json};
use vramscope_core::allocator::Config;
use vramscope_core::query::summary::{self, DeviceSummary};
use vramscope_core::replay::Recording;
use vramscope_simulate::{Basis, LimitSearch, Simulated, Simulation, settings, usual};

use super::parallel;
use crate::bytes::Bytes;
use crate::{out, read};
use scenario::Made;

/// The recorded requests under other allocator settings: how much would be reserved, and would they be served?
///
/// Exit status 3: with --fits, they do not fit; with --batch N:max, not even a batch of 1 does.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A snapshot with history; `-` reads standard input
    #[arg(value_name = "FILE")]
    file: String,
    /// A setting of PYTORCH_ALLOC_CONF; several make up the whole of it. Without any, the recorded settings
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = key_value, conflicts_with = "sweep")]
    settings: Vec<(String, String)>,
    /// Try the usual settings and rank them by what they reserve
    #[arg(long)]
    sweep: bool,
    /// The memory limit: bytes, or with a unit, such as 24GiB; `none` for no limit. Without it the limit that the recording proves
    #[arg(long, value_name = "BYTES")]
    limit: Option<LimitWish>,
    /// Does it fit into so much? Finds the smallest limit at which every request is served; status 3 if that is more
    #[arg(long, value_name = "BYTES")]
    fits: Option<Bytes>,
    #[command(flatten)]
    scenario: scenario::Changes,
    /// The device; without it the one with the highest peak
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    device: Option<i64>,
    /// One JSON object on standard output
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug)]
enum LimitWish {
    None,
    Bytes(u64),
}

impl std::str::FromStr for LimitWish {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "none" => Ok(LimitWish::None),
            _ => text.parse::<Bytes>().map(|bytes| LimitWish::Bytes(bytes.0)),
        }
    }
}

fn key_value(text: &str) -> Result<(String, String), String> {
    // As on a command line, or as in PYTORCH_ALLOC_CONF.
    let (key, value) =
        text.split_once(['=', ':']).ok_or("give KEY=VALUE, such as expandable_segments=True")?;
    let mut depth = 0;
    let splits = |letter: char| {
        depth += i32::from(letter == '[') - i32::from(letter == ']');
        letter == ',' && depth == 0
    };
    if key.trim().is_empty() || value.trim_end_matches([',', ' ']).contains(splits) {
        return Err("give one KEY=VALUE for each --set".into());
    }
    Ok((key.trim().to_owned(), value.trim().to_owned()))
}

/// Limits below this are taken for a number without its unit: the allocator asks for no less at once.
const LEAST_LIMIT_BYTES: u64 = 2 << 20;

/// Status for what does not fit.
const DOES_NOT_FIT: u8 = 3;

/// What was simulated, and what came of it.
struct Tried {
    /// As PyTorch reads them; empty for the default.
    settings: String,
    config: Config,
    why: Option<&'static str>,
    found: Option<Simulated>,
    smallest_limit_bytes: Option<u64>,
}

/// Prints what came of the simulation.
pub(crate) fn run(args: &Args) -> ExitCode {
    match simulate(args) {
        Ok((text, fits)) => match if args.json { out::data(&text) } else { out::text(&text) } {
            true if fits => ExitCode::SUCCESS,
            true => ExitCode::from(DOES_NOT_FIT),
            false => ExitCode::from(1),
        },
        Err(Fault::Usage(message)) => {
            out::tell(&message);
            ExitCode::from(2)
        }
        Err(Fault::File(message)) => {
            out::tell(&message);
            ExitCode::from(1)
        }
    }
}

/// Why nothing was simulated.
enum Fault {
    /// What was asked for makes no sense.
    Usage(String),
    /// The file cannot be used for it.
    File(String),
}

impl From<String> for Fault {
    fn from(message: String) -> Fault {
        Fault::File(message)
    }
}

/// What can be told before a long read: the settings, unless PyTorch refuses them.
fn wished(args: &Args) -> Result<Config, String> {
    let settings = settings::parse(&args.settings)
        .map_err(|error| format!("PyTorch refuses {}: {error}", settings::text_of(&args.settings)))?;
    if args.settings.iter().any(|(key, value)| key == "backend" && value != "native") {
        return Err("only the native backend can be simulated; others have another allocator".into());
    }
    let limit = match args.limit {
        Some(LimitWish::Bytes(bytes)) => Some(bytes),
        _ => None,
    };
    let sizes = limit.into_iter().chain(args.fits.map(|room| room.0));
    if let Some(bytes) = sizes.min().filter(|bytes| *bytes < LEAST_LIMIT_BYTES) {
        return Err(format!(
            "a limit of {bytes} bytes is less than one segment; units are KiB, MiB, GiB and TiB, as in 24GiB"
        ));
    }
    match args.scenario.fault(limit.is_some() || args.fits.is_some()) {
        Some(fault) => Err(fault.into()),
        None => Ok(settings),
    }
}

/// The text, and whether it fits where that was asked.
fn simulate(args: &Args) -> Result<(String, bool), Fault> {
    let wished = wished(args).map_err(Fault::Usage)?;
    let mut recording = read::open_checked(&args.file)?;
    let device = device(args, &recording)?;
    let mut basis =
        Basis::of(&recording, device.device).map_err(|reason| format!("{}: {reason}", args.file))?;
    let limit_bytes = match args.limit {
        // What is searched for is what fits.
        None if args.scenario.is_search() => args.fits.map(|room| room.0),
        None => basis.recorded.limit_bytes,
        Some(LimitWish::None) => None,
        Some(LimitWish::Bytes(bytes)) => Some(bytes),
    };
    let own = Config { limit_bytes, ..basis.recorded.clone() };
    let wishes: Vec<(Config, Option<&'static str>)> = match (args.sweep, args.settings.is_empty()) {
        (true, _) => std::iter::once((own.clone(), None)).chain(candidates(&own)).collect(),
        (false, true) => vec![(own.clone(), None)],
        (false, false) => vec![(Config { limit_bytes, device_bytes: own.device_bytes, ..wished }, None)],
    };
    let made = args.scenario.make(&mut recording, device.device, &basis.requests, &wishes[0].0);
    let mut made = made.map_err(|reason| format!("{}: {reason}", args.file))?;
    if let Some(made) = &mut made {
        basis.requests = std::mem::take(&mut made.scenario.requests);
        basis.is_partial = basis.requests.start.as_ref().is_some_and(|start| !start.is_empty());
    }
    let mut tried = Vec::new();
    let bar = read::counting_bar("simulating", wishes.len() as u64);
    parallel::each(
        &wishes,
        |(config, why)| attempt(&basis, config, *why, args.fits.is_some()),
        |_, one| {
            tried.push(one);
            bar.inc(1);
        },
    );
    bar.finish_and_clear();
    if tried.iter().any(|one| one.found.is_none()) {
        let reason = "what was there before the first event contradicts itself";
        return Err(Fault::File(format!("{}: {reason}", args.file)));
    }
    // A card is large enough if any of the settings that were tried fits.
    let smallest = tried.iter().filter_map(|one| one.smallest_limit_bytes).min();
    let fits = args.fits.is_none_or(|room| smallest.is_some_and(|needed| needed <= room.0));
    let fits =
        fits && made.as_ref().is_none_or(|made| made.largest.is_none_or(|largest| largest.batch.is_some()));
    let text = match args.json {
        true => data(args, &basis, &device, made.as_ref(), &tried),
        false => text::of(args, &basis, &device, made.as_ref(), &tried),
    };
    Ok((text, fits))
}

fn candidates(own: &Config) -> impl Iterator<Item = (Config, Option<&'static str>)> {
    usual(own).into_iter().filter_map(|candidate| {
        let config = Config::parse(&candidate.settings).ok()?;
        let (limit_bytes, device_bytes) = (own.limit_bytes, own.device_bytes);
        Some((Config { limit_bytes, device_bytes, ..config }, Some(candidate.why)))
    })
}

fn attempt(basis: &Basis, config: &Config, why: Option<&'static str>, search: bool) -> Tried {
    let mut simulation = Simulation::new(&basis.requests, config.clone());
    simulation.run_all(&basis.requests);
    let smallest_limit_bytes = search.then(|| {
        let mut search = LimitSearch::new(config);
        search.run_all(&basis.requests);
        search.found()
    });
    Tried {
        settings: settings::text(config),
        config: config.clone(),
        why,
        found: simulation.found(&basis.requests),
        smallest_limit_bytes: smallest_limit_bytes.flatten(),
    }
}

/// The device that is wanted, or the busiest.
fn device(args: &Args, recording: &Recording) -> Result<DeviceSummary, String> {
    let devices = summary::summary(recording).devices;
    let ordinals: Vec<i64> = devices.iter().map(|device| device.device).collect();
    let found = match args.device {
        Some(wanted) => devices.into_iter().find(|device| device.device == wanted),
        None => devices
            .into_iter()
            .max_by_key(|device| (device.events > 0, device.peak.reserved_bytes, -device.device)),
    };
    found.ok_or_else(|| match args.device {
        Some(wanted) => format!("{} has no device {wanted}; it has {}", args.file, out::numbers(&ordinals)),
        None => format!("{} has no device with events", args.file),
    })
}

fn data(args: &Args, basis: &Basis, device: &DeviceSummary, made: Option<&Made>, tried: &[Tried]) -> String {
    let mut object = json!({
        "schema": 1,
        "device": device.device,
        "model": device.model,
        "recorded": {
            "settings": by_name(&basis.recorded),
            "reserved_peak_bytes": basis.reserved_peak_bytes,
            "allocated_peak_bytes": basis.allocated_peak_bytes,
        },
    });
    if let Some(made) = made {
        object["scenario"] = json!(made.scenario);
        if let Some(largest) = made.largest {
            object["largest"] = json!(largest);
            object["largest"]["safe_batch"] = json!(made.safe_batch);
        }
    }
    match tried {
        [one] if !args.sweep => merge(&mut object, of_one(args, basis, one)),
        _ => {
            object["sweep"] = tried.iter().map(|one| of_one(args, basis, one)).collect();
        }
    }
    object.to_string() + "\n"
}

/// What must be said beside an answer.
fn notes(args: &Args, basis: &Basis, one: &Tried) -> Vec<String> {
    let ignored = settings::ignored(&args.settings);
    let of_ignored = ignored
        .map(|key| format!("{key} is for other parts of PyTorch: the simulation does not depend on it."));
    of_ignored.chain(basis.notes(&one.config, one.found.as_ref())).collect()
}

fn of_one(args: &Args, basis: &Basis, one: &Tried) -> Value {
    let mut object = json!({
        "settings": by_name(&one.config),
        "alloc_conf": one.settings,
        "limit_bytes": one.config.limit_bytes,
        "simulated": one.found,
        "notes": notes(args, basis, one),
    });
    if let Some(why) = one.why {
        object["why"] = json!(why);
    }
    if let Some(bytes) = one.smallest_limit_bytes {
        object["smallest_limit_bytes"] = json!(bytes);
    }
    object
}

/// Settings that are not the default.
fn by_name(config: &Config) -> Value {
    let named = settings::listed(config).into_iter().map(|(key, value)| (key.to_owned(), Value::from(value)));
    Value::Object(named.collect::<Map<_, _>>())
}

fn merge(into: &mut Value, other: Value) {
    if let (Value::Object(into), Value::Object(other)) = (into, other) {
        into.extend(other);
    }
}
