//! When events happened, since the first one.

use super::passes;

/// Microseconds since the first event at each event, never falling: backward jitter is levelled, so that they can be searched. Half the
/// memory for recordings of up to 71 minutes. Empty without times.
#[derive(Clone, Debug)]
pub(super) enum Times {
    Short(Vec<u32>),
    Long(Vec<i64>),
}

impl Times {
    /// From times since the epoch.
    pub(super) fn rising(times_us: &[i64]) -> Self {
        let Some(&first) = times_us.first() else { return Times::Short(Vec::new()) };
        let (mut short, mut fits) = (Vec::with_capacity(times_us.len()), true);
        for_each_rising(times_us, first, |time| match u32::try_from(time) {
            Ok(time) => short.push(time),
            Err(_) => fits = false,
        });
        if fits {
            return Times::Short(short);
        }
        drop(short);
        let mut long = Vec::with_capacity(times_us.len());
        for_each_rising(times_us, first, |time| long.push(time));
        Times::Long(long)
    }

    /// That of an event.
    pub(super) fn get(&self, event: usize) -> Option<i64> {
        match self {
            Times::Short(times) => times.get(event).map(|&time| i64::from(time)),
            Times::Long(times) => times.get(event).copied(),
        }
    }

    /// The last.
    pub(super) fn last(&self) -> Option<i64> {
        match self {
            Times::Short(times) => times.last().map(|&time| i64::from(time)),
            Times::Long(times) => times.last().copied(),
        }
    }

    /// How many events had happened by a time.
    pub(super) fn happened_by(&self, us: i64) -> usize {
        match self {
            Times::Short(times) => times.partition_point(|&time| i64::from(time) <= us),
            Times::Long(times) => times.partition_point(|&time| time <= us),
        }
    }
}

fn for_each_rising(times_us: &[i64], first: i64, mut take: impl FnMut(i64)) {
    let mut latest = 0;
    passes::for_each(times_us.len(), |event| {
        latest = latest.max(times_us[event].saturating_sub(first));
        take(latest);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_and_long_recordings_are_alike() {
        let short = Times::rising(&[100, 90, 160, 150, 200]);
        let long = Times::rising(&[100, 90, 160, 150, 1 << 40]);
        assert!(matches!((&short, &long), (Times::Short(_), Times::Long(_))));
        for times in [short, long] {
            assert_eq!((0..4).filter_map(|event| times.get(event)).collect::<Vec<_>>(), [0, 0, 60, 60]);
            assert_eq!([-1, 0, 59, 60, 99].map(|us| times.happened_by(us)), [0, 2, 2, 4, 4]);
        }
        assert_eq!(Times::rising(&[]).last(), None);
        assert_eq!(Times::rising(&[i64::MIN, i64::MAX]).last(), Some(i64::MAX), "no overflow");
    }
}
