//! Activations and temporaries of one pass fill the memory.

use vramscope_core::order;
use vramscope_core::replay::{Category, Phase};

use super::{Story, advice, asked, limit};
use crate::analysis::{Analysis, PASSING, sum_of};
use crate::numbering::{Numbering, key};
use crate::purpose;
use crate::report::Advice;
use crate::thresholds::{SHARE_OF_FEW_BLOCKS, SHARE_OF_PURPOSE};
use crate::words::{bytes, percent};

pub(super) fn tell(analysis: &Analysis<'_>) -> Story {
    let Some(oom) = &analysis.oom else { return Story::default() };
    let sums = analysis.by_category(analysis.moment());
    let activations = sums[Category::Activation.index()];
    let passing = sum_of(&sums, &PASSING);
    let few = few_blocks(analysis, passing);
    let asked_bytes = bytes(oom.requested_bytes);
    let what = match activations >= passing / 2 {
        true => format!("{} of activations", bytes(activations)),
        false => format!("{} of activations and temporaries", bytes(passing)),
    };
    let sentence = match &few {
        Some((ids, held)) if ids.len() == 1 => format!(
            "One block of {} makes the peak; the next {asked_bytes} did not fit under {}.",
            bytes(*held),
            limit(oom)
        ),
        Some((ids, held)) => format!(
            "{} blocks hold {} of {what}; the next {asked_bytes} did not fit.",
            if ids.len() == 2 { "Two".into() } else { ids.len().to_string() },
            bytes(*held)
        ),
        None => {
            let pass = match analysis.phase_at(analysis.moment()) {
                Phase::Backward => "Backward starts with",
                Phase::Inference => "One forward pass without backward keeps",
                _ => "One forward pass keeps",
            };
            format!("{pass} {what}; the next {asked_bytes} did not fit under {}.", limit(oom))
        }
    };
    let mut why = Vec::new();
    if let Some((ids, _)) = &few {
        why.push(names(analysis, ids));
    } else if let Some(line) = heaviest(analysis) {
        why.push(line);
    }
    why.push(asked(analysis, oom));
    Story {
        tone: "error",
        eyebrow: "Out of memory: activations".into(),
        sentence,
        why,
        advice: what_to_change(analysis, passing, few.as_ref()),
        ..Story::default()
    }
}

fn passing_ids(analysis: &Analysis<'_>, moment: u32) -> Vec<u32> {
    let passes = |id: &u32| {
        !analysis.categories.is_workspace(*id) && PASSING.contains(&analysis.categories.category(*id))
    };
    analysis.live(moment).into_iter().filter(passes).collect()
}

/// At most three blocks that are most of what passes, with their bytes.
pub(crate) fn few_blocks(analysis: &Analysis<'_>, passing: u64) -> Option<(Vec<u32>, u64)> {
    let mut ids = passing_ids(analysis, analysis.moment());
    order::by_number(&mut ids, |&id| !analysis.facts.size_bytes(id));
    let mut held = 0;
    for (n, &id) in ids.iter().take(3).enumerate() {
        held += analysis.facts.size_bytes(id);
        if held as f64 >= SHARE_OF_FEW_BLOCKS * passing as f64 && ids.len() > 3 {
            ids.truncate(n + 1);
            return Some((ids, held));
        }
    }
    None
}

/// "3.1 GiB logits and their log-softmax, at `train.py:20`; …"
fn names(analysis: &Analysis<'_>, ids: &[u32]) -> String {
    let each = ids.iter().map(|&id| {
        let what = purpose_among(analysis, id, ids);
        let place = analysis.place_of(id);
        let by = if place.is_known() { format!(", made by {}", place.text()) } else { String::new() };
        format!("**{}: {what}**{by}", bytes(analysis.facts.size_bytes(id)))
    });
    let all: Vec<String> = each.collect();
    format!("{}.", all.join("; "))
}

