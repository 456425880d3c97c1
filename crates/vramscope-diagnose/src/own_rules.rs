//! Categories by rules of the user: a pattern for frames, and what an allocation is whose stack has one.
//!
//! The first rule that matches decides, whatever the diagnosis says. A pattern meets each different frame once (see `query::Matches`).

use serde::{Deserialize, Serialize};
use vramscope_core::ids::StackId;
use vramscope_core::model::Snapshot;
use vramscope_core::query::{Matches, PatternError};
use vramscope_core::replay::{Category, Labels, Replay, Rule};

/// Rules beyond this many are refused.
pub const MAX_RULES: usize = 64;
/// Letters of a name of the user, at most.
const MAX_NAME: usize = 60;
/// A label names its rule by a byte.
const MAX_LABEL_RULES: usize = 256;

/// A rule of the user.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnRule {
    /// A regular expression for frames, as "name file:line".
    pub pattern: String,
    /// The name of a category in JSON, or a name of the user's own.
    pub category: String,
}

/// What a rule came to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Applied {
    /// Allocations on which it decides: those of earlier rules are not among them.
    pub matched_allocations: u32,
    /// Their requested bytes, alive at once or not.
    pub matched_bytes: u64,
    /// Why it is no rule.
    pub error: Option<PatternError>,
}

/// Lays rules over what the diagnosis says. Rules that are none decide nothing.
pub fn apply(
    snapshot: &Snapshot,
    replay: &Replay,
    mut labels: Labels,
    rules: &[OwnRule],
) -> (Labels, Vec<Applied>) {
    let mut applied: Vec<Applied> = Vec::new();
    // By stack the first rule that matches, counted from 1.
    let mut rule_of_stack = vec![0u8; snapshot.stacks.n_stacks()];
    if labels.rules.is_empty() {
        labels.rules.push(Rule::default());
    }
    let before = labels.rules.len();
    for (at, rule) in rules.iter().enumerate() {
        let found = checked(rule, at, before).and_then(|()| Matches::new(snapshot, &rule.pattern));
        if let Ok(matches) = &found {
            for (stack, first) in (0..).zip(&mut rule_of_stack) {
                if *first == 0 && matches.has(StackId(stack)) {
                    *first = at as u8 + 1;
                }
            }
        }
        if at < MAX_RULES && before + at < MAX_LABEL_RULES {
            labels.rules.push(decision(rule));
        }
        applied.push(Applied { error: found.err(), ..Applied::default() });
    }
    let rows = replay.allocations();
    labels.rule_of.resize(rows.len() as usize, 0);
    for (id, rule_of) in (0..).zip(&mut labels.rule_of) {
        let rule = rule_of_stack.get(rows.stack(id).index()).copied().unwrap_or(0);
        let Some(at) = usize::from(rule).checked_sub(1) else { continue };
        *rule_of = (before + at) as u8;
        if let Some(applied) = applied.get_mut(at) {
            applied.matched_allocations += 1;
            applied.matched_bytes = applied.matched_bytes.saturating_add(rows.size_bytes(id));
        }
    }
    (labels, applied)
}

/// A rule has a pattern, a name and a number that a label can hold.
fn checked(rule: &OwnRule, at: usize, before: usize) -> Result<(), PatternError> {
    let refuse = |error: &str| Err(PatternError { error: error.into(), at: 0 });
    if at >= MAX_RULES || before + at >= MAX_LABEL_RULES {
        return refuse("There are too many rules: at most 64 count.");
    }
    if rule.pattern.is_empty() {
        return refuse("A rule needs a pattern.");
    }
    if rule.category.trim().is_empty() {
        return refuse("A rule needs a category.");
    }
    Ok(())
}

fn decision(rule: &OwnRule) -> Rule {
    let name = rule.category.trim();
    let known = Category::ALL.into_iter().find(|category| category.name() == name);
    Rule {
        category: known.unwrap_or(Category::Other),
        own_name: known.is_none().then(|| name.chars().take(MAX_NAME).collect()),
        confidence_percent: 100,
        why: format!("by your rule {}", rule.pattern.chars().take(MAX_NAME).collect::<String>()),
    }
}
