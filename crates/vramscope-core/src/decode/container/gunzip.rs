//! Gzip (RFC 1952), unpacked as it arrives, in bounded steps. Deflate is flate2's; the frame around it is ours, for the sake of [`Crc`].

use flate2::{Decompress, FlushDecompress, Status};

use super::Crc;

/// Unpacks gzip data of one or several members.
pub(super) struct Gunzip {
    stage: Stage,
    /// What has arrived of a header or trailer.
    carry: Vec<u8>,
    inflate: Decompress,
    crc: Crc,
    out: Vec<u8>,
    failed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Header,
    Data,
    /// Check sum and length; they are compared when something follows or the input ends.
    Trailer,
}

/// What is wrong with packed bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// They do not unpack, or their check sum differs.
    Damaged,
    /// Something that is no gzip follows the end.
    Trailing,
}

/// What comes out of the inflater at once.
const STEP: usize = 256 << 10;
/// Bytes of a header that are looked at together.
const LOOK: usize = 512;
const TRAILER: usize = 8;
/// The longest name and comment.
const MAX_TEXT: usize = 65_535;

impl Gunzip {
    pub(super) fn new() -> Self {
        Gunzip {
            stage: Stage::Header,
            carry: Vec::new(),
            inflate: Decompress::new(false),
            crc: Crc::default(),
            out: vec![0; STEP],
            failed: false,
        }
    }

