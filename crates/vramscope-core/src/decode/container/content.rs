//! The innermost layer: a pickle or JSON, which builds the rows.

use vramscope_pickle::Value;

use crate::decode::builder::SnapshotBuilder;
use crate::decode::decoder::Limits;
use crate::decode::error::OpenError;
use crate::decode::json;

/// The reader of the content.
pub(in crate::decode) enum Content {
    Pickle(Box<vramscope_pickle::Reader<SnapshotBuilder>>),
    Json(Box<json::Reader<SnapshotBuilder>>),
}

impl Content {
    pub(super) fn pickle(limits: Limits) -> Self {
        let builder = SnapshotBuilder::new(limits);
        Content::Pickle(Box::new(vramscope_pickle::Reader::new(builder, limits.pickle)))
    }

    pub(super) fn json(limits: Limits) -> Self {
        let builder = SnapshotBuilder::new(limits);
        Content::Json(Box::new(json::Reader::new(builder, limits.pickle.max_text_bytes)))
    }

    pub(super) fn set_limits(&mut self, limits: Limits) {
        match self {
            Content::Pickle(reader) => {
                reader.set_limits(limits.pickle);
                reader.builder_mut().set_limits(limits);
            }
            Content::Json(reader) => reader.builder_mut().set_limits(limits),
        }
    }

    /// Makes room for what is to come, as many times what has come.
    pub(super) fn make_room(&mut self, times: f64) {
        match self {
            Content::Pickle(reader) => {
                reader.make_room(times);
                reader.builder_mut().make_room(times);
            }
            Content::Json(reader) => reader.builder_mut().make_room(times),
        }
    }

    pub(super) fn feed(&mut self, piece: &[u8]) -> Result<(), Box<OpenError>> {
        let fed = match self {
            Content::Pickle(reader) => reader.feed(piece).map_err(Fault::Pickle),
            Content::Json(reader) => reader.feed(piece).map_err(Fault::Json),
        };
        fed.map_err(|fault| self.told(&fault))
    }

    /// Ends the input.
    pub(super) fn end(&mut self) -> Result<(), Box<OpenError>> {
        let fault = match self {
            Content::Pickle(reader) if reader.is_done() => return Ok(()),
            Content::Pickle(reader) => Fault::Pickle(reader.truncated()),
            Content::Json(reader) => match reader.end() {
                Ok(()) => return Ok(()),
                Err(error) => Fault::Json(error),
            },
        };
        Err(self.told(&fault))
    }

    /// True once the root value is whole. What follows it is passed over.
    pub(super) fn is_done(&self) -> bool {
        match self {
            Content::Pickle(reader) => reader.is_done(),
            Content::Json(reader) => reader.root().is_some(),
        }
    }

    pub(in crate::decode) fn builder(&self) -> &SnapshotBuilder {
        match self {
            Content::Pickle(reader) => reader.builder(),
            Content::Json(reader) => reader.builder(),
        }
    }

    /// Events read so far.
    pub(super) fn readable(&self) -> u64 {
        self.builder().events.len() as u64
    }

    /// The pickle protocol, if it is a pickle and says so.
    pub(in crate::decode) fn protocol(&self) -> Option<u8> {
        match self {
            Content::Pickle(reader) => reader.protocol(),
            Content::Json(_) => None,
        }
    }

    pub(in crate::decode) fn container(&self) -> &'static str {
        match self {
            Content::Pickle(_) => "pickle",
            Content::Json(_) => "json",
        }
    }

    /// "a pickle of protocol 4", "JSON".
    pub(in crate::decode) fn looks_like(&self) -> String {
        match self {
            Content::Pickle(reader) => OpenError::pickle_name(reader.protocol()),
            Content::Json(_) => "JSON".into(),
        }
    }

    /// The root value and the builder, if the root is whole.
    pub(in crate::decode) fn finish(self) -> Option<(Value, SnapshotBuilder)> {
        match self {
            Content::Pickle(reader) => reader.finish().ok(),
            Content::Json(reader) => reader.root().map(|root| (root, reader.into_builder())),
        }
    }

    /// What has been built, whole or not.
    pub(in crate::decode) fn into_builder(self) -> SnapshotBuilder {
        match self {
            Content::Pickle(reader) => reader.into_builder(),
            Content::Json(reader) => reader.into_builder(),
        }
    }

    fn told(&self, fault: &Fault) -> Box<OpenError> {
        match fault {
            Fault::Pickle(error) => OpenError::pickle(error, self.protocol(), self.readable()),
            Fault::Json(error) => OpenError::json(error, self.readable()),
        }
    }

    /// What a whole root is, if it is no snapshot.
    pub(super) fn wrong_shape(&self) -> Option<Box<OpenError>> {
        let root = match self {
            Content::Pickle(reader) => reader.root(),
            Content::Json(reader) => reader.root(),
        };
        let not = self.builder().top(root?).err()?;
        Some(OpenError::wrong_shape(&not, self.looks_like()))
    }
}

enum Fault {
    Pickle(vramscope_pickle::Error),
    Json(json::Error),
}
