//! A recording as Python's objects, with what the planner needs to know of its largest trace.

use std::fmt;
use std::io::Read;

use flate2::read::GzDecoder;
use vramscope_pickle::{Limits, Reader, Tree, Value};

const GZIP: [u8; 2] = [0x1f, 0x8b];

/// What an event does to the set of live blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// A block comes alive.
    Alloc,
    /// It waits for its streams.
    FreeRequested,
    /// It is gone.
    FreeCompleted,
    /// It is gone at once: versions that know one kind of free.
    Free,
    /// Says something, changes nothing.
    Note,
    /// Anything else: segments, failures, snapshots. Never repeated, never left out.
    Other,
}

/// One event of the largest trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// What it does.
    pub act: Act,
    /// The block's address.
    pub addr: u64,
    /// Its bytes.
    pub size: u64,
    /// Its stream.
    pub stream: u64,
    /// When, if the file says so.
    pub time_us: Option<i64>,
}

/// A recording, all of it. Takes five times its bytes.
pub struct Source {
    /// The objects.
    pub tree: Tree,
    /// The dict at the top.
    pub root: Value,
    /// The list of the largest trace.
    pub trace: u32,
    /// Its place among the traces.
    pub device: i64,
    /// Its events.
    pub steps: Vec<Step>,
    n_events: u64,
}

/// Why a file cannot be the source, as a sentence.
#[derive(Debug, PartialEq, Eq)]
pub struct Unusable(String);

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unusable {}

impl Source {
    /// Reads a pickle, plain or in gzip.
    ///
    /// # Errors
    /// It is no pickle of a snapshot, or has no history.
    pub fn read(from: &mut impl Read) -> Result<Source, Unusable> {
        let mut first = [0; 2];
        from.read_exact(&mut first).map_err(unreadable)?;
        let whole = first.as_slice().chain(from);
        if first == GZIP {
            Source::read_pickle(&mut GzDecoder::new(whole))
        } else {
            Source::read_pickle(whole)
        }
    }

    fn read_pickle(mut from: impl Read) -> Result<Source, Unusable> {
        let mut reader = Reader::new(Tree::default(), Limits::default());
        let mut piece = vec![0; 1 << 20];
        loop {
            let bytes = from.read(&mut piece).map_err(unreadable)?;
            if bytes == 0 {
                break;
            }
            reader.feed(&piece[..bytes]).map_err(unreadable)?;
        }
        let (root, tree) = reader.finish().map_err(unreadable)?;
        Source::new(root, tree)
    }

    fn new(root: Value, tree: Tree) -> Result<Source, Unusable> {
        let Some(Value::List(traces)) = field(&tree, root, "device_traces") else {
            return Err(Unusable("the file is no snapshot with a history".into()));
        };
        let lists = || tree.items(traces).iter().enumerate();
        let sizes =
            || lists().filter_map(|(at, trace)| Some((at, list(*trace)?, tree.items(list(*trace)?).len())));
        let n_events = sizes().map(|(_, _, events)| events as u64).sum();
        let Some((device, trace, _)) =
            sizes().max_by_key(|(_, _, events)| *events).filter(|largest| largest.2 > 0)
        else {
            return Err(Unusable("the snapshot has no events to repeat".into()));
        };
        let steps = tree.items(trace).iter().map(|event| step(&tree, *event)).collect();
        Ok(Source { root, trace, device: device as i64, steps, n_events, tree })
    }

    /// Events of all traces.
    pub fn n_events(&self) -> u64 {
        self.n_events
    }
}

fn unreadable(error: impl fmt::Display) -> Unusable {
    Unusable(format!("the file is no sound pickle, plain or in gzip: {error}"))
}

fn list(value: Value) -> Option<u32> {
    if let Value::List(list) = value { Some(list) } else { None }
}

/// A value of a dict.
pub(super) fn field(tree: &Tree, dict: Value, name: &str) -> Option<Value> {
    let Value::Dict(dict) = dict else { return None };
    let pair = |pair: &&[Value]| is_text(tree, pair[0], name);
    tree.items(dict).chunks_exact(2).find(pair).map(|pair| pair[1])
}

pub(super) fn is_text(tree: &Tree, value: Value, text: &str) -> bool {
    matches!(value, Value::Text(id) if tree.text_bytes(id) == text.as_bytes())
}

fn step(tree: &Tree, event: Value) -> Step {
    let mut step = Step { act: Act::Other, addr: 0, size: 0, stream: 0, time_us: None };
    let Value::Dict(event) = event else { return step };
    for pair in tree.items(event).chunks_exact(2) {
        let (Value::Text(key), value) = (pair[0], pair[1]) else { continue };
        match tree.text_bytes(key) {
            b"action" => step.act = act(tree, value),
            b"addr" => step.addr = bits(value),
            b"size" => step.size = bits(value),
            b"stream" => step.stream = bits(value),
            b"time_us" => step.time_us = if let Value::Int(time) = value { Some(time) } else { None },
            _ => {}
        }
    }
    step
}

fn act(tree: &Tree, value: Value) -> Act {
    let Value::Text(text) = value else { return Act::Other };
    match tree.text_bytes(text) {
        b"alloc" => Act::Alloc,
        b"free_requested" => Act::FreeRequested,
        b"free_completed" => Act::FreeCompleted,
        b"free" => Act::Free,
        b"annotate" | b"user_defined" => Act::Note,
        _ => Act::Other,
    }
}

fn bits(value: Value) -> u64 {
    match value {
        Value::Int(value) => value as u64,
        Value::Unsigned(value) => value,
        _ => 0,
    }
}
