//! The page's questions about tables. The last table is kept, and what it was made of: scrolling sorts nothing anew, nor does grouping.

use serde::Serialize;
use serde_json::{Result, Value};
use vramscope_core::bits::Bits;
use vramscope_core::query::Fields;
use vramscope_core::replay::Recording;

use super::column::{Column, Sort};
use super::export::Format;
use super::facts::Facts;
use super::list::Table;
use super::names::Names;
use super::of::Of;
use super::sizes::Sizes;

/// What is kept between questions: four bytes for each row of the last table in each of its stages, and the names of the recording's stacks.
#[derive(Default)]
pub struct Tables {
    names: Option<Names>,
    /// Chosen, sorted, grouped.
    stages: [Option<(Asked, Table)>; 3],
}

/// What a table was made for.
#[derive(Clone, PartialEq)]
struct Asked {
    device: i64,
    of: Of,
    expression: String,
    sort: Vec<Sort>,
    group: Option<Column>,
    /// Its rows are in order inside groups, too.
    inside: bool,
}

impl Tables {
    /// The table is of other labels, sizes of blocks or filters than are in force now.
    pub fn forget(&mut self) {
        self.stages = Default::default();
    }

    /// The JSON answer to a question; `None` for one that is not about tables. `matches` is what the expression of the question chooses.
    pub fn answer(
        &mut self,
        recording: &Recording,
        question: Fields<'_>,
        matches: Option<&Bits>,
    ) -> Result<Option<String>> {
        let ask = question.text("ask");
        if !matches!(ask, "table_rows" | "table_sizes" | "table_export") {
            return Ok(None);
        }
        let device = question.get("device")?;
        let names = self.names.get_or_insert_with(|| Names::of(&recording.snapshot));
        let Some(facts) = Facts::of(recording, device, names) else { return json(&Value::Null) };
        let of = Of::read(question, facts.replay)?;
        if ask == "table_sizes" {
            return json(&Sizes::new(&facts, of, matches, question.get_or_default("steps")?));
        }
        let (sort, group) = (Sort::read(question), Column::named(question.text("group")));
        let open = opened(question);
        // Closed groups need no order inside.
        let inside = group.is_none() || ask != "table_rows" || !open.is_empty();
        let asked = Asked { device, of, expression: expression(question), sort: sort.clone(), group, inside };
        let in_order = Asked { group: None, inside: true, ..asked.clone() };
        let in_table = Asked { sort: Vec::new(), ..in_order.clone() };
        let [chosen, sorted, grouped] = &mut self.stages;
        let (from, count) = (question.get("from")?, question.get("count")?);
        let mut table = kept(chosen, in_table, &mut || Table::chosen(&facts, of, matches));
        let wanted = ask == "table_rows" && group.is_none();
        if wanted && sorted.as_ref().is_none_or(|(of, _)| *of != in_order) {
            let top = table.top(&facts, &sort, question.get("find")?, (from, count));
            if top.is_some() {
                return json(&top);
            }
        }
        if inside {
            table = kept(sorted, in_order, &mut || table.clone().sorted(&facts, &sort));
        }
        if group.is_some() {
            table = kept(grouped, asked, &mut || table.clone().grouped(&facts, &sort, group));
        }
        if ask == "table_rows" {
            return json(&table.window(&facts, open, question.get("find")?, (from, count)));
        }
        let format = if question.text("format") == "csv" { Format::Csv } else { Format::Json };
        let groups = question.get_or_default("groups")?;
        json(&table.export(&facts, device, format, groups, from, count))
    }
}

/// The table that is kept, or one that is made now.
fn kept<'a>(
    kept: &'a mut Option<(Asked, Table)>,
    asked: Asked,
    make: &mut dyn FnMut() -> Table,
) -> &'a mut Table {
    let known = kept.take().filter(|(of, _)| *of == asked);
    &mut kept.insert(known.unwrap_or_else(|| (asked, make()))).1
}

/// The keys of open groups: texts, since numbers of JavaScript end at 2^53.
fn opened(question: Fields<'_>) -> Vec<u64> {
    let keys = question.value("open").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    keys.iter().filter_map(|key| key.as_str()?.parse().ok()).collect()
}

fn json(answer: &impl Serialize) -> Result<Option<String>> {
    serde_json::to_string(answer).map(Some)
}

/// What the set of matches follows from: an expression, and the moments marked.
fn expression(question: Fields<'_>) -> String {
    format!("{} {}", question.text("expr"), question.value("marks").unwrap_or(&Value::Null))
}
