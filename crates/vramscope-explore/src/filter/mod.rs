//! The filter's language: which allocations of a device are meant.
//!
//! | written | chooses allocations |
//! |---|---|
//! | `word`, `"some words"` | with a frame that a regular expression matches, as "name file:line"; case counts if there is an upper-case letter |
//! | `stack:` `name:` `file:` | the same, by the whole frame, its function, its file and line; `stack:#12` is the stack of that number |
//! | `size > 100 MiB` | by requested bytes: `>` `>=` `<` `<=` `=` `:from..to`; B, KiB, MiB, GiB, TiB; KB, MB, GB mean the same |
//! | `lifetime < 2 ms` | by how long they live, as far as it is recorded: us, ms, s, or ev for events |
//! | `category:activation,gradient` | by what the diagnosis, or the user, says that they hold |
//! | `phase:backward` `step:2..3` | made in a phase, or in a step, counted from 1 as they are shown |
//! | `stream:0` | of a stream, `0` or `0x…` |
//! | `pool:large` | of the `large`, the `small`, any `private` or one private pool, `0:1` |
//! | `alive:peak` | alive at the peak of the whole device, at the `end`, after an event's number, at the marks `A` and `B` |
//! | `made:100..200` `freed:100..200` | made or freed by these events |
//! | `address:0x7f…` | whose block contains an address, or meets a range of them |
//! | `meta:layer` | whose user metadata, compile context, annotations, internal metadata or profiler's category match |
//! | `a b` `a or b` `not a` `-a` `(a)` | both, either, negated, grouped |
//!
//! Ranges hold both ends, either of which may be missing. [`KEYS`] is the same table for whoever helps with typing.

mod choose;
mod cut;
mod found;
mod keys;
mod measure;
mod meta;
mod parse;
mod term;

pub use choose::Scope;
pub use found::{Alive, Found, FoundNext, FoundStack, Way, alive, found, found_next, found_stacks};
pub use keys::{KEYS, Key};
pub use parse::parse;

use serde::Serialize;
use vramscope_core::bits::Bits;
use vramscope_core::ids::FrameId;
use vramscope_core::model::Snapshot;
use vramscope_core::query::Matches;

use term::Term;

/// Why a text is no expression, or cannot be answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fault {
    /// A sentence.
    #[serde(rename = "error")]
    pub message: String,
    /// Characters before the part that is at fault.
    pub at: usize,
    /// Characters of that part.
    pub length: usize,
}

/// A text that was understood.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Conditions, and where each begins.
    terms: Vec<(Term, usize)>,
    /// What to do with them, each operator after what it works on.
    program: Vec<Step>,
    places: Vec<Place>,
}

/// A part that stands side by side with others: one condition, or a group of them. It can be taken out by itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    /// Characters before it, and before what negates it.
    pub from: usize,
    /// Characters up to its end.
    pub to: usize,
    /// It is negated.
    pub negated: bool,
    /// As it was written, without what negates it.
    pub text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Term(usize),
    Not,
    And,
    Or,
}

impl Expr {
    /// The parts side by side, in order.
    pub fn places(&self) -> &[Place] {
        &self.places
    }

    /// It asks what only a diagnosis tells: categories, phases, steps.
    pub fn needs_labels(&self) -> bool {
        let needs = |term: &Term| matches!(term, Term::Categories(_) | Term::Phases(_) | Term::Steps(_));
        self.terms.iter().any(|(term, _)| needs(term))
    }

    /// The frames of a file that one of its patterns matches, by id.
    #[inline]
    pub fn frames(&self, snapshot: &Snapshot) -> Bits {
        let mut frames = Bits::none(snapshot.stacks.n_frames() as u32);
        for (term, _) in &self.terms {
            if let Term::Frames(pattern, part) = term {
                let matches = Matches::of(snapshot, pattern, *part);
                frames.or(&Bits::of(frames.len(), |id| matches.has_frame(FrameId(id))));
            }
        }
        frames
    }

    /// It has no condition.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }
}
