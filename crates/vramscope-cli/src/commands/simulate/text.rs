//! What came of a simulation, for people.

use vramscope_core::query::summary::DeviceSummary;
use vramscope_core::units::{count, format_bytes, group_digits};
use vramscope_simulate::cards::{CARDS, OUTSIDE_BYTES};
use vramscope_simulate::{Basis, RecordedOom, Simulated};

use super::scenario::Made;
use super::{Args, Tried};

pub(super) fn of(
    args: &Args,
    basis: &Basis,
    device: &DeviceSummary,
    made: Option<&Made>,
    tried: &[Tried],
) -> String {
    let mut lines = vec![head(args, device)];
    let allocated =
        basis.allocated_peak_bytes.map_or(String::new(), |bytes| format!(", {} allocated", mib(bytes)));
    lines.push(format!("  recorded: {} reserved at the peak{allocated}", mib(basis.reserved_peak_bytes)));
    lines.extend(made.iter().flat_map(|made| scenario_lines(made)));
    lines.push(String::new());
    match tried {
        [one] if !args.sweep => lines.extend(one_lines(basis, one)),
        _ => lines.extend(table(args, basis, tried)),
    }
    if let Some(room) = args.fits {
        lines.push(String::new());
        lines.extend(fit_lines(room.0, tried));
    }
    if let Some(best) = best(args, basis, tried) {
        lines.push(String::new());
        lines.push(format!("  PYTORCH_ALLOC_CONF={}", best.settings));
        lines.push("  (before PyTorch 2.9: PYTORCH_CUDA_ALLOC_CONF)".into());
    }
    let mut notes: Vec<String> = made.map_or(Vec::new(), |made| made.scenario.notes.clone());
    for one in tried {
        for note in super::notes(args, basis, one) {
            if !notes.contains(&note) && (tried.len() == 1 || !is_of_one(&note)) {
                notes.push(note);
            }
        }
    }
    lines.extend(notes.iter().map(|note| format!("  note: {note}")));
    lines.join("\n") + "\n"
}

/// What was changed, how sure that is, and what it takes for granted.
fn scenario_lines(made: &Made) -> Vec<String> {
    let scenario = &made.scenario;
    let sure = scenario.uncertainty_percent.map_or(String::new(), |percent| format!(", ±{percent:.1} %"));
    let mut lines =
        vec![format!("  estimate: {}{sure}", scenario.title), format!("    {}", scenario.assumption)];
    if let Some([recorded, estimate]) = scenario.parts {
        for (name, parts) in [("recorded peak ", recorded), ("estimated peak", estimate)] {
            lines.push(format!(
                "    {name}  {} that grow, {} that do not",
                mib(parts.scaling_bytes),
                mib(parts.fixed_bytes)
            ));
        }
    }
    lines.extend(made.largest.map(|largest| match (largest.batch, largest.at_least) {
        (Some(found), false) => format!("  the largest that fits is {}", group_digits(found)),
        (Some(found), true) => format!("  {} fits, and nothing larger was tried", group_digits(found)),
        (None, _) => "  not even 1 fits; figures below are for 1".into(),
    }));
    if made.largest.is_some_and(|largest| largest.batch.is_some()) {
        let safe = made.safe_batch.map_or("none for certain".into(), group_digits);
        lines.push(format!("  to be sure: {safe}, with the estimate's uncertainty taken off the limit"));
        lines.push("  the limit is what PyTorch may have: what lies outside of it is not in it".into());
    }
    lines
}

/// In a table the row says it.
fn is_of_one(note: &str) -> bool {
    note.starts_with("Addresses cannot matter") || note.starts_with("The request of event")
}

fn head(args: &Args, device: &DeviceSummary) -> String {
    let file = if args.file == "-" { "standard input" } else { &args.file };
    let model = match &device.model {
        Some(model) if model.agreeing_events == model.checked_events && model.difference.is_none() => {
            format!(
                "model checked on this recording: {} of {}",
                group_digits(model.agreeing_events),
                count(model.checked_events, "event", "events")
            )
        }
        Some(model) => {
            format!("model agrees up to event {} only: rough", group_digits(model.agreeing_events))
        }
        None => "model not checked: rough".into(),
    };
    format!("{file}  {}, {model}", device.label)
}

/// "4,746.0 MiB": one unit for all, as small differences between large numbers matter here.
fn mib(bytes: u64) -> String {
    let tenths = (u128::from(bytes) * 10 + (1 << 19)) >> 20;
    format!("{}.{} MiB", group_digits((tenths / 10) as u64), tenths % 10)
}

/// "3,924.0 MiB" or "6,708.0 MiB (6,708.0 MiB to 6,770.0 MiB)".
fn peak(found: &Simulated) -> String {
    let (low, high) = (found.reserved_peak_low_bytes, found.reserved_peak_high_bytes);
    let range = if low == high { String::new() } else { format!(" ({} to {})", mib(low), mib(high)) };
    mib(found.reserved_peak_bytes) + &range
}

fn name(one: &Tried) -> &str {
    if one.settings.is_empty() { "default settings" } else { &one.settings }
}

fn one_lines(basis: &Basis, one: &Tried) -> Vec<String> {
    let Some(found) = &one.found else { return Vec::new() };
    let limit = one.config.limit_bytes.map_or("no limit".into(), |bytes| format!("limit {}", mib(bytes)));
    let mut lines = vec![
        format!("  {}, {limit}", name(one)),
        format!("    reserved at the peak   {}  {}", peak(found), change(basis, found)),
        format!("    allocated at the peak  {}", mib(found.allocated_peak_bytes)),
        format!(
            "    calls of the driver    {} for new memory, {}",
            group_digits(found.segments_allocated),
            count(found.retries, "retry", "retries")
        ),
    ];
    lines.extend(oom(found).map(|text| format!("    {text}")));
    lines
}

