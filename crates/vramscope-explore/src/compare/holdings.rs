//! What one device of one recording holds at a moment, as plain data.

use serde::{Deserialize, Serialize};
use vramscope_core::model::{FrameKind, Snapshot};
use vramscope_core::order;
use vramscope_core::replay::{Axis, Category, Labels, Recording, Replay, Site};

use super::thresholds::{CURVE_POINTS, MOST_STEPS};

/// What a device holds at a moment, and what it did in the whole recording.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Holdings {
    /// Name of the file.
    pub name: String,
    /// The device's number.
    pub device: i64,
    /// "GPU 0".
    pub label: String,
    /// The moment.
    pub moment: u32,
    /// The event after which it begins; 0 for moment 0.
    pub event: u32,
    /// How the moment was chosen.
    pub at: At,
    /// Requested bytes.
    pub total_bytes: u64,
    /// Allocations alive.
    pub count: u32,
    /// Bytes by category, all of them, then those of names that the user gave. They add up to the total.
    pub categories: Vec<Part>,
    /// Bytes by stack. They add up to the total.
    pub stacks: Vec<HeldStack>,
    /// The frames that the stacks are made of.
    pub frames: Vec<Frame>,
    /// Reserved bytes then.
    pub reserved_bytes: u64,
    /// Segments then.
    pub segments: u32,
    /// The most there ever was.
    pub peak: Peak,
    /// Requested bytes over the recording.
    pub curve: Curve,
    /// What was asked for, in order.
    pub requests: Requests,
}

/// How a moment was chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum At {
    /// The peak of requested bytes.
    #[default]
    Peak,
    /// After the last event.
    End,
    /// By hand.
    Event,
}

/// Bytes of a category.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Part {
    pub name: String,
    pub bytes: u64,
}

/// What one stack holds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct HeldStack {
    /// The stack's id in its own recording.
    pub id: u32,
    pub bytes: u64,
    pub count: u32,
    /// The category of most of its bytes.
    pub category: String,
    /// The line of code that stands for it.
    pub name: String,
    /// File and line.
    pub at: String,
    /// Places in `frames`, innermost first.
    pub frames: Vec<u32>,
}

/// A code position.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Frame {
    pub name: String,
    pub file: String,
    pub line: u32,
    /// Whose code it is: 0 the user's, 1 a library's, 2 torch's Python, 3 native.
    pub kind: u8,
}

/// The most there ever was.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Peak {
    pub moment: u32,
    pub requested_bytes: u64,
    pub reserved_bytes: u64,
}

/// Requested bytes over a recording: each point the most of its stretch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Curve {
    pub events: u32,
    pub duration_us: Option<i64>,
    /// Stretches of equal numbers of events.
    pub by_event: Vec<u64>,
    /// Stretches of equal time; empty without times.
    pub by_time: Vec<u64>,
    /// What comes before the first step, each step with what follows it, and what comes after the last.
    pub by_step: Vec<Piece>,
}

/// A step, or what lies before or after all steps.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Piece {
    pub events: u32,
    pub bytes: Vec<u64>,
}

/// The sizes that were asked for, in order: equal for two recordings if they asked for the same.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Requests {
    pub count: u32,
    pub bytes: u64,
    /// Stands for the sequence.
    pub digest: String,
}

/// What a device holds at a moment; `None` for an unknown device.
pub fn holdings(recording: &Recording, ordinal: i64, moment: u32, at: At) -> Option<Holdings> {
    let (device, replay) = recording.device(ordinal)?;
    let moment = moment.min(replay.end());
    let mut segments = 0;
    replay.segments().for_each_at(moment, |_, _| segments += 1);
    let mut held = Holdings {
        name: recording.snapshot.source.name.clone(),
        device: ordinal,
        label: device.label(),
        moment,
        event: moment.saturating_sub(1),
        at,
        total_bytes: replay.requested_at(moment),
        reserved_bytes: replay.reserved_at(moment),
        segments,
        peak: Peak {
            moment: replay.peak(),
            requested_bytes: replay.requested_at(replay.peak()),
            reserved_bytes: replay.reserved_at(replay.reserved_peak()),
        },
        curve: curve(replay),
        requests: requests(replay),
        ..Holdings::default()
    };
    add_alive(&mut held, &recording.snapshot, replay);
    Some(held)
}

/// The name of what an allocation is: its category, or the user's own word.
pub(super) fn category_of(labels: Option<&Labels>, allocation: u32) -> &str {
    let rule = labels.and_then(|labels| labels.rule(allocation));
    rule.map_or(Category::Unknown.name(), |rule| rule.own_name.as_deref().unwrap_or(rule.category.name()))
}