    /// Unpacks a piece and hands on what comes out, step by step. The outer error is the unpacker's; what came out before it
    /// has been handed on.
    pub(super) fn feed<E>(
        &mut self,
        piece: &[u8],
        mut sink: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<Result<(), E>, Fault> {
        if self.failed {
            return Err(Fault::Trailing);
        }
        let mut rest = piece;
        loop {
            if self.stage != Stage::Data {
                if rest.is_empty() {
                    return Ok(Ok(()));
                }
                self.frame(&mut rest).inspect_err(|_| self.failed = true)?;
                continue;
            }
            let (before_in, before_out) = (self.inflate.total_in(), self.inflate.total_out());
            let status = self.inflate.decompress(rest, &mut self.out, FlushDecompress::None);
            let taken = (self.inflate.total_in() - before_in) as usize;
            let made = (self.inflate.total_out() - before_out) as usize;
            rest = rest.get(taken..).unwrap_or_default();
            let out = self.out.get(..made).unwrap_or_default();
            self.crc.update(out);
            if !out.is_empty()
                && let Err(error) = sink(out)
            {
                return Ok(Err(error));
            }
            match status {
                Ok(Status::StreamEnd) => self.stage = Stage::Trailer,
                Ok(_) if taken == 0 && made == 0 => return Ok(Ok(())),
                Ok(_) => {}
                Err(_) => {
                    self.failed = true;
                    return Err(Fault::Damaged);
                }
            }
        }
    }

    /// Takes what stands around the data.
    fn frame(&mut self, rest: &mut &[u8]) -> Result<(), Fault> {
        let wanted = match self.stage {
            Stage::Header => LOOK,
            _ if self.carry.len() < TRAILER => TRAILER - self.carry.len(),
            _ if self.is_sound() => {
                self.inflate.reset(false);
                self.crc = Crc::default();
                self.carry.clear();
                self.stage = Stage::Header;
                return Ok(());
            }
            _ => return Err(Fault::Damaged),
        };
        let (taken, after) = rest.split_at(wanted.min(rest.len()));
        self.carry.extend_from_slice(taken);
        let mut behind = 0;
        if self.stage == Stage::Header
            && let Some(len) = header_len(&self.carry)?
        {
            behind = self.carry.len() - len;
            self.carry.clear();
            self.stage = Stage::Data;
        }
        // What was looked at behind the header is data.
        *rest = rest.get(rest.len() - after.len() - behind..).unwrap_or_default();
        Ok(())
    }

    /// The last member is whole, and its check sum and length agree.
    fn is_sound(&self) -> bool {
        let expected = [self.crc.sum().to_le_bytes(), self.crc.amount().to_le_bytes()].concat();
        self.stage == Stage::Trailer && self.carry == expected
    }

    /// Ends the input: true if the last member is whole and its check sum agrees (or a fault was told already).
    pub(super) fn finish(&mut self) -> bool {
        self.failed || self.is_sound()
    }
}

/// The length of a header; `None` if it has not arrived whole.
fn header_len(head: &[u8]) -> Result<Option<usize>, Fault> {
    const CHECKED: u8 = 1 << 1;
    const EXTRA: u8 = 1 << 2;
    const NAME: u8 = 1 << 3;
    const COMMENT: u8 = 1 << 4;
    const RESERVED: u8 = 7 << 5;
    let mut at = 10;
    if head.len() < at {
        return Ok(None);
    }
    let flags = head[3];
    if !head.starts_with(b"\x1f\x8b\x08") || flags & RESERVED != 0 {
        return Err(Fault::Trailing);
    }
    if flags & EXTRA != 0 {
        let Some(&[low, high]) = head.get(at..at + 2) else { return Ok(None) };
        at += 2 + usize::from(u16::from_le_bytes([low, high]));
    }
    for text in [NAME, COMMENT] {
        if flags & text == 0 {
            continue;
        }
        let Some(rest) = head.get(at..) else { return Ok(None) };
        match rest.iter().take(MAX_TEXT + 1).position(|&byte| byte == 0) {
            Some(len) => at += len + 1,
            None if rest.len() > MAX_TEXT => return Err(Fault::Trailing),
            None => return Ok(None),
        }
    }
    if flags & CHECKED != 0 {
        let Some(&[low, high]) = head.get(at..at + 2) else { return Ok(None) };
        let mut crc = Crc::default();
        crc.update(&head[..at]);
        if crc.sum() as u16 != u16::from_le_bytes([low, high]) {
            return Err(Fault::Damaged);
        }
        at += 2;
    }
    Ok((at <= head.len()).then_some(at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn packed(text: &[u8], name: &str) -> Vec<u8> {
        let builder = flate2::GzBuilder::new().filename(name).comment("c").extra(&b"ab"[..]);
        let mut writer = builder.write(Vec::new(), flate2::Compression::default());
        writer.write_all(text).unwrap();
        writer.finish().unwrap()
    }

    fn unpacked(bytes: &[u8], piece: usize) -> (Result<(), Fault>, Vec<u8>, bool) {
        let (mut gunzip, mut out) = (Gunzip::new(), Vec::new());
        let sound = bytes.chunks(piece).try_for_each(|piece| {
            let fed = gunzip.feed(piece, |bytes| {
                out.extend_from_slice(bytes);
                Ok::<(), ()>(())
            });
            fed.map(|sunk| sunk.unwrap())
        });
        let whole = gunzip.finish();
        (sound, out, whole)
    }

    #[test]
    fn members_are_unpacked_in_pieces_of_any_size() {
        let text = b"some text ".repeat(100_000);
        let bytes = [packed(&text, "a"), packed(b"", &"n".repeat(2_000)), packed(b"more", "b")].concat();
        let expected = [&text[..], b"more"].concat();
        for piece in [1, 7, 600, bytes.len()] {
            assert_eq!(unpacked(&bytes, piece), (Ok(()), expected.clone(), true), "{piece}");
        }
        assert!(!unpacked(&bytes[..bytes.len() - 1], 100).2);
    }

    #[test]
    fn faults_are_told_apart() {
        let sound = packed(b"hello", "a");
        let with = |at: usize, byte: u8| {
            let mut bytes = sound.clone();
            bytes[at] = byte;
            bytes
        };
        assert_eq!(unpacked(&[&sound[..], &[0; 20]].concat(), 5).0, Err(Fault::Trailing));
        let (told, out, whole) = unpacked(&with(sound.len() - 6, 0), 5);
        assert_eq!((told, &out[..], whole), (Ok(()), &b"hello"[..], false), "the check sum differs");
        assert_eq!(unpacked(&[with(sound.len() - 6, 0), sound.clone()].concat(), 5).0, Err(Fault::Damaged));
        assert_eq!(unpacked(&with(3, 0xff), 5).0, Err(Fault::Trailing), "reserved flags");
        assert_eq!(unpacked(&[b"\x1f\x8b\x08\0".as_slice(), &[0xff; 60]].concat(), 5).0, Err(Fault::Damaged));
        assert_eq!(
            unpacked(&[b"\x1f\x8b\x08\x08".as_slice(), &[0xff; 70_000]].concat(), 999).0,
            Err(Fault::Trailing)
        );
    }
}
