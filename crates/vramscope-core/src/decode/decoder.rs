//! Feeding a file piece by piece, whatever it is wrapped in.

use vramscope_pickle::Reader;

use super::builder::SnapshotBuilder;
use super::container::{Fault, Gunzip, HEAD, Kind, sniff};
use super::error::OpenError;
use crate::model::{Snapshot, Source};

/// How much one file may make the decoder hold. Each is far above real recordings (ten million events need some forty million
/// memo entries and twenty million containers), and keeps a small hostile file from taking the machine.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The pickle reader's.
    pub pickle: vramscope_pickle::Limits,
    /// Most lists and dicts: eight bytes each.
    pub max_containers: usize,
    /// Most values that stay in lists and dicts which are no records: sixteen bytes each.
    pub max_values: usize,
}

impl Default for Limits {
    /// For a machine of its own.
    fn default() -> Self {
        Limits { pickle: vramscope_pickle::Limits::default(), max_containers: 1 << 28, max_values: 1 << 27 }
    }
}

impl Limits {
    /// For a tab, which has 4 GiB in all: the largest that these allow together is about half of it.
    pub fn for_tab() -> Self {
        let pickle = vramscope_pickle::Limits {
            max_stack: 1 << 25,
            max_memo: 1 << 26,
            ..vramscope_pickle::Limits::default()
        };
        Limits { pickle, max_containers: 1 << 26, max_values: 1 << 25 }
    }
}

/// How far reading has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Progress {
    /// Bytes of the file taken in.
    pub bytes: u64,
    /// Events complete.
    pub events: u64,
    /// Different stacks met.
    pub stacks: u64,
}

/// Reads one file from pieces of any length.
pub struct Decoder {
    name: String,
    fed_bytes: u64,
    head: Vec<u8>,
    wrapping: Wrapping,
    reader: Reader<SnapshotBuilder>,
    /// Nothing speaks against the bytes: what is packed agrees with its check sum.
    sound: bool,
}

enum Wrapping {
    /// Too few bytes have come to tell; they are in `head`.
    Unknown,
    None,
    Gzip(Box<Gunzip>),
}

impl Decoder {
    /// A decoder at the start of a file. The name is only for display.
    pub fn new(name: &str, limits: Limits) -> Self {
        Decoder {
            name: name.into(),
            fed_bytes: 0,
            head: Vec::new(),
            wrapping: Wrapping::Unknown,
            reader: Reader::new(SnapshotBuilder::new(limits), limits.pickle),
            sound: true,
        }
    }

    /// Takes the next piece of the file.
    ///
    /// # Errors
    /// The first fault. What was read before it can still be had from [`Decoder::finish_readable`].
    pub fn feed(&mut self, piece: &[u8]) -> Result<(), Box<OpenError>> {
        self.fed_bytes += piece.len() as u64;
        if matches!(self.wrapping, Wrapping::Unknown) {
            if self.head.len() + piece.len() < HEAD {
                self.head.extend_from_slice(piece);
                return Ok(());
            }
            self.head.extend_from_slice(piece);
            return self.start();
        }
        self.pass_on(piece)
    }

    /// How far reading has come.
    pub fn progress(&self) -> Progress {
        let builder = self.reader.builder();
        Progress {
            bytes: self.fed_bytes,
            events: builder.events.len() as u64,
            stacks: builder.stacks.n_stacks() as u64 - 1,
        }
    }

    /// Ends the file: the snapshot.
    ///
    /// # Errors
    /// The file is empty, cut, or no snapshot. [`OpenError::readable`] tells whether [`Decoder::finish_readable`] has anything to show;
    /// the decoder is left as it was for that.
    pub fn finish(&mut self) -> Result<Snapshot, Box<OpenError>> {
        if self.fed_bytes == 0 {
            return Err(OpenError::empty());
        }
        if matches!(self.wrapping, Wrapping::Unknown) {
            self.start()?;
        }
        let packed_whole = match &mut self.wrapping {
            Wrapping::Gzip(gunzip) => gunzip.finish(),
            _ => true,
        };
        if !self.reader.is_done() {
            return Err(self.cut(packed_whole));
        }
        self.sound &= packed_whole;
        let source = self.source();
        let protocol = source.protocol;
        let reader = std::mem::replace(
            &mut self.reader,
            Reader::new(SnapshotBuilder::new(Limits::default()), Default::default()),
        );
        let (root, builder) = reader.finish().map_err(|error| OpenError::pickle(&error, protocol, 0))?;
        builder.finish(root, source).map_err(|not| OpenError::wrong_shape(not.found, protocol))
    }

