//! What follows from the numbers of a message.

use vramscope_core::units::format_bytes;

use super::Process;
use super::fields::{Fields, Found};
use super::wording::{Message, Wording};
use crate::recipe::Version;
use crate::thresholds::{MESSAGE_ROUNDING_SHARE, MESSAGE_SAME_PROCESS_SHARE};

/// Numbers in bytes, and what follows from them.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub(super) struct Facts {
    pub wording: Wording,
    pub is_hip: bool,
    pub since: Option<Version>,
    pub requested: u64,
    pub total: Option<u64>,
    pub free: Option<u64>,
    pub allowed: Option<u64>,
    pub in_use: Option<u64>,
    /// Those that are not this one.
    pub others: Vec<Process>,
    /// The one that is most likely this one, seen from outside its container.
    pub this_process: Option<Process>,
    pub allocated: Option<u64>,
    pub unallocated: Option<u64>,
    pub reserved: Option<u64>,
    pub private_pools: Option<u64>,
    /// Held by this process, not by PyTorch's allocator.
    pub outside: Option<u64>,
    /// The cap, else the card.
    pub limit: Option<u64>,
    /// What new memory could have been had.
    pub room: Option<u64>,
    /// Room and request are known up to this: the message rounds.
    pub rounding: u64,
    pub short_by: Option<u64>,
    /// The message says that the process uses more than any card has.
    pub in_use_is_no_size: bool,
}

fn bytes(found: &Option<Found>) -> Option<u64> {
    found.as_ref().and_then(|found| found.bytes)
}

impl Facts {
    pub(super) fn of(fields: &Fields, message: &Message) -> Facts {
        let allocated = bytes(&fields.allocated);
        let given = bytes(&fields.reserved);
        let cached = bytes(&fields.reserved_unallocated);
        let reserved = given.or_else(|| Some(allocated?.saturating_add(cached?)));
        let unallocated = cached.or_else(|| Some(reserved?.saturating_sub(allocated?)));
        let told = bytes(&fields.process_in_use);
        let (this_process, others) = told_apart(&fields.processes, fields.process_in_use.is_some(), reserved);
        let in_use = told.or_else(|| this_process.as_ref().map(|process| process.bytes));
        let outside = bytes(&fields.outside).or_else(|| in_use?.checked_sub(reserved?));
        let mut facts = Facts {
            wording: message.wording,
            is_hip: message.is_hip,
            since: message.since,
            requested: bytes(&fields.requested).unwrap_or(u64::MAX),
            total: bytes(&fields.total_capacity),
            free: bytes(&fields.device_free),
            allowed: bytes(&fields.allowed),
            in_use,
            others,
            this_process,
            allocated,
            unallocated,
            reserved,
            private_pools: bytes(&fields.private_pools),
            outside,
            limit: None,
            room: None,
            rounding: rounding(fields),
            short_by: None,
            in_use_is_no_size: fields.process_in_use.is_some() && told.is_none(),
        };
        facts.limit = facts.allowed.or(facts.total);
        facts.room = facts.room();
        facts.short_by =
            facts.room.map(|room| facts.requested.saturating_sub(room)).filter(|short| *short > 0);
        facts
    }

    /// There was room beyond doubt, and yet the request failed.
    pub(super) fn had_room(&self) -> bool {
        self.room.is_some_and(|room| room >= self.requested.saturating_add(self.rounding))
    }

    /// New memory that card and cap had room for.
    fn room(&self) -> Option<u64> {
        match (self.under_cap(), self.free) {
            (Some(cap), Some(free)) => Some(cap.min(free)),
            (cap, free) => cap.or(free),
        }
    }

    /// Room below the cap of the process.
    pub(super) fn under_cap(&self) -> Option<u64> {
        // Apple's cap counts what others than PyTorch have, too.
        let outside = if self.wording == Wording::Mps { self.outside.unwrap_or(0) } else { 0 };
        let held = self.reserved.or(self.allocated)?.saturating_add(outside);
        Some(self.allowed?.saturating_sub(held))
    }

    /// What other processes hold, as far as the message tells.
    pub(super) fn others_bytes(&self) -> u64 {
        self.others.iter().fold(0, |sum, process| sum.saturating_add(process.bytes))
    }

    /// Memory of the card in nobody's account: other processes, drivers, or what a card keeps for itself.
    pub(super) fn unaccounted(&self) -> Option<u64> {
        let known =
            self.in_use.or(self.reserved)?.saturating_add(self.others_bytes()).saturating_add(self.free?);
        Some(self.total?.saturating_sub(known))
    }

    /// What contradicts itself, one sentence each.
    pub(super) fn contradictions(&self) -> Vec<String> {
        let mut told = Vec::new();
        let mut beyond = |what: &str, bytes: Option<u64>, limit: Option<u64>, of: &str, why: &str| {
            if let (Some(bytes), Some(limit)) = (bytes, limit)
                && is_beyond(bytes, limit)
            {
                let (bytes, limit) = (format_bytes(bytes), format_bytes(limit));
                told.push(format!("{bytes} {what}, but {of} {limit}. {why}"));
            }
        };
        let shared = "Cards that share the host's memory can have more than they say.";
        beyond("are reserved by PyTorch", self.reserved, self.total, "the card has", shared);
        beyond("are free", self.free, self.total, "the card has", "One of the two numbers is wrong.");
        let late = "The message adds them up at different moments.";
        beyond("are reserved by PyTorch", self.reserved, self.in_use, "the process uses", late);
        beyond("are allocated", self.allocated, self.reserved, "PyTorch reserved", late);
        let over = "With expandable segments the cap can be passed a little; or it was lowered later.";
        beyond("are reserved by PyTorch", self.reserved, self.allowed, "the cap is", over);
        if self.in_use_is_no_size {
            told.push("The memory in use of this process is no size that a card can have: the driver does not tell it here.".into());
        }
        told
    }
}

/// All that room and request can be away from the truth together.
fn rounding(fields: &Fields) -> u64 {
    let by_cap = [&fields.allowed, &fields.allocated, &fields.reserved, &fields.reserved_unallocated];
    let by_card = [&fields.device_free];
    let rounding = |list: &[&Option<Found>]| {
        list.iter().filter_map(|found| found.as_ref()).map(|found| found.rounding_bytes).sum::<u64>()
    };
    let room = if fields.allowed.is_some() { rounding(&by_cap) } else { rounding(&by_card) };
    room.saturating_add(rounding(&[&fields.requested]))
}

/// More than rounding to two decimals explains.
fn is_beyond(bytes: u64, limit: u64) -> bool {
    bytes as f64 > limit as f64 * (1.0 + MESSAGE_ROUNDING_SHARE)
}

/// In a container the driver's process numbers are not its own: then this process is listed like any other. It is the smallest that can hold
/// what PyTorch reserved.
fn told_apart(
    processes: &[Process],
    says_itself: bool,
    reserved: Option<u64>,
) -> (Option<Process>, Vec<Process>) {
    let mut others = processes.to_vec();
    let (false, Some(reserved)) = (says_itself, reserved) else { return (None, others) };
    let least = reserved as f64 * (1.0 - MESSAGE_SAME_PROCESS_SHARE);
    let fitting = others.iter().enumerate().filter(|(_, process)| process.bytes as f64 >= least);
    let Some(at) = fitting.min_by_key(|(_, process)| process.bytes).map(|(at, _)| at) else {
        return (None, others);
    };
    let this = Process { likely_this: true, ..others.remove(at) };
    (Some(this), others)
}