/// Adds up what is alive, by category and by stack.
fn add_alive(held: &mut Holdings, snapshot: &Snapshot, replay: &Replay) {
    let rows = replay.allocations();
    held.categories = Category::ALL.map(|category| Part { name: category.name().into(), bytes: 0 }).into();
    let mut alive = Vec::new();
    replay.for_each_live(held.moment, |id| alive.push(id));
    held.count = alive.len() as u32;
    for &id in &alive {
        let (name, bytes) = (category_of(replay.labels(), id), rows.size_bytes(id));
        match held.categories.iter_mut().find(|part| part.name == name) {
            Some(part) => part.bytes = part.bytes.saturating_add(bytes),
            None => held.categories.push(Part { name: name.into(), bytes }),
        }
    }
    order::by_number(&mut alive, |id| u64::from(rows.stack(*id).0));
    let mut known = vec![u32::MAX; snapshot.stacks.n_frames()];
    for alike in alive.chunk_by(|a, b| rows.stack(*a) == rows.stack(*b)) {
        let Some(&first) = alike.first() else { continue };
        let stack = rows.stack(first);
        let mut parts: Vec<(&str, u64)> = Vec::new();
        for &id in alike {
            let (name, bytes) = (category_of(replay.labels(), id), rows.size_bytes(id));
            match parts.iter_mut().find(|part| part.0 == name) {
                Some(part) => part.1 = part.1.saturating_add(bytes),
                None => parts.push((name, bytes)),
            }
        }
        let largest = parts.iter().fold(("", 0), |most, part| if part.1 >= most.1 { *part } else { most });
        let mut frames = Vec::new();
        for id in snapshot.stacks.frames_of(stack) {
            let Some(place) = known.get_mut(id.index()) else { continue };
            if *place == u32::MAX {
                *place = held.frames.len() as u32;
                held.frames.extend(snapshot.stacks.frame(*id).map(|frame| Frame {
                    name: snapshot.strings.get(frame.name).into_owned(),
                    file: snapshot.strings.get(frame.file).into_owned(),
                    line: frame.line,
                    kind: kind(frame.kind(&snapshot.strings)),
                }));
            }
            frames.push(*place);
        }
        let site = Site::of_stack(stack, snapshot);
        held.stacks.push(HeldStack {
            id: stack.0,
            bytes: parts.iter().fold(0, |sum, part| sum.saturating_add(part.1)),
            count: alike.len() as u32,
            category: largest.0.to_owned(),
            name: site.name(snapshot),
            at: site.at(snapshot),
            frames,
        });
    }
}

fn kind(kind: FrameKind) -> u8 {
    match kind {
        FrameKind::Own => 0,
        FrameKind::Library => 1,
        FrameKind::Torch => 2,
        FrameKind::Cpp => 3,
    }
}

/// The most of each of so many equal stretches of moments.
fn stretches(replay: &Replay, from: u32, to: u32, points: u32) -> Vec<u64> {
    let edge = |at: u32| from + (u64::from(to - from) * u64::from(at) / u64::from(points.max(1))) as u32;
    let most = |at| replay.requested_at(replay.fullest(edge(at), edge(at + 1).max(edge(at) + 1).min(to)));
    (0..points).map(most).collect()
}

fn curve(replay: &Replay) -> Curve {
    let n_moments = replay.n_moments();
    let duration_us = replay.duration_us().filter(|us| *us > 0);
    let extent = replay.extent(Axis::Time);
    let edge = |at: u32| extent * f64::from(at) / f64::from(CURVE_POINTS);
    let mut last = 0;
    let by_time = (0..CURVE_POINTS).map(|at| {
        // Where nothing happened, what was before goes on.
        if let Some(moments) = replay.moments_between(Axis::Time, edge(at), edge(at + 1)) {
            last = replay.requested_at(replay.fullest(moments.start, moments.end));
        }
        last
    });
    Curve {
        events: replay.end(),
        duration_us,
        by_time: duration_us.map(|_| by_time.collect()).unwrap_or_default(),
        by_event: stretches(replay, 0, n_moments, CURVE_POINTS.min(n_moments)),
        by_step: pieces(replay),
    }
}

/// The moments from step to step; empty without steps.
fn pieces(replay: &Replay) -> Vec<Piece> {
    let steps = replay.labels().map(|labels| labels.steps.as_slice()).unwrap_or_default();
    let Some(last) = steps.last() else { return Vec::new() };
    let n_moments = replay.n_moments();
    let starts = steps.iter().map(|step| step.first_event.saturating_add(1)).take(MOST_STEPS);
    let mut edges: Vec<u32> = [0].into_iter().chain(starts).collect();
    if steps.len() <= MOST_STEPS {
        edges.push(last.last_event.saturating_add(2));
    }
    edges.push(n_moments);
    let points = (CURVE_POINTS / steps.len().min(MOST_STEPS) as u32).max(2);
    let clamped = |at: usize| edges.get(at).copied().unwrap_or(n_moments).min(n_moments);
    let piece = |at: usize| {
        let (from, to) = (clamped(at), clamped(at + 1));
        let events = to.saturating_sub(from);
        Piece { events, bytes: stretches(replay, from, to.max(from), points.min(events)) }
    };
    (0..edges.len() - 1).map(piece).collect()
}

/// A digest by FNV-1a, twice with different seeds: nobody who asks for something else has the same by chance.
fn requests(replay: &Replay) -> Requests {
    let rows = replay.allocations();
    let (mut a, mut b) = (0xcbf2_9ce4_8422_2325_u64, 0x9e37_79b9_7f4a_7c15_u64);
    let mut requests = Requests::default();
    for id in (0..rows.len()).filter(|id| rows.is_shown(*id) && !rows.before_recording(*id)) {
        let size = rows.size_bytes(id);
        for byte in size.to_le_bytes() {
            a = (a ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
        b = (b.rotate_left(5) ^ size).wrapping_mul(0x517c_c1b7_2722_0a95);
        requests.count += 1;
        requests.bytes = requests.bytes.saturating_add(size);
    }
    requests.digest = format!("{a:x}-{b:x}");
    requests
}
