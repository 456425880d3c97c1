//! Room for what is still to come.

/// Room beyond the forecast: records of a file are alike, not the same.
const MARGIN: f64 = 1.03;

/// Room in a column for `times` as many items as there are, if it is nearly full. A column that doubles when it is full holds up to twice what it
/// needs, and moves everything each time.
pub fn make_room<T>(column: &mut Vec<T>, times: f64) {
    let (len, room) = (column.len(), column.capacity() - column.len());
    let more = (len as f64 * times * MARGIN) as usize;
    if room <= len / 8 && room < more {
        // A step of some size, also where the forecast was a little low near the end. Without the memory for it, the column grows as it goes.
        let _ = column.try_reserve_exact(more.max(len / 16));
    }
}
