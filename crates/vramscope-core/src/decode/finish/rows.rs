//! The rows of each device, out of the rows of the file.

use std::ops::Range;

use crate::decode::record::MOST_SHARING;
use crate::model::Events;

/// Cuts off lists that use rows again and again, so that memory stays in proportion to the file. Returns how many rows.
pub(super) fn limit_sharing(traces: &mut [(i64, Vec<Range<u32>>)], n_events: usize) -> usize {
    let (mut taken, mut cut) = (0, 0);
    for (_, ranges) in traces {
        let rows: usize = ranges.iter().map(|range| range.len()).sum();
        if taken + rows > MOST_SHARING * n_events {
            ranges.clear();
            cut += rows;
        } else {
            taken += rows;
        }
    }
    cut
}

/// The rows of each device. Lists that follow each other, as in every known file, are cut apart without copying rows one by one.
pub(super) fn split(mut events: Events, traces: Vec<(i64, Vec<Range<u32>>)>) -> Vec<(i64, Events)> {
    let mut end = 0;
    let in_order = traces.iter().flat_map(|(_, ranges)| ranges).all(|range| {
        let follows = range.start >= end;
        end = range.end;
        follows
    });
    let mut out = Vec::with_capacity(traces.len());
    for (ordinal, ranges) in traces.into_iter().rev() {
        let trace = match ranges.as_slice() {
            [] => Events::default(),
            [range] if in_order && range.end as usize == events.len() => {
                split_off(&mut events, range.start as usize)
            }
            _ => gather(&events, &ranges),
        };
        out.push((ordinal, trace));
    }
    out.reverse();
    out
}

fn split_off(events: &mut Events, at: usize) -> Events {
    if at == 0 {
        return std::mem::take(events);
    }
    let first_note = events.notes.partition_point(|(row, _)| (*row as usize) < at);
    let mut notes = events.notes.split_off(first_note);
    for (row, _) in &mut notes {
        *row -= at as u32;
    }
    Events {
        actions: events.actions.split_off(at),
        addrs: events.addrs.split_off(at),
        sizes: events.sizes.split_off(at),
        streams: events.streams.split_off(at),
        times_us: if events.times_us.is_empty() { Vec::new() } else { events.times_us.split_off(at) },
        stacks: events.stacks.split_off(at),
        notes,
        says_pools: events.says_pools,
    }
}

/// Copies ranges of rows: for lists that share or interleave rows, which no known writer makes.
fn gather(events: &Events, ranges: &[Range<u32>]) -> Events {
    fn pick<T: Copy>(column: &[T], ranges: &[Range<u32>]) -> Vec<T> {
        ranges
            .iter()
            .filter_map(|r| column.get(r.start as usize..r.end as usize))
            .flatten()
            .copied()
            .collect()
    }
    let mut notes = Vec::new();
    let mut before = 0;
    for range in ranges {
        let inside = events.notes.iter().filter(|(row, _)| range.contains(row));
        notes.extend(inside.map(|(row, note)| (row - range.start + before, *note)));
        before += range.end - range.start;
    }
    Events {
        actions: pick(&events.actions, ranges),
        addrs: pick(&events.addrs, ranges),
        sizes: pick(&events.sizes, ranges),
        streams: pick(&events.streams, ranges),
        times_us: pick(&events.times_us, ranges),
        stacks: pick(&events.stacks, ranges),
        notes,
        says_pools: events.says_pools,
    }
}
