//! Integers and floats as pickle writes them.

use crate::cursor::Halt;
use crate::{ErrorKind, Value};

/// The little-endian two's complement number of LONG1 and LONG4. Beyond 64 bits it is opaque.
pub(crate) fn from_twos_complement(bytes: &[u8]) -> Value {
    let negative = bytes.last().is_some_and(|byte| byte & 0x80 != 0);
    let fill = if negative { 0xff } else { 0 };
    let mut word = [fill; 8];
    for (to, from) in word.iter_mut().zip(bytes) {
        *to = *from;
    }
    let rest = bytes.get(8..).unwrap_or_default();
    if rest.iter().any(|&byte| byte != fill) {
        return Value::Opaque;
    }
    let signed = i64::from_le_bytes(word);
    match (negative, signed < 0) {
        (true, true) | (false, false) => Value::Int(signed),
        (false, true) => Value::Unsigned(u64::from_le_bytes(word)),
        (true, false) => Value::Opaque,
    }
}

/// The decimal text of INT and LONG. INT writes bools as `00` and `01`, LONG ends in `L`.
pub(crate) fn from_decimal(opcode: &'static str, line: &[u8]) -> Result<Value, Halt> {
    match line {
        b"00" if opcode == "INT" => return Ok(Value::Bool(false)),
        b"01" if opcode == "INT" => return Ok(Value::Bool(true)),
        _ => {}
    }
    let text = std::str::from_utf8(line).unwrap_or_default().trim();
    let digits = text.strip_suffix('L').unwrap_or(text);
    if let Ok(int) = digits.parse::<i64>() {
        Ok(Value::Int(int))
    } else if let Ok(unsigned) = digits.parse::<u64>() {
        Ok(Value::Unsigned(unsigned))
    } else if is_decimal(digits) {
        Ok(Value::Opaque)
    } else {
        Err(bad_number(opcode, line))
    }
}

fn is_decimal(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// The decimal text of FLOAT.
pub(crate) fn from_float_text(line: &[u8]) -> Result<Value, Halt> {
    let text = std::str::from_utf8(line).unwrap_or_default().trim();
    text.parse().map(Value::Float).map_err(|_| bad_number("FLOAT", line))
}

/// The decimal text of GET and PUT.
pub(crate) fn memo_id(opcode: &'static str, line: &[u8]) -> Result<u64, Halt> {
    let text = std::str::from_utf8(line).unwrap_or_default().trim();
    text.parse().map_err(|_| bad_number(opcode, line))
}

fn bad_number(opcode: &'static str, line: &[u8]) -> Halt {
    let shown: String = String::from_utf8_lossy(line).chars().take(40).collect();
    ErrorKind::BadNumber { opcode, found: shown.escape_default().to_string() }.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long1_covers_every_width() {
        let cases: [(&[u8], Value); 9] = [
            (&[], Value::Int(0)),
            (&[0xff], Value::Int(-1)),
            (&[0, 0, 0, 0x80, 0], Value::Int(1 << 31)),
            (&[0, 0, 0, 0, 0, 0x7f], Value::Int(0x7f00_0000_0000)),
            (&[0, 0, 0, 0, 0, 0, 0, 0x80], Value::Int(i64::MIN)),
            (&[0, 0, 0, 0, 0, 0, 0, 0x80, 0], Value::Unsigned(1 << 63)),
            (&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0], Value::Unsigned(u64::MAX)),
            (&[1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], Value::Int(1)),
            (&[0, 0, 0, 0, 0, 0, 0, 0, 1], Value::Opaque),
        ];
        for (bytes, expected) in cases {
            assert_eq!(from_twos_complement(bytes), expected, "{bytes:x?}");
        }
        assert_eq!(from_twos_complement(&[0, 0, 0, 0, 0, 0, 0, 0, 0xff]), Value::Opaque);
    }

    #[test]
    fn decimal_texts() {
        assert_eq!(from_decimal("INT", b"01").unwrap(), Value::Bool(true));
        assert_eq!(from_decimal("LONG", b"18446744073709551615L").unwrap(), Value::Unsigned(u64::MAX));
        assert_eq!(from_decimal("LONG", b"-5L").unwrap(), Value::Int(-5));
        assert_eq!(from_decimal("LONG", b"99999999999999999999L").unwrap(), Value::Opaque);
        assert!(from_decimal("INT", b"1x").is_err());
        assert!(memo_id("GET", b"-1").is_err());
    }
}
