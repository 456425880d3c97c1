//! The cause of every recording at hand.

use vramscope_core::decode::{Decoder, Limits};
use vramscope_core::replay::Recording;
use vramscope_diagnose::{Options, diagnose};
use vramscope_tests::frames::{KEPT, only};
use vramscope_tests::recordings;

#[test]
fn every_recording_has_its_cause() {
    for file in recordings::all() {
        let bytes = std::fs::read(&file.path).unwrap();
        let mut line = format!("{:28}", file.name);
        for kept in KEPT {
            let mut decoder = Decoder::new("test.pickle", Limits::default());
            decoder.feed(&bytes).unwrap();
            let mut recording = Recording::build(only(decoder.finish().unwrap(), kept));
            recording.check_all();
            let busiest = recording.snapshot.devices.iter().max_by_key(|device| device.events.len()).unwrap();
            let report = diagnose(&recording, busiest.ordinal, &Options::default()).unwrap();
            line += &format!("{:?} {:.2} ", report.verdict, report.confidence);
        }
        println!("{line}");
    }
}
