//! Several recordings as ranks of one job: their peaks, the median, and which one is out of line.

use serde::{Deserialize, Serialize};
use vramscope_core::order;
use vramscope_core::units::{format_bytes, format_bytes_group};

use super::diff::change;
use super::thresholds::{FEWEST_RANKS, OUTLIER_DISTANCES, OUTLIER_SHARE};

/// One rank: a device of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
#[allow(missing_docs)]
pub struct Rank {
    pub name: String,
    pub peak_bytes: u64,
    pub reserved_bytes: u64,
    /// The program that was recorded, where it is known.
    pub program: Option<String>,
    /// When its first and last event happened, where that is known.
    pub first_time_us: Option<i64>,
    pub last_time_us: Option<i64>,
}

/// All ranks beside each other.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Ranks {
    /// What there is to say of them.
    pub sentence: String,
    /// In the order given.
    pub rows: Vec<RankRow>,
    /// The rank whose peak is the median one: of an even number the lower of the two.
    pub median: Option<u32>,
}

/// One rank beside the others.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[allow(missing_docs)]
pub struct RankRow {
    pub name: String,
    pub peak_bytes: u64,
    pub reserved_bytes: u64,
    /// To the median rank's peak.
    pub difference_bytes: i64,
    /// Out of line.
    pub outlier: bool,
}

/// Compares ranks by their peaks.
pub fn ranks(of: &[Rank]) -> Ranks {
    let places = order::of(of.len(), |a, b| of[a].peak_bytes.cmp(&of[b].peak_bytes));
    let Some(&median) = places.get(places.len().saturating_sub(1) / 2) else { return Ranks::default() };
    let middle = of[median as usize].peak_bytes;
    let mut distances: Vec<u64> = of.iter().map(|rank| rank.peak_bytes.abs_diff(middle)).collect();
    order::by_number(&mut distances, |distance| *distance);
    let usual = distances[distances.len().saturating_sub(1) / 2];
    let is_outlier = |rank: &Rank| {
        let distance = rank.peak_bytes.abs_diff(middle) as f64;
        of.len() >= FEWEST_RANKS
            && distance > 0.0
            && distance >= OUTLIER_SHARE * middle as f64
            && distance >= OUTLIER_DISTANCES * usual as f64
    };
    let row = |rank: &Rank| RankRow {
        name: rank.name.clone(),
        peak_bytes: rank.peak_bytes,
        reserved_bytes: rank.reserved_bytes,
        difference_bytes: change(middle, rank.peak_bytes),
        outlier: is_outlier(rank),
    };
    let rows: Vec<RankRow> = of.iter().map(row).collect();
    Ranks { sentence: sentence(&rows, middle), rows, median: Some(median) }
}

fn sentence(rows: &[RankRow], middle: u64) -> String {
    let out: Vec<&RankRow> = rows.iter().filter(|row| row.outlier).collect();
    let least = rows.iter().map(|row| row.peak_bytes).min().unwrap_or(0);
    let most = rows.iter().map(|row| row.peak_bytes).max().unwrap_or(0);
    match out.as_slice() {
        [] if least == most => format!("All {} peak at {}.", rows.len(), format_bytes(most)),
        [] => {
            let texts = format_bytes_group(&[least, most]);
            format!("No rank is out of line: peaks from {} to {}.", texts[0], texts[1])
        }
        [one] => {
            let texts = format_bytes_group(&[one.difference_bytes.unsigned_abs(), middle]);
            let more = if one.difference_bytes > 0 { "more" } else { "less" };
            format!(
                "{} is out of line: it peaks {} {more} than the median rank, {}.",
                one.name, texts[0], texts[1]
            )
        }
        several => format!("{} of {} ranks are out of line: {}.", several.len(), rows.len(), names(several)),
    }
}

fn names(rows: &[&RankRow]) -> String {
    let mut names: Vec<&str> = rows.iter().take(5).map(|row| row.name.as_str()).collect();
    if rows.len() > 5 {
        names.push("…");
    }
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(peaks: &[u64]) -> Ranks {
        let rank = |(at, peak): (usize, &u64)| Rank {
            name: format!("rank{at}"),
            peak_bytes: *peak,
            reserved_bytes: *peak,
            ..Rank::default()
        };
        ranks(&peaks.iter().enumerate().map(rank).collect::<Vec<_>>())
    }

    #[test]
    fn who_is_out_of_line() {
        let outliers = |peaks: &[u64]| of(peaks).rows.iter().map(|row| row.outlier).collect::<Vec<_>>();
        assert_eq!(outliers(&[100, 100, 101, 140]), [false, false, false, true]);
        assert_eq!(outliers(&[100, 100, 60]), [false, false, true]);
        // Two: nobody knows which. Stages: all differ.
        assert_eq!(outliers(&[100, 200]), [false, false]);
        assert_eq!(outliers(&[100, 120, 140, 160, 180]), [false; 5]);
        assert_eq!(outliers(&[1000, 1001, 1002, 1040]), [false; 4]);
        assert!(outliers(&[]).is_empty() && of(&[]).median.is_none());
        assert_eq!((of(&[7]).median, of(&[0, 0, 0]).rows[2].outlier), (Some(0), false));
        assert_eq!(of(&[5, 9, 7]).rows[1].difference_bytes, 2);
        let told = of(&[100 << 20, 100 << 20, 140 << 20]).sentence;
        assert!(
            told.starts_with("rank2 is out of line: it peaks 40") && told.contains("MiB more than"),
            "{told}"
        );
    }
}
