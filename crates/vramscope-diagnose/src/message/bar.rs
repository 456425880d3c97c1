//! The card, or the cap, as parts that add up.

use super::facts::Facts;
use super::wording::Wording;
use super::{Bar, Part};

/// A bar of the cap where there is one, else of the card; nothing if neither is known.
pub(super) fn of(facts: &Facts) -> Option<Bar> {
    let total = facts.limit?;
    let is_cap = facts.allowed.is_some();
    let mut parts = of_pytorch(facts);
    if !is_cap || facts.wording == Wording::Mps {
        add(
            &mut parts,
            "outside_pytorch",
            "This process, outside PyTorch's allocator",
            facts.outside.unwrap_or(0),
        );
    }
    if !is_cap {
        add(&mut parts, "other_processes", "Other processes", facts.others_bytes());
        let known = sum(&parts).saturating_add(facts.free.unwrap_or(0));
        add(&mut parts, "unaccounted", "Not told by the message", total.saturating_sub(known));
    }
    let label = if is_cap { "Free under the cap" } else { "Free on the card" };
    let free = total.saturating_sub(sum(&parts));
    add(&mut parts, "free", label, free);
    // Numbers that contradict each other make a longer bar, never a wrong one.
    Some(Bar {
        total_bytes: sum(&parts).max(total),
        total_label: match facts.wording {
            Wording::Mps => "Most that may be used",
            _ if is_cap => "Cap of this process",
            _ => "Card",
        },
        parts,
    })
}

/// What PyTorch's allocator holds.
fn of_pytorch(facts: &Facts) -> Vec<Part> {
    let mut parts = Vec::new();
    let allocated = facts.allocated.unwrap_or(0);
    let private = facts.private_pools.unwrap_or(0).min(allocated);
    add(&mut parts, "allocated", "Allocated by PyTorch", allocated - private);
    add(&mut parts, "private_pools", "Private pools (CUDA graphs)", private);
    let unallocated = facts.unallocated.filter(|_| facts.wording != Wording::Mps).unwrap_or(0);
    add(&mut parts, "reserved_unallocated", "Reserved, not allocated", unallocated);
    parts
}

fn add(parts: &mut Vec<Part>, key: &'static str, label: &'static str, bytes: u64) {
    if bytes > 0 {
        parts.push(Part { key, label, bytes });
    }
}

fn sum(parts: &[Part]) -> u64 {
    parts.iter().fold(0, |sum, part| sum.saturating_add(part.bytes))
}
