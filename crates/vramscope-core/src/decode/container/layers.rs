//! One layer inside the other, and the bytes on their way through.

use super::content::Content;
use super::gunzip::{Fault, Gunzip};
use super::html::Page;
use super::members::Choice;
use super::sniff::{HEAD, Kind, sniff};
use super::unzip::Unzip;
use crate::decode::decoder::Limits;
use crate::decode::error::{ErrorCode, OpenError};

/// How many wrappings may lie around a content: a page in a zip in gzip. A file that unpacks to itself ends here.
const MAX_WRAPPINGS: u8 = 3;

/// Bytes of a page that are searched for its data. The pages of PyTorch have some hundred before them.
const MAX_BEFORE_DATA: u64 = 64 << 20;

/// A wrapping with what is in it, or the content.
pub(in crate::decode) struct Layer {
    stage: Stage,
    /// Wrappings around this layer.
    depth: u8,
    limits: Limits,
    /// Bytes taken in.
    fed: u64,
    /// False if a check sum differs.
    sound: bool,
}

enum Stage {
    /// Too few bytes have come to tell what it is; these.
    Head(Vec<u8>),
    Gzip(Box<Gunzip>, Box<Layer>),
    Zip(Box<Unzip>, Box<Choice>),
    Html(Box<Page>, Box<Layer>),
    Content(Content),
}

/// What the layers have to say beside the content.
#[derive(Default)]
pub(in crate::decode) struct Oddities {
    /// A check sum differs: bytes were changed on the way.
    pub(in crate::decode) unsound: bool,
    /// Further files in a zip archive, which were not read.
    pub(in crate::decode) other_members: u64,
    /// Further files in an HTML page, which were not read.
    pub(in crate::decode) other_files: u64,
}

impl Layer {
    /// A layer before its first byte.
    pub(in crate::decode) fn new(depth: u8, limits: Limits) -> Self {
        Layer { stage: Stage::Head(Vec::new()), depth, limits, fed: 0, sound: true }
    }