fn change(basis: &Basis, found: &Simulated) -> String {
    let (own, told) = (found.reserved_peak_bytes, basis.reserved_peak_bytes);
    let share = (own as f64 - told as f64) / told.max(1) as f64 * 100.0;
    match own.cmp(&told) {
        std::cmp::Ordering::Equal => "as recorded".into(),
        std::cmp::Ordering::Less => format!("−{}, −{:.1} %", mib(told - own), -share),
        std::cmp::Ordering::Greater => format!("+{}, +{share:.1} %", mib(own - told)),
    }
}

/// What ran out, and what became of what had.
fn oom(found: &Simulated) -> Option<String> {
    let orders = match found.orders_with_oom {
        all if all == found.orders => String::new(),
        some => format!(", in {some} of {} orders of addresses", found.orders),
    };
    match (found.oom, found.recorded_oom) {
        (Some(oom), _) => Some(format!(
            "out of memory at event {}, a request of {}{orders}",
            group_digits(u64::from(oom.event)),
            format_bytes(oom.requested_bytes)
        )),
        (None, RecordedOom::Avoided) if found.orders_with_oom > 0 => {
            Some(format!("the recorded out-of-memory error is avoided, but memory runs out{orders}"))
        }
        (None, RecordedOom::Avoided) => Some("the recorded out-of-memory error is avoided".into()),
        (None, _) if found.orders_with_oom > 0 => Some(format!("out of memory{orders}")),
        (None, _) => None,
    }
}

/// Settings from the least reserved to the most; those that run out of memory last.
fn ranked(tried: &[Tried]) -> Vec<(&Tried, &Simulated)> {
    let mut ranked: Vec<_> = tried.iter().filter_map(|one| Some((one, one.found.as_ref()?))).collect();
    ranked.sort_by_key(|(_, found)| {
        (found.oom.is_some(), found.reserved_peak_bytes, found.reserved_peak_high_bytes)
    });
    ranked
}

fn table(args: &Args, basis: &Basis, tried: &[Tried]) -> Vec<String> {
    let recorded = &tried[0].settings;
    let rows = ranked(tried);
    let named = |one: &Tried| match one.settings == *recorded {
        true => format!("{} (as recorded)", name(one)),
        false => name(one).to_owned(),
    };
    let width = rows.iter().map(|(one, _)| named(one).chars().count()).max().unwrap_or(0);
    let peaks: Vec<String> = rows.iter().map(|(_, found)| peak(found)).collect();
    let head = "reserved at the peak";
    let peak_width = peaks.iter().map(|peak| peak.chars().count()).fold(head.len(), usize::max);
    let needed = |text: String| if args.fits.is_some() { format!("{text:<16}") } else { String::new() };
    let mut lines = vec![format!(
        "  {:<width$}  {:<peak_width$}  {}change",
        "settings",
        head,
        needed("smallest limit".into())
    )];
    for ((one, found), peak) in rows.iter().zip(&peaks) {
        let oom = oom(found).map_or(String::new(), |text| format!("; {text}"));
        let limit = needed(one.smallest_limit_bytes.map_or("–".into(), mib));
        lines.push(format!(
            "  {:<width$}  {peak:<peak_width$}  {limit}{}{oom}",
            named(one),
            change(basis, found)
        ));
    }
    lines
}

/// The setting that reserves least, if it is another than the recorded one and reserves less, or avoids what ran out. What runs out of
/// memory reserves less because it ends there: no reason to choose it.
fn best<'a>(args: &Args, basis: &Basis, tried: &'a [Tried]) -> Option<&'a Tried> {
    let ranked = ranked(tried);
    // Where it has to fit, what fits into least.
    let fitting = |(one, found): &(&'a Tried, &'a Simulated)| Some((one.smallest_limit_bytes?, *one, *found));
    let (one, found) = match args.fits {
        Some(_) => ranked
            .iter()
            .filter_map(fitting)
            .min_by_key(|(needed, ..)| *needed)
            .map(|(_, one, found)| (one, found)),
        None => ranked.first().copied(),
    }?;
    let is_other =
        !one.settings.is_empty() && one.settings != vramscope_simulate::settings::text(&basis.recorded);
    let helps = found.orders_with_oom == 0
        && (args.fits.is_some()
            || found.reserved_peak_high_bytes < basis.reserved_peak_bytes
            || found.recorded_oom == RecordedOom::Avoided);
    (is_other && (helps || tried.len() == 1)).then_some(one)
}

/// Whether it fits, with what settings, and which card would do.
fn fit_lines(room: u64, tried: &[Tried]) -> Vec<String> {
    let known = || tried.iter().filter_map(|one| Some((one.smallest_limit_bytes?, one)));
    let Some((needed, one)) = known().min_by_key(|(needed, _)| *needed) else {
        return vec!["  no limit would do: some request is larger than any card".into()];
    };
    let verdict = if needed <= room { "fits in" } else { "does not fit in" };
    let exact = group_digits(needed);
    let with_outside = needed.saturating_add(OUTSIDE_BYTES);
    let card = CARDS.iter().find(|card| with_outside <= card.usable_bytes());
    vec![
        format!(
            "  {verdict} {}: with {} every request is served from a limit of {} on ({exact} bytes)",
            mib(room),
            name(one),
            mib(needed)
        ),
        format!(
            "  with {} outside of PyTorch (CUDA context, libraries; a guess): {}",
            format_bytes(OUTSIDE_BYTES),
            card.map_or("no common card".into(), |card| format!("{} and larger", card.name))
        ),
    ]
}
