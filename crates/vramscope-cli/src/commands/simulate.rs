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
    let (key, value) = text.split_once('=').ok_or("give KEY=VALUE, such as expandable_segments=True")?;
    Ok((key.trim().to_owned(), value.trim().to_owned()))
}

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
        Err(message) => {
            out::tell(&message);
            ExitCode::from(1)
        }
    }
}

/// The text, and whether it fits where that was asked.
fn simulate(args: &Args) -> Result<(String, bool), String> {
    // What PyTorch refuses is told before a long read.
    let wished = settings::parse(&args.settings)
        .map_err(|error| format!("PyTorch refuses {}: {error}", settings::text_of(&args.settings)))?;
    let mut recording = read::open_checked(&args.file)?;
    let device = device(args, &recording)?;
    let mut basis =
        Basis::of(&recording, device.device).map_err(|reason| format!("{}: {reason}", args.file))?;
    let limit_bytes = match args.limit {
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
    parallel::each(
        &wishes,
        |(config, why)| attempt(&basis, config, *why, args.fits.is_some()),
        |_, one| tried.push(one),
    );
    if tried.iter().any(|one| one.found.is_none()) {
        return Err(format!("{}: what was there before the first event contradicts itself", args.file));
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
        }
    }
    match tried {
        [one] if !args.sweep => merge(&mut object, of_one(basis, one)),
        _ => {
            object["sweep"] = tried.iter().map(|one| of_one(basis, one)).collect();
        }
    }
    object.to_string() + "\n"
}

fn of_one(basis: &Basis, one: &Tried) -> Value {
    let mut object = json!({
        "settings": by_name(&one.config),
        "alloc_conf": one.settings,
        "limit_bytes": one.config.limit_bytes,
        "simulated": one.found,
        "notes": basis.notes(&one.config, one.found.as_ref()),
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
