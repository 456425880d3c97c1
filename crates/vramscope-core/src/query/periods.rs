//! Steps and phases in lanes below the timeline, never more of them than pixels.

use serde::Serialize;

use crate::replay::{Axis, Labels, Replay};

/// A step or a phase, or several too thin to part.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[allow(missing_docs)]
pub struct Period {
    /// Of the one that takes most of it, if there are several and one does; null for a step.
    pub phase: Option<&'static str>,
    /// Number of the step, from 0; of several as above.
    pub step: Option<u32>,
    /// How many it stands for.
    pub count: u32,
    /// In units of the axis; may lie outside of what was asked for.
    pub x0: f64,
    pub x1: f64,
    /// Of the one that it is named after, else of all.
    pub first_event: u32,
    pub last_event: u32,
    /// From its first event to its last.
    pub duration_us: Option<i64>,
    /// Requested bytes after its last event.
    pub end_bytes: u64,
    /// The longest: its length and its events.
    #[serde(skip)]
    longest: (f64, u32, u32),
}

/// What is shown of an axis: its borders, and the width of a pixel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shown {
    pub(super) axis: Axis,
    pub(super) from: f64,
    pub(super) to: f64,
    pub(super) px: f64,
}

/// The steps in sight.
#[inline]
pub(super) fn steps(replay: &Replay, labels: &Labels, shown: Shown) -> Vec<Period> {
    let steps = (0..).zip(&labels.steps);
    merged(replay, shown, steps.map(|(number, step)| (None, Some(number), step.first_event, step.last_event)))
}

/// The phases in sight.
#[inline]
pub(super) fn phases(replay: &Replay, labels: &Labels, shown: Shown) -> Vec<Period> {
    let phases = labels.phases.iter();
    merged(
        replay,
        shown,
        phases.map(|span| (Some(span.phase.name()), span.step, span.first_event, span.last_event)),
    )
}

type Events = (Option<&'static str>, Option<u32>, u32, u32);

/// Those in sight, from left to right. What is thinner than a pixel and lies beside its like, or in the pixel of a thicker one, becomes one
/// with it.
fn merged(replay: &Replay, shown: Shown, all: impl Iterator<Item = Events>) -> Vec<Period> {
    let mut kept: Vec<Period> = Vec::new();
    let pixel = |x: f64| ((x - shown.from) / shown.px).floor();
    for events in all.filter(|(_, _, first, last)| first <= last && *last < replay.end()) {
        let next = placed(replay, shown.axis, events);
        if next.x1 < shown.from || next.x0 > shown.to {
            continue;
        }
        let is_thin = |period: &Period| period.x1 - period.x0 < shown.px;
        match kept.last_mut() {
            // A row of thin ones, or a thin one in the last pixel of a thick one.
            Some(last)
                if is_thin(&next)
                    && ((last.count > 1 || is_thin(last)) && next.x0 - last.x1 < shown.px
                        || pixel(next.x0) < pixel(last.x1)) =>
            {
                last.join(&next);
            }
            // A thin one in the first pixel of a thick one.
            Some(last) if is_thin(last) && pixel(last.x0) == pixel(next.x0) => {
                last.join(&next);
            }
            _ => kept.push(next),
        }
    }
    for period in &mut kept {
        period.name();
        period.end_bytes = replay.requested_at(period.last_event.saturating_add(1));
        period.duration_us = replay
            .time_at(period.last_event.saturating_add(1))
            .zip(replay.time_at(period.first_event.saturating_add(1)))
            .map(|(end, start)| end - start);
    }
    kept
}

/// Where events lie: from the first one's moment to the end of the last one's, or from time to time.
fn placed(replay: &Replay, axis: Axis, (phase, step, first_event, last_event): Events) -> Period {
    let (start, end) = (first_event.saturating_add(1), last_event.saturating_add(1));
    let (x0, x1) = match replay.usable(axis) {
        Axis::Event => (f64::from(start), f64::from(end) + 1.0),
        Axis::Time => (replay.time_at(start).unwrap_or(0) as f64, replay.time_at(end).unwrap_or(0) as f64),
    };
    let longest = (x1 - x0, first_event, last_event);
    Period {
        phase,
        step,
        count: 1,
        x0,
        x1,
        first_event,
        last_event,
        duration_us: None,
        end_bytes: 0,
        longest,
    }
}

impl Period {
    /// Takes in the next one.
    fn join(&mut self, next: &Period) {
        if next.longest.0 > self.longest.0 {
            (self.phase, self.step, self.longest) = (next.phase, next.step, next.longest);
        }
        self.count += next.count;
        self.x1 = self.x1.max(next.x1);
        self.last_event = self.last_event.max(next.last_event);
    }

    /// One that takes most of the box gives it its name and its events; without such a one it has no name.
    fn name(&mut self) {
        let (length, first_event, last_event) = self.longest;
        if length * 2.0 >= self.x1 - self.x0 {
            (self.first_event, self.last_event) = (first_event, last_event);
        } else {
            (self.phase, self.step) = (None, None);
        }
    }
}
