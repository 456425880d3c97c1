//! Rank correlation.

use vramscope_core::order;

/// Spearman's coefficient of a list of different numbers against its order: −1 if it falls throughout. 0 for fewer than three.
pub(super) fn falls_or_rises(values: &[u32]) -> f64 {
    let n = values.len();
    if n < 3 {
        return 0.0;
    }
    let mut sorted: Vec<(u64, u32)> =
        values.iter().zip(0..).map(|(&value, at)| (u64::from(value), at)).collect();
    order::pairs(&mut sorted);
    let squares = sorted.iter().enumerate().map(|(rank, (_, at))| {
        let difference = rank as f64 - f64::from(*at);
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
