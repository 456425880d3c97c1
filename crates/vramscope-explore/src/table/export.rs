//! A table as a file, piece by piece: all of its rows may be a thousand megabytes.

use serde::Serialize;
use vramscope_core::bits::Bits;
use vramscope_core::ids::StackId;

use super::column::Column;
use super::csv::Line;
use super::facts::Facts;
use super::list::Table;
use super::row::Row;

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Comma-separated values, with one line of heads.
    Csv,
    /// The object of one device in `allocations --json`.
    Json,
}

/// A part of a file.
#[derive(Clone, Debug, Serialize)]
pub struct Piece {
    /// Its text.
    pub text: String,
    /// Where the next part begins; null after the last.
    pub next: Option<u32>,
    /// Where the last part ends.
    pub of: u32,
}

/// One frame of a stack.
#[derive(Serialize)]
pub(super) struct Frame {
    pub(super) name: String,
    pub(super) file: String,
    pub(super) line: u32,
}

/// A group, as `allocations --json --group` lists it.
#[derive(Serialize)]
struct GroupRow {
    key: String,
    bytes: u64,
    count: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    stack_id: Option<StackId>,
}

const GROUP_HEADS: &str = "key,bytes,count\r\n";
const HEADS: &str = "id,requested_bytes,bytes,block_bytes,category,confidence,rule,name,at,of_free,operator,alloc_event,free_event,lived_us,lived_events,alive_at_end,stream,pool,phase,step,address,stack_id\r\n";

impl Table {
    /// The part of a file that begins with the row `from` and has so many; rows are groups where it is grouped and `groups` asks for them.
    /// In JSON the stacks of the rows come after them.
    pub fn export(
        &self,
        facts: &Facts<'_>,
        device: i64,
        format: Format,
        groups: bool,
        from: u32,
        count: u32,
    ) -> Piece {
        let by_group = groups && self.group.is_some();
        let n_rows = if by_group { self.groups.len() } else { self.ids.len() } as u32;
        let to = from.saturating_add(count.max(1)).min(n_rows);
        let mut text = String::new();
        if format == Format::Csv {
            if from == 0 {
                text.push_str(if by_group { GROUP_HEADS } else { HEADS });
            }
            (from..to).for_each(|at| self.csv_line(facts, by_group, at, &mut text));
            return Piece { text, next: (to < n_rows).then_some(to), of: n_rows };
        }
        if from > n_rows {
            return self.stacks_piece(facts, from, count, n_rows);
        }
        if from == 0 {
            text.push_str(&self.head(device, by_group));
        }
        for at in from..to {
            separate(&mut text, at);
            text.push_str(&self.json_row(facts, by_group, at));
        }
        let next = match (to < n_rows, by_group) {
            (true, _) => Some(to),
            (false, true) => None,
            (false, false) => Some(n_rows + 1),
        };
        text.push_str(match (to < n_rows, by_group) {
            (true, _) => "",
            (false, true) => "]}",
            (false, false) => "],\"stacks\":{",
        });
        Piece { text, next, of: n_rows }
    }

    /// The stacks of the rows follow them, one place further.
    fn stacks_piece(&self, facts: &Facts<'_>, from: u32, count: u32, n_rows: u32) -> Piece {
        let mut used = Bits::none(facts.recording.snapshot.stacks.n_stacks() as u32);
        self.ids.iter().for_each(|&id| used.insert(facts.rows.stack(id).0));
        let mut stacks = used.iter().map(StackId).filter(|stack| *stack != StackId::EMPTY).zip(0u32..);
        let begin = from - n_rows - 1;
        let mut text = String::new();
        for (stack, at) in stacks.by_ref().skip(begin as usize).take(count.max(1) as usize) {
            separate(&mut text, at);
            text.push_str(&format!("\"{}\":{}", stack.0, json(&facts.frames(stack))));
        }
        let next = stacks.next().map(|(_, at)| n_rows + 1 + at);
        if next.is_none() {
            text.push_str("}}");
        }
        Piece { text, next, of: n_rows }
    }

    /// Up to the first row.
    fn head(&self, device: i64, groups: bool) -> String {
        let event = self.of.moment().and_then(|moment| moment.checked_sub(1));
        let rows = if groups { "groups" } else { "allocations" };
        let (count, bytes) = (self.sums.count, self.sums.bytes);
        let event = json(&event);
        format!(
            "{{\"device\":{device},\"event\":{event},\"count\":{count},\"requested_bytes\":{bytes},\"{rows}\":["
        )
    }

    fn json_row(&self, facts: &Facts<'_>, groups: bool, at: u32) -> String {
        match (groups, self.ids.get(at as usize)) {
            (true, _) => self.group_row(facts, at).map(|row| json(&row)).unwrap_or_default(),
            (false, Some(&id)) => json(&facts.row(id)),
            (false, None) => String::new(),
        }
    }

    fn csv_line(&self, facts: &Facts<'_>, groups: bool, at: u32, out: &mut String) {
        if groups {
            let Some(row) = self.group_row(facts, at) else { return };
            Line::new(out).text(&row.key).number(Some(row.bytes)).number(Some(row.count)).end();
        } else if let Some(&id) = self.ids.get(at as usize) {
            csv_row(&facts.row(id), out);
        }
    }

    /// What the allocations of a group have alike, in words.
    pub fn group_name(&self, facts: &Facts<'_>, at: usize) -> Option<String> {
        let (column, group) = (self.group?, self.groups.get(at)?);
        let line = self.group_line(facts, column, group, false);
        Some(match (column, line.at.filter(|at| !at.is_empty())) {
            (_, Some(at)) => format!("{} {at}", line.label),
            (Column::Stream | Column::Step, None) => format!("{} {}", column.name(), line.label),
            (Column::Pool, None) if !line.label.contains(' ') => format!("{} pool", line.label),
            (_, None) => line.label,
        })
    }

    /// A group: places by name, file and line.
    fn group_row(&self, facts: &Facts<'_>, at: u32) -> Option<GroupRow> {
        let (column, group) = (self.group?, self.groups.get(at as usize)?);
        let line = self.group_line(facts, column, group, false);
        let an_id = *self.ids.get(group.first as usize)?;
        let key = match (column, line.at) {
            (Column::Size, _) => group.key.to_string(),
            (Column::Step, _) => facts.step(an_id).map_or(line.label, |step| step.to_string()),
            (_, Some(at)) if !at.is_empty() => format!("{} {at}", line.label),
            _ => line.label,
        };
        let stack_id = (column == Column::Stack).then(|| facts.rows.stack(an_id));
        Some(GroupRow { key, bytes: group.bytes, count: group.count, stack_id })
    }
}

fn separate(text: &mut String, at: u32) {
    if at > 0 {
        text.push(',');
    }
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

fn csv_row(row: &Row<'_>, out: &mut String) {
    let mut line = Line::new(out);
    line.number(Some(row.id))
        .number(Some(row.requested_bytes))
        .number(row.bytes)
        .number(Some(row.block_bytes));
    line.text(row.category).number(row.confidence).text(row.rule.unwrap_or_default());
    line.text(row.name).text(row.at).number(Some(row.of_free)).text(row.operator.unwrap_or_default());
    line.number(row.alloc_event).number(row.free_event);
    line.number(row.lived_us).number(Some(row.lived_events)).number(Some(row.alive_at_end));
    line.text(&row.stream).text(&row.pool).text(row.phase.unwrap_or_default()).number(row.step);
    line.text(&row.address).number(row.stack_id.map(|stack| stack.0)).end();
}
