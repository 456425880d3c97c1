//! Every number of a message, with what it means.

use vramscope_core::units::format_bytes;

use super::Number;
use super::facts::Facts;
use super::fields::{Fields, Found};
use super::wording::Wording;

/// The numbers of a message in its order, then those that follow from them.
pub(super) fn list(fields: &Fields, facts: &Facts) -> Vec<Number> {
    let mut list = Vec::new();
    let mut given = |key, label, found: &Option<Found>, meaning: String| {
        if let Some(Found { bytes, text, .. }) = found {
            list.push(Number {
                key,
                label,
                bytes: *bytes,
                found: Some(text.clone()),
                meaning,
                processes: Vec::new(),
            });
        }
    };
    given("requested", "Asked for", &fields.requested, requested(facts));
    given(
        "total_capacity",
        "Card",
        &fields.total_capacity,
        "All memory of the card, whoever uses it.".into(),
    );
    given("device_free", "Free on the card", &fields.device_free, free(facts));
    given("allowed", "Cap of this process", &fields.allowed, allowed(facts));
    let in_use = "All that this process holds: PyTorch's memory, the CUDA context, and libraries that allocate on their own.";
    given("process_in_use", "This process", &fields.process_in_use, in_use.into());
    given("allocated", "Allocated by PyTorch", &fields.allocated, allocated(facts));
    let pools = "Part of what is allocated: kept for CUDA graphs and memory pools, even while nothing uses it. No other request can have it.";
    given("private_pools", "Private pools", &fields.private_pools, pools.into());
    let reserved =
        "What PyTorch holds from the driver: what is allocated and what it keeps to hand out again.";
    given("reserved", "Reserved by PyTorch", &fields.reserved, reserved.into());
    given(
        "reserved_unallocated",
        "Reserved, not allocated",
        &fields.reserved_unallocated,
        unallocated().into(),
    );
    let outside = "What the Metal driver counts besides PyTorch's tensors.";
    given("outside_pytorch", "Other allocations", &fields.outside, outside.into());
    computed(&mut list, facts);
    list.extend(processes(facts));
    list
}

/// What the message does not say, but what follows from it.
fn computed(list: &mut Vec<Number>, facts: &Facts) {
    let mut add = |key, label, bytes: Option<u64>, meaning: &str| {
        if bytes.is_some() && list.iter().all(|number| number.key != key) {
            list.push(Number {
                key,
                label,
                bytes,
                found: None,
                meaning: meaning.into(),
                processes: Vec::new(),
            });
        }
    };
    if facts.wording == Wording::Mps {
        return;
    }
    if let Some(process) = &facts.this_process {
        let meaning = format!(
            "Process {} is most likely this one, seen from outside its container: it is the smallest that can hold what PyTorch reserved.",
            process.pid
        );
        add("process_in_use", "This process", Some(process.bytes), &meaning);
    }
    add(
        "reserved",
        "Reserved by PyTorch",
        facts.reserved,
        "Computed: what is allocated and what is reserved but not allocated.",
    );
    add("reserved_unallocated", "Reserved, not allocated", facts.unallocated, unallocated());
    let outside = "Computed: what this process holds beyond PyTorch's allocator. The CUDA context takes 0.3 to 0.8 GiB; NCCL, cuDNN and other \
                   libraries take the rest.";
    add("outside_pytorch", "This process, outside PyTorch", facts.outside, outside);
}

/// Other processes, as a sum and one by one.
fn processes(facts: &Facts) -> Option<Number> {
    let all: Vec<_> = facts.this_process.iter().chain(&facts.others).cloned().collect();
    (!all.is_empty()).then(|| Number {
        key: "other_processes",
        label: "Other processes",
        bytes: Some(facts.others_bytes()),
        found: None,
        meaning: match facts.others.is_empty() {
            true => "None besides this one.".into(),
            false => "Other programs on this card. What they hold comes back when they end.".into(),
        },
        processes: all,
    })
}

fn requested(facts: &Facts) -> String {
    match facts.short_by {
        Some(0) | None => "The request that failed: one tensor, rounded up to a segment.".into(),
        Some(short) => {
            format!(
                "The request that failed: one tensor, rounded up to a segment. {} were missing.",
                format_bytes(short)
            )
        }
    }
}

fn free(facts: &Facts) -> String {
    let driver = "What the driver had left, read when the request failed.";
    match facts.allowed {
        Some(_) => format!("{driver} The cap keeps this process from using all of it."),
        None => driver.into(),
    }
}

fn allowed(facts: &Facts) -> String {
    match facts.wording {
        Wording::Mps => {
            "Most that PyTorch takes: PYTORCH_MPS_HIGH_WATERMARK_RATIO times what Metal recommends.".into()
        }
        _ => {
            "The most that PyTorch may reserve here: `set_per_process_memory_fraction` times the card.".into()
        }
    }
}

fn allocated(facts: &Facts) -> String {
    match facts.wording {
        Wording::Mps => "Tensors and what PyTorch keeps for them.".into(),
        _ => "Blocks that live tensors use: weights, gradients, optimizer state, activations.".into(),
    }
}

fn unallocated() -> &'static str {
    "Pieces between live blocks that PyTorch could not give back. A request can only have one of them, never several together."
}
