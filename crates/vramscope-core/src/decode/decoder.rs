//! Feeding a file piece by piece, whatever it is wrapped in.

use super::builder::{Nodes, SnapshotBuilder};
use super::container::{Content, Layer, Oddities};
use super::error::OpenError;
use super::forecast::Forecast;
use crate::model::{Snapshot, Source};
use crate::warning::Warnings;

/// How much one file may make the decoder hold. Each is far above real recordings (ten million events need some forty million
/// memo entries and twenty million containers), and keeps a small hostile file from taking the machine.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The pickle reader's.
    pub pickle: vramscope_pickle::Limits,
    /// Most lists and dicts: four bytes each.
    pub max_containers: usize,
    /// Most values that stay in lists and dicts which are no records: sixteen bytes each.
    pub max_values: usize,
    /// Most bytes of rows: events and what is noted of them, blocks, segments, lists of them.
    pub max_row_bytes: u64,
}

impl Default for Limits {
    /// For a machine of its own.
    fn default() -> Self {
        Limits {
            pickle: vramscope_pickle::Limits::default(),
            max_containers: Nodes::MOST,
            max_values: 1 << 27,
            max_row_bytes: u64::MAX,
        }
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
        Limits { pickle, max_containers: 1 << 26, max_values: 1 << 25, ..Limits::default() }
    }
}

/// Values that any file may hold, however short.
const FREE_VALUES: u64 = 1 << 20;
/// Values for each byte of the file as it lies on disk: at 16 to 24 bytes each, memory stays below 64 MiB and 400 times the file. A pickle
/// has less than one; packed recordings have about one.
const VALUES_PER_BYTE: u64 = 16;
/// The same for rows; columns that grow may take twice as much. Packed recordings have some twenty bytes of rows for each of theirs.
const FREE_ROW_BYTES: u64 = 16 << 20;
const ROW_BYTES_PER_BYTE: u64 = 160;

impl Limits {
    /// What a file may hold once so many bytes of it have come: a small one that unpacks to gigabytes is stopped early.
    fn after(self, bytes: u64) -> Self {
        let allowed = FREE_VALUES.saturating_add(VALUES_PER_BYTE.saturating_mul(bytes));
        let allowed = usize::try_from(allowed).unwrap_or(usize::MAX);
        let pickle = vramscope_pickle::Limits {
            max_stack: self.pickle.max_stack.min(allowed),
            max_memo: self.pickle.max_memo.min(allowed),
            ..self.pickle
        };
        Limits {
            pickle,
            max_containers: self.max_containers.min(allowed),
            max_values: self.max_values.min(allowed),
            max_row_bytes: self
                .max_row_bytes
                .min(FREE_ROW_BYTES.saturating_add(ROW_BYTES_PER_BYTE.saturating_mul(bytes))),
        }
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
    limits: Limits,
    fed_bytes: u64,
    forecast: Forecast,
    file: Layer,
}

impl Decoder {
    /// A decoder at the start of a file. The name is only for display.
    pub fn new(name: &str, limits: Limits) -> Self {
        Decoder {
            name: name.into(),
            limits,
            fed_bytes: 0,
            forecast: Forecast::default(),
            file: Layer::new(0, limits),
        }
    }

    /// Tells how long the file is, so that room can be made once instead of again and again.
    pub fn expect(&mut self, size_bytes: u64) {
        self.forecast.size_bytes = Some(size_bytes);
    }

    /// Takes the next piece of the file.
    ///
    /// # Errors
    /// The first fault. What was read before it can still be had from [`Decoder::finish_readable`].
    pub fn feed(&mut self, piece: &[u8]) -> Result<(), Box<OpenError>> {
        self.fed_bytes += piece.len() as u64;
        self.file.set_limits(self.limits.after(self.fed_bytes));
        self.file.feed(piece)?;
        let events = self.file.readable();
        if let Some(times) = self.forecast.times(self.fed_bytes, events) {
            self.file.make_room(times);
        }
        Ok(())
    }

    /// How far reading has come.
    pub fn progress(&self) -> Progress {
        let builder = self.file.content().map(Content::builder);
        Progress {
            bytes: self.fed_bytes,
            events: builder.map_or(0, |builder| builder.events.len() as u64),
            stacks: builder.map_or(0, |builder| builder.stacks.n_stacks() as u64 - 1),
        }
    }

    /// Ends the file: the snapshot.
    ///
    /// # Errors
    /// The file is empty, cut, or no snapshot. [`field@OpenError::readable`] tells whether [`Decoder::finish_readable`] has anything to show;
    /// the decoder is left as it was for that.
    pub fn finish(&mut self) -> Result<Snapshot, Box<OpenError>> {
        self.file.end()?;
        let source = self.source();
        let file = std::mem::replace(&mut self.file, Layer::new(0, self.limits));
        let mut odd = Oddities::default();
        file.oddities(&mut odd);
        let content = file.into_content().ok_or_else(OpenError::empty)?;
        let looks_like = content.looks_like();
        let (root, mut builder) = content.finish().ok_or_else(OpenError::empty)?;
        tell(&odd, &mut builder.warnings);
        builder.finish(root, source).map_err(|not| OpenError::wrong_shape(&not, looks_like))
    }

    /// What was read without a fault, after an error.
    pub fn finish_readable(self) -> Snapshot {
        let source = self.source();
        let mut odd = Oddities::default();
        self.file.oddities(&mut odd);
        let content = self.file.into_content();
        let mut builder = content.map_or_else(|| SnapshotBuilder::new(self.limits), Content::into_builder);
        tell(&odd, &mut builder.warnings);
        builder.finish_readable(source)
    }

    fn source(&self) -> Source {
        let mut odd = Oddities::default();
        self.file.oddities(&mut odd);
        Source {
            name: self.name.clone(),
            size_bytes: self.fed_bytes,
            container: self.file.container(),
            protocol: self.file.content().and_then(Content::protocol),
            sound: !odd.unsound,
        }
    }
}

/// What the wrappings have to say, as warnings.
fn tell(odd: &Oddities, warnings: &mut Warnings) {
    warnings.add("checksum_differs", u64::from(odd.unsound), || {
        "The check sum of the packed data differs or is missing: the file was damaged on the way, and figures may be wrong. Copy it again.".into()
    });
    warnings.add("other_zip_members", odd.other_members, || {
        "The zip archive holds further files, which were not read: the first snapshot in it is shown.".into()
    });
    warnings.add("other_page_files", odd.other_files, || {
        "The page holds further snapshots, which were not read: the first one is shown.".into()
    });
}
