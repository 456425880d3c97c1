//! Which kind of shortage it was, with the numbers that say so.

use vramscope_core::units::{format_bytes, format_bytes_group};

use super::Verdict;
use super::facts::Facts;
use super::wording::Wording;
use crate::report::Evidence;
use crate::thresholds::{MESSAGE_FRAGMENTED_SHARE, MESSAGE_OTHERS_SHARE};

/// The verdict in words.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub(super) struct Told {
    pub verdict: Verdict,
    pub eyebrow: &'static str,
    pub sentence: String,
    pub reason: Vec<Evidence>,
}

/// Tells the first kind of shortage whose condition holds.
pub(super) fn tell(facts: &Facts) -> Told {
    let verdict = verdict(facts);
    Told {
        verdict,
        eyebrow: eyebrow(facts, verdict),
        sentence: sentence(facts, verdict),
        reason: reason(facts),
    }
}

fn verdict(facts: &Facts) -> Verdict {
    if facts.wording == Wording::Cpu || facts.limit.is_some_and(|limit| facts.requested > limit) {
        return Verdict::TooBig;
    }
    if facts.wording == Wording::Mps {
        return if facts.had_room() { Verdict::CannotTell } else { Verdict::TooBig };
    }
    let Some(room) = facts.room else { return Verdict::CannotTell };
    if facts.had_room() {
        return Verdict::CannotTell;
    }
    if is_fragmented(facts, room) {
        Verdict::Fragmentation
    } else if facts.allowed.is_some() && facts.free.is_some_and(|free| free >= facts.requested) {
        Verdict::Cap
    } else if others_would_do(facts) {
        Verdict::OtherProcess
    } else if facts.allocated.is_some() {
        Verdict::TooBig
    } else {
        Verdict::CannotTell
    }
}

/// The request would have fit if the free pieces were one, and they are many.
fn is_fragmented(facts: &Facts, room: u64) -> bool {
    facts.unallocated.is_some_and(|pieces| {
        room.saturating_add(pieces) >= facts.requested
            && share(pieces, facts.reserved) >= MESSAGE_FRAGMENTED_SHARE
    })
}

/// The request would have fit if the other processes were gone, and they hold much. A cap would still be there.
fn others_would_do(facts: &Facts) -> bool {
    let others = facts.others_bytes();
    let free = facts.free.unwrap_or(0).saturating_add(others);
    free >= facts.requested
        && facts.under_cap().is_none_or(|room| room >= facts.requested)
        && share(others, facts.total) >= MESSAGE_OTHERS_SHARE
}

fn share(part: u64, whole: Option<u64>) -> f64 {
    whole.filter(|whole| *whole > 0).map_or(0.0, |whole| part as f64 / whole as f64)
}

fn eyebrow(facts: &Facts, verdict: Verdict) -> &'static str {
    match verdict {
        _ if facts.wording == Wording::Cpu => "Out of memory: the host",
        Verdict::Fragmentation => "Out of memory: fragmentation",
        Verdict::TooBig => "Out of memory: too big",
        Verdict::OtherProcess => "Out of memory: other processes",
        Verdict::Cap => "Out of memory: cap of the process",
        Verdict::CannotTell => "Out of memory: cause unknown",
    }
}

fn sentence(facts: &Facts, verdict: Verdict) -> String {
    let asked = format_bytes(facts.requested);
    let of = |bytes: Option<u64>| format_bytes(bytes.unwrap_or(0));
    match verdict {
        _ if facts.wording == Wording::Cpu => {
            format!("The host had no {asked} left: this is memory of the computer, not of the GPU.")
        }
        Verdict::Fragmentation => format!(
            "{asked} did not fit although {} were not in use: {} of them are in pieces between live blocks.",
            format_bytes(facts.room.unwrap_or(0).saturating_add(facts.unallocated.unwrap_or(0))),
            of(facts.unallocated)
        ),
        Verdict::TooBig => too_big(facts, asked),
        Verdict::OtherProcess => {
            let others = format_bytes(facts.others_bytes());
            match &facts.others[..] {
                [one] => format!("{asked} did not fit: process {} holds {others} of the card.", one.pid),
                many => {
                    format!("{asked} did not fit: {} other processes hold {others} of the card.", many.len())
                }
            }
        }
        Verdict::Cap => format!(
            "{asked} did not fit under the cap of {}; the card itself had {} free.",
            of(facts.allowed),
            of(facts.free)
        ),
        Verdict::CannotTell => cannot_tell(facts, asked),
    }
}

fn too_big(facts: &Facts, asked: String) -> String {
    let limit = facts.limit.unwrap_or(0);
    let name = match (facts.wording, facts.allowed) {
        (Wording::Mps, _) => "the most that may be used",
        (_, Some(_)) => "the cap",
        _ => "the card",
    };
    if facts.requested > limit && facts.limit.is_some() {
        return format!("One request of {asked} is more than all of {name}, {}.", format_bytes(limit));
    }
    let allocated = format_bytes(facts.allocated.unwrap_or(0));
    match facts.limit {
        Some(limit) => {
            format!(
                "{allocated} are in use by live tensors; the next {asked} did not fit in {name}, {}.",
                format_bytes(limit)
            )
        }
        None => format!("{allocated} are in use by live tensors; the next {asked} did not fit."),
    }
}

fn cannot_tell(facts: &Facts, asked: String) -> String {
    match facts.room {
        Some(room) if facts.had_room() => format!(
            "{asked} were refused although {} were free: the message does not tell why.",
            format_bytes(room)
        ),
        _ => format!("{asked} did not fit; the message has too few numbers to tell why."),
    }
}

/// The measured values beside their thresholds.
fn reason(facts: &Facts) -> Vec<Evidence> {
    let mut reason = Vec::new();
    let mut add = |text: String, threshold: String| reason.push(Evidence { text, threshold });
    let asked = facts.requested;
    if let Some(limit) = facts.limit.filter(|limit| asked > *limit) {
        let [asked, limit] = pair(asked, limit);
        add(format!("the request is {asked}"), format!("more than {limit} can never fit"));
        return reason;
    }
    if let Some(room) = facts.room {
        let [room, asked] = pair(room, asked);
        let whose = if facts.under_cap().is_some() {
            "room under the cap and on the card"
        } else {
            "free on the card"
        };
        add(format!("{whose}: {room}"), format!("the request needs {asked}"));
    }
    if facts.wording.is_card()
        && let (Some(pieces), Some(room)) = (facts.unallocated, facts.room)
    {
        let [both, asked] = pair(room.saturating_add(pieces), asked);
        add(format!("with all free pieces as one: {both}"), format!("the request needs {asked}"));
        let percent = share(pieces, facts.reserved) * 100.0;
        add(
            format!("free pieces: {percent:.1} % of what PyTorch reserved"),
            format!("fragmentation from {:.0} %", MESSAGE_FRAGMENTED_SHARE * 100.0),
        );
    }
    if let (false, Some(total)) = (facts.others.is_empty(), facts.total) {
        let percent = share(facts.others_bytes(), Some(total)) * 100.0;
        add(
            format!("other processes: {percent:.1} % of the card"),
            format!("named from {:.0} %", MESSAGE_OTHERS_SHARE * 100.0),
        );
    }
    reason
}

/// Two sizes in one unit, told apart.
fn pair(a: u64, b: u64) -> [String; 2] {
    let mut texts = format_bytes_group(&[a, b]).into_iter();
    [texts.next().unwrap_or_default(), texts.next().unwrap_or_default()]
}
