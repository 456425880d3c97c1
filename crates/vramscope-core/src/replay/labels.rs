//! What a diagnosis says of each allocation and each stretch of the recording.
//!
//! Plain data: who decides is `vramscope-diagnose`. It stands here because pictures and answers read it.

use serde::{Deserialize, Serialize};

/// What an allocation holds. In the order of the picture, from the bottom.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    /// Weights and buffers of the model.
    Parameter,
    /// What an optimizer keeps between steps, such as Adam's moments.
    OptimizerState,
    /// Gradients of parameters.
    Gradient,
    /// Kept by forward for backward.
    Activation,
    /// A batch and its targets.
    Input,
    /// Gone before the phase that made it ends.
    Temporary,
    /// Known, and none of the above: caches, results that are kept.
    Other,
    /// No rule decides with a confidence of 0.5.
    #[default]
    Unknown,
}

/// How many categories there are.
pub const N_CATEGORIES: usize = 8;

impl Category {
    /// All, from the bottom of the picture to its top.
    pub const ALL: [Category; N_CATEGORIES] = [
        Category::Parameter,
        Category::OptimizerState,
        Category::Gradient,
        Category::Activation,
        Category::Input,
        Category::Temporary,
        Category::Other,
        Category::Unknown,
    ];

    /// Its name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Category::Parameter => "parameter",
            Category::OptimizerState => "optimizer_state",
            Category::Gradient => "gradient",
            Category::Activation => "activation",
            Category::Input => "input",
            Category::Temporary => "temporary",
            Category::Other => "other",
            Category::Unknown => "unknown",
        }
    }

    /// Its name in a sentence.
    pub fn label(self) -> &'static str {
        match self {
            Category::OptimizerState => "optimizer state",
            other => other.name(),
        }
    }

    /// Place in [`Category::ALL`].
    pub fn index(self) -> usize {
        self as usize
    }
}

/// What the program is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// The model is made or loaded.
    Build,
    /// Forward, of which backward follows.
    Forward,
    /// Backward.
    Backward,
    /// The optimizer's step, scaling and clipping of gradients included.
    Optimizer,
    /// Gradients are dropped.
    ZeroGrad,
    /// Forward without backward.
    Inference,
    /// None of these: loading of data, user code.
    #[default]
    Idle,
}

impl Phase {
    /// All of them, in the order of a step.
    pub const ALL: [Phase; 7] = [
        Phase::Build,
        Phase::Forward,
        Phase::Backward,
        Phase::Optimizer,
        Phase::ZeroGrad,
        Phase::Inference,
        Phase::Idle,
    ];

    /// Its name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Build => "build",
            Phase::Forward => "forward",
            Phase::Backward => "backward",
            Phase::Optimizer => "optimizer",
            Phase::ZeroGrad => "zero_grad",
            Phase::Inference => "inference",
            Phase::Idle => "idle",
        }
    }
}

/// Why an allocation has its category.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rule {
    /// What it decides: [`Category::Unknown`] if it is not sure enough.
    pub category: Category,
    /// The user's own name for it, by a rule of the user.
    pub own_name: Option<String>,
    /// 0 to 100.
    pub confidence_percent: u8,
    /// In words: "forward, freed in backward".
    pub why: String,
}

impl Rule {
    /// Colour slot of what it decides on.
    fn slot(&self) -> u8 {
        if self.own_name.is_some() { OWN_SLOT } else { self.category as u8 }
    }
}

/// Consecutive events of one phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PhaseSpan {
    /// The phase.
    pub phase: Phase,
    /// Step that it belongs to, from 0.
    pub step: Option<u32>,
    /// Its first event.
    pub first_event: u32,
    /// Its last event.
    pub last_event: u32,
}

/// One training step, or one round of inference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// Its first event.
    pub first_event: u32,
    /// Its last event.
    pub last_event: u32,
    /// Backward passes in it.
    pub micro_batches: u32,
}

/// The colour slot of allocations that the user's own names cover; before it come the categories.
pub const OWN_SLOT: u8 = N_CATEGORIES as u8;

/// Everything that is said of one device.
#[derive(Clone, Debug, Default)]
pub struct Labels {
    /// Rules by number; rule 0 decides nothing.
    pub rules: Vec<Rule>,
    /// The rule that decided, by allocation.
    pub rule_of: Vec<u8>,
    /// In order; events between two spans are none's.
    pub phases: Vec<PhaseSpan>,
    /// In order.
    pub steps: Vec<Step>,
}

impl Labels {
    /// The rule that decided on an allocation.
    pub fn rule(&self, allocation: u32) -> Option<&Rule> {
        self.rules.get(usize::from(*self.rule_of.get(allocation as usize)?))
    }

    /// The category of an allocation.
    pub fn category(&self, allocation: u32) -> Category {
        self.rule(allocation).map(|rule| rule.category).unwrap_or_default()
    }

    /// Colour slot by category: its index, or [`OWN_SLOT`].
    pub fn slot(&self, allocation: u32) -> u8 {
        self.rule(allocation).map_or(Category::Unknown as u8, Rule::slot)
    }

    /// The colour slot of every allocation.
    pub(super) fn slots(&self) -> Vec<u8> {
        let mut of_rule = [Category::Unknown as u8; 256];
        for (slot, rule) in of_rule.iter_mut().zip(&self.rules) {
            *slot = rule.slot();
        }
        self.rule_of.iter().map(|rule| of_rule[usize::from(*rule)]).collect()
    }

    /// The step of an event, by number from 0.
    pub fn step_at(&self, event: u32) -> Option<u32> {
        let at = self.steps.partition_point(|step| step.last_event < event);
        self.steps.get(at).filter(|step| step.first_event <= event).map(|_| at as u32)
    }

    /// The span of an event.
    pub fn phase_at(&self, event: u32) -> Option<&PhaseSpan> {
        let at = self.phases.partition_point(|span| span.last_event < event);
        self.phases.get(at).filter(|span| span.first_event <= event)
    }
}
