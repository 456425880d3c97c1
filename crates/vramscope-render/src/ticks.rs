//! Where an axis has its marks, and what they are called.

use serde::{Deserialize, Serialize};
use vramscope_core::units::group_digits;

/// What an axis measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TickKind {
    /// Bytes, marked at round numbers of one binary unit.
    Bytes,
    /// Moments, marked where events with round numbers happen: event *e* leads to moment *e* + 1.
    Events,
    /// Microseconds.
    Time,
}

/// A stretch of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TickRequest {
    /// What it measures.
    pub kind: TickKind,
    /// Where it begins.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
    /// Its length in CSS pixels.
    pub pixels: f64,
}

/// A mark.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tick {
    /// Where it lies, in units of the axis.
    pub at: f64,
    /// What it is called.
    pub label: String,
}

/// Room for a mark and its label along the axis, in CSS pixels: a line of text, or a long number.
const ROOM_DOWN_PX: f64 = 48.0;
const ROOM_ACROSS_PX: f64 = 88.0;
const MAX_TICKS: usize = 200;

const MINUTE_US: f64 = 60e6;
const HOUR_US: f64 = 3600e6;

/// A unit: its size and its name.
type Unit = (f64, &'static str);

const BYTE_UNITS: [Unit; 6] = [
    (1.0, "B"),
    (1024.0, "KiB"),
    (1048576.0, "MiB"),
    (1073741824.0, "GiB"),
    (1099511627776.0, "TiB"),
    (1125899906842624.0, "PiB"),
];
const TIME_UNITS: [Unit; 3] = [(1.0, "µs"), (1e3, "ms"), (1e6, "s")];

/// The marks of a stretch, from its beginning to its end; none where there is no room or no stretch.
pub fn ticks(request: &TickRequest) -> Vec<Tick> {
    let TickRequest { kind, from, to, pixels } = *request;
    let largest = from.abs().max(to.abs());
    let usable = [from, to, pixels].iter().all(|n| n.is_finite()) && largest < 1e21 && pixels >= 1.0;
    // No unit is parted below a millionth, and no number beyond its precision.
    if !usable || to - from < (largest * 1e-12).max(1e-6) {
        return Vec::new();
    }
    let room = if kind == TickKind::Bytes { ROOM_DOWN_PX } else { ROOM_ACROSS_PX };
    let least_step = (to - from) / (pixels / room).clamp(1.0, MAX_TICKS as f64 - 2.0);
    match kind {
        TickKind::Bytes => in_units(from, to, least_step, &BYTE_UNITS, 2),
        TickKind::Events => event_ticks(from, to, least_step),
        TickKind::Time if least_step > 30e6 => clock_ticks(from, to, least_step),
        TickKind::Time => in_units(from, to, least_step, &TIME_UNITS, 3),
    }
}

/// Whole multiples of a step between two places.
fn multiples(from: f64, to: f64, step: f64) -> impl Iterator<Item = f64> {
    let (first, last) = ((from / step - 1e-9).ceil(), (to / step + 1e-9).floor());
    (0..MAX_TICKS).map(move |n| first + n as f64).take_while(move |&n| n <= last)
}

/// The smallest of 1, 2, 5 × 10ⁿ that is not below `least`, and n.
fn round_step(least: f64) -> (f64, i32) {
    let power = least.log10().floor() as i32;
    let step = |digit: f64, power: i32| {
        if power < 0 { digit / 10f64.powi(-power) } else { digit * 10f64.powi(power) }
    };
    [(1.0, power), (2.0, power), (5.0, power), (1.0, power + 1), (2.0, power + 1)]
        .into_iter()
        .map(|(digit, power)| (step(digit, power), power))
        .find(|&(step, _)| step >= least * (1.0 - 1e-9))
        .unwrap_or((least, power))
}

/// Marks in the largest unit that needs at most `max_decimals` places.
fn in_units(from: f64, to: f64, least_step: f64, units: &[Unit], max_decimals: i32) -> Vec<Tick> {
    let largest = from.abs().max(to.abs());
    let least_step = least_step.max(1.0);
    let fits = |&&(size, _): &&Unit| size <= largest && round_step(least_step / size).1 >= -max_decimals;
    let &(size, name) = units.iter().rev().find(fits).unwrap_or(&units[0]);
    let (step, power) = round_step(least_step / size);
    let decimals = (-power).max(0) as usize;
    multiples(from / size, to / size, step)
        .map(|n| Tick { at: n * step * size, label: label(n * step, decimals, name) })
        .collect()
}

fn label(value: f64, decimals: usize, unit: &str) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let text = format!("{:.decimals$}", value.abs());
    let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
    let whole = whole.parse().map_or_else(|_| whole.to_owned(), group_digits);
    let sign = if value < 0.0 { "\u{2212}" } else { "" };
    format!("{sign}{whole}{rest}\u{a0}{unit}")
}

fn event_ticks(from: f64, to: f64, least_step: f64) -> Vec<Tick> {
    let (step, _) = round_step(least_step.max(1.0));
    multiples((from - 1.0).max(0.0), to - 1.0, step)
        .map(|n| Tick { at: n * step + 1.0, label: group_digits((n * step) as u64) })
        .collect()
}

/// Marks at whole minutes and hours.
fn clock_ticks(from: f64, to: f64, least_step: f64) -> Vec<Tick> {
    let minutes = [1.0, 2.0, 5.0, 10.0, 15.0, 30.0].map(|n| n * MINUTE_US);
    let hours = [1.0, 2.0, 3.0, 6.0, 12.0, 24.0].map(|n| n * HOUR_US);
    let step = minutes
        .into_iter()
        .chain(hours)
        .find(|&step| step >= least_step)
        .unwrap_or_else(|| round_step(least_step / HOUR_US).0 * HOUR_US);
    let (unit, name) = if step < HOUR_US { (MINUTE_US, "min") } else { (HOUR_US, "h") };
    multiples(from, to, step)
        .map(|n| Tick { at: n * step, label: label((n * step / unit).round(), 0, name) })
        .collect()
}

#[cfg(test)]
mod tests;
