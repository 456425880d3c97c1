//! Recorded and then damaged programs: replay, the allocator model, the state at any moment, filters.
#![no_main]

#[path = "../../src/chaos.rs"]
mod chaos;

use libfuzzer_sys::fuzz_target;
use vramscope_core::query;
use vramscope_core::replay::state::State;
use vramscope_core::replay::{Filter, Recording};

fuzz_target!(|bytes: &[u8]| {
    let (program, damage) = bytes.split_at(bytes.len() - bytes.len() / 8);
    let mut snapshot = chaos::record(program, bytes.len() % 2 == 0);
    chaos::damage(&mut snapshot, damage);
    let mut recording = Recording::build(snapshot);
    recording.check_all();
    query::summary::summary(&recording);
    let end = recording.replays[0].end();
    for moment in [0, end / 2, end] {
        State::at(&recording.replays[0], moment);
        query::answer(&recording, &format!(r#"{{"ask":"state","device":0,"moment":{moment}}}"#));
    }
    recording.set_filter(&Filter { stream: Some("0x1".into()), ..Filter::default() });
    query::answer(&recording, r#"{"ask":"overview","device":0}"#);
    query::answer(&recording, r#"{"ask":"choices","device":0}"#);
});
