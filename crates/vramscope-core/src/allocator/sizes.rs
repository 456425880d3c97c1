//! R1 constants, R2 rounding, R3 segment sizes. All in bytes.

use super::Config;

/// One mebibyte.
pub const MIB: u64 = 1 << 20;
/// Every block is a multiple of this (`kMinBlockSize`).
pub const MIN_BLOCK: u64 = 512;
/// Rounded requests up to this are served by the small pool (`kSmallSize`).
pub const SMALL_SIZE: u64 = MIB;
/// A segment of the small pool, and a page of its expandable segments (`kSmallBuffer`).
pub const SMALL_BUFFER: u64 = 2 * MIB;
/// Rounded requests from this on get a segment of their own size (`kMinLargeAlloc`).
pub const MIN_LARGE_ALLOC: u64 = 10 * MIB;
/// A segment of the large pool for smaller requests, and a page of its expandable segments (`large_segment_size_mb`).
pub const LARGE_BUFFER: u64 = 20 * MIB;
/// Segments of their own size are multiples of this (`kRoundLarge`).
pub const ROUND_LARGE: u64 = 2 * MIB;

/// Rounds up to a multiple; saturates.
pub(crate) fn round_up(size: u64, multiple: u64) -> u64 {
    size.div_ceil(multiple).saturating_mul(multiple)
}

/// R2: the size of the block that a request needs (`round_size`).
pub fn round_size(size: u64, config: &Config) -> u64 {
    if size < MIN_BLOCK {
        return MIN_BLOCK;
    }
    let log2 = size.ilog2();
    let interval = log2.saturating_sub(20).min(15) as usize;
    let divisions = u64::from(config.power2_divisions[interval]);
    if divisions > 1 && size > MIN_BLOCK.saturating_mul(divisions) {
        if size.is_power_of_two() {
            return size;
        }
        let step = (1 << log2) >> divisions.ilog2();
        return if step == 0 { 1 << (log2 + 1).min(63) } else { round_up(size, step) };
    }
    round_up(size, MIN_BLOCK)
}

/// R3: the size of the segment that is asked for when nothing fits a rounded request (`get_allocation_size`).
pub fn segment_size(rounded: u64, config: &Config) -> u64 {
    match rounded {
        0..=SMALL_SIZE => SMALL_BUFFER,
        _ if rounded < MIN_LARGE_ALLOC => config.large_segment_bytes,
        _ => round_up(rounded, ROUND_LARGE),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_rounded_to_512_bytes() {
        let config = Config::default();
        for (size, rounded) in [(0, 512), (1, 512), (512, 512), (513, 1024), (1 << 40, 1 << 40)] {
            assert_eq!(round_size(size, &config), rounded);
        }
    }

    #[test]
    fn or_to_a_division_between_powers_of_two() {
        let config = Config { power2_divisions: [4; 16], ..Config::default() };
        assert_eq!(round_size(1_200, &config), 1_536, "too small for divisions");
        assert_eq!(round_size(2_049, &config), 2_560);
        assert_eq!(round_size((1 << 20) + 1, &config), (1 << 20) + (1 << 18));
        assert_eq!(round_size(1 << 21, &config), 1 << 21);
        assert_eq!(round_size(u64::MAX, &config), u64::MAX, "saturates");
    }

    #[test]
    fn segments() {
        let config = Config::default();
        assert_eq!(segment_size(MIB, &config), 2 * MIB);
        assert_eq!(segment_size(MIB + 512, &config), 20 * MIB);
        assert_eq!(segment_size(10 * MIB, &config), 10 * MIB);
        assert_eq!(segment_size(11 * MIB, &config), 12 * MIB);
    }
}
