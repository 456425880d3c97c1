//! Of which allocations a table is.

use serde_json::Result;
use vramscope_core::bits::Bits;
use vramscope_core::query::Fields;
use vramscope_core::replay::{Axis, Replay};

/// Which allocations. What a filter of stream and pool leaves out is in none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// Alive at a moment.
    Alive(u32),
    /// Made by an event after which a moment of `from..to` begins.
    Made(u32, u32),
    /// Freed by such an event.
    Freed(u32, u32),
    /// All.
    All,
}

impl Of {
    /// `"of":"peak"|"end"|"moment"|"made"|"freed"|"all"`, with `"moment"`, or `"axis"`, `"x0"` and `"x1"`. The peak if it is another.
    pub(super) fn read(fields: Fields<'_>, replay: &Replay) -> Result<Of> {
        let range = || -> Result<(u32, u32)> {
            let axis: Axis = fields.get_or_default("axis")?;
            let (x0, x1): (Option<f64>, Option<f64>) = (fields.get("x0")?, fields.get("x1")?);
            let range = replay.moments_between(axis, x0.unwrap_or(0.0), x1.unwrap_or(f64::INFINITY));
            Ok(range.map_or((0, 0), |range| (range.start, range.end)))
        };
        Ok(match fields.text("of") {
            "all" => Of::All,
            "end" => Of::Alive(replay.end()),
            "moment" => Of::Alive(fields.get::<u32>("moment")?.min(replay.end())),
            "made" => range().map(|(from, to)| Of::Made(from, to))?,
            "freed" => range().map(|(from, to)| Of::Freed(from, to))?,
            _ => Of::Alive(replay.peak()),
        })
    }

    /// Visits them in order of start, each with whether it is among those that match.
    pub(super) fn for_each(self, replay: &Replay, matches: Option<&Bits>, visit: &mut dyn FnMut(u32, bool)) {
        let rows = replay.allocations();
        let matching = |id| matches.is_none_or(|matches| matches.has(id));
        let mut all = |keep: &dyn Fn(u32) -> bool| {
            let shown = (0..rows.len()).filter(|&id| rows.is_shown(id) && keep(id));
            shown.for_each(|id| visit(id, matching(id)));
        };
        match self {
            // What is alive at a moment costs what is alive then, not what the recording is long.
            Of::Alive(moment) => replay.for_each_live(moment, |id| visit(id, matching(id))),
            Of::Made(from, to) => all(&|id| (from.max(1)..to).contains(&rows.start(id))),
            Of::Freed(from, to) => all(&|id| (from.max(1)..to).contains(&rows.end(id))),
            Of::All => all(&|_| true),
        }
    }

    /// The moment, if it is of one.
    pub fn moment(self) -> Option<u32> {
        match self {
            Of::Alive(moment) => Some(moment),
            _ => None,
        }
    }
}
