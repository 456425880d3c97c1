//! Room for what is still to come, told from what has come.
//!
//! A column that doubles when it is full holds up to twice what it needs, and moves everything each time. The size of the file is known
//! and its records are alike, so the columns can be made as long as they will be.

/// Bytes of records before their rate is believed.
const ENOUGH_BYTES: u64 = 2 << 20;
/// What is known of a file while it is read.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Forecast {
    /// Bytes of the whole file, if they are known.
    pub(super) size_bytes: Option<u64>,
    /// Bytes read when the first event was there.
    events_from: Option<u64>,
}

impl Forecast {
    /// How many times as many records are to come as have come.
    pub(super) fn times(&mut self, fed_bytes: u64, events: u64) -> Option<f64> {
        let size_bytes = self.size_bytes?;
        if events == 0 {
            return None;
        }
        let from = *self.events_from.get_or_insert(fed_bytes);
        let since = fed_bytes.checked_sub(from).filter(|since| *since >= ENOUGH_BYTES)?;
        Some(size_bytes.saturating_sub(fed_bytes) as f64 / since as f64)
    }
}

#[cfg(test)]
mod tests {
    use vramscope_pickle::make_room;

    use super::*;

    #[test]
    fn a_column_is_as_long_as_it_will_be() {
        let mut forecast = Forecast { size_bytes: Some(100 << 20), ..Forecast::default() };
        assert_eq!(forecast.times(10 << 20, 0), None, "no event yet");
        assert_eq!(forecast.times(20 << 20, 5), None, "too early to tell");
        let times = forecast.times(40 << 20, 1000).unwrap();
        assert_eq!(times, 3.0);
        let mut column = vec![0_u64; 1000];
        make_room(&mut column, times);
        assert!((4000..4200).contains(&column.capacity()), "{}", column.capacity());
        assert_eq!(Forecast::default().times(1 << 30, 1000), None, "the size is not known");
    }
}
