//! Everything that is known of a device, and sums over it.

use vramscope_core::ids::StackId;
use vramscope_core::order;
use vramscope_core::replay::{Category, N_CATEGORIES, Phase};

use crate::categories::Categories;
use crate::facts::Facts;
use crate::growth::Growth;
use crate::numbering::Numbering;
use crate::oom::Oom;
use crate::phases::Timetable;
use crate::report;
use crate::words::Place;

/// What stories and findings read.
pub(crate) struct Analysis<'a> {
    pub(crate) facts: &'a Facts<'a>,
    pub(crate) table: &'a Timetable,
    pub(crate) categories: &'a Categories,
    pub(crate) growth: &'a Growth,
    pub(crate) oom: Option<Oom>,
}

/// Requested bytes of each category, in the order of [`Category::ALL`].
pub(crate) type ByCategory = [u64; N_CATEGORIES];

/// What one pass makes and drops again.
pub(crate) const PASSING: [Category; 3] = [Category::Activation, Category::Temporary, Category::Input];

/// Bytes of some categories together.
pub(crate) fn sum_of(bytes: &ByCategory, categories: &[Category]) -> u64 {
    categories.iter().map(|category| bytes[category.index()]).sum()
}

/// Bytes of one line of code.
#[derive(Clone, Debug, Default)]
pub(crate) struct LineSum {
    pub(crate) place: Place,
    pub(crate) bytes: u64,
    pub(crate) count: u32,
    pub(crate) by_category: ByCategory,
    /// The largest allocation among them.
    pub(crate) largest: u32,
    pub(crate) stack: StackId,
}

impl LineSum {
    fn take(&mut self, part: &LineSum, facts: &Facts<'_>) {
        self.bytes = self.bytes.saturating_add(part.bytes);
        self.count += part.count;
        for (sum, bytes) in self.by_category.iter_mut().zip(part.by_category) {
            *sum = sum.saturating_add(bytes);
        }
        let (known, new) = (facts.size_bytes(self.largest), facts.size_bytes(part.largest));
        if new > known || (new == known && part.largest < self.largest) {
            self.largest = part.largest;
        }
    }

    pub(crate) fn main_category(&self) -> Category {
        main_category(&self.by_category)
    }
}

pub(crate) fn main_category(bytes: &ByCategory) -> Category {
    let most = bytes.iter().copied().max().unwrap_or(0);
    let at = bytes.iter().position(|&bytes| bytes == most).unwrap_or(0);
    Category::ALL[at]
}

impl Analysis<'_> {
    /// The moment that the verdict speaks of: the failed request, else the peak.
    pub(crate) fn moment(&self) -> u32 {
        match &self.oom {
            Some(oom) => oom.event + 1,
            None => self.facts.replay.peak(),
        }
    }

    pub(crate) fn live(&self, moment: u32) -> Vec<u32> {
        let mut ids = Vec::new();
        self.facts.replay.for_each_live(moment, |id| ids.push(id));
        ids
    }

    pub(crate) fn by_category(&self, moment: u32) -> ByCategory {
        let mut sums = [0u64; N_CATEGORIES];
        self.facts.replay.for_each_live(moment, |id| {
            let sum = &mut sums[self.categories.category(id).index()];
            *sum = sum.saturating_add(self.facts.size_bytes(id));
        });
        sums
    }

    /// Bytes by the line that a person would change, most first.
    pub(crate) fn by_line(&self, ids: impl IntoIterator<Item = u32>) -> Vec<LineSum> {
        self.by_line_of(ids, false)
    }

    /// The same, each category of a line by itself or not.
    pub(crate) fn by_line_of(&self, ids: impl IntoIterator<Item = u32>, by_category: bool) -> Vec<LineSum> {
        let class = |category: Category| if by_category { category.index() as u64 + 1 } else { 0 };
        let facts = self.facts;
        let (mut stacks, mut of_stack) = (Numbering::default(), Vec::<LineSum>::new());
        for id in ids {
            let category = class(self.categories.category(id));
            let number = stacks.of((u64::from(facts.stack(id).0), category));
            if number == of_stack.len() {
                of_stack.push(LineSum { largest: id, stack: facts.stack(id), ..LineSum::default() });
            }
            let size = facts.size_bytes(id);
            let sum = &mut of_stack[number];
            sum.bytes = sum.bytes.saturating_add(size);
            sum.count += 1;
            let category = &mut sum.by_category[self.categories.category(id).index()];
            *category = category.saturating_add(size);
            if size > facts.size_bytes(sum.largest) {
                sum.largest = id;
            }
        }
        let (mut places, mut lines) = (Numbering::default(), Vec::<LineSum>::new());
        for part in of_stack {
            let (kind, line) = Place::id_of(part.stack, facts.snapshot);
            let number = places.of((kind << 8 | class(part.main_category()), line));
            if number == lines.len() {
                let place = Place::of(part.stack, facts.snapshot);
                lines.push(LineSum { place, largest: part.largest, ..LineSum::default() });
            }
            lines[number].take(&part, facts);
        }
        for line in &mut lines {
            line.stack = facts.stack(line.largest);
        }
        order::by_number(&mut lines, |line| !line.bytes);
        lines
    }

    /// The phase of a moment: that of its last event.
    pub(crate) fn phase_at(&self, moment: u32) -> Phase {
        self.table.phase(moment.saturating_sub(1))
    }

    pub(crate) fn place_of(&self, id: u32) -> Place {
        Place::of(self.facts.stack(id), self.facts.snapshot)
    }

    /// What is kept by a leak, by steps or by rounds, in order of birth.
    pub(crate) fn leaked(&self) -> Vec<u32> {
        let steps = self.growth.step_leak.iter().flat_map(|leak| &leak.places).flat_map(|place| &place.ids);
        let rounds = self.growth.retained.iter().flat_map(|place| &place.kept);
        let mut ids: Vec<u32> = steps.chain(rounds).copied().collect();
        order::by_number(&mut ids, |id| u64::from(*id));
        ids.dedup();
        ids
    }
}

pub(crate) fn plain(bytes: &ByCategory) -> report::Categories {
    let of = |category: Category| bytes[category.index()];
    report::Categories {
        parameter: of(Category::Parameter),
        gradient: of(Category::Gradient),
        optimizer_state: of(Category::OptimizerState),
        activation: of(Category::Activation),
        input: of(Category::Input),
        temporary: of(Category::Temporary),
        other: of(Category::Other),
        unknown: of(Category::Unknown),
    }
}

/// All bytes.
pub(crate) fn total(bytes: &ByCategory) -> u64 {
    bytes.iter().fold(0, |sum, bytes| sum.saturating_add(*bytes))
}
