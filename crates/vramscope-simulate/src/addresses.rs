//! R11: where the driver might put segments. Free blocks of equal size are taken in the order of their addresses, so what a simulation comes
//! to can depend on it; several orders give a range.

use std::collections::BTreeMap;

use rand_mt::Mt;
use vramscope_core::allocator::sizes::MIB;
use vramscope_core::allocator::{Addresses, Config, PlainDriver};
use vramscope_core::replay::requests::Requests;

/// A rule by which segments get their addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// A segment asked for by the same request as when recorded gets the recorded address, if that is free; others lie below all of them.
    Borrowed,
    /// As the driver of an H200 was seen to do it.
    Plain,
    /// Anywhere, by this seed.
    Shuffled(u32),
}

/// Shuffles that a range is taken from: with the two other orders seven in all.
const SHUFFLES: u32 = 5;

impl Order {
    /// The orders that an answer is taken from, the most likely first. One is enough where all memory comes from expandable segments: their
    /// addresses follow from each other.
    pub fn all(requests: &Requests, config: &Config) -> Vec<Order> {
        let starts = requests.start.iter().flatten();
        if config.expandable_segments && starts.clone().all(|segment| segment.expandable) {
            return vec![Order::Borrowed];
        }
        let shuffled = (0..SHUFFLES).map(Order::Shuffled);
        [Order::Borrowed, Order::Plain].into_iter().chain(shuffled).collect()
    }
}

/// Invented addresses lie above all that a program can have.
const INVENTED: u64 = 1 << 60;

/// Recorded addresses are moved up by so much, that there is room below.
const BORROWED: u64 = 1 << 48;

/// The driver of a simulation.
#[derive(Clone, Debug)]
pub(crate) enum Driver {
    Borrowed(Borrowed),
    Plain(PlainDriver),
    Shuffled(Box<Mt>, Taken),
}

/// Segments by address, with their bytes.
type Taken = BTreeMap<u64, u64>;

impl Driver {
    pub(crate) fn new(requests: &Requests, order: Order) -> Driver {
        match order {
            Order::Borrowed => Driver::Borrowed(Borrowed::new(requests)),
            Order::Plain => Driver::Plain(PlainDriver::new(2 * INVENTED)),
            Order::Shuffled(seed) => Driver::Shuffled(Box::new(Mt::new_with_key([seed])), Taken::new()),
        }
    }

    /// Offers the recorded addresses of the request that comes next.
    pub(crate) fn offer(&mut self, addresses: impl Iterator<Item = u64>) {
        if let Driver::Borrowed(borrowed) = self {
            borrowed.offers.clear();
            borrowed.offers.extend(addresses.map(|address| address.saturating_add(BORROWED)));
        }
    }
}

impl Addresses for Driver {
    fn segment(&mut self, size_bytes: u64) -> u64 {
        match self {
            Driver::Borrowed(borrowed) => borrowed.segment(size_bytes),
            Driver::Plain(plain) => plain.segment(size_bytes),
            Driver::Shuffled(random, taken) => loop {
                // As `random.Random(seed).randrange(1 << 18)` of Python, which the model's oracle is written in.
                let at = random.next_u32() >> 13;
                let address = INVENTED + (u64::from(at) << 37);
                if at > 0 && at < 1 << 18 && !taken.contains_key(&address) {
                    taken.insert(address, size_bytes);
                    return address;
                }
            },
        }
    }

    fn free(&mut self, address: u64, size_bytes: u64) {
        match self {
            Driver::Borrowed(borrowed) => {
                if borrowed.taken.remove(&address).is_none() {
                    borrowed.others.free(address, size_bytes);
                }
            }
            Driver::Plain(plain) => plain.free(address, size_bytes),
            Driver::Shuffled(_, taken) => drop(taken.remove(&address)),
        }
    }

    fn range(&mut self, size_bytes: u64) -> (u64, bool) {
        match self {
            Driver::Borrowed(borrowed) => borrowed.others.range(size_bytes),
            Driver::Plain(plain) => plain.range(size_bytes),
            Driver::Shuffled(..) => (self.segment(size_bytes), false),
        }
    }
}

/// Recorded addresses, and others below them.
#[derive(Clone, Debug)]
pub(crate) struct Borrowed {
    offers: Vec<u64>,
    taken: Taken,
    others: PlainDriver,
}

impl Borrowed {
    fn new(requests: &Requests) -> Self {
        let lowest = requests.new_segments.iter().map(|(_, address)| *address).min().unwrap_or(0);
        let stretch = 32 * MIB;
        let top = BORROWED.saturating_add(lowest / stretch * stretch);
        Borrowed { offers: Vec::new(), taken: Taken::new(), others: PlainDriver::new(top) }
    }

    fn segment(&mut self, size_bytes: u64) -> u64 {
        match self.offers.iter().position(|address| self.is_free(*address, size_bytes)) {
            Some(at) => {
                let address = self.offers.remove(at);
                self.taken.insert(address, size_bytes);
                address
            }
            None => self.others.segment(size_bytes),
        }
    }

    fn is_free(&self, address: u64, size_bytes: u64) -> bool {
        let end = address.saturating_add(size_bytes);
        let before = self.taken.range(..end).next_back();
        before.is_none_or(|(start, size)| start.saturating_add(*size) <= address)
    }
}
