//! Numbers of bytes, as people type them.

use std::str::FromStr;

/// A number of bytes, "12GiB" or "1610612736".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bytes(pub(crate) u64);

impl FromStr for Bytes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let units = [("KiB", 1u64 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("TiB", 1 << 40), ("", 1)];
        let parse = |(unit, size): &(&str, u64)| {
            let number: f64 = text.strip_suffix(unit)?.trim().parse().ok()?;
            let bytes = number * *size as f64;
            (bytes.is_finite() && bytes >= 1.0).then_some(Bytes(bytes as u64))
        };
        units.iter().find_map(parse).ok_or_else(|| "give bytes, or a number with KiB, MiB, GiB or TiB".into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_bytes_or_have_a_unit() {
        assert_eq!("1610612736".parse(), Ok(Bytes(1_610_612_736)));
        assert_eq!("5.2GiB".parse(), Ok(Bytes(5_583_457_484)));
        assert_eq!("12 MiB".parse(), Ok(Bytes(12 << 20)));
        for wrong in ["", "-1", "GiB", "12GB", "0", "inf", "NaN"] {
            assert!(wrong.parse::<Bytes>().is_err(), "{wrong}");
        }
    }
}
