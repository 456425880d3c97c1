//! Lists of references that have been read before, by the bytes they are written with.

use std::collections::HashMap;

use crate::guess::Guess;
use crate::opcode::{APPENDS, BINGET, LONG_BINGET};
use crate::patience::Patience;

/// Bytes of runs that are kept. Real files have some thousand different stacks of a few hundred bytes; a file in which no two lists are
/// alike must not be held twice.
const MOST_BYTES: usize = 16 << 20;

/// Lists that are not found before they are looked for seldom. More than the different stacks of real files, which all are new at first.
const PATIENCE: u32 = 65_536;

/// Runs of references up to their APPENDS. Equal bytes are equal items as long as no memo entry is written over: then [`Runs::clear`].
pub(crate) struct Runs {
    /// All runs, end to end.
    bytes: Vec<u8>,
    runs: Vec<Run>,
    by_hash: HashMap<u64, u32>,
    /// Nine times in ten it is right, and nothing has to be scanned or hashed.
    guess: Guess,
    patience: Patience,
    /// Length and hash of the run that was not found.
    missed: Option<(usize, u64)>,
}

struct Run {
    start: usize,
    end: usize,
    token: u32,
}

impl Default for Runs {
    fn default() -> Self {
        Runs {
            bytes: Vec::new(),
            runs: Vec::new(),
            by_hash: HashMap::new(),
            guess: Guess::default(),
            patience: Patience::new(PATIENCE),
            missed: None,
        }
    }
}

impl Runs {
    /// The builder's token and the length of the known run that `bytes` begins with.
    #[inline]
    pub(crate) fn find(&mut self, bytes: &[u8]) -> Option<(u32, usize)> {
        let guessed = self.guess.next();
        let id = match guessed.into_iter().find(|&id| self.begins(bytes, id)) {
            Some(id) => id,
            None => self.look_up_patiently(bytes)?,
        };
        self.patience.hit();
        self.guess.came(id, guessed);
        let run = self.runs.get(id as usize)?;
        Some((run.token, run.end - run.start))
    }

    /// The length of the run that [`Runs::find`] did not know; `None` if there was no whole run.
    pub(crate) fn found_len(&self) -> Option<usize> {
        self.missed.map(|(len, _)| len)
    }

    /// Keeps the run that was not found.
    pub(crate) fn learn(&mut self, run: &[u8], token: u32) {
        let Some((len, hash)) = self.missed.take() else { return };
        if len != run.len() || self.bytes.len() + len > MOST_BYTES {
            return;
        }
        let start = self.bytes.len();
        self.bytes.extend_from_slice(run);
        let id = self.runs.len() as u32;
        self.runs.push(Run { start, end: start + len, token });
        // Of two runs with one hash the later is known.
        self.by_hash.insert(hash, id);
        self.guess.came(id, self.guess.next());
    }

    /// Forgets everything: a memo entry has another value now.
    pub(crate) fn clear(&mut self) {
        if !self.runs.is_empty() {
            // The guess may stay, since what it says is compared: a file may write over its memo again and again.
            self.bytes.clear();
            self.runs.clear();
            self.missed = None;
            // To empty a map takes as long as it is large.
            self.by_hash = HashMap::new();
        }
    }

    fn look_up_patiently(&mut self, bytes: &[u8]) -> Option<u32> {
        self.missed = None;
        let found = self.patience.allows().then(|| self.look_up(bytes))?;
        if found.is_none() {
            self.patience.miss();
        }
        found
    }

    #[cold]
    fn look_up(&mut self, bytes: &[u8]) -> Option<u32> {
        let len = run_len(bytes)?;
        let hash = hash(bytes.get(..len)?);
        self.missed = Some((len, hash));
        self.by_hash.get(&hash).copied().filter(|&id| self.begins(bytes, id))
    }

    #[inline]
    fn begins(&self, bytes: &[u8], id: u32) -> bool {
        let Some(run) = self.runs.get(id as usize) else { return false };
        let known = self.bytes.get(run.start..run.end).unwrap_or_default();
        bytes.get(..known.len()).is_some_and(|bytes| equal(bytes, known))
    }
}

/// Whether two texts of one length are equal, by words: wasm compares bytes one by one.
fn equal(a: &[u8], b: &[u8]) -> bool {
    let (a, a_rest) = a.as_chunks::<8>();
    let (b, b_rest) = b.as_chunks::<8>();
    a.iter().zip(b).all(|(a, b)| u64::from_le_bytes(*a) == u64::from_le_bytes(*b)) && a_rest == b_rest
}

/// The bytes of the memo reads that `bytes` begins with, up to and with APPENDS; `None` if something else comes, or the end.
fn run_len(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += match *bytes.get(at)? {
            LONG_BINGET => 5,
            BINGET => 2,
            APPENDS if at > 0 => return Some(at + 1),
            _ => return None,
        };
    }
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hash = bytes.len() as u64;
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        for (to, from) in word.iter_mut().zip(chunk) {
            *to = *from;
        }
        hash = (hash.rotate_left(5) ^ u64::from_le_bytes(word)).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_a_run() {
        assert_eq!(run_len(b"h\x01j\x01\x02\x03\x04eXYZ"), Some(8));
        assert_eq!(run_len(b"e"), None, "an empty batch is not one");
        assert_eq!(run_len(b"h\x01K\x01e"), None);
        assert_eq!(run_len(b"h\x01j\x01"), None, "cut");
    }

    #[test]
    fn a_run_is_found_again_until_the_memo_changes() {
        let mut runs = Runs::default();
        let [a, b] = [&b"h\x01h\x02e"[..], b"h\x01h\x03e"];
        for (run, token) in [(a, 7), (b, 8)] {
            assert_eq!(runs.find(run), None);
            assert_eq!(runs.found_len(), Some(5));
            runs.learn(run, token);
        }
        for _ in 0..3 {
            assert_eq!(runs.find(b"h\x01h\x02e..."), Some((7, 5)));
            assert_eq!(runs.find(b), Some((8, 5)));
        }
        runs.clear();
        assert_eq!(runs.find(a), None);
    }

    #[test]
    fn memory_is_bounded() {
        let mut runs = Runs::default();
        for n in 0..(MOST_BYTES as u32 / 5) {
            let [a, b, c, d] = n.to_le_bytes();
            let run = [LONG_BINGET, a, b, c, d, BINGET, 1, APPENDS];
            runs.patience = Patience::new(PATIENCE);
            if runs.find(&run).is_none() {
                runs.learn(&run, n);
            }
        }
        assert!(runs.bytes.len() <= MOST_BYTES);
    }
}
