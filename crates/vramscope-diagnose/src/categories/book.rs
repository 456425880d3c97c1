//! Rules by number: an allocation keeps one byte.

use vramscope_core::replay::{Category, Rule};

/// What a rule decides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Decision {
    pub(super) category: Category,
    pub(super) confidence_percent: u8,
    pub(super) why: &'static str,
}

/// Short for [`Decision`].
pub(super) const fn decide(category: Category, confidence_percent: u8, why: &'static str) -> Decision {
    Decision { category, confidence_percent, why }
}

impl Decision {
    /// Less sure without stacks.
    pub(super) fn times(self, percent: u32) -> Self {
        Self { confidence_percent: (u32::from(self.confidence_percent) * percent / 100) as u8, ..self }
    }
}

/// All rules that decided so far; number 0 decides nothing.
pub(super) struct Book {
    decisions: Vec<Decision>,
}

impl Book {
    pub(super) fn new() -> Self {
        Self { decisions: vec![decide(Category::Unknown, 0, "no rule decides")] }
    }

    /// The number of a decision.
    pub(super) fn number(&mut self, decision: Decision) -> u8 {
        let is_it = |known: &Decision| {
            known.confidence_percent == decision.confidence_percent
                && known.category == decision.category
                && known.why == decision.why
        };
        let at = self.decisions.iter().position(is_it);
        let at = at.unwrap_or_else(|| {
            self.decisions.push(decision);
            self.decisions.len() - 1
        });
        u8::try_from(at).unwrap_or(0)
    }

    pub(super) fn decision(&self, number: u8) -> Decision {
        self.decisions[usize::from(number).min(self.decisions.len() - 1)]
    }

    /// As labels keep them: below [`SURE_ENOUGH_PERCENT`](crate::thresholds::SURE_ENOUGH_PERCENT) a guess is unknown.
    pub(super) fn rules(&self) -> Vec<Rule> {
        let sure =
            |decision: &Decision| decision.confidence_percent >= crate::thresholds::SURE_ENOUGH_PERCENT;
        let rule = |decision: &Decision| Rule {
            category: if sure(decision) { decision.category } else { Category::Unknown },
            own_name: None,
            confidence_percent: decision.confidence_percent,
            why: match sure(decision) || decision.category == Category::Unknown {
                true => decision.why.into(),
                false => format!("{}: perhaps {}", decision.why, decision.category.label()),
            },
        };
        self.decisions.iter().map(rule).collect()
    }
}
