//! The numbers of a message: each stands right before or behind words of its own.

use super::Process;
use super::wording::{Message, Wording};

/// Processes that are listed, at most.
const MOST_PROCESSES: usize = 256;

/// A number as it was found.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Found {
    /// Its value; nothing where no card can have so much.
    pub bytes: Option<u64>,
    /// "20.00 MiB".
    pub text: String,
    /// Half a unit of the last digit: as far as the truth can be away.
    pub rounding_bytes: u64,
}

/// What a message says.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub(super) struct Fields {
    pub device: Option<String>,
    pub requested: Option<Found>,
    pub total_capacity: Option<Found>,
    pub device_free: Option<Found>,
    pub allowed: Option<Found>,
    pub process_in_use: Option<Found>,
    pub processes: Vec<Process>,
    pub allocated: Option<Found>,
    pub reserved: Option<Found>,
    pub reserved_unallocated: Option<Found>,
    pub private_pools: Option<Found>,
    pub outside: Option<Found>,
}

/// What was asked for, if the message says it.
pub(super) fn request(text: &str) -> Option<Found> {
    after(text, "triedtoallocate")
}

/// Reads every number of a message.
pub(super) fn read(message: &Message) -> Fields {
    let text = message.text;
    let mut fields = Fields { requested: request(text), device: device(text), ..Fields::default() };
    if message.wording == Wording::Mps {
        fields.allocated = after(text, "mpsallocated:");
        fields.outside = after(text, "otherallocations:");
        fields.allowed = after(text, "maxallowed:");
        return fields;
    }
    fields.total_capacity = before(text, "totalcapacity")
        .or_else(|| after(text, "totalcapacityof"))
        .or_else(|| after(text, "totalcapactyof"));
    fields.device_free =
        after(text, "ofwhich").or_else(|| before(text, "free;")).or_else(|| before(text, "free)"));
    fields.allowed = before(text, "allowed");
    fields.process_in_use = after(text, "thisprocesshas");
    fields.processes = processes(text);
    fields.allocated = before(text, "alreadyallocated").or_else(|| before(text, "isallocatedbypytorch"));
    fields.reserved = before(text, "reservedintotal");
    fields.reserved_unallocated =
        before(text, "isreservedbypytorchbutunallocated").or_else(|| before(text, "cached"));
    fields.private_pools = before(text, "allocatedinprivatepools");
    fields
}

/// "GPU 0", wherever the message names it.
fn device(text: &str) -> Option<String> {
    let behind = &text[text.find("gpu")? + 3..];
    let digits = behind.len() - behind.trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
    (1..=4).contains(&digits).then(|| format!("GPU {}", &behind[..digits]))
}

/// "Process 1234 has 15.25 GiB memory in use", as often as it is said.
fn processes(text: &str) -> Vec<Process> {
    let mut found = Vec::new();
    for (at, word) in text.match_indices("process") {
        let behind = &text[at + word.len()..];
        let Some((pid, rest)) = behind.split_at_checked(digits(behind)) else { continue };
        let Some(size) = rest.strip_prefix("has").and_then(number_at) else { continue };
        if let (false, Some(bytes)) = (pid.is_empty() || found.len() >= MOST_PROCESSES, size.bytes) {
            found.push(Process { pid: pid.to_owned(), bytes, likely_this: false });
        }
    }
    found
}

fn digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

/// The number right behind some words: the first that has one.
fn after(text: &str, words: &str) -> Option<Found> {
    text.match_indices(words).find_map(|(at, _)| number_at(&text[at + words.len()..]))
}

/// The number right before some words: the first that has one.
fn before(text: &str, words: &str) -> Option<Found> {
    text.match_indices(words).find_map(|(at, _)| number_ending(&text[..at]))
}

/// Units, longest first. PyTorch counts in powers of two even where it writes GB.
const UNITS: [(&str, &str, u32); 12] = [
    ("bytes", "bytes", 0),
    ("byte", "byte", 0),
    ("kib", "KiB", 10),
    ("mib", "MiB", 20),
    ("gib", "GiB", 30),
    ("tib", "TiB", 40),
    ("kb", "KB", 10),
    ("mb", "MB", 20),
    ("gb", "GB", 30),
    ("tb", "TB", 40),
    ("g", "G", 30),
    ("b", "B", 0),
];

/// Digits, with a point and commas between thousands.
fn is_numeric(byte: u8) -> bool {
    byte.is_ascii_digit() || byte == b'.' || byte == b','
}

/// A number and its unit at the beginning of a text.
fn number_at(text: &str) -> Option<Found> {
    let len = text.bytes().take_while(|byte| is_numeric(*byte)).count();
    let (number, rest) = text.split_at_checked(len)?;
    let unit = UNITS.iter().find(|(unit, ..)| rest.starts_with(unit))?;
    found(number, unit)
}

/// A number and its unit at the end of a text.
fn number_ending(text: &str) -> Option<Found> {
    let unit = UNITS.iter().find(|(unit, ..)| text.ends_with(unit))?;
    let rest = text.strip_suffix(unit.0)?;
    let len = rest.bytes().rev().take_while(|byte| is_numeric(*byte)).count();
    found(rest.get(rest.len() - len..)?, unit)
}

/// What no card has: an underflow in the message ("17179869184.00 GiB") is no size.
const TOO_MUCH_BYTES: f64 = (1u64 << 53) as f64;

fn found(number: &str, unit: &(&str, &str, u32)) -> Option<Found> {
    // A full stop or comma of the sentence before may stand there: "in use. 5.20 GiB allowed".
    let number = number.trim_start_matches(['.', ',']);
    let value: f64 = number.replace(',', "").parse().ok().filter(|value: &f64| value.is_finite())?;
    let bytes = (value * (1u64 << unit.2) as f64).round();
    let bytes = (bytes < TOO_MUCH_BYTES).then_some(bytes as u64);
    let decimals = number.rsplit_once('.').map_or(0, |(_, decimals)| decimals.len().min(20));
    let rounding_bytes = ((1u64 << unit.2) as f64 / 2.0 / 10f64.powi(decimals as i32)) as u64;
    Some(Found { bytes, rounding_bytes, text: format!("{number} {}", unit.1) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_units_and_thousands() {
        let bytes = |text: &str| number_at(text).and_then(|found| found.bytes);
        assert_eq!(bytes("20.00mib(gpu0"), Some(20 << 20));
        assert_eq!(bytes("1,024.00kib"), Some(1 << 20));
        assert_eq!(bytes("0bytes"), Some(0));
        assert_eq!(bytes("1024bytes.errorcode"), Some(1024));
        assert_eq!(bytes("3077222400bytes"), Some(3_077_222_400));
        assert_eq!(bytes("12gb.buynewram!"), Some(12 << 30));
        assert_eq!(bytes("17179869184.00gib"), None);
        assert_eq!(number_at("gib"), None);
        assert_eq!(number_at("1.2.3gib"), None);
        assert_eq!(number_ending("inuse.5.20gib").map(|found| found.text), Some("5.20 GiB".into()));
    }
}
