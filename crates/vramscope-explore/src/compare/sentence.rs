//! A comparison in one sentence.

use vramscope_core::units::format_bytes;

use super::diff::{CategoryChange, Diff};
use super::holdings::{At, Holdings};
use super::thresholds::{ALL_OF_IT, MOST_OF_IT};

/// "B holds 959.4 MiB less at its peak, and all of it is activations."
pub(super) fn of_diff(a: &Holdings, b: &Holdings, diff: &Diff) -> String {
    let when = match (a.at, b.at) {
        (At::Peak, At::Peak) => " at its peak",
        (At::End, At::End) => " at the end",
        _ => "",
    };
    if diff.same_requests && diff.reserved_peak_bytes != 0 {
        let reserved = signed(diff.reserved_peak_bytes);
        return format!("The same requests, and B reserves {reserved} at its peak.");
    }
    let known = diff.categories.iter().any(|each| each.name != "unknown");
    if diff.total_bytes == 0 {
        let when = when.replace("its peak", "their peaks");
        let largest = diff.categories.first().filter(|each| known && each.bytes != 0);
        return match largest {
            None => format!("A and B hold the same{when}: {}.", format_bytes(a.total_bytes)),
            Some(_) => format!(
                "A and B hold as much as each other{when}, but not of the same: {}.",
                listed(&diff.categories)
            ),
        };
    }
    let (total, less) = (signed(diff.total_bytes), diff.total_bytes < 0);
    let than = if when.is_empty() { " than A" } else { "" };
    let head = format!("B holds {total}{than}{when}");
    let same_way = |each: &&CategoryChange| each.bytes != 0 && (each.bytes < 0) == less;
    let Some(most) = diff.categories.iter().find(same_way).filter(|_| known) else { return head + "." };
    let share = most.bytes as f64 / diff.total_bytes as f64;
    let (name, is) = (plural(&most.name), if most.name == "unknown" { "of unknown category" } else { "" });
    let name = if is.is_empty() { name } else { is.to_owned() };
    if share > ALL_OF_IT.1 {
        format!("{head}: {}.", listed(&diff.categories))
    } else if share >= ALL_OF_IT.0 {
        format!("{head}, and all of it is {name}.")
    } else if share >= MOST_OF_IT {
        format!("{head}, and most of it is {name}, {:.0}\u{a0}%.", share * 100.0)
    } else {
        format!("{head}, and no category makes most of it: {}.", listed(&diff.categories))
    }
}

/// "959.4 MiB less".
fn signed(bytes: i64) -> String {
    let word = if bytes < 0 { "less" } else { "more" };
    format!("{} {word}", format_bytes(bytes.unsigned_abs()))
}

/// The three largest changes.
fn listed(categories: &[CategoryChange]) -> String {
    let changed = categories.iter().filter(|each| each.bytes != 0).take(3);
    let each = |change: &CategoryChange| {
        let word = if change.bytes < 0 { "less" } else { "more" };
        format!("{} {word} of {}", format_bytes(change.bytes.unsigned_abs()), plural(&change.name))
    };
    changed.map(each).collect::<Vec<_>>().join(", ")
}

/// A category in a sentence.
fn plural(name: &str) -> String {
    match name {
        "parameter" => "parameters".into(),
        "optimizer_state" => "optimizer state".into(),
        "gradient" => "gradients".into(),
        "activation" => "activations".into(),
        "input" => "inputs".into(),
        "temporary" => "temporaries".into(),
        "other" => "other memory".into(),
        "unknown" => "unknown memory".into(),
        own => format!("“{own}”"),
    }
}
