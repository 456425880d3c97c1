//! A whole file in any container: decode, replay, and ask.
#![no_main]

use libfuzzer_sys::fuzz_target;
use vramscope_core::decode::{Decoder, Limits};
use vramscope_core::query;
use vramscope_core::replay::Recording;

fuzz_target!(|bytes: &[u8]| {
    let mut decoder = Decoder::new("fuzz", Limits::default());
    let fed = bytes.chunks(509).try_for_each(|piece| decoder.feed(piece));
    let snapshot = match fed.and_then(|()| decoder.finish()) {
        Ok(snapshot) => snapshot,
        Err(_) => decoder.finish_readable(),
    };
    let recording = Recording::build(snapshot);
    for device in query::summary::summary(&recording).devices {
        let ordinal = device.device;
        query::answer(&recording, &format!(r#"{{"ask":"overview","device":{ordinal}}}"#));
        query::answer(&recording, &format!(r#"{{"ask":"point","device":{ordinal},"moment":9,"bytes":100}}"#));
        query::answer(&recording, &format!(r#"{{"ask":"allocation","device":{ordinal},"id":0}}"#));
        query::answer(&recording, &format!(r#"{{"ask":"chart","device":{ordinal},"columns":9,"axis":"time"}}"#));
    }
});
