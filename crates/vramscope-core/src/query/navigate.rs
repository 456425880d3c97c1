//! From here to the next thing.

use serde::{Deserialize, Serialize};

use crate::model::{Action, Device};
use crate::order;
use crate::replay::stacking::{Stacking, neighbours};
use crate::replay::{Axis, Recording, Replay};

/// A direction in the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Towards {
    Up,
    Down,
    Left,
    Right,
}

/// Backwards or forwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Side {
    Previous,
    Next,
}

/// What to stop at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Stop {
    Event,
    /// The peaks and every OOM.
    Mark,
    /// A call of the driver.
    Segment,
    Oom,
    /// The peaks of requested and reserved bytes.
    Peak,
}

#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Neighbour {
    id: Option<u32>,
    moment: u32,
}

#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct At {
    moment: u32,
}

#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Place {
    x0: f64,
    x1: f64,
}

/// The next allocation in the pile (up, down), or the one that started before or after (left, right), with a moment at which it is alive.
#[inline]
pub(super) fn neighbour(
    recording: &Recording,
    device: i64,
    id: u32,
    moment: u32,
    towards: Towards,
    stacking: Stacking,
) -> Option<Neighbour> {
    let (_, replay) = recording.device(device)?;
    let moment = moment.min(replay.end());
    let rows = replay.allocations();
    let found = match towards {
        Towards::Up => neighbours(replay, moment, stacking, id).0.map(|run| run.allocation),
        Towards::Down => neighbours(replay, moment, stacking, id).1.map(|run| run.allocation),
        Towards::Left => (0..id).rev().find(|&id| rows.is_shown(id)),
        Towards::Right => (id.saturating_add(1)..rows.len()).find(|&id| rows.is_shown(id)),
    };
    let alive_at = |id: u32| {
        let (start, end) = (replay.allocations().start(id), replay.allocations().end(id));
        moment.clamp(start, end.saturating_sub(1).max(start)).min(replay.end())
    };
    Some(Neighbour { id: found, moment: found.map_or(moment, alive_at) })
}

/// The neighbouring event or mark; the same moment at the edge.
#[inline]
pub(super) fn snap(recording: &Recording, device: i64, moment: u32, kind: Stop, towards: Side) -> Option<At> {
    let (device, replay) = recording.device(device)?;
    let moment = moment.min(replay.end());
    let next = match (kind, towards) {
        (Stop::Event, Side::Previous) => moment.saturating_sub(1),
        (Stop::Event, Side::Next) => (moment + 1).min(replay.end()),
        (Stop::Segment, _) => segment_event(device, moment, towards).unwrap_or(moment),
        (_, Side::Previous) => {
            stops(replay, kind).into_iter().rev().find(|stop| *stop < moment).unwrap_or(moment)
        }
        (_, Side::Next) => stops(replay, kind).into_iter().find(|stop| *stop > moment).unwrap_or(moment),
    };
    Some(At { moment: next })
}

/// The moment after the neighbouring call of the driver.
fn segment_event(device: &Device, moment: u32, towards: Side) -> Option<u32> {
    let actions = &device.events.actions;
    let at = moment as usize;
    let is_call = |action: &Action| action.is_segment_event();
    match towards {
        Side::Previous => actions[..at.saturating_sub(1).min(actions.len())].iter().rposition(is_call),
        Side::Next => actions.get(at..)?.iter().position(is_call).map(|after| at + after),
    }
    .map(|event| event as u32 + 1)
}

/// Marked moments, ascending.
#[inline]
fn stops(replay: &Replay, kind: Stop) -> Vec<u32> {
    let mut stops = Vec::new();
    if kind != Stop::Peak {
        stops.extend(replay.ooms().iter().map(|event| event + 1));
    }
    if kind != Stop::Oom {
        stops.extend([replay.peak(), replay.reserved_peak()]);
    }
    order::by_number(&mut stops, |stop| (*stop).into());
    stops.dedup();
    stops
}

/// Where a moment lies on an axis.
pub(super) fn place(recording: &Recording, device: i64, axis: Axis, moment: u32) -> Option<Place> {
    let (_, replay) = recording.device(device)?;
    let moment = moment.min(replay.end());
    Some(match (axis, replay.time_at(moment)) {
        (Axis::Time, Some(begin)) => {
            let end =
                if moment == replay.end() { replay.extent(axis) } else { replay.time_at(moment + 1)? as f64 };
            Place { x0: begin as f64, x1: end }
        }
        _ => Place { x0: f64::from(moment), x1: f64::from(moment) + 1.0 },
    })
}

/// The moment at a place on an axis.
pub(super) fn at(recording: &Recording, device: i64, axis: Axis, x: f64) -> Option<At> {
    let (_, replay) = recording.device(device)?;
    let moment = match (axis, replay.duration_us()) {
        (Axis::Time, Some(_)) => replay.moment_at_time(x as i64),
        _ => x as u32,
    };
    Some(At { moment: moment.min(replay.end()) })
}
