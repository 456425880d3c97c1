//! What cannot be told, and why.

use super::{Story, advice, asked, memory_of};
use crate::analysis::{Analysis, total};
use crate::words::{bytes, count, percent};
use vramscope_core::replay::Category;

pub(super) fn no_history(analysis: &Analysis<'_>) -> Story {
    let facts = analysis.facts;
    let reserved = bytes(facts.replay.reserved_at(facts.replay.end()));
    let sentence = match facts.n {
        0 => {
            format!("This snapshot has no history: it shows {reserved} reserved at one moment, and no past.")
        }
        n => format!(
            "This snapshot has hardly any history: {}, and {reserved} reserved at the end.",
            count(u64::from(n), "event", "events")
        ),
    };
    Story {
        tone: "note",
        eyebrow: "No history".into(),
        sentence,
        why: vec![format!(
            "What filled the {} cannot be told from it; what is alive can.",
            memory_of(analysis)
        )],
        advice: vec![advice(
            "Record the history.",
            "Call `torch.cuda.memory._record_memory_history(max_entries=1_000_000)` before the model is built, and `_dump_snapshot` after a few steps.",
            None,
        )],
        ..Story::default()
    }
}

pub(super) fn tell(analysis: &Analysis<'_>) -> Story {
    let sums = analysis.by_category(analysis.moment());
    let unknown = sums[Category::Unknown.index()];
    let before: u64 = analysis
        .live(analysis.moment())
        .into_iter()
        .filter(|&id| analysis.facts.is_old(id))
        .map(|id| analysis.facts.size_bytes(id))
        .sum();
    let all = total(&sums);
    let reason = match before > unknown / 2 && before > 0 {
        true => format!("{} of the bytes were there before recording began", percent(before, all)),
        false => format!("of {} of the bytes it is not known what they are", percent(unknown, all)),
    };
    let mut why: Vec<String> = analysis.oom.iter().map(|oom| asked(analysis, oom)).collect();
    let lines = analysis.by_line(analysis.live(analysis.moment()));
    if let Some(line) = lines.first().filter(|line| line.place.is_known()) {
        why.push(format!("Most is held by {}: **{}**.", line.place.text(), bytes(line.bytes)));
    }
    Story {
        tone: if analysis.oom.is_some() { "error" } else { "note" },
        eyebrow: if analysis.oom.is_some() { "Out of memory: cause unknown" } else { "Cause unknown" }.into(),
        sentence: format!("No cause passes its threshold; {reason}."),
        why,
        advice: vec![advice(
            "Record from before the model is built, with stacks.",
            "`torch.cuda.memory._record_memory_history(max_entries=1_000_000)`; then phases and categories can be told.",
            None,
        )],
        ..Story::default()
    }
}
