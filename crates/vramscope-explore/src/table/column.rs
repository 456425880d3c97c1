//! The columns by which allocations are sorted and grouped.

use serde_json::Value;
use vramscope_core::query::Fields;

/// What is known of each allocation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Column {
    /// Requested bytes.
    #[default]
    Size,
    /// Bytes of its block.
    Block,
    /// Bytes of its block that nobody asked for.
    Rounding,
    /// What it holds.
    Category,
    /// The line of code that stands for its stack.
    Site,
    /// The ATen operator that asked for it.
    Operator,
    /// Event that made it; what was there before comes first.
    AllocEvent,
    /// Event that completed its free.
    FreeEvent,
    /// How long: microseconds, or events where there are no times.
    Lived,
    /// Stream.
    Stream,
    /// Small, large or private.
    Pool,
    /// Phase that made it.
    Phase,
    /// Step that made it.
    Step,
    /// Start address.
    Address,
    /// Its whole stack: to group by.
    Stack,
}

/// Columns and their names in questions.
const NAMES: [(&str, Column); 15] = [
    ("size", Column::Size),
    ("block", Column::Block),
    ("rounding", Column::Rounding),
    ("category", Column::Category),
    ("site", Column::Site),
    ("operator", Column::Operator),
    ("alloc", Column::AllocEvent),
    ("free", Column::FreeEvent),
    ("lived", Column::Lived),
    ("stream", Column::Stream),
    ("pool", Column::Pool),
    ("phase", Column::Phase),
    ("step", Column::Step),
    ("address", Column::Address),
    ("stack", Column::Stack),
];

impl Column {
    /// The column of a name.
    pub fn named(name: &str) -> Option<Column> {
        NAMES.iter().find(|(each, _)| *each == name).map(|(_, column)| *column)
    }

    /// Its name in questions.
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(_, each)| *each == self).map_or("", |(name, _)| name)
    }

    /// Allocations can be put together by it: many have the same value.
    pub fn groups(self) -> bool {
        use Column::{Category, Phase, Pool, Site, Size, Stack, Step, Stream};
        matches!(self, Site | Stack | Category | Size | Stream | Pool | Phase | Step)
    }

    /// Its values need more than 32 bits, and none is missing.
    pub(super) fn is_wide(self) -> bool {
        matches!(self, Column::Size | Column::Block | Column::Rounding | Column::Lived | Column::Address)
    }
}

/// One key of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sort {
    /// By what.
    pub column: Column,
    /// The largest first. What has no value comes last either way.
    pub down: bool,
}

/// More keys than anybody asks for.
const MAX_KEYS: usize = 4;

impl Sort {
    /// The largest first.
    pub const LARGEST: Sort = Sort { column: Column::Size, down: true };

    /// The keys of a question, the first deciding; unknown columns are left out, and without any the largest come first.
    pub(super) fn read(fields: Fields<'_>) -> Vec<Sort> {
        let list = fields.value("sort").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let one = |value| {
            let fields = Fields::of(value);
            let down = fields.value("down").and_then(Value::as_bool).unwrap_or(false);
            Column::named(fields.text("column")).map(|column| Sort { column, down })
        };
        let keys: Vec<Sort> = list.iter().filter_map(one).take(MAX_KEYS).collect();
        if keys.is_empty() { vec![Sort::LARGEST] } else { keys }
    }
}
