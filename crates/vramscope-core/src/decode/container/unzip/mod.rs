//! Zip archives, member by member as they arrive: stored and deflate, zip64, sizes before or after the data.
//!
//! The directory at the end is not needed: each member has a header of its own. A stored member of unknown size ends where a
//! descriptor stands that names just the size and check sum of what came before it; PyTorch's own archives are like that.

mod header;

use flate2::{Decompress, FlushDecompress, Status};

use super::{Crc, find};
use header::{DEFLATED, FIXED, Header, STORED, u32_at};

/// Gets the members.
pub(super) trait Members {
    /// A member begins. False if its data are not wanted.
    fn start(&mut self, name: &str) -> bool;
    /// More of its data.
    fn data(&mut self, bytes: &[u8]);
    /// It is whole; `sound` is false if its check sum differs.
    fn end(&mut self, sound: bool);
    /// Its data cannot be had, for this reason.
    fn unusable(&mut self, why: &'static str);
}

/// The archive is damaged at this byte.
#[derive(Debug)]
pub(super) struct Damaged {
    pub(super) at: u64,
}

/// Reads an archive.
pub(super) struct Unzip {
    state: State,
    /// A header that has not arrived whole, or the bytes in which a descriptor may begin.
    carry: Vec<u8>,
    member: Member,
    inflate: Decompress,
    out: Vec<u8>,
    position: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Header,
    /// Data of a known size, this much of which is still to come.
    Sized(u64),
    /// Deflated data that end by themselves.
    SelfEnding,
    /// Stored data up to a descriptor.
    UpToDescriptor,
    /// Size and check sum after the data. `checked` when they have been compared already.
    Descriptor {
        checked: bool,
    },
    /// The directory, which is not read.
    Done,
}

/// The member at hand.
#[derive(Default)]
struct Member {
    wanted: bool,
    deflated: bool,
    inflated: bool,
    has_descriptor: bool,
    zip64: bool,
    crc: Crc,
    expected_crc: u32,
    size: u64,
}

const DESCRIPTOR: &[u8] = b"PK\x07\x08";
/// What comes out of the inflater at once.
const STEP: usize = 64 << 10;

impl Unzip {
    pub(super) fn new() -> Self {
        Unzip {
            state: State::Header,
            carry: Vec::new(),
            member: Member::default(),
            inflate: Decompress::new(false),
            out: vec![0; STEP],
            position: 0,
        }
    }

    /// Takes the next piece of the archive.
    pub(super) fn feed(&mut self, piece: &[u8], members: &mut dyn Members) -> Result<(), Damaged> {
        let mut rest = piece;
        loop {
            let before = (rest.len(), self.state);
            match self.state {
                State::Header => self.header(&mut rest, members)?,
                State::Sized(left) => self.sized(left, &mut rest, members)?,
                State::SelfEnding => {
                    self.data(&mut rest, members)?;
                    if self.member.inflated {
                        self.state = State::Descriptor { checked: false };
                    }
                }
                State::UpToDescriptor => self.up_to_descriptor(&mut rest, members),
                State::Descriptor { checked } => self.descriptor(checked, &mut rest, members),
                State::Done => {
                    self.position += rest.len() as u64;
                    return Ok(());
                }
            }
            if (rest.len(), self.state) == before {
                return Ok(());
            }
        }
    }

    /// Ends the input: true if the directory was reached. A member of which only the descriptor is cut counts as whole.
    pub(super) fn finish(&mut self, members: &mut dyn Members) -> bool {
        if let State::Descriptor { checked } = self.state {
            members.end(checked);
        }
        self.state == State::Done
    }

    /// Collects bytes until `carry` has so many.
    fn gather(&mut self, rest: &mut &[u8], len: usize) -> bool {
        let missing = len.saturating_sub(self.carry.len()).min(rest.len());
        let (taken, after) = rest.split_at(missing);
        self.carry.extend_from_slice(taken);
        self.position += missing as u64;
        *rest = after;
        self.carry.len() >= len
    }

    fn header(&mut self, rest: &mut &[u8], members: &mut dyn Members) -> Result<(), Damaged> {
        if !self.gather(rest, 4) {
            return Ok(());
        }
        match self.carry.get(..4) {
            Some(b"PK\x03\x04") => {}
            // The directory, its ends, or the "archive extra data" before it.
            Some([b'P', b'K', 1 | 5 | 6, ..]) => {
                self.state = State::Done;
                return Ok(());
            }
            _ => return Err(Damaged { at: self.position - 4 }),
        }
        if !self.gather(rest, FIXED) {
            return Ok(());
        }
        if !self.gather(rest, Header::whole_len(&self.carry)) {
            return Ok(());
        }
        let header = Header::read(&std::mem::take(&mut self.carry));
        self.start_member(&header, members);
        Ok(())
    }

    fn start_member(&mut self, header: &Header, members: &mut dyn Members) {
        self.member = Member {
            wanted: members.start(&header.name),
            deflated: header.method == DEFLATED,
            has_descriptor: header.has_descriptor,
            zip64: header.zip64,
            expected_crc: header.crc,
            ..Member::default()
        };
        self.inflate.reset(false);
        let unusable = header.unusable();
        if let Some(why) = unusable {
            members.unusable(why);
            self.member.wanted = false;
            self.member.deflated = false;
        }
        self.state = match (header.packed_size, header.method) {
            (Some(size), _) => State::Sized(size),
            (None, DEFLATED) if unusable.is_none() => State::SelfEnding,
            (None, STORED) => State::UpToDescriptor,
            // Where it ends cannot be told.
            (None, _) => State::Done,
        };
    }

