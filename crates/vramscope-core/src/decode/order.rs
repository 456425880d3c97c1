//! Ring buffers that were read from the wrong point.

use super::record::UNKNOWN_TIME;
use crate::model::Events;
use crate::order;

/// Gives events without a time that of the event before, or, at the start, of the first that has one.
pub(super) fn fill_unknown_times(times_us: &mut [i64]) {
    let mut last = times_us.iter().copied().find(|time| *time != UNKNOWN_TIME).unwrap_or(0);
    for time in times_us {
        match *time {
            UNKNOWN_TIME => *time = last,
            known => last = known,
        }
    }
}

/// Backward steps below this come from clock conversion and threads: file order stands.
const LARGEST_JITTER_US: i64 = 1_000;

/// If time steps back exactly once, and by more than jitter, the ring was rotated at the wrong point: puts the later half
/// first. Returns where it was cut, or `None` if the order was right.
pub(super) fn rotate_to_time_order(events: &mut Events) -> Option<usize> {
    let times = &events.times_us;
    let mut steps =
        times.windows(2).enumerate().filter(|(_, pair)| pair[1] < pair[0].saturating_sub(LARGEST_JITTER_US));
    let (before, _) = steps.next()?;
    if steps.next().is_some() || times.last()? > times.first()? {
        return None;
    }
    let cut = before + 1;
    let n = events.len() as u32;
    events.actions.rotate_left(cut);
    events.addrs.rotate_left(cut);
    events.sizes.rotate_left(cut);
    events.streams.rotate_left(cut);
    events.times_us.rotate_left(cut);
    events.stacks.rotate_left(cut);
    for (index, _) in &mut events.notes {
        *index = (*index + n - cut as u32) % n;
    }
    order::by_number(&mut events.notes, |(index, _)| (*index).into());
    Some(cut)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{StackId, StreamId};
    use crate::model::{Action, EventNotes};

    fn events(times_us: &[i64]) -> Events {
        let n = times_us.len();
        Events {
            actions: vec![Action::Alloc; n],
            addrs: (0..n as u64).collect(),
            sizes: vec![1; n],
            streams: vec![StreamId(0); n],
            times_us: times_us.to_vec(),
            stacks: vec![StackId(0); n],
            notes: vec![(0, EventNotes { pool: Some((0, 1)), ..EventNotes::default() })],
            says_pools: false,
        }
    }

    #[test]
    fn unknown_times_are_their_neighbours() {
        let mut times = [UNKNOWN_TIME, 5, UNKNOWN_TIME, 7, UNKNOWN_TIME];
        fill_unknown_times(&mut times);
        assert_eq!(times, [5, 5, 5, 7, 7]);
    }

    #[test]
    fn a_rotated_ring_is_put_right() {
        let mut ring = events(&[900_000, 950_000, 100_000, 200_000]);
        assert_eq!(rotate_to_time_order(&mut ring), Some(2));
        assert_eq!(ring.times_us, [100_000, 200_000, 900_000, 950_000]);
        assert_eq!(ring.addrs, [2, 3, 0, 1]);
        assert_eq!(ring.notes[0].0, 2);
    }

    #[test]
    fn jitter_and_sound_traces_stay() {
        for times in [&[1_000, 900, 2_000][..], &[1, 2, 3], &[], &[50_000, 10_000, 60_000, 20_000]] {
            let mut ring = events(times);
            if times.is_empty() {
                ring.notes.clear();
            }
            assert_eq!(rotate_to_time_order(&mut ring), None);
            assert_eq!(ring.times_us, times);
        }
    }
}
