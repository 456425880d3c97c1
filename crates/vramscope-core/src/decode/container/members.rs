//! Which member of a zip archive is the snapshot: the first that reads as one.

use super::content::Content;
use super::layers::{Layer, Oddities, unpacked};
use super::unzip::Members;
use crate::decode::decoder::Limits;
use crate::decode::error::{ErrorCode, OpenError};

/// Looks into each member until one is a snapshot.
pub(super) struct Choice {
    current: Layer,
    stage: Stage,
    depth: u8,
    limits: Limits,
    /// Name of the current member.
    name: String,
    /// Members that are files.
    n_files: u64,
    /// What was wrong with the member that came closest.
    nearest: Option<Box<OpenError>>,
    nearest_is_content: bool,
    /// Why the data of a member cannot be had.
    unusable: Option<&'static str>,
    sound: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Between members, none chosen.
    Looking,
    /// In a member that may be it.
    Reading,
    /// In a member that is not.
    Passing,
    /// The current layer is the snapshot.
    Chosen,
    /// The current layer is a snapshot at fault; `nearest` says why.
    Failed,
}

impl Choice {
    pub(super) fn new(depth: u8, limits: Limits) -> Self {
        Choice {
            current: Layer::new(depth, limits),
            stage: Stage::Looking,
            depth,
            limits,
            name: String::new(),
            n_files: 0,
            nearest: None,
            nearest_is_content: false,
            unusable: None,
            sound: true,
        }
    }

    pub(super) fn is_chosen(&self) -> bool {
        self.stage == Stage::Chosen
    }

    pub(super) fn readable(&self) -> u64 {
        self.current.readable()
    }

    pub(super) fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
        self.current.set_limits(limits);
    }

    pub(super) fn make_room(&mut self, times: f64) {
        self.current.make_room(times);
    }

    pub(super) fn content(&self) -> Option<&Content> {
        self.current.content()
    }

    pub(super) fn into_content(self) -> Option<Content> {
        self.current.into_content()
    }

    pub(super) fn oddities(&self, odd: &mut Oddities) {
        odd.unsound |= !self.sound;
        odd.other_members += self.n_files.saturating_sub(1);
        self.current.oddities(odd);
    }

    /// The error that ends reading at once, if there is one.
    pub(super) fn verdict(&mut self) -> Result<(), Box<OpenError>> {
        match self.stage {
            Stage::Failed => Err(self.nearest.take().unwrap_or_else(OpenError::empty)),
            _ => Ok(()),
        }
    }

    /// Ends the archive; `whole` if its directory was reached.
    pub(super) fn conclude(&mut self, whole: bool, fed: u64) -> Result<(), Box<OpenError>> {
        if self.stage == Stage::Reading {
            // Cut within this member; what it holds may be whole all the same.
            self.end(false);
            if self.stage != Stage::Chosen {
                return Err(OpenError::zip_cut(fed, self.readable()));
            }
        }
        if self.stage == Stage::Chosen {
            return Ok(());
        }
        self.verdict()?;
        match (self.nearest.take(), self.unusable) {
            (Some(nearest), _) if self.nearest_is_content || self.n_files == 1 => Err(nearest),
            (_, Some(why)) => Err(OpenError::zip_unusable(why, self.n_files)),
            _ if whole => Err(OpenError::zip_without_snapshot(self.n_files)),
            _ => Err(OpenError::zip_cut(fed, self.readable())),
        }
    }

    /// A member is not it, unless so much was read of it that it can only be this one.
    fn reject(&mut self, error: Box<OpenError>) {
        let is_it = error.readable > 0 || error.code == ErrorCode::TooLarge;
        // A file of another kind says less than a pickle at fault.
        let is_content = !matches!(error.code, ErrorCode::NotASnapshot | ErrorCode::Empty);
        if is_it || self.nearest.is_none() || (is_content && !self.nearest_is_content) {
            let is_checkpoint = error.code == ErrorCode::CallsCode && self.name.ends_with("data.pkl");
            let error = unpacked(error);
            self.nearest = Some(if is_checkpoint { OpenError::checkpoint(*error) } else { error });
            self.nearest_is_content = is_content;
        }
        if is_it {
            self.stage = Stage::Failed;
        } else {
            self.stage = Stage::Passing;
            self.current = Layer::new(self.depth, self.limits);
        }
    }
}

impl Members for Choice {
    fn start(&mut self, name: &str) -> bool {
        let is_file = !name.ends_with('/');
        self.n_files += u64::from(is_file);
        if !is_file || matches!(self.stage, Stage::Chosen | Stage::Failed) {
            return false;
        }
        self.name = name.into();
        self.current = Layer::new(self.depth, self.limits);
        self.stage = Stage::Reading;
        true
    }

    fn data(&mut self, bytes: &[u8]) {
        if self.stage == Stage::Reading
            && let Err(error) = self.current.feed(bytes)
        {
            self.reject(error);
        }
    }

    fn end(&mut self, sound: bool) {
        if self.stage == Stage::Reading {
            let ended = self.current.end();
            let shape = || self.current.content().and_then(Content::wrong_shape).map_or(Ok(()), Err);
            match ended.and_then(|()| shape()) {
                Ok(()) => {
                    self.stage = Stage::Chosen;
                    self.sound = sound;
                }
                Err(error) => self.reject(error),
            }
        }
        if self.stage == Stage::Passing {
            self.stage = Stage::Looking;
        }
    }

    fn unusable(&mut self, why: &'static str) {
        if self.stage == Stage::Reading {
            self.unusable.get_or_insert(why);
            self.stage = Stage::Looking;
        }
    }
}
