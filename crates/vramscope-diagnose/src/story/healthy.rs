//! Nothing grows, nothing failed: where the peak comes from.

use vramscope_core::order;
use vramscope_core::replay::{Category, Phase};

use super::{Story, advice};
use crate::analysis::{Analysis, main_category};
use crate::report::{Advice, Mark};
use crate::thresholds::FEW_STEPS;
use crate::words::{bytes, count};

pub(super) fn tell(analysis: &Analysis<'_>) -> Story {
    let moment = analysis.moment();
    let sums = analysis.by_category(moment);
    let mut parts: Vec<(u64, Category)> = Category::ALL
        .iter()
        .map(|&category| (sums[category.index()], category))
        .filter(|part| part.0 > 0)
        .collect();
    order::by_number(&mut parts, |part| !part.0);
    let named: Vec<String> = parts
        .iter()
        .take(3)
        .map(|(part, category)| format!("{} {}", bytes(*part), of_many(*category)))
        .collect();
    let peak = bytes(analysis.facts.peak_bytes);
    let alive = match named.split_first() {
        Some((first, [])) => format!("At the peak **{first}** are alive."),
        Some((first, rest)) => format!("At the peak **{first}**, {} are alive.", rest.join(", ")),
        None => "Nothing was allocated.".into(),
    };
    let steps = analysis.table.steps.len() as u64;
    let few = analysis.table.trains() && steps < FEW_STEPS;
    let seen = match (analysis.table.trains(), analysis.growth.base_line) {
        (true, Some(line)) if line.slope_bytes == 0 => {
            format!("Over {} memory falls back to the same level each time.", count(steps, "step", "steps"))
        }
        (true, _) if few => {
            format!(
                "{} of training {} too few to tell slow growth.",
                count(steps, "step", "steps"),
                if steps == 1 { "is" } else { "are" }
            )
        }
        (true, _) => format!("{} of training were seen.", count(steps, "step", "steps")),
        _ => String::new(),
    };
    let rises = crate::cause::base_line_rises(analysis);
    let nothing = match few && steps > 0 {
        _ if rises => {
            let slope = analysis.growth.base_line.map_or(0, |line| line.slope_bytes.unsigned_abs());
            format!("No place keeps more in each step, yet the base line rises by {} a step.", bytes(slope))
        }
        true => format!("Nothing grows in the {} seen.", count(steps, "step", "steps")),
        false => "Nothing grows.".into(),
    };
    Story {
        tone: if rises { "note" } else { "good" },
        eyebrow: if rises { "No leak found" } else { "Healthy: stable" }.into(),
        sentence: format!("{nothing} The peak, {peak}, comes {}.", when(analysis, moment)),
        why: [alive, seen].into_iter().filter(|text| !text.is_empty()).collect(),
        advice: to_lower_the_peak(main_category(&sums), &sums),
        marks: vec![Mark { moment, text: format!("Peak {peak}") }],
        ..Story::default()
    }
}

/// "of activations".
fn of_many(category: Category) -> &'static str {
    match category {
        Category::Parameter => "of parameters",
        Category::OptimizerState => "of optimizer state",
        Category::Gradient => "of gradients",
        Category::Activation => "of activations",
        Category::Input => "of inputs",
        Category::Temporary => "of temporaries",
        Category::Other => "of other memory",
        Category::Unknown => "of which nothing is known",
    }
}

/// "as backward starts".
pub(crate) fn when(analysis: &Analysis<'_>, moment: u32) -> &'static str {
    let event = moment.saturating_sub(1);
    let run = analysis.table.work.iter().find(|run| run.contains(event));
    let near = |from: u32, run_length: u32| from <= (run_length / 20).max(5);
    let length = run.map_or(0, |run| run.last - run.first);
    match (analysis.phase_at(moment), run) {
        (Phase::Build, _) => "while the model is built",
        (Phase::Forward, Some(run)) if near(run.last - event, length) => "as backward starts",
        (Phase::Forward, _) => "in forward",
        (Phase::Backward, Some(run)) if near(event - run.first, length) => "as backward starts",
        (Phase::Backward, Some(run)) if near(run.last - event, length) => "at the end of backward",
        (Phase::Backward, _) => "in backward",
        (Phase::Optimizer, _) => "in the optimizer's step",
        (Phase::ZeroGrad, _) => "as gradients are dropped",
        (Phase::Inference, _) => "in inference",
        (Phase::Idle, _) if analysis.table.work.is_empty() => "outside any phase that could be told",
        (Phase::Idle, _) => "between phases",
    }
}

/// What would lower the peak, should it be needed.
fn to_lower_the_peak(largest: Category, sums: &crate::analysis::ByCategory) -> Vec<Advice> {
    let held = sums[largest.index()];
    match largest {
        Category::Activation => vec![
            advice(
                "To lower the peak: checkpoint blocks of the model.",
                "Activations are the largest part; checkpoints keep only the inputs of each block.",
                Some(held / 4 * 3),
            ),
            advice("Or halve the batch.", "Activations halve with it.", Some(held / 2)),
        ],
        Category::Parameter => vec![advice(
            "To lower the peak: hold the weights in 16 bits, or shard them.",
            "They are the largest part, and stay for the whole run.",
            Some(held / 2),
        )],
        Category::OptimizerState => vec![advice(
            "To lower the peak: an optimizer with smaller state, or sharded state.",
            "8-bit Adam holds a quarter.",
            Some(held / 4 * 3),
        )],
        Category::Gradient => vec![advice(
            "To lower the peak: drop gradients before forward.",
            "`optimizer.zero_grad(set_to_none=True)` right after the step, not before backward.",
            Some(held),
        )],
        _ => Vec::new(),
    }
}
