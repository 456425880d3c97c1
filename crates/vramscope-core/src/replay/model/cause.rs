//! Why recording and model may part, in words.

use serde::Serialize;

/// The likely cause of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// The trace lacks events: `skip_actions`, a cut file, lost frees or allocs.
    MissingEvents,
    /// The block lies in a segment that is gone by the end, so its private pool is not in the file.
    LostPrivatePool,
    /// The model had no room where the recording had.
    LimitChanged,
    /// The settings are not in the file (before 2.3).
    SettingsNotRecorded,
    /// What was there before the first event contradicts itself.
    UnclearStart,
    /// Every event agrees, but not the blocks that are left.
    FinalSegments,
    /// None of these.
    Other,
}

impl Cause {
    /// One line.
    pub fn title(self) -> &'static str {
        match self {
            Cause::MissingEvents => "Events are missing from the trace",
            Cause::LostPrivatePool => "A private pool that no longer exists",
            Cause::LimitChanged => "The memory limit changed while recording",
            Cause::SettingsNotRecorded => "The allocator settings are not in the file",
            Cause::UnclearStart => "What was there before recording is unclear",
            Cause::FinalSegments => "The final segments are not those that the events lead to",
            Cause::Other => "Settings changed while recording, or another allocator",
        }
    }

    /// What it means.
    pub fn text(self) -> &'static str {
        match self {
            Cause::MissingEvents => {
                "Allocs, frees or segment events are not in the file (skip_actions, other threads that went on while the snapshot was \
                 taken, or a cut file), so the allocator cannot be followed."
            }
            Cause::LostPrivatePool => {
                "The block lies in a segment that was given back before the snapshot, so the file does not say which private pool (CUDA \
                 graph or MemPool) it served. PyTorch 2.12 and later record it."
            }
            Cause::LimitChanged => {
                "set_per_process_memory_fraction() was called while recording, or the card had less room at one time than at another."
            }
            Cause::SettingsNotRecorded => {
                "Files from before PyTorch 2.3 have no allocator settings; the model assumed the defaults."
            }
            Cause::UnclearStart => {
                "Blocks and segments from before the first event overlap or do not fit each other."
            }
            Cause::FinalSegments => {
                "Every event agrees, but the blocks in the snapshot's segments do not: settings changed while recording, events are missing, \
                 other threads went on while the snapshot was taken, or the file was changed."
            }
            Cause::Other => {
                "The settings were changed at run time, the writer was another version or a vendor's allocator, or pools were restored from \
                 a checkpoint (CUDA graph trees)."
            }
        }
    }
}
