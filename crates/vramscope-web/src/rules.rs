//! The user's own rules for categories, laid over what the diagnosis says as often as either changes.

use serde::{Deserialize, Serialize};
use vramscope_core::replay::{Labels, Recording};
use vramscope_diagnose::own_rules::{Applied, OwnRule, apply};

/// The rules in force, and labels without them.
#[derive(Default)]
pub(crate) struct Rules {
    own: Vec<OwnRule>,
    /// One for each device, as the diagnosis left them; kept once there are rules.
    without: Option<Vec<Labels>>,
}

/// `{"ask":"set_rules"}`.
#[derive(Deserialize)]
pub(crate) struct SetRules {
    rules: Vec<OwnRule>,
}

/// What the rules came to, over all devices.
#[derive(Serialize)]
pub(crate) struct RulesAnswer {
    rules: Vec<Applied>,
}

impl Rules {
    /// Takes other rules.
    pub(crate) fn set(&mut self, recording: &mut Recording, question: SetRules) -> RulesAnswer {
        self.own = question.rules;
        if self.own.is_empty() && self.without.is_none() {
            return RulesAnswer { rules: Vec::new() };
        }
        self.lay_over(recording)
    }

    /// The diagnosis has said something else.
    pub(crate) fn labels_changed(&mut self, recording: &mut Recording) {
        self.without = None;
        if !self.own.is_empty() {
            self.lay_over(recording);
        }
    }

    fn lay_over(&mut self, recording: &mut Recording) -> RulesAnswer {
        let without = self.without.get_or_insert_with(|| {
            recording.replays.iter().map(|replay| replay.labels().cloned().unwrap_or_default()).collect()
        });
        let mut sums = vec![Applied::default(); self.own.len()];
        let devices = recording.snapshot.devices.iter().zip(&recording.replays).zip(without.iter());
        let labelled: Vec<(i64, Labels)> = devices
            .map(|((device, replay), labels)| {
                let (labels, applied) = apply(&recording.snapshot, replay, labels.clone(), &self.own);
                for (sum, applied) in sums.iter_mut().zip(applied) {
                    sum.matched_allocations += applied.matched_allocations;
                    sum.matched_bytes = sum.matched_bytes.saturating_add(applied.matched_bytes);
                    sum.error = applied.error;
                }
                (device.ordinal, labels)
            })
            .collect();
        for (ordinal, labels) in labelled {
            recording.set_labels(ordinal, labels);
        }
        RulesAnswer { rules: sums }
    }
}