    /// Other limits from here on, down to the content.
    pub(in crate::decode) fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
        match &mut self.stage {
            Stage::Head(_) => {}
            Stage::Gzip(_, inner) | Stage::Html(_, inner) => inner.set_limits(limits),
            Stage::Zip(_, choice) => choice.set_limits(limits),
            Stage::Content(content) => content.set_limits(limits),
        }
    }

    /// Makes room for what is to come, as many times what has come.
    pub(in crate::decode) fn make_room(&mut self, times: f64) {
        match &mut self.stage {
            Stage::Head(_) => {}
            Stage::Gzip(_, inner) | Stage::Html(_, inner) => inner.make_room(times),
            Stage::Zip(_, choice) => choice.make_room(times),
            Stage::Content(content) => content.make_room(times),
        }
    }

    /// Takes the next piece.
    pub(in crate::decode) fn feed(&mut self, piece: &[u8]) -> Result<(), Box<OpenError>> {
        self.fed += piece.len() as u64;
        let Stage::Head(head) = &mut self.stage else { return self.pass_on(piece) };
        head.extend_from_slice(piece);
        if head.len() < HEAD { Ok(()) } else { self.start() }
    }

    /// Ends the input. An error leaves what was read for [`Layer::into_content`].
    pub(in crate::decode) fn end(&mut self) -> Result<(), Box<OpenError>> {
        if self.fed == 0 {
            return Err(OpenError::empty());
        }
        if matches!(self.stage, Stage::Head(_)) {
            self.start()?;
        }
        let fed = self.fed;
        match &mut self.stage {
            Stage::Head(_) => Ok(()),
            Stage::Content(content) => content.end(),
            Stage::Gzip(gunzip, inner) => {
                let whole = gunzip.finish();
                let ended = inner.end();
                self.sound &= whole;
                match ended {
                    Err(error) if !whole => Err(OpenError::gzip(fed, true, error.readable)),
                    other => other.map_err(unpacked),
                }
            }
            Stage::Zip(unzip, choice) => {
                let whole = unzip.finish(choice.as_mut());
                choice.conclude(whole, fed)
            }
            Stage::Html(page, _) if !page.has_data() => {
                Err(OpenError::page_without_data(page.looks_like(), fed))
            }
            Stage::Html(page, inner) => match inner.end() {
                Err(error) if !page.is_whole() => Err(OpenError::page_cut(fed, error.readable)),
                other => other.map_err(unpacked),
            },
        }
    }

    /// True once the content is whole.
    pub(super) fn is_done(&self) -> bool {
        self.content().is_some_and(Content::is_done)
    }

    /// What this layer is: "pickle", "json", "html", "gzip" or "zip".
    pub(in crate::decode) fn container(&self) -> &'static str {
        match &self.stage {
            Stage::Head(_) => "pickle",
            Stage::Gzip(..) => "gzip",
            Stage::Zip(..) => "zip",
            Stage::Html(..) => "html",
            Stage::Content(content) => content.container(),
        }
    }

    /// The reader at the bottom, if it has begun. Layers are few, so this may descend.
    pub(in crate::decode) fn content(&self) -> Option<&Content> {
        match &self.stage {
            Stage::Head(_) => None,
            Stage::Gzip(_, inner) | Stage::Html(_, inner) => inner.content(),
            Stage::Zip(_, choice) => choice.content(),
            Stage::Content(content) => Some(content),
        }
    }

    /// Takes the reader at the bottom out.
    pub(in crate::decode) fn into_content(self) -> Option<Content> {
        match self.stage {
            Stage::Head(_) => None,
            Stage::Gzip(_, inner) | Stage::Html(_, inner) => inner.into_content(),
            Stage::Zip(_, choice) => choice.into_content(),
            Stage::Content(content) => Some(content),
        }
    }

    /// Adds what this layer and those inside have to say.
    pub(in crate::decode) fn oddities(&self, odd: &mut Oddities) {
        odd.unsound |= !self.sound;
        match &self.stage {
            Stage::Head(_) | Stage::Content(_) => {}
            Stage::Gzip(_, inner) => inner.oddities(odd),
            Stage::Html(page, inner) => {
                odd.other_files += page.others;
                inner.oddities(odd);
            }
            Stage::Zip(_, choice) => choice.oddities(odd),
        }
    }

    /// Tells from the head what the data are, and passes the head on.
    fn start(&mut self) -> Result<(), Box<OpenError>> {
        let Stage::Head(head) = &mut self.stage else { return Ok(()) };
        let head = std::mem::take(head);
        let kind = sniff(&head);
        let wraps = matches!(kind, Kind::Gzip | Kind::Zip | Kind::Html);
        if wraps && self.depth >= MAX_WRAPPINGS {
            return Err(OpenError::nested(u64::from(MAX_WRAPPINGS)));
        }
        let inner = || Box::new(Layer::new(self.depth + 1, self.limits));
        self.stage = match kind {
            Kind::Pickle => Stage::Content(Content::pickle(self.limits)),
            Kind::Json => Stage::Content(Content::json(self.limits)),
            Kind::Gzip => Stage::Gzip(Box::new(Gunzip::new()), inner()),
            Kind::Zip => {
                Stage::Zip(Box::new(Unzip::new()), Box::new(Choice::new(self.depth + 1, self.limits)))
            }
            Kind::Html => Stage::Html(Box::default(), inner()),
            Kind::Other { looks_like } => return Err(OpenError::not_a_snapshot(looks_like)),
        };
        self.pass_on(&head)
    }

    fn pass_on(&mut self, piece: &[u8]) -> Result<(), Box<OpenError>> {
        match &mut self.stage {
            Stage::Head(_) => Ok(()),
            Stage::Content(content) => content.feed(piece),
            Stage::Gzip(gunzip, inner) => match gunzip.feed(piece, |out| inner.feed(out)) {
                Ok(result) => result.map_err(unpacked),
                // The content is whole. What follows it may be padding; a check sum that differs is worth a word.
                Err(fault) if inner.is_done() => {
                    self.sound &= fault == Fault::Trailing;
                    Ok(())
                }
                Err(_) => Err(OpenError::gzip(self.fed, false, inner.readable())),
            },
            Stage::Zip(unzip, choice) => match unzip.feed(piece, choice.as_mut()) {
                Ok(()) => choice.verdict(),
                // Damage behind the file that was looked for does it no harm.
                Err(_) if choice.is_chosen() => Ok(()),
                Err(damaged) => Err(OpenError::zip_damaged(damaged.at, choice.readable())),
            },
            Stage::Html(page, inner) => match page.feed(piece, |out| inner.feed(out)) {
                Ok(Ok(())) if !page.has_data() && self.fed > MAX_BEFORE_DATA => {
                    Err(OpenError::page_without_data(page.looks_like(), self.fed))
                }
                Ok(result) => result.map_err(unpacked),
                Err(_) if inner.is_done() => Ok(()),
                Err(wrong) => Err(OpenError::no_base64(wrong.at, wrong.found, inner.readable())),
            },
        }
    }

    /// Events read so far.
    pub(in crate::decode) fn readable(&self) -> u64 {
        self.content().map_or(0, Content::readable)
    }
}

/// Marks that an error's offset counts bytes after unpacking.
pub(super) fn unpacked(mut error: Box<OpenError>) -> Box<OpenError> {
    error.unpacked = error.at.is_some() && error.code != ErrorCode::Empty;
    error
}
