//! Answers for the page and the command line: plain structs, one file for each kind of question.
//!
//! [`answer`] takes the questions of `crates/vramscope-web/README.md` as JSON. It never fails: what is out of range is clamped, an
//! unknown id gives null. `probe` is not among them: it speaks of pixels, so `vramscope-web` turns it into `point`.
//!
//! Large functions that are no hot loops are `#[inline]`: whoever calls them compiles them, so the page builds them small although the
//! replay beside them is built fast.

mod allocation;
mod chart;
mod choices;
mod composition;
mod fields;
mod gaps;
mod lanes;
mod moment;
mod navigate;
mod opened;
mod overview;
mod pattern;
mod periods;
mod settings;
mod stack;
mod state;
pub mod summary;

pub use allocation::{Allocation, CategoryOf, PhaseOf, allocation};
pub use chart::{Chart, chart};
pub use choices::{Choices, choices};
pub use composition::{Categories, Composition, OwnBytes, composition};
pub use fields::Fields;
pub use lanes::{Calls, Lanes, Range, lanes};
pub use moment::{Alive, Moment, Row, alive, point, point_in};
pub use opened::{Opened, opened};
pub use overview::{Overview, overview};
pub use pattern::{Matches, Part, Pattern, PatternError, has_upper_case};
pub use periods::Period;
pub use settings::{Settings, settings};
pub use stack::{Group, groups};
pub use state::{
    AllocatorState, DeviceState, ListedBlock, ListedSegment, StateFigures, figures, listed, state,
};

use serde::de::Error as _;

use crate::ids::StackId;
use crate::model::{PoolId, SegmentKind};
use crate::replay::Recording;

/// The JSON answer to a JSON question; `null` for an unknown device or allocation, `{"error":…}` for a question that is none.
#[inline]
pub fn answer(recording: &Recording, question: &str) -> String {
    let text = match serde_json::from_str(question).and_then(|value| reply(recording, Fields::of(&value))) {
        Ok(text) => Ok(text),
        Err(error) => serde_json::to_string(&serde_json::json!({ "error": error.to_string() })),
    };
    text.unwrap_or_else(|_| "null".into())
}

#[inline]
fn reply(recording: &Recording, fields: Fields<'_>) -> serde_json::Result<String> {
    use serde_json::to_string;
    let device = || fields.get("device");
    let moment_asked = || fields.get("moment");
    let axis = || fields.get_or_default("axis");
    let stacking = || fields.get_or_default("stacking");
    match fields.text("ask") {
        "overview" => to_string(&overview(recording, device()?)),
        "chart" => {
            let columns = fields.get("columns")?;
            to_string(&chart(recording, device()?, axis()?, columns, fields.get("x0")?, fields.get("x1")?))
        }
        "moment" => to_string(&point(recording, device()?, moment_asked()?, None, stacking()?)),
        "composition" => to_string(&composition(recording, device()?, moment_asked()?)),
        "point" => {
            to_string(&point(recording, device()?, moment_asked()?, fields.get("bytes")?, stacking()?))
        }
        "allocation" => to_string(&allocation(
            recording,
            device()?,
            fields.get("id")?,
            fields.get("moment")?,
            stacking()?,
        )),
        "neighbour" => to_string(&navigate::neighbour(
            recording,
            device()?,
            fields.get("id")?,
            moment_asked()?,
            fields.get("towards")?,
            stacking()?,
        )),
        "snap" => {
            let (kind, towards) = (fields.get("kind")?, fields.get("towards")?);
            to_string(&navigate::snap(recording, device()?, moment_asked()?, kind, towards))
        }
        "alive" => to_string(&alive(recording, device()?, moment_asked()?, fields.get("limit")?)),
        "lanes" => {
            let range = (fields.get("x0")?, fields.get("x1")?);
            to_string(&lanes(recording, device()?, axis()?, range, fields.get("width")?))
        }
        "place" => to_string(&navigate::place(recording, device()?, axis()?, moment_asked()?)),
        "at" => to_string(&navigate::at(recording, device()?, axis()?, fields.get("x")?)),
        "state" => to_string(&state(recording, device()?, moment_asked()?)),
        "summary" => to_string(&summary::summary(recording)),
        "choices" => to_string(&choices(recording, device()?)),
        "settings" => to_string(&settings(recording)),
        "stack" => {
            let id = StackId(fields.get("id")?);
            to_string(&serde_json::json!({ "stack": groups(recording, id) }))
        }
        other => Err(serde_json::Error::custom(format_args!("unknown question `{other}`"))),
    }
}

/// The event after which a moment begins: 0 for moment 0, which has none.
pub(crate) fn event_before(moment: u32) -> u32 {
    moment.saturating_sub(1)
}

/// A stream's handle as text: "0" for the default stream, else hexadecimal.
pub fn stream_text(handle: u64) -> String {
    match handle {
        0 => "0".into(),
        handle => format!("0x{handle:x}"),
    }
}

/// A text that names the segments of one owner: "large/0:0/0".
pub fn group_key(kind: SegmentKind, pool: PoolId, stream: &str) -> String {
    format!("{}/{}:{}/{stream}", kind.name(), pool.0, pool.1)
}

/// "Large pool", or "Private pool 0:1, large".
pub fn pool_label(kind: SegmentKind, pool: PoolId) -> String {
    match (pool, kind) {
        ((0, 0), SegmentKind::Large) => "Large pool".into(),
        ((0, 0), SegmentKind::Small) => "Small pool".into(),
        ((a, b), kind) => format!("Private pool {a}:{b}, {}", kind.name()),
    }
}
