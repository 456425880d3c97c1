//! A snapshot as if it had been cut: only some events of each device.

use std::ops::Range;

use vramscope_core::model::{Events, Snapshot};

/// Keeps the events of a range of ninths… of any fraction: `from` to `to`, 0 to 1. Without the end the final segments belong to no event.
pub fn part(mut snapshot: Snapshot, from: f64, to: f64) -> Snapshot {
    for device in &mut snapshot.devices {
        let n = device.events.len() as f64;
        keep(&mut device.events, (n * from) as usize..(n * to) as usize);
        if to < 1.0 {
            device.segments.clear();
            device.has_segments = false;
        }
    }
    snapshot.partial = to < 1.0;
    snapshot
}

fn keep(events: &mut Events, range: Range<usize>) {
    fn cut<T>(column: &mut Vec<T>, range: &Range<usize>) {
        if column.len() >= range.end {
            column.truncate(range.end);
            column.drain(..range.start);
        }
    }
    cut(&mut events.actions, &range);
    cut(&mut events.addrs, &range);
    cut(&mut events.sizes, &range);
    cut(&mut events.streams, &range);
    cut(&mut events.times_us, &range);
    cut(&mut events.stacks, &range);
    events.notes.retain(|(event, _)| range.contains(&(*event as usize)));
    events.notes.iter_mut().for_each(|(event, _)| *event -= range.start as u32);
}
