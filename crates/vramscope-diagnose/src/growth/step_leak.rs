//! What each training step leaves behind.

use vramscope_core::order;
use vramscope_core::replay::Category;

use super::places::Places;
use crate::categories::Categories;
use crate::facts::Facts;
use crate::numbering::{Numbering, key};
use crate::phases::Timetable;
use crate::thresholds::FEWEST_MIDDLE_STEPS;

/// Bytes born in the middle steps that are still there at the end, at places that leave some in each of the last ones.
#[derive(Clone, Debug, Default)]
pub(crate) struct StepLeak {
    /// Median of the last middle steps.
    pub(crate) bytes_per_step: u64,
    /// Middle steps seen.
    pub(crate) middle_steps: u32,
    /// Of all steps but the last.
    pub(crate) total_bytes: u64,
    /// What is kept, by place, most bytes first; each in order of birth.
    pub(crate) places: Vec<Kept>,
}

/// What a place keeps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kept {
    pub(crate) bytes: u64,
    pub(crate) ids: Vec<u32>,
}

/// The last middle steps decide.
const LAST: usize = 3;

impl StepLeak {
    pub(super) fn of(facts: &Facts<'_>, table: &Timetable, categories: &Categories) -> Option<Self> {
        let n = table.steps.len();
        if n < FEWEST_MIDDLE_STEPS + 2 {
            return None;
        }
        // By number of the place: what is kept, and how much of it is of each of the last middle steps.
        let (mut numbers, mut places) = (Numbering::default(), Places::default());
        let mut kept: Vec<(Kept, [u64; LAST])> = Vec::new();
        let last = n - 1 - LAST.min(n - 2)..n - 1;
        let counts = |id: &u32| {
            let lasting = matches!(categories.category(*id), Category::Parameter | Category::OptimizerState);
            facts.is_kept(*id) && !facts.is_old(*id) && !lasting && !categories.is_workspace(*id)
        };
        for id in facts.ids().filter(counts) {
            // What the last step made it may still need.
            let step = table.step_at(facts.birth(id)).map(|step| step as usize);
            let Some(step) = step.filter(|step| step + 1 < n) else { continue };
            let number = numbers.of(key(places.number(facts, id)));
            if number == kept.len() {
                kept.push(Default::default());
            }
            let size = facts.size_bytes(id);
            let (all, left) = &mut kept[number];
            all.bytes += size;
            all.ids.push(id);
            if last.contains(&step) {
                left[step - last.start] += size;
            }
        }
        let n_last = last.len();
        kept.retain(|(_, left)| left[..n_last].iter().all(|bytes| *bytes > 0));
        let mut sums: Vec<u64> =
            (0..n_last).map(|step| kept.iter().map(|(_, left)| left[step]).sum()).collect();
        order::by_number(&mut sums, |sum| *sum);
        let mut places: Vec<Kept> = kept.into_iter().map(|(kept, _)| kept).collect();
        order::by_number(&mut places, |kept| !kept.bytes);
        Some(Self {
            bytes_per_step: sums.get(n_last / 2).copied().unwrap_or(0),
            middle_steps: n as u32 - 2,
            total_bytes: places.iter().map(|kept| kept.bytes).sum(),
            places,
        })
    }
}
