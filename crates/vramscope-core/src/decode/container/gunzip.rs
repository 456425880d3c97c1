//! Gzip, unpacked as it arrives, in bounded steps.

use std::io::Write;

use flate2::write::MultiGzDecoder;

/// Unpacks gzip data of one or several members.
pub(super) struct Gunzip {
    inner: MultiGzDecoder<Vec<u8>>,
    failed: bool,
}

/// What is wrong with packed bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// They do not unpack, or their check sum differs.
    Damaged,
    /// Something that is no gzip follows the end.
    Trailing,
}

/// Bytes given to the unpacker at once. Deflate expands 1,032-fold at most, so a step makes at most 16 MiB.
const STEP: usize = 16 << 10;

impl Gunzip {
    pub(super) fn new() -> Self {
        Gunzip { inner: MultiGzDecoder::new(Vec::new()), failed: false }
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
        for step in piece.chunks(STEP) {
            let unpacked = self.inner.write_all(step).and_then(|()| self.inner.flush());
            let out = std::mem::take(self.inner.get_mut());
            if let Err(error) = sink(&out) {
                return Ok(Err(error));
            }
            if let Err(error) = unpacked {
                self.failed = true;
                // flate2 tells a wrong header from wrong data only in words.
                let trailing = error.to_string().contains("header");
                return Err(if trailing { Fault::Trailing } else { Fault::Damaged });
            }
        }
        Ok(Ok(()))
    }

    /// Ends the input: true if the last member is whole and its check sum agrees (or a fault was told already).
    pub(super) fn finish(&mut self) -> bool {
        self.failed || self.inner.try_finish().is_ok()
    }
}