    /// What was read without a fault, after an error.
    pub fn finish_readable(self) -> Snapshot {
        let source = self.source();
        self.reader.into_builder().finish_readable(source)
    }

    /// The error of a file that ends before its pickle does.
    fn cut(&self, packed_whole: bool) -> Box<OpenError> {
        let readable = self.progress().events;
        match self.wrapping {
            Wrapping::Gzip(_) if !packed_whole => OpenError::gzip(self.fed_bytes, true, readable),
            Wrapping::Gzip(_) if self.reader.position() == 0 => OpenError::empty(),
            _ => self.unpacked(OpenError::pickle(&self.reader.truncated(), self.reader.protocol(), readable)),
        }
    }

    /// Marks that an error's offset counts bytes after unpacking.
    fn unpacked(&self, mut error: Box<OpenError>) -> Box<OpenError> {
        error.unpacked = matches!(self.wrapping, Wrapping::Gzip(_));
        error
    }

    fn source(&self) -> Source {
        Source {
            name: self.name.clone(),
            size_bytes: self.fed_bytes,
            container: if matches!(self.wrapping, Wrapping::Gzip(_)) { "gzip" } else { "pickle" },
            protocol: self.reader.protocol(),
            sound: self.sound,
        }
    }

    /// Tells from the head what the file is, and passes the head on.
    fn start(&mut self) -> Result<(), Box<OpenError>> {
        self.wrapping = match sniff(&self.head) {
            Kind::Pickle => Wrapping::None,
            Kind::Gzip => Wrapping::Gzip(Box::new(Gunzip::new())),
            Kind::Other { looks_like } => return Err(OpenError::not_a_snapshot(looks_like)),
        };
        let head = std::mem::take(&mut self.head);
        self.pass_on(&head)
    }

    fn pass_on(&mut self, piece: &[u8]) -> Result<(), Box<OpenError>> {
        let reader = &mut self.reader;
        let Wrapping::Gzip(gunzip) = &mut self.wrapping else { return feed(reader, piece) };
        match gunzip.feed(piece, |unpacked| feed_unpacked(reader, unpacked)) {
            Ok(result) => result.map_err(|error| self.unpacked(error)),
            // The pickle is whole. What follows it may be padding; a check sum that differs is worth a word.
            Err(fault) if reader.is_done() => {
                self.sound &= fault == Fault::Trailing;
                Ok(())
            }
            Err(_) => Err(OpenError::gzip(self.fed_bytes, false, self.progress().events)),
        }
    }
}

/// Passes unpacked bytes on; the first of them tell whether a pickle was packed.
fn feed_unpacked(reader: &mut Reader<SnapshotBuilder>, unpacked: &[u8]) -> Result<(), Box<OpenError>> {
    if reader.position() == 0 && !unpacked.is_empty() {
        match sniff(unpacked) {
            Kind::Pickle => {}
            Kind::Gzip => return Err(OpenError::not_a_snapshot("a gzip file inside a gzip file".into())),
            Kind::Other { looks_like } => return Err(OpenError::not_a_snapshot(looks_like)),
        }
    }
    feed(reader, unpacked)
}

fn feed(reader: &mut Reader<SnapshotBuilder>, piece: &[u8]) -> Result<(), Box<OpenError>> {
    reader
        .feed(piece)
        .map_err(|error| OpenError::pickle(&error, reader.protocol(), reader.builder().events.len() as u64))
}
