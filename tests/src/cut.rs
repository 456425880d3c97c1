//! Recordings that begin late, made from whole ones.

use vramscope_core::decode::{Decoder, Limits};
use vramscope_core::model::{Device, Snapshot};

/// The snapshot of a file's bytes, not replayed.
pub fn snapshot(bytes: &[u8]) -> Snapshot {
    let mut decoder = Decoder::new("test.pickle", Limits::default());
    for piece in bytes.chunks(1 << 20) {
        decoder.feed(piece).expect("a sound file");
    }
    decoder.finish().expect("a snapshot")
}

/// Leaves out the first events of a device, as a full ring buffer does.
pub fn drop_first(device: &mut Device, count: usize) {
    let events = &mut device.events;
    events.actions.drain(..count);
    events.addrs.drain(..count);
    events.sizes.drain(..count);
    events.streams.drain(..count);
    events.stacks.drain(..count);
    if !events.times_us.is_empty() {
        events.times_us.drain(..count);
    }
    events.notes.retain_mut(|(event, _)| match event.checked_sub(count as u32) {
        Some(later) => {
            *event = later;
            true
        }
        None => false,
    });
}
