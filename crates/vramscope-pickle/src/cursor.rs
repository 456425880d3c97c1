//! A checked reader over one piece of input. It never panics: what is not there yet is a [`Halt`].

use crate::ErrorKind;

/// Why an opcode could not be carried out now.
#[derive(Debug)]
pub(crate) enum Halt {
    /// The opcode needs this many bytes in all, itself included.
    NeedBytes(u64),
    /// The opcode needs a line end that has not come yet.
    NeedLine,
    /// The file is at fault.
    Fail(Box<ErrorKind>),
}

impl From<ErrorKind> for Halt {
    fn from(kind: ErrorKind) -> Self {
        Halt::Fail(Box::new(kind))
    }
}

/// The operands of one opcode. `bytes` starts at the opcode itself.
#[derive(Clone, Copy)]
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn after_opcode(bytes: &'a [u8]) -> Self {
        Cursor { bytes, at: 1 }
    }

    /// All bytes at hand, from the opcode on.
    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Bytes of the opcode and the operands read so far.
    pub(crate) fn consumed(&self) -> usize {
        self.at
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], Halt> {
        let end = self.at + N;
        match self.bytes.get(self.at..end).and_then(|bytes| bytes.try_into().ok()) {
            Some(array) => {
                self.at = end;
                Ok(array)
            }
            None => Err(Halt::NeedBytes(end as u64)),
        }
    }

    pub(crate) fn u8(&mut self) -> Result<u8, Halt> {
        self.array::<1>().map(|[byte]| byte)
    }

    pub(crate) fn u16(&mut self) -> Result<u16, Halt> {
        self.array().map(u16::from_le_bytes)
    }

    pub(crate) fn u32(&mut self) -> Result<u32, Halt> {
        self.array().map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self) -> Result<u64, Halt> {
        self.array().map(u64::from_le_bytes)
    }

    pub(crate) fn take(&mut self, len: u64) -> Result<&'a [u8], Halt> {
        let end = (self.at as u64).saturating_add(len);
        match usize::try_from(end).ok().and_then(|end| self.bytes.get(self.at..end)) {
            Some(bytes) => {
                self.at += bytes.len();
                Ok(bytes)
            }
            None => Err(Halt::NeedBytes(end)),
        }
    }

    /// The text up to the next line feed, without it.
    pub(crate) fn line(&mut self) -> Result<&'a [u8], Halt> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let len = rest.iter().position(|&byte| byte == b'\n').ok_or(Halt::NeedLine)?;
        self.at += len + 1;
        Ok(rest.get(..len).unwrap_or_default())
    }
}
