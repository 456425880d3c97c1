//! Requests as bytes, for workers that have no recording: numbers, least byte first, columns one after the other.

use vramscope_core::allocator::{SeedBlock, SeedRange, SeedSegment};
use vramscope_core::replay::requests::{Requests, Step, StepKind, Wanted};

/// Tells other bytes, and those of another version of the page, from requests.
const MAGIC: u64 = u64::from_le_bytes(*b"vramreq1");

/// Requests as bytes.
pub fn to_bytes(requests: &Requests) -> Vec<u8> {
    let room = requests.steps.len() * 9 + requests.wanted.len() * 16;
    let mut out = Writer(Vec::with_capacity(room + 4096));
    out.long(MAGIC);
    out.word(requests.n_events);
    out.list(&requests.steps, |out, step| {
        out.word(step.event);
        out.0.push(step.kind as u8);
        out.word(step.id);
    });
    out.list(&requests.wanted, |out, wanted| {
        out.long(wanted.size_bytes);
        out.word(wanted.stream);
        out.word(wanted.pool);
    });
    out.list(&requests.streams, |out, stream| out.long(*stream));
    out.list(&requests.pools, |out, (owner, number)| {
        out.long(*owner);
        out.long(*number);
    });
    out.list(&requests.new_segments, |out, (event, address)| {
        out.word(*event);
        out.long(*address);
    });
    out.word(u32::from(requests.start.is_some()));
    out.list(requests.start.as_deref().unwrap_or_default(), Writer::segment);
    out.0
}

/// Requests from bytes; `None` if they are none.
pub fn from_bytes(bytes: &[u8]) -> Option<Requests> {
    let mut from = Reader(bytes);
    if from.long()? != MAGIC {
        return None;
    }
    let n_events = from.word()?;
    let steps = from.list(9, |from| {
        let (event, kind, id) = (from.word()?, from.byte()?, from.word()?);
        Some(Step { event, kind: *StepKind::ALL.get(usize::from(kind))?, id })
    })?;
    let wanted = from.list(16, |from| {
        Some(Wanted { size_bytes: from.long()?, stream: from.word()?, pool: from.word()? })
    })?;
    let streams = from.list(8, Reader::long)?;
    let pools = from.list(16, |from| Some((from.long()?, from.long()?)))?;
    let new_segments = from.list(12, |from| Some((from.word()?, from.long()?)))?;
    let has_start = from.word()? != 0;
    let start = from.list(44, Reader::segment)?;
    let is_all = from.0.is_empty();
    let start = has_start.then_some(start);
    is_all.then_some(Requests { steps, wanted, streams, pools, start, new_segments, n_events })
}

struct Writer(Vec<u8>);

impl Writer {
    fn word(&mut self, number: u32) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    fn long(&mut self, number: u64) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    fn list<T>(&mut self, items: &[T], write: impl Fn(&mut Writer, &T)) {
        self.word(items.len() as u32);
        for item in items {
            write(self, item);
        }
    }

    fn segment(&mut self, segment: &SeedSegment) {
        for number in [segment.base, segment.stream, segment.owner.0, segment.owner.1] {
            self.long(number);
        }
        self.word(u32::from(segment.is_small));
        self.word(u32::from(segment.expandable));
        self.list(&segment.ranges, |out, range| {
            out.long(range.address);
            out.long(range.size_bytes);
            out.list(&range.blocks, |out, block| {
                for number in [block.address, block.size_bytes, block.requested_bytes] {
                    out.long(number);
                }
                out.word(u32::from(block.pending));
                out.word(block.key);
            });
        });
    }
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*taken)
    }

    fn byte(&mut self) -> Option<u8> {
        self.take::<1>().map(|[byte]| byte)
    }

    fn word(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }

    fn long(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }

    /// A list of items that take at least so many bytes each: room is made for no more than there can be.
    fn list<T>(&mut self, least: usize, read: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let count = self.word()? as usize;
        if count > self.0.len() / least {
            return None;
        }
        let mut items = Vec::with_capacity(count);
        for _ in 0..count {
            items.push(read(self)?);
        }
        Some(items)
    }

    fn segment(&mut self) -> Option<SeedSegment> {
        let (base, stream, owner) = (self.long()?, self.long()?, (self.long()?, self.long()?));
        let (is_small, expandable) = (self.word()? != 0, self.word()? != 0);
        let ranges = self.list(20, |from| {
            let (address, size_bytes) = (from.long()?, from.long()?);
            let blocks = from.list(32, |from| {
                Some(SeedBlock {
                    address: from.long()?,
                    size_bytes: from.long()?,
                    requested_bytes: from.long()?,
                    pending: from.word()? != 0,
                    key: from.word()?,
                })
            })?;
            Some(SeedRange { address, size_bytes, blocks })
        })?;
        Some(SeedSegment { base, ranges, stream, owner, is_small, expandable })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some() -> Requests {
        let block = SeedBlock { address: 4096, size_bytes: 512, requested_bytes: 8, pending: true, key: 0 };
        let range = SeedRange { address: 4096, size_bytes: 2 << 20, blocks: vec![block] };
        Requests {
            steps: StepKind::ALL.map(|kind| Step { event: 7, kind, id: 1 }).to_vec(),
            wanted: vec![Wanted { size_bytes: u64::MAX, stream: 0, pool: 0 }; 2],
            streams: vec![0, 1 << 63],
            pools: vec![(0, 0), (1, u64::MAX)],
            start: Some(vec![SeedSegment {
                base: 4096,
                ranges: vec![range],
                stream: 0,
                owner: (0, 0),
                is_small: true,
                expandable: false,
            }]),
            new_segments: vec![(7, 9)],
            n_events: 8,
        }
    }

    #[test]
    fn what_was_written_is_read() {
        let requests = some();
        let read = from_bytes(&to_bytes(&requests)).unwrap();
        assert_eq!(format!("{read:?}"), format!("{requests:?}"));
        let void = Requests { start: None, ..requests };
        assert!(from_bytes(&to_bytes(&void)).unwrap().start.is_none());
    }

    #[test]
    fn other_bytes_are_refused() {
        let bytes = to_bytes(&some());
        for end in 0..bytes.len() {
            assert!(from_bytes(&bytes[..end]).is_none(), "{end}");
        }
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0xff;
            from_bytes(&damaged);
        }
    }
}