    fn sized(&mut self, left: u64, rest: &mut &[u8], members: &mut dyn Members) -> Result<(), Damaged> {
        let len = usize::try_from(left).unwrap_or(usize::MAX).min(rest.len());
        let (mut mine, after) = rest.split_at(len);
        *rest = after;
        self.state = State::Sized(left - len as u64);
        if self.member.wanted {
            self.data(&mut mine, members)?;
        }
        // What the inflater leaves, once it has met its end, belongs to nobody.
        self.position += mine.len() as u64;
        if left > len as u64 {
            return Ok(());
        }
        if self.member.wanted && self.member.deflated && !self.member.inflated && self.inflate.total_in() > 0
        {
            return Err(Damaged { at: self.position });
        }
        if self.member.has_descriptor {
            self.state = State::Descriptor { checked: false };
        } else {
            self.end_member(members);
        }
        Ok(())
    }

    /// Data of the member, unpacked if they are deflated. Takes all of `rest`, or up to the end of the deflated data.
    fn data(&mut self, rest: &mut &[u8], members: &mut dyn Members) -> Result<(), Damaged> {
        if !self.member.deflated {
            self.emit(rest, members);
            self.position += rest.len() as u64;
            *rest = &[];
            return Ok(());
        }
        while !self.member.inflated {
            let (before_in, before_out) = (self.inflate.total_in(), self.inflate.total_out());
            let mut out = std::mem::take(&mut self.out);
            let status = self.inflate.decompress(rest, &mut out, FlushDecompress::None);
            let taken = (self.inflate.total_in() - before_in) as usize;
            let made = (self.inflate.total_out() - before_out) as usize;
            self.emit(out.get(..made).unwrap_or_default(), members);
            self.out = out;
            self.position += taken as u64;
            *rest = rest.get(taken..).unwrap_or_default();
            match status {
                Ok(Status::StreamEnd) => self.member.inflated = true,
                Ok(_) if taken == 0 && made == 0 => return Ok(()),
                Ok(_) => {}
                Err(_) => return Err(Damaged { at: self.position }),
            }
        }
        Ok(())
    }

    fn emit(&mut self, bytes: &[u8], members: &mut dyn Members) {
        self.member.size += bytes.len() as u64;
        self.member.crc.update(bytes);
        if self.member.wanted && !bytes.is_empty() {
            members.data(bytes);
        }
    }

    fn up_to_descriptor(&mut self, rest: &mut &[u8], members: &mut dyn Members) {
        let carried = self.carry.len();
        let mut bytes = std::mem::take(&mut self.carry);
        bytes.extend_from_slice(rest);
        let mut from = 0;
        loop {
            let window = bytes.get(from..).unwrap_or_default();
            let Some(end) = find(window, DESCRIPTOR, 0) else {
                let keep = (1..DESCRIPTOR.len()).rev().find(|n| window.ends_with(&DESCRIPTOR[..*n]));
                let len = window.len() - keep.unwrap_or(0);
                self.emit(window.get(..len).unwrap_or_default(), members);
                self.carry = window.get(len..).unwrap_or_default().to_vec();
                break;
            };
            let at = end - DESCRIPTOR.len();
            self.emit(window.get(..at).unwrap_or_default(), members);
            from += at;
            let found = bytes.get(from..).unwrap_or_default();
            let Some(descriptor) = found.get(..16) else {
                self.carry = found.to_vec();
                break;
            };
            if u32_at(descriptor, 4) == self.member.crc.sum()
                && u32_at(descriptor, 8) == self.member.size as u32
            {
                self.carry = descriptor.to_vec();
                self.state = State::Descriptor { checked: true };
                let used = (from + 16).saturating_sub(carried);
                self.position += used as u64;
                *rest = rest.get(used..).unwrap_or_default();
                return;
            }
            self.emit(found.get(..1).unwrap_or_default(), members);
            from += 1;
        }
        self.position += rest.len() as u64;
        *rest = &[];
    }

    /// Passes over the descriptor: signature (some writers leave it out), check sum, and two sizes of four or eight bytes.
    fn descriptor(&mut self, checked: bool, rest: &mut &[u8], members: &mut dyn Members) {
        if !self.gather(rest, 4) {
            return;
        }
        let signature = if self.carry.starts_with(b"PK\x07\x08") { 4 } else { 0 };
        let (short, long) = (signature + 12, signature + 20);
        if !self.gather(rest, short + 4) {
            return;
        }
        let next_is_member = |at: usize| self.carry.get(at..at + 2) == Some(b"PK");
        let len =
            if next_is_member(short) && !(self.member.zip64 && next_is_member(long)) { short } else { long };
        if !self.gather(rest, len) {
            return;
        }
        self.member.expected_crc =
            if checked { self.member.crc.sum() } else { u32_at(&self.carry, signature) };
        // The four bytes looked at in advance begin the next header.
        self.carry.drain(..len);
        self.end_member(members);
    }

    fn end_member(&mut self, members: &mut dyn Members) {
        let sound = !self.member.wanted || self.member.crc.sum() == self.member.expected_crc;
        members.end(sound);
        self.state = State::Header;
    }
}
