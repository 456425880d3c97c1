//! An out-of-memory error, in words.

use vramscope_core::units::{count, format_bytes, format_bytes_group, group_digits};

use super::document::{Block, Document};
use super::plain::place;
use crate::oom::{Oom, Whose};

pub(super) fn explained(blocks: &mut Document, oom: &Oom) {
    blocks.push(Block::Heading("Out of memory".into()));
    blocks.push(Block::Paragraph(format!("{} {}", asked(oom), limit(oom))));
    blocks.push(figures(oom));
    blocks.push(Block::Paragraph(oom.not_served.clone()));
    if oom.pinned_segments > 0 {
        blocks.push(Block::Paragraph(format!(
            "{} in use in {} of which at most half is in use keep {} free from going back to the driver. The largest block in each, most free first:",
            format_bytes(oom.pinning_bytes),
            count(oom.pinned_segments.into(), "segment", "segments"),
            format_bytes(oom.pinned_bytes)
        )));
        let rows = oom.pinned_by.iter().map(|pinning| {
            format!(
                "{} of {}, {} free beside it",
                format_bytes(pinning.bytes),
                place(&pinning.name, &pinning.at),
                format_bytes(pinning.free_bytes)
            )
        });
        blocks.push(Block::List(rows.collect()));
    }
    blocks.push(Block::Paragraph("What would have helped:".into()));
    blocks.push(Block::List(vec![unfragmented(oom), expandable(oom), sufficed(oom)]));
    if oom.free_inside.len() > 1 {
        blocks.push(free_inside(oom));
    }
}

fn asked(oom: &Oom) -> String {
    let event = group_digits(oom.event.into());
    let which = match oom.ooms {
        0 | 1 => String::new(),
        ooms => format!(" It is the last of {} such.", group_digits(ooms.into())),
    };
    let (who, place) = (&oom.asked_by, place(&oom.asked_by.name, &oom.asked_by.at));
    let size = format_bytes(oom.requested_bytes);
    let text = match who.stack_of {
        "own" | "release" => format!("{place} asked for {size} at event {event} and got nothing."),
        "before" => {
            format!(
                "{size} were asked for at event {event} and not served; no stack tells by whom. The allocation before it is from {place}."
            )
        }
        _ => format!("{size} were asked for at event {event} and not served; no stack tells by whom."),
    };
    let after = match oom.events_after {
        0 => String::new(),
        events => format!(" The program went on for {}.", count(events.into(), "event", "events")),
    };
    text + &which + &after
}

fn limit(oom: &Oom) -> String {
    let (Some(low), Some(high)) = (oom.limit_low_bytes, oom.limit_high_bytes) else { return String::new() };
    let range = match format_bytes_group(&[low, high]).as_slice() {
        [low, high] if low != high => format!("{low} to {high}"),
        _ => format_bytes(low),
    };
    let free = oom.device_free_bytes.map(format_bytes).unwrap_or_default();
    let mut text = match (oom.limit_is_typed, oom.limit_whose) {
        (true, _) => format!("The limit is {range}, as given."),
        (false, Whose::Card) => format!(
            "The card was full: {free} were free on it, so this process could have {range}. Who holds the rest of the card is not in the file."
        ),
        (false, Whose::Process) => format!(
            "The driver had {free} free, so a cap of this process refused it. The cap is not in the file; the events show that it is {range}."
        ),
        (false, Whose::Unknown) => {
            format!("What the driver had free is not in the file; the events show a limit of {range}.")
        }
    };
    if let Some(contradiction) = &oom.limit_contradiction {
        text = format!("{text} {contradiction}");
    }
    text
}

fn figures(oom: &Oom) -> Block {
    let values = [
        ("Asked for", oom.requested_bytes),
        ("Asked of the driver", oom.need_bytes),
        ("Allocated", oom.allocated_bytes),
        ("of that, rounding", oom.rounding_bytes),
        ("Awaiting free", oom.pending_bytes),
        ("Free inside reserved memory", oom.free_in_reserved_bytes),
        ("Largest free piece that it could use", oom.largest_usable_free_bytes),
        ("Reserved", oom.reserved_bytes),
    ];
    let texts = format_bytes_group(&values.map(|(_, bytes)| bytes));
    let rows = values.iter().zip(texts).map(|((name, _), text)| vec![(*name).to_owned(), text]);
    Block::Table { heads: vec!["At the failed request", "Bytes"], figures_from: 1, rows: rows.collect() }
}

fn unfragmented(oom: &Oom) -> String {
    let text = match oom.would_fit_unfragmented {
        "yes" => "would have fitted: what is in use and what was asked for are less than the limit",
        "likely" => {
            "would likely have fitted: what is in use and what was asked for are probably less than the limit"
        }
        _ if oom.limit_low_bytes == oom.limit_high_bytes => {
            "would not have fitted: what is in use and what was asked for are more than the limit"
        }
        _ => "would not have fitted, as far as the limit is known",
    };
    format!("With all free pieces in one, it {text}.")
}

fn expandable(oom: &Oom) -> String {
    let text = match oom.expandable_would_fit {
        "yes" => "would have served it",
        "no" => "would not have served it",
        _ => "may or may not have served it",
    };
    format!("`expandable_segments:True` {text}. {}", oom.expandable_reason)
}

fn sufficed(oom: &Oom) -> String {
    if oom.would_fit_unfragmented != "no" {
        return format!(
            "The largest free piece that it could use was {} too small.",
            format_bytes(oom.short_by_bytes)
        );
    }
    let range = match format_bytes_group(&[oom.short_by_least_bytes, oom.short_by_bytes]).as_slice() {
        [_, most] if oom.short_by_least_bytes == 0 && oom.short_by_bytes > 0 => format!("Up to {most}"),
        [least, most] if least != most => format!("{least} to {most}"),
        _ => format_bytes(oom.short_by_bytes),
    };
    format!("{range} were missing.")
}

fn free_inside(oom: &Oom) -> Block {
    let rows = oom.free_inside.iter().map(|group| {
        let figures = format_bytes_group(&[group.reserved_bytes, group.free_bytes, group.largest_free_bytes]);
        let usable = if group.usable { "yes" } else { "no" };
        let label = group.label().trim_start_matches("the ").to_owned();
        [label, usable.to_owned()].into_iter().chain(figures).collect()
    });
    let heads = vec!["Pool and stream", "It could use it", "Reserved", "Free", "Largest free"];
    Block::Table { heads, figures_from: 2, rows: rows.collect() }
}
