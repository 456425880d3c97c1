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
mod gaps;
mod lanes;
mod moment;
mod navigate;
mod opened;
mod overview;
mod periods;
mod search;
mod settings;
mod stack;
mod state;
pub mod summary;

pub use allocation::{Allocation, CategoryOf, PhaseOf, allocation};
pub use chart::{Chart, chart};
pub use choices::{Choices, choices};
pub use composition::{Categories, Composition, OwnBytes, composition};
pub use lanes::{Calls, Lanes, Range, lanes};
pub use moment::{Alive, Moment, Row, alive, point, point_in};
pub use opened::{Opened, opened};
pub use overview::{Overview, overview};
pub use periods::Period;
pub use search::{AliveAtPeak, Found, FoundNext, FoundStack, LastSearch, Matches, PatternError, Way};
pub use search::{found_stacks, has_upper_case, search, search_next};
pub use settings::{Settings, settings};
pub use stack::{Group, groups};
pub use state::{AllocatorState, DeviceState, ListedBlock, ListedSegment, listed, state};

use serde::Deserialize;

use crate::ids::StackId;
use crate::model::{PoolId, SegmentKind};
use crate::replay::stacking::Stacking;
use crate::replay::{Axis, Recording};

/// A question.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case")]
enum Question {
    Overview {
        device: i64,
    },
    Chart {
        device: i64,
        #[serde(default)]
        axis: Axis,
        columns: u32,
        x0: Option<f64>,
        x1: Option<f64>,
    },
    Moment {
        device: i64,
        moment: u32,
        #[serde(default)]
        stacking: Stacking,
    },
    Composition {
        device: i64,
        moment: u32,
    },
    Point {
        device: i64,
        moment: u32,
        bytes: Option<u64>,
        #[serde(default)]
        stacking: Stacking,
    },
    Allocation {
        device: i64,
        id: u32,
        moment: Option<u32>,
        #[serde(default)]
        stacking: Stacking,
    },
    Neighbour {
        device: i64,
        id: u32,
        moment: u32,
        towards: navigate::Towards,
        #[serde(default)]
        stacking: Stacking,
    },
    Snap {
        device: i64,
        moment: u32,
        kind: navigate::Stop,
        towards: navigate::Side,
    },
    Alive {
        device: i64,
        moment: u32,
        limit: u32,
    },
    Lanes {
        device: i64,
        #[serde(default)]
        axis: Axis,
        x0: Option<f64>,
        x1: Option<f64>,
        width: u32,
    },
    Place {
        device: i64,
        #[serde(default)]
        axis: Axis,
        moment: u32,
    },
    At {
        device: i64,
        #[serde(default)]
        axis: Axis,
        x: f64,
    },
    Stack {
        id: u32,
    },
    State {
        device: i64,
        moment: u32,
    },
    Search {
        device: i64,
        pattern: String,
    },
    SearchNext {
        device: i64,
        pattern: String,
        from: Option<u32>,
        towards: Way,
    },
    Summary,
    Choices {
        device: i64,
    },
    Settings,
}

/// The JSON answer to a JSON question; `null` for an unknown device or allocation, `{"error":…}` for a question that is none.
#[inline]
pub fn answer(recording: &Recording, question: &str) -> String {
    answer_after(&mut LastSearch::default(), recording, question)
}

/// The same, where a question about what was searched for last is quick to answer.
#[inline]
pub fn answer_after(last: &mut LastSearch, recording: &Recording, question: &str) -> String {
    let text = match serde_json::from_str(question) {
        Ok(question) => reply(last, recording, question),
        Err(error) => serde_json::to_string(&serde_json::json!({ "error": error.to_string() })),
    };
    text.unwrap_or_else(|_| "null".into())
}

#[inline]
fn reply(last: &mut LastSearch, recording: &Recording, question: Question) -> serde_json::Result<String> {
    use serde_json::to_string;
    match question {
        Question::Overview { device } => to_string(&overview(recording, device)),
        Question::Chart { device, axis, columns, x0, x1 } => {
            to_string(&chart(recording, device, axis, columns, x0, x1))
        }
        Question::Moment { device, moment: at, stacking } => {
            to_string(&point(recording, device, at, None, stacking))
        }
        Question::Composition { device, moment } => to_string(&composition(recording, device, moment)),
        Question::Point { device, moment, bytes, stacking } => {
            to_string(&point(recording, device, moment, bytes, stacking))
        }
        Question::Allocation { device, id, moment, stacking } => {
            to_string(&allocation(recording, device, id, moment, stacking))
        }
        Question::Neighbour { device, id, moment, towards, stacking } => {
            to_string(&navigate::neighbour(recording, device, id, moment, towards, stacking))
        }
        Question::Snap { device, moment, kind, towards } => {
            to_string(&navigate::snap(recording, device, moment, kind, towards))
        }
        Question::Alive { device, moment, limit } => to_string(&alive(recording, device, moment, limit)),
        Question::Lanes { device, axis, x0, x1, width } => {
            to_string(&lanes(recording, device, axis, (x0, x1), width))
        }
        Question::Place { device, axis, moment } => {
            to_string(&navigate::place(recording, device, axis, moment))
        }
        Question::At { device, axis, x } => to_string(&navigate::at(recording, device, axis, x)),
        Question::State { device, moment } => to_string(&state(recording, device, moment)),
        Question::Search { device, pattern } => match last.get(&recording.snapshot, &pattern) {
            Ok(matches) => to_string(&search(recording, device, matches)),
            Err(error) => to_string(&error),
        },
        Question::SearchNext { device, pattern, from, towards } => {
            match last.get(&recording.snapshot, &pattern) {
                Ok(matches) => to_string(&search_next(recording, device, matches, from, towards)),
                Err(error) => to_string(&error),
            }
        }
        Question::Summary => to_string(&summary::summary(recording)),
        Question::Choices { device } => to_string(&choices(recording, device)),
        Question::Settings => to_string(&settings(recording)),
        Question::Stack { id } => to_string(&serde_json::json!({ "stack": groups(recording, StackId(id)) })),
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
pub(crate) fn pool_label(kind: SegmentKind, pool: PoolId) -> String {
    match (pool, kind) {
        ((0, 0), SegmentKind::Large) => "Large pool".into(),
        ((0, 0), SegmentKind::Small) => "Small pool".into(),
        ((a, b), kind) => format!("Private pool {a}:{b}, {}", kind.name()),
    }
}
