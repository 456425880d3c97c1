//! Numbers as text: one formatter for axis, table, tooltip and command line.
//!
//! Units are binary and say so. A no-break space stands before the unit.

/// No-break space, between a number and its unit.
const NBSP: char = '\u{a0}';
const UNITS: [&str; 7] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];

/// One decimal and a binary unit: "43.8 GiB", "512 B".
pub fn format_bytes(bytes: u64) -> String {
    in_unit(bytes, own_unit(bytes), 1)
}

/// Figures that stand together: one shared unit, that of the largest, and as many decimals (up to three) as make different
/// values look different and keep each within 2.5 % of the truth. A value below a twentieth of the unit gets its own.
pub fn format_bytes_group(values: &[u64]) -> Vec<String> {
    let unit = own_unit(values.iter().copied().max().unwrap_or(0));
    let text = |decimals| values.iter().map(move |&bytes| shared(bytes, unit, decimals)).collect::<Vec<_>>();
    let near = |decimals: usize| values.iter().all(|&bytes| is_near(bytes, unit, decimals));
    let enough = |decimals: &usize| near(*decimals) && all_told_apart(values, &text(*decimals));
    text((1..=3).find(enough).unwrap_or(3))
}

fn is_small(bytes: u64, unit: usize) -> bool {
    (bytes as f64) < 0.05 * size_of_unit(unit)
}

/// Rounding to so many decimals changes the value by at most 2.5 %.
fn is_near(bytes: u64, unit: usize, decimals: usize) -> bool {
    let (value, scale) = (bytes as f64 / size_of_unit(unit), 10f64.powi(decimals as i32));
    is_small(bytes, unit) || ((value * scale).round() / scale - value).abs() <= 0.025 * value
}

fn shared(bytes: u64, unit: usize, decimals: usize) -> String {
    if is_small(bytes, unit) { format_bytes(bytes) } else { in_unit(bytes, unit, decimals) }
}

fn all_told_apart(values: &[u64], texts: &[String]) -> bool {
    let pairs = || values.iter().zip(texts);
    pairs()
        .enumerate()
        .all(|(i, (a, text_a))| pairs().skip(i + 1).all(|(b, text_b)| a == b || text_a != text_b))
}

/// The largest unit in which the value, rounded to one decimal, is at least 1.
fn own_unit(bytes: u64) -> usize {
    let mut unit = 0;
    // 1023.95 KiB would print as 1024.0 KiB: it is 1.0 MiB.
    while unit + 1 < UNITS.len() && bytes as f64 >= size_of_unit(unit + 1) - 0.05 * size_of_unit(unit) {
        unit += 1;
    }
    unit
}

fn size_of_unit(unit: usize) -> f64 {
    (1u64 << (10 * unit)) as f64
}

fn in_unit(bytes: u64, unit: usize, decimals: usize) -> String {
    if unit == 0 {
        return format!("{}{NBSP}B", group_digits(bytes));
    }
    let value = bytes as f64 / size_of_unit(unit);
    let text = format!("{value:.decimals$}");
    match text.split_once('.') {
        Some((whole, rest)) if whole.len() > 3 => {
            let whole = whole.parse().map(group_digits).unwrap_or_else(|_| whole.into());
            format!("{whole}.{rest}{NBSP}{}", UNITS[unit])
        }
        _ => format!("{text}{NBSP}{}", UNITS[unit]),
    }
}

/// "676 µs", "12.4 ms", "3.1 s", "4 min 12 s".
pub fn format_duration_us(us: u64) -> String {
    match us {
        0..1_000 => format!("{us}{NBSP}µs"),
        1_000..1_000_000 => format!("{:.1}{NBSP}ms", us as f64 / 1e3),
        1_000_000..60_000_000 => format!("{:.1}{NBSP}s", us as f64 / 1e6),
        60_000_000..3_600_000_000 => {
            let seconds = us / 1_000_000;
            format!("{}{NBSP}min {}{NBSP}s", seconds / 60, seconds % 60)
        }
        _ => {
            let minutes = us / 60_000_000;
            format!("{}{NBSP}h {}{NBSP}min", group_digits(minutes / 60), minutes % 60)
        }
    }
}

/// Digits in groups of three: "2,914,410".
pub fn group_digits(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// "1 event", "2 events": a count and its noun.
pub fn count(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", group_digits(number), if number == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: String) -> String {
        text.replace(NBSP, " ")
    }

    #[test]
    fn bytes_have_one_decimal_and_an_honest_unit() {
        let cases: [(u64, &str); 8] = [
            (0, "0 B"),
            (1023, "1,023 B"),
            (1024, "1.0 KiB"),
            ((1 << 20) - 1, "1.0 MiB"),
            (47_014_824_456, "43.8 GiB"),
            (1000 << 20, "1,000.0 MiB"),
            (475 << 40, "475.0 TiB"),
            (u64::MAX, "16.0 EiB"),
        ];
        for (bytes, text) in cases {
            assert_eq!(plain(format_bytes(bytes)), text);
        }
    }

    #[test]
    fn a_group_shares_its_unit_and_tells_values_apart() {
        let group = |values: &[u64]| format_bytes_group(values).into_iter().map(plain).collect::<Vec<_>>();
        assert_eq!(
            group(&[47_014_824_456, 47_023_476_736, 53_775_171_584]),
            ["43.786 GiB", "43.794 GiB", "50.082 GiB"]
        );
        assert_eq!(group(&[32 << 10, 5 << 30]), ["32.0 KiB", "5.0 GiB"]);
        assert_eq!(group(&[]), Vec::<String>::new());
        assert_eq!(group(&[1 << 30, 1 << 30]), ["1.0 GiB", "1.0 GiB"]);
        assert_eq!(group(&[65 << 20, 1 << 30, 0]), ["0.063 GiB", "1.000 GiB", "0 B"]);
    }

    #[test]
    fn durations() {
        assert_eq!(plain(format_duration_us(676)), "676 µs");
        assert_eq!(plain(format_duration_us(12_400)), "12.4 ms");
        assert_eq!(plain(format_duration_us(252_000_000)), "4 min 12 s");
        assert_eq!(plain(format_duration_us(7_260_000_000)), "2 h 1 min");
    }

    #[test]
    fn digits_in_groups() {
        assert_eq!(group_digits(2_914_410), "2,914,410");
        assert_eq!(group_digits(999), "999");
    }
}
