//! Numbers and the words `true`, `false`, `null`.

use vramscope_pickle::Value;

/// Longest token: integers of that many digits are passed over, longer ones are an error.
pub(super) const LONGEST: usize = 64 << 10;

/// The value of a token, `None` if it is none.
pub(super) fn value(token: &[u8]) -> Option<Value> {
    match token {
        b"null" => return Some(Value::None),
        b"true" => return Some(Value::Bool(true)),
        b"false" => return Some(Value::Bool(false)),
        // Python's writer, for floats that JSON has no words for.
        b"NaN" => return Some(Value::Float(f64::NAN)),
        b"Infinity" => return Some(Value::Float(f64::INFINITY)),
        b"-Infinity" => return Some(Value::Float(f64::NEG_INFINITY)),
        _ => {}
    }
    let (negative, digits) = match token {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    if !digits.first()?.is_ascii_digit() {
        return None;
    }
    if digits.iter().all(u8::is_ascii_digit) {
        return Some(integer(negative, digits));
    }
    std::str::from_utf8(token).ok()?.parse().ok().map(Value::Float)
}

fn integer(negative: bool, digits: &[u8]) -> Value {
    let magnitude =
        digits.iter().try_fold(0_u64, |sum, digit| sum.checked_mul(10)?.checked_add(u64::from(digit - b'0')));
    match (negative, magnitude) {
        (false, Some(magnitude)) => i64::try_from(magnitude).map_or(Value::Unsigned(magnitude), Value::Int),
        (true, Some(magnitude)) => 0_i64.checked_sub_unsigned(magnitude).map_or(Value::Opaque, Value::Int),
        (_, None) => Value::Opaque,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens() {
        for (token, expected) in [
            ("0", Value::Int(0)),
            ("-1", Value::Int(-1)),
            ("9223372036854775807", Value::Int(i64::MAX)),
            ("9223372036854775808", Value::Unsigned(1 << 63)),
            ("18446744073709551615", Value::Unsigned(u64::MAX)),
            ("18446744073709551616", Value::Opaque),
            ("-9223372036854775808", Value::Int(i64::MIN)),
            ("-9223372036854775809", Value::Opaque),
            ("1.5e3", Value::Float(1500.0)),
            ("-Infinity", Value::Float(f64::NEG_INFINITY)),
            ("null", Value::None),
        ] {
            assert_eq!(value(token.as_bytes()), Some(expected), "{token}");
        }
        for token in ["", "-", "inf", "nan", "-x", "1x", "+1", "0x10", "True"] {
            assert_eq!(value(token.as_bytes()), None, "{token}");
        }
    }
}
