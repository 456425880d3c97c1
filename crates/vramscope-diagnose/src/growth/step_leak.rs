//! What each training step leaves behind.

use hashbrown::HashMap;
use vramscope_core::replay::Category;

use super::places::Places;
use crate::categories::Categories;
use crate::facts::Facts;
use crate::phases::Timetable;
use crate::thresholds::FEWEST_MIDDLE_STEPS;

/// Bytes born in the middle steps that are still there at the end, at places that leave some in each of the last ones.
#[derive(Clone, Debug, Default)]
pub(crate) struct StepLeak {
    /// Median of the last middle steps.
    pub(crate) bytes_per_step: u64,
    /// Middle steps seen.
    pub(crate) middle_steps: u32,
    /// Of all steps.
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
        let mut kept: HashMap<u32, Kept> = HashMap::new();
        // Which of the last middle steps a place leaves something in, and how much.
        let last = n - 1 - LAST.min(n - 2)..n - 1;
        let mut left: HashMap<u32, [u64; LAST]> = HashMap::new();
        let mut places = Places::default();
        let counts = |id: &u32| {
            let lasting = matches!(categories.category(*id), Category::Parameter | Category::OptimizerState);
            facts.is_kept(*id) && !facts.is_old(*id) && !lasting && !categories.is_workspace(*id)
        };
        for id in facts.ids().filter(counts) {
            let Some(step) =
                table.step_at(facts.birth(id)).map(|step| step as usize).filter(|&step| step > 0)
            else {
                continue;
            };
            let place = places.number(facts, id);
            let size = facts.size_bytes(id);
            let all = kept.entry(place).or_default();
            all.bytes += size;
            all.ids.push(id);
            if last.contains(&step) {
                left.entry(place).or_default()[step - last.start] += size;
            }
        }
        let n_last = last.len();
        let each = |left: &[u64; LAST]| left[..n_last].iter().all(|bytes| *bytes > 0);
        let common: Vec<u32> = left.iter().filter(|(_, left)| each(left)).map(|(place, _)| *place).collect();
        let mut sums: Vec<u64> =
            (0..n_last).map(|step| common.iter().map(|place| left[place][step]).sum()).collect();
        sums.sort_unstable();
        let mut places: Vec<Kept> = common.iter().filter_map(|place| kept.remove(place)).collect();
        places.sort_unstable_by_key(|kept| (std::cmp::Reverse(kept.bytes), kept.ids.first().copied()));
        Some(Self {
            bytes_per_step: sums.get(n_last / 2).copied().unwrap_or(0),
            middle_steps: n as u32 - 2,
            total_bytes: places.iter().map(|kept| kept.bytes).sum(),
            places,
        })
    }
}
