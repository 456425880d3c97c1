//! An order of allocations, and where groups begin in it.

use serde::Serialize;
use vramscope_core::bits::Bits;
use vramscope_core::order;

use super::column::{Column, Sort};
use super::facts::Facts;
use super::of::Of;

/// Allocations chosen, sorted and grouped. Ids are kept, and what a group holds; all else is read from the replay.
#[derive(Clone, Debug)]
pub struct Table {
    pub(super) ids: Vec<u32>,
    pub(super) group: Option<Column>,
    pub(super) groups: Vec<Group>,
    /// What it holds, and what it is taken from.
    pub sums: Sums,
    pub(super) of: Of,
    pub(super) opened: super::window::Opened,
}

/// Allocations that have one value of a column alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group {
    /// That value as a number: it stays the same as long as the recording is open.
    pub key: u64,
    /// Where its allocations begin in the order.
    pub first: u32,
    /// How many it has.
    pub count: u32,
    /// Requested bytes.
    pub bytes: u64,
}

/// How much matches, and of how much.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Sums {
    /// Allocations in the table.
    pub count: u32,
    /// Their requested bytes.
    pub bytes: u64,
    /// Allocations there would be if everything matched.
    pub of_count: u32,
    /// Their requested bytes.
    pub of_bytes: u64,
}

impl Sums {
    pub(super) fn add(&mut self, bytes: u64, matches: bool) {
        self.of_count += 1;
        self.of_bytes = self.of_bytes.saturating_add(bytes);
        if matches {
            self.count += 1;
            self.bytes = self.bytes.saturating_add(bytes);
        }
    }
}

impl Table {
    /// Chooses, sorts and groups. The first key decides, the next among equals, then the order of start.
    pub fn new(
        facts: &Facts<'_>,
        of: Of,
        matches: Option<&Bits>,
        sort: &[Sort],
        group: Option<Column>,
    ) -> Table {
        Table::chosen(facts, of, matches).sorted(facts, sort).grouped(facts, sort, group)
    }

    /// What is in it, in order of start.
    pub(super) fn chosen(facts: &Facts<'_>, of: Of, matches: Option<&Bits>) -> Table {
        let (mut ids, mut sums) = (Vec::new(), Sums::default());
        of.for_each(facts.replay, matches, &mut |id, matches| {
            sums.add(facts.rows.size_bytes(id), matches);
            if matches {
                ids.push(id);
            }
        });
        Table { ids, group: None, groups: Vec::new(), sums, of, opened: Default::default() }
    }

    pub(super) fn sorted(mut self, facts: &Facts<'_>, sort: &[Sort]) -> Table {
        for key in sort.iter().rev() {
            order::by_key(&mut self.ids, &|id| facts.key(key.column, key.down, id));
        }
        self
    }

    /// The first so many of all of them in order; sums are of all.
    pub(super) fn first(&self, facts: &Facts<'_>, sort: &[Sort], count: usize) -> Table {
        let key = |&Sort { column, down }: &Sort| move |id| facts.key(column, down, id);
        let keys: Vec<_> = sort.iter().map(key).collect();
        let keys: Vec<&dyn Fn(u32) -> u64> = keys.iter().map(|key| key as _).collect();
        let ids = order::first_by_keys(&self.ids, count, &keys);
        Table {
            ids,
            group: None,
            groups: Vec::new(),
            sums: self.sums,
            of: self.of,
            opened: Default::default(),
        }
    }

    /// Puts together what is sorted already.
    pub(super) fn grouped(mut self, facts: &Facts<'_>, sort: &[Sort], group: Option<Column>) -> Table {
        self.group = group.filter(|column| column.groups());
        if let Some(column) = self.group {
            order::by_key(&mut self.ids, &|id| facts.number(column, id));
            self.groups = found(facts, &self.ids, column);
            arrange(&mut self.groups, column, sort);
        }
        self
    }

    /// Ids in order; grouped, those of one group follow each other.
    pub fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// Groups in order; none if it is not grouped.
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// Leaves the first allocations, or groups: the sums stay.
    pub fn truncate(&mut self, limit: usize) {
        match self.group {
            Some(_) => self.groups.truncate(limit),
            None => self.ids.truncate(limit),
        }
    }
}

/// The groups of ids that are sorted by them.
fn found(facts: &Facts<'_>, ids: &[u32], column: Column) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (at, &id) in (0..).zip(ids) {
        let (key, bytes) = (facts.number(column, id), facts.rows.size_bytes(id));
        match groups.last_mut() {
            Some(last) if last.key == key => {
                last.count += 1;
                last.bytes = last.bytes.saturating_add(bytes);
            }
            _ => groups.push(Group { key, first: at, count: 1, bytes }),
        }
    }
    groups
}

/// Groups are found in the order of their values. Unless they are sorted by those, or smallest first, the largest come first.
fn arrange(groups: &mut [Group], column: Column, sort: &[Sort]) {
    let first = sort.first().copied().unwrap_or(Sort::LARGEST);
    let by_value = first.column == column && column != Column::Size;
    match (by_value, first.column, first.down) {
        (true, _, false) => {}
        (true, _, true) => groups.reverse(),
        (false, Column::Size, false) => order::by_number(groups, |group| group.bytes),
        _ => order::by_number(groups, |group| u64::MAX - group.bytes),
    }
}
