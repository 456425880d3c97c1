//! Rank correlation.

/// Spearman's coefficient of a list of different numbers against its order: −1 if it falls throughout. 0 for fewer than three.
pub(super) fn falls_or_rises(values: &[u32]) -> f64 {
    let n = values.len();
    if n < 3 {
        return 0.0;
    }
    let mut order: Vec<u64> =
        values.iter().enumerate().map(|(at, &value)| u64::from(value) << 32 | at as u64).collect();
    order.sort_unstable();
    let squares = order.iter().enumerate().map(|(rank, packed)| {
        let difference = rank as f64 - (packed & 0xffff_ffff) as f64;
        difference * difference
    });
    let n = n as f64;
    1.0 - 6.0 * squares.sum::<f64>() / (n * (n * n - 1.0))
}

#[cfg(test)]
mod tests {
    use super::falls_or_rises;

    #[test]
    fn ends_of_the_scale() {
        assert_eq!(falls_or_rises(&[1, 2, 5, 9]), 1.0);
        assert_eq!(falls_or_rises(&[9, 5, 2, 1]), -1.0);
        assert_eq!(falls_or_rises(&[2, 1]), 0.0);
    }
}
