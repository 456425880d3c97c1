//! What is taken away is what was there: every event in order, the same totals at each, and nothing of the user where that was asked for.

mod anonymous;
mod counters;
mod snapshots;

use std::ops::Range;

use vramscope_core::model::{Device, Snapshot};
use vramscope_core::replay::{Recording, Replay};
use vramscope_explore::export::{self, Request};
use vramscope_tests::recordings;

/// A recording of the project or at hand, with the sizes of blocks as exact as they get.
fn checked(bytes: &[u8]) -> Recording {
    let mut recording = recordings::open(bytes, 1 << 20).expect("a snapshot");
    recording.check_all();
    recording
}

fn request(events: Option<Range<u32>>) -> Request {
    Request { device: None, events, anonymise: false }
}

/// The pickle, and the size of the largest piece it came in.
fn exported(recording: &Recording, request: &Request) -> Vec<u8> {
    let mut bytes = Vec::new();
    let whole = export::snapshot(recording, request, &mut |piece| {
        assert!(piece.len() < 3 << 20, "{} bytes at once", piece.len());
        bytes.extend_from_slice(piece);
        true
    });
    assert!(whole);
    bytes
}

/// Every device with its replay.
fn devices(recording: &Recording) -> impl Iterator<Item = (&Device, &Replay)> {
    recording.snapshot.devices.iter().zip(&recording.replays)
}

/// A stack as text.
fn stack(snapshot: &Snapshot, stack: vramscope_core::ids::StackId) -> Vec<(String, String, u32)> {
    let text = |id| snapshot.strings.get(id).into_owned();
    let frames = snapshot.stacks.frames_of(stack).iter().filter_map(|frame| snapshot.stacks.frame(*frame));
    frames.map(|frame| (text(frame.name), text(frame.file), frame.line)).collect()
}
