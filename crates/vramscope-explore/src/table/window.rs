//! Rows of a table from one on: groups, and the allocations of those that are opened.

use serde::Serialize;

use super::column::{Column, Sort};
use super::facts::Facts;
use super::list::{Group, Sums, Table};
use super::row::Row;

/// More rows than a screen has.
const MAX_ROWS: u32 = 1000;

/// Fewer rows are in order within a frame.
const WORTH_WAITING: usize = 100_000;

/// Which groups list their allocations, and where each group stands then.
#[derive(Clone, Debug, Default)]
pub(super) struct Opened {
    /// Keys, ascending.
    keys: Vec<u64>,
    /// The row of each group.
    tops: Vec<u32>,
    rows: u32,
}

/// Some rows, and how many there are.
#[derive(Serialize)]
pub(super) struct Window<'a> {
    rows: Vec<Line<'a>>,
    from: u32,
    /// Groups and allocations listed.
    total: u32,
    groups: u32,
    /// The row of the allocation that was looked for, or of its closed group.
    found: Option<u32>,
    /// False: only these rows are in order yet, and the next question puts all of them.
    whole: bool,
    #[serde(flatten)]
    sums: Sums,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Line<'a> {
    Group(GroupLine),
    Row(Row<'a>),
}

/// A group as a row.
#[derive(Serialize)]
pub(super) struct GroupLine {
    /// Names the group in questions.
    group: String,
    /// What it has alike.
    pub(super) label: String,
    /// Where that is, for places.
    pub(super) at: Option<String>,
    pub(super) bytes: u64,
    pub(super) count: u32,
    open: bool,
    /// Colour slot, where it is by category.
    slot: Option<u8>,
}

impl Table {
    /// Rows from one on, where some groups are open.
    pub(super) fn window<'a>(
        &mut self,
        facts: &Facts<'a>,
        open: Vec<u64>,
        find: Option<u32>,
        (from, count): (u32, u32),
    ) -> Window<'a> {
        self.open(open);
        let total = if self.group.is_some() { self.opened.rows } else { self.ids.len() as u32 };
        let end = from.saturating_add(count.min(MAX_ROWS)).min(total);
        let rows = (from..end).filter_map(|at| self.line(facts, at)).collect();
        let found = find.and_then(|id| self.row_of(id));
        Window { rows, from, total, groups: self.groups.len() as u32, found, whole: true, sums: self.sums }
    }

    /// The first rows of a table that is not in order yet; `None` where another question than for these needs all of them in order.
    pub(super) fn top<'a>(
        &self,
        facts: &Facts<'a>,
        sort: &[Sort],
        find: Option<u32>,
        (from, count): (u32, u32),
    ) -> Option<Window<'a>> {
        let count = count.min(MAX_ROWS);
        if from > 0 || count == 0 || find.is_some() || self.ids.len() < WORTH_WAITING {
            return None;
        }
        let rows = self.first(facts, sort, count as usize).window(facts, Vec::new(), None, (0, count));
        Some(Window { total: self.ids.len() as u32, whole: false, ..rows })
    }

    /// The row of an allocation, or of its closed group.
    fn row_of(&self, id: u32) -> Option<u32> {
        let at = self.ids.iter().position(|&each| each == id)? as u32;
        if self.group.is_none() {
            return Some(at);
        }
        let holds = |group: &Group| (group.first..group.first + group.count).contains(&at);
        let index = self.groups.iter().position(holds)?;
        let (group, top) = (self.groups.get(index)?, *self.opened.tops.get(index)?);
        let open = self.opened.keys.binary_search(&group.key).is_ok();
        Some(if open { top + 1 + at - group.first } else { top })
    }

    /// Opens these groups and closes all others.
    fn open(&mut self, mut keys: Vec<u64>) {
        vramscope_core::order::by_number(&mut keys, |key| *key);
        if self.opened.keys == keys && self.opened.tops.len() == self.groups.len() {
            return;
        }
        let mut rows = 0u32;
        let mut tops = Vec::with_capacity(self.groups.len());
        for group in &self.groups {
            tops.push(rows);
            let listed = if keys.binary_search(&group.key).is_ok() { group.count } else { 0 };
            rows = rows.saturating_add(1).saturating_add(listed);
        }
        self.opened = Opened { keys, tops, rows };
    }

    fn line<'a>(&self, facts: &Facts<'a>, at: u32) -> Option<Line<'a>> {
        let Some(column) = self.group else {
            return self.ids.get(at as usize).map(|&id| Line::Row(facts.row(id)));
        };
        let index = self.opened.tops.partition_point(|&top| top <= at).checked_sub(1)?;
        let group = self.groups.get(index)?;
        match (at - self.opened.tops[index]).checked_sub(1) {
            None => {
                let open = self.opened.keys.binary_search(&group.key).is_ok();
                Some(Line::Group(self.group_line(facts, column, group, open)))
            }
            Some(inside) => self.ids.get((group.first + inside) as usize).map(|&id| Line::Row(facts.row(id))),
        }
    }

    /// A group in words.
    pub(super) fn group_line(
        &self,
        facts: &Facts<'_>,
        column: Column,
        group: &Group,
        open: bool,
    ) -> GroupLine {
        let an_id = self.ids.get(group.first as usize).copied().unwrap_or(0);
        let (label, at) = facts.text(column, group.key, an_id);
        let slot = (column == Column::Category).then(|| facts.category(an_id).1);
        GroupLine {
            group: group.key.to_string(),
            label,
            at,
            bytes: group.bytes,
            count: group.count,
            open,
            slot,
        }
    }
}
