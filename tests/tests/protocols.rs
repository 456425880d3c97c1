//! The same run through every protocol and both writers is the same model.

use vramscope_tests::plain::{Plain, plain};
use vramscope_tests::recordings;

fn read(name: &str) -> Plain {
    // An odd piece length: opcodes are cut everywhere.
    let recording =
        recordings::open(&recordings::pickle(name), 977).unwrap_or_else(|error| panic!("{name}: {error}"));
    plain(&recording.snapshot)
}

#[test]
fn six_protocols_are_one_model() {
    let first = read("pickled_protocols_p0");
    assert!(first.devices[0].1.len() > 300 && first.devices[0].1.iter().any(|event| event.stack.len() > 5));
    for protocol in 1..=5 {
        let name = format!("pickled_protocols_p{protocol}");
        let other = read(&name);
        assert_eq!(first.settings, other.settings, "{name}");
        assert_eq!(first.annotations, other.annotations, "{name}");
        for (a, b) in first.devices.iter().zip(&other.devices) {
            assert_eq!(a.1, b.1, "{name}: events");
            assert_eq!(a.2, b.2, "{name}: segments");
        }
        assert_eq!(first, other, "{name}");
    }
}

/// The Python copy was written after the C++ one, so it has one `snapshot` event more, and its clock was converted anew: times
/// may differ by a microsecond.
#[test]
fn both_writers_are_one_model() {
    let cpp = read("cpp_pickled");
    let mut python = read("cpp_pickled_python");
    let events = &mut python.devices[0].1;
    let extra: Vec<usize> = (0..events.len()).filter(|&at| events[at].action == "Snapshot").collect();
    assert_eq!(extra.len(), 1, "one snapshot event more");
    events.remove(extra[0]);
    assert_eq!(cpp.devices[0].1.len(), events.len());
    for (at, (a, b)) in cpp.devices[0].1.iter().zip(events).enumerate() {
        let apart_us = a.time_us.unwrap().abs_diff(b.time_us.unwrap());
        assert!(apart_us <= 1, "event {at}: {apart_us} µs apart");
        b.time_us = a.time_us;
        assert!(a == b, "event {at} differs");
    }
    for (a, b) in cpp.annotations.iter().zip(&mut python.annotations) {
        assert!(a.3.abs_diff(b.3) <= 1, "annotation {}", a.0);
        b.3 = a.3;
    }
    assert!(cpp == python, "settings, annotations or segments differ");
}

/// However the bytes are cut into pieces, the model is the same.
#[test]
fn pieces_do_not_matter() {
    for name in ["context_none", "pickled_protocols_p0", "cpp_pickled"] {
        let bytes = recordings::pickle(name);
        let whole = plain(&recordings::open(&bytes, usize::MAX).unwrap().snapshot);
        for piece in [1, 2, 3, 7, 64, 1021, 65_536] {
            assert_eq!(
                plain(&recordings::open(&bytes, piece).unwrap().snapshot),
                whole,
                "{name} in pieces of {piece}"
            );
        }
    }
}
