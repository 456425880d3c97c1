//! The snapshot with a planned trace in place of its own.

use std::io::{self, Write};

use vramscope_pickle::{Tree, Value};

use super::pickler::Pickler;
use super::plan::Part;
use super::source::{Source, field, is_text};

/// Writes everything as it was, but the largest trace as planned and later annotations as much later as their events.
pub(super) fn write(source: &Source, parts: &[Part], to: impl Write) -> io::Result<()> {
    let mut pickler = Pickler::start(&source.tree, to)?;
    let Value::Dict(root) = source.root else { unreachable!("a source has a dict at its top") };
    let pairs: Vec<&[Value]> = source.tree.items(root).chunks_exact(2).collect();
    pickler.begin(b"}", Some(root))?;
    pickler.batches(pairs.len(), b"s", b"u", |pickler, at| {
        let (key, value) = (pairs[at][0], pairs[at][1]);
        pickler.value(key)?;
        match value {
            Value::List(traces) if is_text(&source.tree, key, "device_traces") => {
                write_traces(pickler, source, traces, parts)
            }
            Value::List(list) if is_text(&source.tree, key, "external_annotations") => {
                write_annotations(pickler, source, list, parts)
            }
            _ => pickler.value(value),
        }
    })?;
    pickler.stop()
}

fn write_traces<W: Write>(
    pickler: &mut Pickler<W>,
    source: &Source,
    traces: u32,
    parts: &[Part],
) -> io::Result<()> {
    let items = source.tree.items(traces);
    pickler.begin(b"]", Some(traces))?;
    pickler.batches(items.len(), b"a", b"e", |pickler, at| match items[at] {
        Value::List(trace) if trace == source.trace => write_trace(pickler, source, parts),
        other => pickler.value(other),
    })
}

fn write_trace<W: Write>(pickler: &mut Pickler<W>, source: &Source, parts: &[Part]) -> io::Result<()> {
    let events = source.tree.items(source.trace);
    // Where the memo stood before each event of the source: tells whether an object is of a window's own.
    let mut before = vec![0; events.len()];
    let mut todo = parts.iter().flat_map(|part| part.events.clone().map(move |event| (part, event)));
    let mut fresh = Fresh { since: 0, until: 0 };
    pickler.begin(b"]", Some(source.trace))?;
    let len = parts.iter().map(Part::len).sum::<u64>();
    let len = usize::try_from(len).map_err(|_| super::pickler::refused("too many events"))?;
    pickler.batches(len, b"a", b"e", |pickler, _| {
        let (part, event) = todo.next().expect("as many as the parts have");
        if part.again && event == part.events.start {
            fresh = Fresh { since: before[event], until: pickler.memo_len() };
        }
        if !part.again {
            before[event] = pickler.memo_len();
        }
        let Value::Dict(dict) = events[event] else { return pickler.value(events[event]) };
        write_event(pickler, &source.tree, dict, part.shift_us, part.again.then_some(fresh))
    })
}

/// Objects that were written first in the window, when it was written before: these places in the memo.
#[derive(Clone, Copy)]
struct Fresh {
    since: u32,
    until: u32,
}

/// As when Python makes the same event once more: the dict is new, and so is the list of frames that one event or two have for themselves; frames,
/// texts and what all share are the ones that are there.
fn write_event<W: Write>(
    pickler: &mut Pickler<W>,
    tree: &Tree,
    dict: u32,
    shift_us: i64,
    again: Option<Fresh>,
) -> io::Result<()> {
    let items = tree.items(dict);
    pickler.begin(b"}", again.is_none().then_some(dict))?;
    pickler.batches(items.len() / 2, b"s", b"u", |pickler, at| {
        let (key, value) = (items[2 * at], items[2 * at + 1]);
        pickler.value(key)?;
        if let (Some(fresh), Value::List(own) | Value::Tuple(own) | Value::Dict(own)) = (again, value)
            && pickler.place(own).is_some_and(|place| (fresh.since..fresh.until).contains(&place))
        {
            pickler.forget(own);
        }
        match value {
            Value::Int(time) if shift_us != 0 && is_text(tree, key, "time_us") => {
                pickler.value(Value::Int(time.saturating_add(shift_us)))
            }
            _ => pickler.value(value),
        }
    })
}

/// Those of later moments come later; those inside a window stay with its first time.
fn write_annotations<W: Write>(
    pickler: &mut Pickler<W>,
    source: &Source,
    list: u32,
    parts: &[Part],
) -> io::Result<()> {
    let tree = &source.tree;
    let items = tree.items(list);
    let own_parts = parts.iter().filter(|part| !part.again);
    let starts: Vec<(i64, i64)> = own_parts
        .filter_map(|part| Some((source.steps.get(part.events.start)?.time_us?, part.shift_us)))
        .collect();
    pickler.begin(b"]", Some(list))?;
    pickler.batches(items.len(), b"a", b"e", |pickler, at| {
        let time = field(tree, items[at], "time_us");
        let elsewhere =
            matches!(field(tree, items[at], "device"), Some(Value::Int(device)) if device != source.device);
        let (Value::Dict(dict), Some(Value::Int(time)), false) = (items[at], time, elsewhere) else {
            return pickler.value(items[at]);
        };
        let shift_us = starts.iter().rev().find(|(start, _)| *start <= time).map_or(0, |(_, shift)| *shift);
        write_event(pickler, tree, dict, shift_us, None)
    })
}
