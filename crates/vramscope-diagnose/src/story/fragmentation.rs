//! Enough is free, but in pieces.

use super::{Story, advice, asked, limit, limit_bytes};
use crate::analysis::Analysis;
use crate::oom::Oom;
use crate::report::Advice;
use crate::words::bytes;

pub(super) fn tell(analysis: &Analysis<'_>) -> Story {
    let Some(oom) = &analysis.oom else { return Story::default() };
    let unused = limit_bytes(oom).saturating_sub(oom.allocated_bytes);
    let pinned = match oom.pinned_bytes {
        0 => String::new(),
        pinned => format!(", {} of it where at most half is in use", bytes(pinned)),
    };
    Story {
        tone: "error",
        eyebrow: "Out of memory: fragmentation".into(),
        sentence: format!(
            "{} did not fit although {} were not in use; the largest usable piece was {}.",
            bytes(oom.requested_bytes),
            bytes(unused),
            bytes(oom.largest_usable_free_bytes),
        ),
        why: vec![
            format!(
                "Under the limit of {}, **{} are allocated** and {} lie free in segments that live blocks keep{pinned}.",
                limit(oom),
                bytes(oom.allocated_bytes),
                bytes(oom.free_in_reserved_bytes),
            ),
            asked(analysis, oom),
        ],
        advice: what_to_change(analysis, oom),
        ..Story::default()
    }
}

fn what_to_change(analysis: &Analysis<'_>, oom: &Oom) -> Vec<Advice> {
    let setting = "Set `PYTORCH_ALLOC_CONF=expandable_segments:True`.";
    let on = analysis.facts.device.segments.iter().any(|segment| segment.expandable);
    let mut all = Vec::new();
    match oom.expandable_would_fit {
        "yes" => all.push(advice(
            setting,
            "The allocator model serves the same requests with it under this limit. Before PyTorch 2.9 it is `PYTORCH_CUDA_ALLOC_CONF`.",
            Some(oom.short_by_bytes),
        )),
        "no" => {}
        _ => all.push(advice(
            setting,
            "Whether it is enough depends on the limit, which the recording tells only as an interval.",
            None,
        )),
    }
    all.push(advice(
        format!("Ask for the large block before the small ones that stay, or free those first: the request is {}.", bytes(oom.requested_bytes)),
        "What pins the free memory is listed in the allocator state at this moment.",
        Some(oom.pinned_bytes),
    ));
    all.push(advice(
        "Make sizes repeat.",
        "Pad variable lengths to a few sizes, so that freed pieces fit again; do not call `empty_cache()` in the loop.",
        None,
    ));
    if oom.expandable_would_fit == "no" && !on {
        all.push(advice(
            "Do not count on expandable segments alone.",
            "By the allocator model the same requests fail with them, too: too many pages hold a live block.",
            None,
        ));
    }
    let largest = analysis.by_line(analysis.live(analysis.moment()));
    if let Some(line) = largest.first().filter(|line| line.place.is_known()) {
        all.push(advice(
            "Or need less at this moment.",
            format!("{} holds {} of what is alive.", line.place.text(), bytes(line.bytes)),
            None,
        ));
    }
    all
}
