//! What single blocks do to the peak.

use vramscope_core::replay::Category;

use super::note;
use crate::analysis::Analysis;
use crate::purpose;
use crate::report::Finding;
use crate::story::{few_blocks_of_peak, purpose_among};
use crate::thresholds::SHARE_OF_ONE_TEMPORARY;
use crate::words::{bytes, percent};

/// A few blocks that are most of what passes.
pub(super) fn few_blocks(analysis: &Analysis<'_>) -> Option<Finding> {
    let (ids, held) = few_blocks_of_peak(analysis)?;
    let names = ids.iter().map(|&id| {
        let what = purpose_among(analysis, id, &ids);
        format!("{}: {what}, {}", bytes(analysis.facts.size_bytes(id)), analysis.place_of(id).text())
    });
    let title = match ids.len() {
        1 => "One block makes the peak".to_owned(),
        n => format!("{n} blocks make the peak"),
    };
    let mut finding = note("few_blocks", title).of(held);
    finding.evidence = names.collect();
    Some(finding.by(analysis, ids[0], analysis.moment()))
}

/// The peak stands only as long as one temporary does.
pub(super) fn temporary(analysis: &Analysis<'_>) -> Option<Finding> {
    let moment = analysis.moment();
    let is_temporary = |id: &u32| analysis.categories.category(*id) == Category::Temporary;
    let temporaries = analysis.live(moment).into_iter().filter(is_temporary);
    let id = temporaries.max_by_key(|&id| (analysis.facts.size_bytes(id), std::cmp::Reverse(id)))?;
    let size = analysis.facts.size_bytes(id);
    let all = analysis.facts.replay.requested_at(moment);
    if analysis.categories.is_workspace(id) || (size as f64) < SHARE_OF_ONE_TEMPORARY * all as f64 {
        return None;
    }
    let what = purpose::of_stack(analysis.facts.stack(id), analysis.facts.snapshot);
    let place = analysis.place_of(id);
    Some(
        note("one_temporary", "One temporary stands at the top of the peak")
            .of(size)
            .because(format!("{} of what is alive then: {}", percent(size, all), what.unwrap_or("a temporary")))
            .because(format!("made by {}", place.text()))
            .try_this("Make it in parts, in place, or in 16 bits: the peak falls by as much, until the next highest moment.")
            .by(analysis, id, moment),
    )
}
