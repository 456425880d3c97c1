//! Another batch, another length, a changed program: what is asked of the requests before they are simulated.

use std::num::NonZeroU64;
use std::str::FromStr;

use vramscope_core::allocator::Config;
use vramscope_core::replay::Recording;
use vramscope_core::replay::requests::Requests;
use vramscope_simulate::batch::{Axis, Fits, Largest, Scaling};
use vramscope_simulate::changes::KINDS;
use vramscope_simulate::{Program, Scenario, Wish};

use crate::read;

#[derive(clap::Args)]
pub(super) struct Changes {
    /// Another batch than the recorded one: both, such as 8:32; 8:max searches for the largest that fits the limit
    #[arg(long, value_name = "FROM:TO")]
    batch: Option<Change>,
    /// Another length than the recorded one, tokens for instance; as --batch
    #[arg(long, value_name = "FROM:TO", conflicts_with = "batch")]
    length: Option<Change>,
    /// A second recording of the same program at another batch (or length): sizes that are in both are fitted exactly
    #[arg(long, value_name = "FILE", requires = "with_batch", conflicts_with = "change")]
    with_recording: Option<String>,
    /// The batch (or length) of that second recording
    #[arg(long, value_name = "N", requires = "with_recording")]
    with_batch: Option<NonZeroU64>,
    #[arg(long, value_name = "NAME[=LINE]", conflicts_with_all = ["batch", "length"], value_parser = change, help = help())]
    change: Option<Wish>,
}

/// "8:32" or "8:max".
#[derive(Clone, Copy, Debug)]
struct Change {
    from: NonZeroU64,
    /// None for the largest.
    to: Option<NonZeroU64>,
}

impl FromStr for Change {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let read = || {
            let (from, to) = text.split_once(':')?;
            let to = if to == "max" { None } else { Some(to.parse().ok()?) };
            Some(Change { from: from.parse().ok()?, to })
        };
        read().ok_or("give the recorded one and the one that is wanted, such as 8:32 or 8:max")
    }
}

fn change(text: &str) -> Result<Wish, String> {
    let (name, module) = text.split_once('=').unwrap_or((text, ""));
    let names: Vec<&str> = KINDS.iter().map(|kind| kind.key).collect();
    match names.contains(&name) {
        true => Ok(Wish { change: name.into(), module: module.into(), ..Wish::default() }),
        false => Err(format!("there are {}", names.join(", "))),
    }
}

fn help() -> String {
    let kinds = KINDS.iter().map(|kind| format!("{}: {}", kind.key, kind.title.to_lowercase()));
    let kinds: Vec<String> = kinds.collect();
    format!(
        "A change to the program, an estimate. {}. For checkpoint LINE is the line that calls the module, such as train.py:78",
        kinds.join("; ")
    )
}

/// Changed requests, and the largest batch if that was asked.
pub(super) struct Made {
    pub(super) scenario: Scenario,
    pub(super) largest: Option<Fits>,
    /// The largest for certain, as far as the estimate's uncertainty goes.
    pub(super) safe_batch: Option<u64>,
}

impl Changes {
    /// What is asked for makes no sense.
    pub(super) fn fault(&self, has_limit: bool) -> Option<&'static str> {
        let wanted = self.batch.or(self.length);
        if self.with_recording.is_some() && wanted.is_none() {
            return Some("--with-recording needs --batch or --length");
        }
        (self.is_search() && !has_limit)
            .then_some("the largest that fits what? Give --limit, such as --limit 80GiB")
    }

    /// The largest is searched for.
    pub(super) fn is_search(&self) -> bool {
        self.batch.or(self.length).is_some_and(|wanted| wanted.to.is_none())
    }

    fn is_asked(&self) -> bool {
        self.batch.is_some() || self.length.is_some() || self.change.is_some()
    }

    /// The changed requests; none if nothing is to be changed.
    pub(super) fn make(
        &self,
        recording: &mut Recording,
        ordinal: i64,
        requests: &Requests,
        config: &Config,
    ) -> Result<Option<Made>, String> {
        if !self.is_asked() {
            return Ok(None);
        }
        label(recording, ordinal);
        let program = Program::of(recording, ordinal, requests)?;
        if let Some(wish) = &self.change {
            return Ok(Some(Made { scenario: wish.scenario(&program)?, largest: None, safe_batch: None }));
        }
        let axis = if self.batch.is_some() { Axis::Batch } else { Axis::Length };
        let Some(wanted) = self.batch.or(self.length) else { return Ok(None) };
        let mut scaling = Scaling::of(&program, axis, wanted.from)?;
        if let (Some(file), Some(at)) = (&self.with_recording, self.with_batch) {
            scaling = fitted(scaling, file, ordinal, at)?;
        }
        let largest = match wanted.to {
            Some(_) => None,
            None => Some(largest_in(&scaling, config, config.limit_bytes)),
        };
        let found =
            largest.as_ref().map(|fits| fits.batch.and_then(NonZeroU64::new).unwrap_or(NonZeroU64::MIN));
        let to = wanted.to.or(found).unwrap_or(wanted.from);
        let scenario = scaling.at(to);
        // What it may be wrong by, taken off the limit.
        let share = 100.0 - scenario.uncertainty_percent.unwrap_or(0.0);
        let less = config.limit_bytes.map(|limit| (limit as f64 * share / 100.0) as u64);
        let safe_batch = largest.as_ref().and_then(|_| largest_in(&scaling, config, less).batch);
        Ok(Some(Made { scenario, largest, safe_batch }))
    }
}

fn label(recording: &mut Recording, ordinal: i64) {
    if let Some(labels) = vramscope_diagnose::label(recording, ordinal) {
        recording.set_labels(ordinal, labels);
    }
}

fn fitted<'a>(scaling: Scaling<'a>, file: &str, ordinal: i64, at: NonZeroU64) -> Result<Scaling<'a>, String> {
    let mut other = read::open_checked(file)?;
    // The same device, or the only one that it has.
    let ordinal = match other.whole_device(ordinal) {
        Some(_) => ordinal,
        None => other.snapshot.devices.first().map_or(ordinal, |device| device.ordinal),
    };
    label(&mut other, ordinal);
    let (device, replay) = other.whole_device(ordinal).ok_or_else(|| format!("{file} has no device"))?;
    let requests = Requests::read(&other.snapshot, device, replay, u32::MAX);
    let program = Program::of(&other, ordinal, &requests).map_err(|why| format!("{file}: {why}"))?;
    scaling.fitted(&program, at).map_err(|why| format!("{file}: {why}"))
}

fn largest_in(scaling: &Scaling<'_>, config: &Config, limit_bytes: Option<u64>) -> Fits {
    let mut search = Largest::new(scaling, Config { limit_bytes, ..config.clone() });
    while !search.step(scaling) {}
    search.found()
}
