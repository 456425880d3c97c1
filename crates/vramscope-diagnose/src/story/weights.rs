//! Model state fills the memory.

use vramscope_core::order;
use vramscope_core::replay::{Category, Phase};

use super::{Story, advice, asked, limit};
use crate::analysis::Analysis;
use crate::report::Advice;
use crate::words::bytes;

pub(super) fn tell(analysis: &Analysis<'_>) -> Story {
    let Some(oom) = &analysis.oom else { return Story::default() };
    let sums = analysis.by_category(analysis.moment());
    let of = |category: Category| sums[category.index()];
    let (weights, gradients, states) =
        (of(Category::Parameter), of(Category::Gradient), of(Category::OptimizerState));
    let asked_bytes = bytes(oom.requested_bytes);
    let sentence = if states > 0 || analysis.phase_at(analysis.moment()) == Phase::Optimizer {
        format!(
            "The optimizer's state does not fit beside the model: {} of parameters, {} of gradients, {} of state, and the next {asked_bytes} had no room.",
            bytes(weights),
            bytes(gradients),
            bytes(states)
        )
    } else if gradients > 0 {
        format!(
            "Weights and gradients do not fit: {} are placed, the next {asked_bytes} had no room.",
            bytes(weights + gradients)
        )
    } else {
        let placed = if weights > 0 { weights } else { crate::analysis::total(&sums) };
        format!(
            "The weights do not fit: {} of parameters are placed, the next {asked_bytes} had no room.",
            bytes(placed)
        )
    };
    let all = match weights + gradients + states {
        0 => crate::analysis::total(&sums),
        known => known,
    };
    Story {
        tone: "error",
        eyebrow: "Out of memory: model state".into(),
        sentence,
        why: vec![
            format!(
                "**{} of model state** stays for the whole run, whatever the batch; the limit is {}.",
                bytes(all),
                limit(oom)
            ),
            to_come(gradients, states),
            asked(analysis, oom),
        ]
        .into_iter()
        .filter(|text| !text.is_empty())
        .collect(),
        advice: what_to_change(weights, gradients, states),
        ..Story::default()
    }
}

/// An optimizer that was stopped while it made its state: what Adam would still have needed.
fn to_come(gradients: u64, states: u64) -> String {
    match gradients.saturating_mul(2).checked_sub(states) {
        Some(missing) if states > 0 && missing > 0 => {
            format!(
                "The optimizer was still making its state: two values for each gradient, as Adam keeps, need {} more.",
                bytes(missing)
            )
        }
        _ => String::new(),
    }
}

fn what_to_change(weights: u64, gradients: u64, states: u64) -> Vec<Advice> {
    let mut all = vec![
        advice(
            if gradients + states > 0 {
                "Hold weights, gradients and state in 16 bits."
            } else {
                "Hold the weights in 16 bits."
            },
            "`model.to(torch.bfloat16)` before the optimizer is made, or load them so. It halves what is in 32 bits now; for inference, 8 or 4 bits take a quarter and less.",
            Some((weights + gradients + states) / 2),
        ),
        advice(
            "Shard over more cards.",
            "`fully_shard` (FSDP2) or ZeRO: each of two cards holds half of weights, gradients and state, each of N an N-th.",
            Some((weights + gradients + states) / 2),
        ),
    ];
    if states > 0 {
        all.push(advice(
            "Use an optimizer with smaller state.",
            "8-bit Adam holds a quarter of Adam's, SGD with momentum half, Adafactor next to nothing.",
            Some(states / 4 * 3),
        ));
    } else if weights > 0 {
        all.push(advice(
            "Count what is still to come.",
            format!("Training adds as much again for gradients and, with Adam, twice as much for its state: {} in 32 bits.", bytes(weights.saturating_mul(3))),
            None,
        ));
    }
    if gradients > 0 || states > 0 {
        all.push(advice(
            "Train fewer parameters.",
            "LoRA or frozen layers: gradients and state exist only for what is trained.",
            Some((gradients + states) / 10 * 9),
        ));
    }
    order::by_number(&mut all, |advice| !advice.effect_bytes.unwrap_or(0));
    all
}
