//! What each allocation holds: one category for its whole life, the rule that decided, and how sure it is.
//!
//! [`first_pass`] decides what can be decided alone; [`open_ends`] what is alive at the end, by what its place was before; [`caches`] finds
//! caches that grow by replacement, [`before`] sorts what was there before recording.

mod before;
mod book;
mod caches;
mod first_pass;
mod forward;
mod open_ends;
mod workspaces;

use vramscope_core::replay::{Category, Labels, N_CATEGORIES, Rule};

use crate::facts::{Facts, StackKind};
use crate::numbering::{Numbering, Sums, key};
use crate::phases::Timetable;
use book::{Book, Decision};
use first_pass::Found;

/// The category of every allocation.
#[derive(Debug, Default)]
pub(crate) struct Categories {
    pub(crate) rules: Vec<Rule>,
    pub(crate) rule_of: Vec<u8>,
}

impl Categories {
    pub(crate) fn of(facts: &Facts<'_>, table: &Timetable) -> Self {
        let mut sorting = Sorting::new(facts, table);
        let mut open = Vec::new();
        for id in facts.ids() {
            match first_pass::decide_alone(&sorting, id) {
                Found::Decided(decision) => sorting.set(id, decision),
                Found::Open => open.push(id),
            }
        }
        sorting.vote();
        for id in open {
            let decision = open_ends::by_place_or_phase(&sorting, id);
            sorting.set(id, decision);
        }
        caches::find(&mut sorting);
        before::sort(&mut sorting);
        Categories { rules: sorting.book.rules(), rule_of: sorting.rule_of }
    }

    /// Those that labels hold.
    pub(crate) fn in_force(labels: &Labels) -> Self {
        Self { rules: labels.rules.clone(), rule_of: labels.rule_of.clone() }
    }

    /// The user's own name for an allocation.
    pub(crate) fn own_name(&self, id: u32) -> Option<&str> {
        self.rule(id)?.own_name.as_deref()
    }

    pub(crate) fn rule(&self, id: u32) -> Option<&Rule> {
        self.rules.get(usize::from(*self.rule_of.get(id as usize)?))
    }

    pub(crate) fn category(&self, id: u32) -> Category {
        self.rule(id).map(|rule| rule.category).unwrap_or_default()
    }

    /// A key-value cache.
    pub(crate) fn is_cache(&self, id: u32) -> bool {
        self.rule(id).is_some_and(|rule| rule.why.contains(caches::WORD))
    }

    /// A workspace of a kernel library: kept, and no leak.
    pub(crate) fn is_workspace(&self, id: u32) -> bool {
        self.rule(id).is_some_and(|rule| rule.why.starts_with(workspaces::WORD))
    }
}

/// Categories in the making.
struct Sorting<'a> {
    facts: &'a Facts<'a>,
    table: &'a Timetable,
    book: Book,
    rule_of: Vec<u8>,
    /// Sizes by which a workspace is known without native frames.
    workspaces: workspaces::Known,
    /// Events of backward proper, not of a forward that runs again.
    proper_backward: Vec<u32>,
    /// By number of the place.
    places: Numbering,
    votes: Vec<[u32; N_CATEGORIES]>,
    /// Sizes of parameters, and how many have them.
    parameters: Sums,
}

impl<'a> Sorting<'a> {
    fn new(facts: &'a Facts<'a>, table: &'a Timetable) -> Self {
        Self {
            facts,
            table,
            book: Book::new(),
            rule_of: vec![0; facts.ids().len()],
            workspaces: workspaces::Known::of(facts, table),
            proper_backward: first_pass::proper_backward(facts, table),
            places: Numbering::default(),
            votes: Vec::new(),
            parameters: Sums::default(),
        }
    }

    fn set(&mut self, id: u32, decision: Decision) {
        self.rule_of[id as usize] = self.book.number(decision);
    }

    fn decision(&self, id: u32) -> Decision {
        self.book.decision(self.rule_of[id as usize])
    }

    fn without_stacks(&self) -> bool {
        self.facts.stacks == StackKind::Absent
    }

    /// What was born at the same place: inner frames, or without stacks the size.
    fn place(&self, id: u32) -> (u64, u64) {
        match self.without_stacks() {
            true => (0, self.facts.size_bytes(id)),
            false => (u64::from(self.facts.sites.inner(self.facts.stack(id))), 0),
        }
    }

    /// What each place was where its end is known.
    fn vote(&mut self) {
        for id in self.facts.ids() {
            let category = self.decision(id).category;
            if category == Category::Parameter {
                self.parameters.add(key(self.facts.size_bytes(id)), 0);
            }
            if !self.facts.is_old(id) && category != Category::Unknown {
                let place = self.places.of(self.place(id));
                if place == self.votes.len() {
                    self.votes.push([0; N_CATEGORIES]);
                }
                self.votes[place][category.index()] += 1;
            }
        }
    }
}
