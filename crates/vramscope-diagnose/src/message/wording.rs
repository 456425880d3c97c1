//! Where the messages are, and in whose words.

use super::text::Pasted;
use crate::recipe::Version;

/// Words of every message that tells its numbers.
const ASKED: &str = "triedtoallocate";
/// A message is never longer, even with a list of processes.
const LONGEST: usize = 8192;
/// Words before the request that belong to the message: Apple's numbers stand there.
const BEFORE: usize = 400;

/// Whose words a message is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wording {
    /// "… 27.30 MiB cached)".
    Cached,
    /// "… 9.83 GiB reserved in total by PyTorch)".
    ReservedInTotal,
    /// "GPU 0 has a total capacity of …".
    Sentences,
    /// Intel's cards.
    Xpu,
    /// Apple's chips.
    Mps,
    /// The host's memory.
    Cpu,
    /// Only the request.
    Short,
}

impl Wording {
    /// Its stable name.
    pub(super) fn kind(self) -> &'static str {
        match self {
            Wording::Cached => "1.0",
            Wording::ReservedInTotal => "1.4",
            Wording::Sentences => "2.x",
            Wording::Xpu => "xpu",
            Wording::Mps => "mps",
            Wording::Cpu => "cpu",
            Wording::Short => "short",
        }
    }

    /// Memory of a card under PyTorch's caching allocator.
    pub(super) fn is_card(self) -> bool {
        !matches!(self, Wording::Mps | Wording::Cpu)
    }
}

/// A message that tells its numbers.
#[derive(Clone, Debug)]
pub(super) struct Message<'a> {
    /// Whose words.
    pub wording: Wording,
    /// It speaks of AMD's cards.
    pub is_hip: bool,
    /// Without spaces, in lower case.
    pub text: &'a str,
    /// Where it begins in the compact text.
    pub start: usize,
    /// The oldest PyTorch that writes it so.
    pub since: Option<Version>,
    /// Messages in the text.
    pub count: u64,
}

/// The last message with a request in it.
pub(super) fn last_complete(pasted: &Pasted) -> Option<Message<'_>> {
    let all = &pasted.compact;
    let mut places: Vec<usize> = all.match_indices(ASKED).map(|(at, _)| at).collect();
    let count = pasted.count.max(places.len() as u64);
    let mut end = all.len();
    while let Some(at) = places.pop() {
        let before = places.last().map_or(0, |before| before + ASKED.len());
        let start = beginning(all, before.max(at.saturating_sub(BEFORE)), at);
        let text = all.get(start..cut(all, start + LONGEST, end)).unwrap_or_default();
        if super::fields::request(text).is_some() {
            let wording = of(text);
            return Some(Message {
                wording,
                is_hip: text.starts_with("hip") || text.contains("pytorch_hip"),
                text,
                start,
                since: since(text, wording),
                count,
            });
        }
        end = start;
    }
    None
}

/// The nearest end of a character, no farther than `end`.
fn cut(text: &str, at: usize, end: usize) -> usize {
    (0..=at.min(end)).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// Where a message begins: at its title, not farther back than `from`.
fn beginning(all: &str, from: usize, at: usize) -> usize {
    let from = cut(all, from, at);
    let head = all.get(from..at).unwrap_or_default();
    let titles =
        ["mpsbackendoutofmemory", "defaultcpuallocator", "outofmemory", "notenoughmemory", "currentplatform"];
    let title = titles.iter().find_map(|title| head.rfind(title)).map_or(at, |title| from + title);
    // "CUDA", "HIP" and "XPU" stand before "out of memory".
    let name = ["cuda", "hip", "xpu"]
        .iter()
        .find(|name| all.get(..title).is_some_and(|head| head.ends_with(**name)));
    title - name.map_or(0, |name| name.len())
}

fn of(text: &str) -> Wording {
    let has = |words: &str| text.contains(words);
    if has("mpsallocated") {
        Wording::Mps
    } else if has("defaultcpuallocator") || has("youtriedtoallocate") {
        Wording::Cpu
    } else if text.starts_with("xpu") || has("currentplatform") {
        Wording::Xpu
    } else if has("hasatotalcapa") || has("isallocatedbypytorch") {
        Wording::Sentences
    } else if has("reservedintotal") {
        Wording::ReservedInTotal
    } else if has("cached") {
        Wording::Cached
    } else {
        Wording::Short
    }
}

/// Marks of newer versions, newest first, and the version that brought them.
const MARKS: [(&str, u32, u32); 8] = [
    ("environment-variables", 2, 2),
    // Seen in recordings of 2.11, not in logs of 2.9.
    ("optimizing-memory-usage", 2, 10),
    ("settingpytorch_alloc_conf", 2, 9),
    ("allocatedinprivatepools", 2, 4),
    ("allowed;ofthe", 2, 2),
    ("expandable_segments", 2, 2),
    ("totalcapacityof", 2, 2),
    ("totalcapactyof", 2, 1),
];

fn since(text: &str, wording: Wording) -> Option<Version> {
    let version = |major, minor| Some(Version { major, minor });
    match wording {
        Wording::Cached => version(1, 0),
        Wording::ReservedInTotal if text.contains("max_split_size_mb") => version(1, 10),
        Wording::ReservedInTotal if text.contains("allowed;") => version(1, 8),
        Wording::ReservedInTotal => version(1, 4),
        Wording::Sentences => MARKS
            .iter()
            .filter(|(mark, ..)| text.contains(mark))
            .map(|&(_, major, minor)| Version { major, minor })
            .max_by_key(|version| (version.major, version.minor)),
        _ => None,
    }
}

impl Message<'_> {
    /// Which PyTorch writes it so.
    pub(super) fn versions(&self) -> String {
        let split_hint = self.text.contains("max_split_size_mb");
        match (self.wording, self.since) {
            (Wording::Cached, _) => "PyTorch 1.0 to 1.3".into(),
            (Wording::ReservedInTotal, Some(since)) if split_hint => {
                format!("PyTorch {since} to 2.0, or close to it")
            }
            (Wording::ReservedInTotal, Some(since)) => format!("PyTorch {since} to 1.10, or close to it"),
            (Wording::Sentences, Some(since)) if self.text.contains("capacty") => format!("PyTorch {since}"),
            (Wording::Sentences, Some(since)) => format!("PyTorch {since} or later"),
            (Wording::Sentences, None) => "PyTorch 2.1 or later".into(),
            (Wording::Xpu, _) => "PyTorch for Intel cards".into(),
            (Wording::Mps, _) => "PyTorch for Apple chips, 1.12 or later".into(),
            (Wording::Cpu, _) => "any PyTorch".into(),
            _ => "a PyTorch that cannot be told from it".into(),
        }
    }
}