/// Bytes of attention scores among what passes.
fn attention_bytes(analysis: &Analysis<'_>) -> u64 {
    let facts = analysis.facts;
    let (mut stacks, mut is_attention) = (Numbering::default(), Vec::new());
    let mut bytes = 0u64;
    for id in passing_ids(analysis, analysis.moment()) {
        let stack = facts.stack(id);
        let number = stacks.of(key(stack.0));
        if number == is_attention.len() {
            let purpose = purpose::of_stack(stack, facts.snapshot);
            is_attention.push(purpose.is_some_and(|purpose| purpose.contains("attention scores")));
        }
        bytes = bytes.saturating_add(if is_attention[number] { facts.size_bytes(id) } else { 0 });
    }
    bytes
}

/// What a block is; the result of a linear layer of which the log-softmax lies beside it are logits.
pub(crate) fn purpose_among(analysis: &Analysis<'_>, id: u32, ids: &[u32]) -> &'static str {
    let facts = analysis.facts;
    let of = |id: u32| purpose::of_stack(facts.stack(id), facts.snapshot);
    let is_loss = |other: &u32| {
        facts.size_bytes(*other) == facts.size_bytes(id)
            && of(*other).is_some_and(|what| what.contains("logits"))
    };
    match of(id) {
        Some(purpose::LINEAR) if ids.iter().any(is_loss) => "logits",
        what => what.unwrap_or("a block"),
    }
}

fn heaviest(analysis: &Analysis<'_>) -> Option<String> {
    let ids = passing_ids(analysis, analysis.moment());
    let all: u64 = ids.iter().map(|&id| analysis.facts.size_bytes(id)).sum();
    let line = analysis.by_line(ids).into_iter().next().filter(|line| line.place.is_known())?;
    Some(format!(
        "**{}** ({}) are made by {} in {} blocks.",
        bytes(line.bytes),
        percent(line.bytes, all),
        line.place.text(),
        line.count
    ))
}

fn what_to_change(analysis: &Analysis<'_>, passing: u64, few: Option<&(Vec<u32>, u64)>) -> Vec<Advice> {
    let mut all = Vec::new();
    if let Some((ids, held)) = few {
        let purposes: Vec<&str> = ids.iter().map(|&id| purpose_among(analysis, id, ids)).collect();
        let speaks_of = |word: &str| purposes.iter().any(|purpose| purpose.contains(word));
        let (title, text) = match () {
            () if speaks_of("logits") || speaks_of("loss") => (
                "Compute the loss in chunks.",
                "Use a fused linear cross-entropy, or split the tokens and checkpoint each chunk: then the logits of one chunk exist at a time. Leave padding out before the head.",
            ),
            () if speaks_of("attention") => (
                "Use fused attention.",
                "`torch.nn.functional.scaled_dot_product_attention` does not write the scores, which grow with the square of the length.",
            ),
            () => (
                "Make this block smaller, or make it in parts.",
                "It alone decides the peak; the rest of the pass is small beside it.",
            ),
        };
        all.push(advice(title, text, Some(held / 4 * 3)));
    }
    let scores = attention_bytes(analysis);
    if few.is_none() && scores as f64 >= SHARE_OF_PURPOSE * passing as f64 {
        all.push(advice(
            "Do not write out attention scores.",
            "Call `torch.nn.functional.scaled_dot_product_attention`, with `nn.MultiheadAttention` pass `need_weights=False`: the scores grow with the square of the length.",
            Some(scores),
        ));
    }
    let inference = analysis.phase_at(analysis.moment()) == Phase::Inference;
    if inference {
        all.push(advice(
            "Run it under `torch.inference_mode()`.",
            "Without gradients nothing has to be kept for backward.",
            Some(passing / 2),
        ));
    }
    all.push(advice(
        "Halve the batch, and accumulate gradients over two.",
        "Activations shrink with the batch or the length; results stay the same but for batch norm.",
        Some(passing / 2),
    ));
    if few.is_none() && !inference {
        all.push(advice(
            "Checkpoint the blocks of the model.",
            "`torch.utils.checkpoint.checkpoint(block, x, use_reentrant=False)` keeps only the inputs of each block, for about a third more time.",
            Some(passing / 4 * 3),
        ));
        all.push(advice(
            "Compute in 16 bits.",
            "`torch.autocast(\"cuda\", torch.bfloat16)` halves most activations, if they are in 32 bits now.",
            Some(passing / 2),
        ));
        order::by_number(&mut all, |advice| !advice.effect_bytes.unwrap_or(0));
    }
    all
}
