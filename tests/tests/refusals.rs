//! Code is never run, and what can be read of a cut file is shown.

use vramscope_core::decode::{Decoder, ErrorCode, Limits};
use vramscope_core::query::{self, summary::summary};
use vramscope_core::replay::Recording;
use vramscope_tests::recordings;

fn with_proto(body: &[u8]) -> Vec<u8> {
    [b"\x80\x04", body].concat()
}

/// Nothing that imports, calls or builds is obeyed; each is refused by its name.
#[test]
fn code_is_never_run() {
    let cases: [(&[u8], &str); 15] = [
        (b"cos\nsystem\n(\x8c\x02lstR.", "GLOBAL os.system"),
        (b"\x8c\x02os\x8c\x06system\x93.", "STACK_GLOBAL os.system"),
        (b"NNR.", "REDUCE"),
        (b"NNb.", "BUILD"),
        (b"(ios\nsystem\n.", "INST os.system"),
        (b"(No.", "OBJ"),
        (b"NN\x81.", "NEWOBJ"),
        (b"NNN\x92.", "NEWOBJ_EX"),
        (b"\x82\x01.", "EXT1"),
        (b"\x83\x01\x00.", "EXT2"),
        (b"\x84\x01\x00\x00\x00.", "EXT4"),
        (b"Pid\n.", "PERSID"),
        (b"NQ.", "BINPERSID"),
        (b"\x97.", "NEXT_BUFFER"),
        (b"\x98.", "READONLY_BUFFER"),
    ];
    for (body, names) in cases {
        let error = recordings::open(&with_proto(body), 4096).expect_err(names);
        assert_eq!(error.code, ErrorCode::CallsCode, "{names}");
        assert_eq!(error.found.as_deref(), Some(names));
        assert!(error.at.is_some(), "{names}");
    }
}

/// The readable part of a cut file holds the events before the cut, and says that it is a part.
#[test]
fn the_readable_part_opens() {
    let bytes = recordings::pickle("linear_inference");
    let whole = recordings::open(&bytes, 4096).unwrap();
    let mut decoder = Decoder::new("cut", Limits::default());
    decoder.feed(&bytes[..bytes.len() * 9 / 10]).unwrap();
    let error = decoder.finish().expect_err("cut");
    assert!(error.readable > 10, "{error}");
    let part = Recording::build(decoder.finish_readable());
    let (part_events, whole_events) = (&part.snapshot.devices[0].events, &whole.snapshot.devices[0].events);
    assert_eq!(part_events.len() as u64, error.readable);
    assert_eq!(part_events.addrs[..], whole_events.addrs[..part_events.len()]);
    assert!(part.snapshot.partial && !summary(&part).devices[0].history.complete);
    let overview = query::answer(&part, r#"{"ask":"overview","device":0}"#);
    assert!(overview.contains("Only the readable part"), "{overview}");
}

/// A snapshot in which all lists are empty is one of a device that held nothing.
#[test]
fn an_empty_snapshot_opens() {
    for body in [&b"}(\x8c\x08segments]\x8c\rdevice_traces]u."[..], b"].", b"}\x8c\x08segments]s."] {
        let recording = recordings::open(&with_proto(body), 4096).unwrap();
        let devices = summary(&recording).devices;
        assert_eq!(devices.len(), 1);
        assert_eq!((devices[0].events, devices[0].peak.reserved_bytes), (0, 0));
        assert!(
            query::answer(&recording, r#"{"ask":"overview","device":0}"#).contains("Nothing was allocated")
        );
    }
}

/// Damage that the pickle does not show is told by gzip's check sum; padding behind the file is none.
#[test]
fn check_sums_of_gzip_are_compared() {
    let bytes = std::fs::read(recordings::folder().join("streams.pickle.gz")).unwrap();
    let codes = |bytes: &[u8]| {
        let recording = recordings::open(bytes, 1000).unwrap();
        let banner =
            query::answer(&recording, r#"{"ask":"overview","device":0}"#).contains("damaged on the way");
        (banner, summary(&recording).warnings.iter().map(|warning| warning.code).collect::<Vec<_>>())
    };
    assert_eq!(codes(&bytes), (false, vec![]));
    assert_eq!(codes(&[&bytes[..], &[0; 512]].concat()), (false, vec![]), "padding");
    let mut wrong = bytes.clone();
    let check_sum = wrong.len() - 8;
    wrong[check_sum] ^= 1;
    assert_eq!(codes(&wrong), (true, vec!["checksum_differs"]));
    assert_eq!(codes(&bytes[..bytes.len() - 4]), (true, vec!["checksum_differs"]), "cut in the check sum");
}

/// A cut pickle in whole gzip data is told as what it is, with an offset of the unpacked bytes.
#[test]
fn a_cut_pickle_in_whole_gzip_data() {
    use std::io::Write;
    let pickle = recordings::pickle("streams");
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(&pickle[..60_000]).unwrap();
    let error = recordings::open(&packer.finish().unwrap(), 4096).expect_err("cut");
    assert_eq!((error.code, error.at, error.unpacked), (ErrorCode::Truncated, Some(60_000), true));
    let nothing = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast()).finish().unwrap();
    assert_eq!(recordings::open(&nothing, 4096).expect_err("nothing").code, ErrorCode::Empty);
}
