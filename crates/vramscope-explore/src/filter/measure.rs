//! Numbers with units, and ranges of numbers.

use super::Fault;
use super::cut::{Cut, Word};

/// Both ends are in it; none if they are the wrong way round.
pub(super) type Range = (u64, u64);

/// The sign between a key and its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    Colon,
    Equal,
    More,
    AtLeast,
    Less,
    AtMost,
}

/// What a number counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Bytes,
    Us,
    Events,
}

const SIZES: [&str; 5] = ["b", "k", "m", "g", "t"];

/// A number as it is written, exactly: so many parts of a power of ten.
#[derive(Clone, Copy, Debug)]
struct Number {
    parts: u128,
    of: u128,
    unit: Unit,
    /// How it stands to what is compared: µs, bytes, events.
    factor: u128,
}

impl Number {
    fn floor(self) -> u64 {
        u64::try_from(self.parts * self.factor / self.of).unwrap_or(u64::MAX)
    }

    fn ceil(self) -> u64 {
        u64::try_from((self.parts * self.factor).div_ceil(self.of)).unwrap_or(u64::MAX)
    }
}

/// Digits beyond this many are no number that anything has.
const MAX_DIGITS: usize = 20;

/// What follows `size` or `lifetime`: a number after a sign, or a range after a colon.
pub(super) fn measure(cut: &mut Cut, sign: Sign, sizes: bool) -> Result<(Unit, Range), Fault> {
    cut.skip_blanks();
    if sign == Sign::Colon && takes_dots(cut) {
        let to = number(cut, sizes)?;
        return ended(cut, (to.unit, (0, to.floor())));
    }
    let from = number(cut, sizes)?;
    let range = match sign {
        Sign::Colon if takes_dots(cut) => {
            if ends(cut) {
                return Ok((from.unit, (from.ceil(), u64::MAX)));
            }
            let start = cut.at;
            let to = number(cut, sizes)?;
            if to.unit != from.unit {
                return Err(cut.fault("Both ends of a range need the same kind of unit.", start));
            }
            (from.ceil(), to.floor())
        }
        Sign::Colon | Sign::Equal => (from.ceil(), from.floor()),
        Sign::More => (from.floor().saturating_add(1), u64::MAX),
        Sign::AtLeast => (from.ceil(), u64::MAX),
        Sign::Less => match from.ceil() {
            0 => (1, 0),
            end => (0, end - 1),
        },
        Sign::AtMost => (0, from.floor()),
    };
    ended(cut, (from.unit, range))
}

/// Nothing may go on with a value.
fn ended<T>(cut: &Cut, value: T) -> Result<T, Fault> {
    if ends(cut) { Ok(value) } else { Err(cut.fault("A blank belongs here.", cut.at)) }
}

fn ends(cut: &Cut) -> bool {
    cut.peek().is_none_or(|c| c.is_whitespace() || c == ')')
}

fn takes_dots(cut: &mut Cut) -> bool {
    let dots = cut.peek() == Some('.') && cut.peek_at(1) == Some('.');
    cut.at += if dots { 2 } else { 0 };
    dots
}

fn number(cut: &mut Cut, sizes: bool) -> Result<Number, Fault> {
    let from = cut.at;
    let (mut parts, mut of, mut digits, mut point) = (0u128, 1u128, 0, false);
    while let Some(c) = cut.peek() {
        // Two dots are those of a range.
        let is_point = c == '.' && !point && cut.peek_at(1) != Some('.');
        match c.to_digit(10) {
            Some(digit) if digits < MAX_DIGITS => {
                parts = parts * 10 + u128::from(digit);
                of *= if point { 10 } else { 1 };
                digits += 1;
            }
            None if c == ',' && !point => {}
            None if is_point => point = true,
            _ => break,
        }
        cut.at += 1;
    }
    if digits == 0 {
        let example = if sizes { "size > 100 MiB" } else { "lifetime < 2 ms" };
        return Err(cut.fault(format!("A number belongs here, as in {example}."), from));
    }
    let (unit, factor) = unit(cut, sizes, parts == 0)?;
    Ok(Number { parts, of, unit, factor })
}

/// The unit of a number, which a blank may stand before. What is none is the next word; glued to the number it is a fault.
fn unit(cut: &mut Cut, sizes: bool, zero: bool) -> Result<(Unit, u128), Fault> {
    let end = cut.at;
    cut.skip_blanks();
    let from = cut.at;
    cut.skip(char::is_alphabetic);
    let word = cut.text(from, cut.at).to_lowercase();
    let known = match sizes {
        true => size_unit(&word).map(|factor| (Unit::Bytes, factor)),
        false => time_unit(&word),
    };
    if let Some(known) = known.filter(|_| !word.is_empty()) {
        return Ok(known);
    }
    if from == end && !word.is_empty() {
        let units = if sizes { "B, KiB, MiB, GiB or TiB" } else { "us, ms, s, or ev for events" };
        return Err(cut.fault(format!("{} is no unit here: {units}.", cut.text(from, cut.at)), from));
    }
    cut.at = end;
    match sizes {
        true => Ok((Unit::Bytes, 1)),
        false if zero => Ok((Unit::Us, 1)),
        false => {
            let start = end.saturating_sub(1);
            Err(Fault {
                message: "Its unit is missing: us, ms, s, or ev for events.".into(),
                at: start,
                length: 1,
            })
        }
    }
}

/// Bytes of a unit: binary ones, whether they say so or not.
fn size_unit(word: &str) -> Option<u128> {
    let bare = word.strip_suffix("ib").or_else(|| word.strip_suffix('b').filter(|bare| !bare.is_empty()));
    let power = SIZES.iter().position(|letter| *letter == bare.unwrap_or(word))?;
    Some(1u128 << (10 * power))
}

fn time_unit(word: &str) -> Option<(Unit, u128)> {
    Some(match word {
        "us" | "µs" | "μs" => (Unit::Us, 1),
        "ms" => (Unit::Us, 1_000),
        "s" => (Unit::Us, 1_000_000),
        "ev" | "event" | "events" => (Unit::Events, 1),
        _ => return None,
    })
}

/// A number of a list, or a range of them; `read` reads one end.
pub(super) fn range_of(
    word: &Word,
    (at, item): (usize, &str),
    what: &str,
    read: impl Fn(&str) -> Option<u64>,
) -> Result<Range, Fault> {
    let length = item.chars().count();
    let fault = || word.fault(format!("{what} belongs here, or a range from..to."), at, at + length);
    let Some((from, to)) = item.split_once("..") else {
        return read(item).map(|one| (one, one)).ok_or_else(fault);
    };
    let end = |text: &str, missing: u64| match text.trim() {
        "" => Some(missing),
        text => read(text),
    };
    let missing_both = from.trim().is_empty() && to.trim().is_empty();
    end(from, 0).zip(end(to, u64::MAX)).filter(|_| !missing_both).ok_or_else(fault)
}

/// A whole number: digits alone.
pub(super) fn whole(text: &str) -> Option<u64> {
    text.parse().ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_digit()))
}

/// "0x…".
pub(super) fn hexadecimal(text: &str) -> Option<u64> {
    u64::from_str_radix(text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"))?, 16).ok()
}
