//! Faults that other viewers of snapshots are known to have with reading; each is numbered as in the list that they were gathered in.

use vramscope_core::ids::StringId;
use vramscope_core::model::{Frame, FrameKind, Strings};
use vramscope_core::query::{self, summary::summary};
use vramscope_tests::recordings::open;
use vramscope_tests::shapes::containers::page;
use vramscope_tests::shapes::pickles::{Writer, pickle};
use vramscope_tests::shapes::versions::{END_REQUESTED, Version, snapshot};
use vramscope_tests::shapes::{V, event, traced};

fn text(text: &str) -> Vec<u8> {
    [&[0x8c, text.len() as u8], text.as_bytes()].concat()
}

#[test]
fn n01_one_batch_of_many_items() {
    let value = traced((0..140_000).map(|n| event("alloc", 512 * n, 512)));
    let recording = open(&pickle(&value, Writer::Cpp), 1 << 16).unwrap();
    assert_eq!(summary(&recording).devices[0].events, 140_000);
}

/// Long texts and integers, bytes, sets, protocol 0, POP and DUP, all beside a snapshot.
#[test]
fn n02_rare_opcodes() {
    let long_text = [&b"\x8d"[..], &3_u64.to_le_bytes(), b"abc"].concat();
    let extras: [&[u8]; 12] = [
        &long_text,
        b"\x8b\x02\x00\x00\x00\x01\x02",
        b"C\x02ab",
        b"B\x02\x00\x00\x00ab",
        b"\x8e\x02\x00\x00\x00\x00\x00\x00\x00ab",
        b"\x96\x02\x00\x00\x00\x00\x00\x00\x00ab",
        b"\x8f(K\x01K\x02\x90",
        b"(K\x01K\x02\x91",
        b"I12\n",
        b"L123456789012345678901L\n",
        b"NK\x010",
        b"(NK\x01t20",
    ];
    for extra in extras {
        let pairs = [text("rank"), extra.to_vec(), text("segments"), b"]".to_vec()].concat();
        let bytes = [b"\x80\x05}(".as_slice(), &pairs, b"u."].concat();
        let recording = open(&bytes, 1).unwrap_or_else(|error| panic!("{extra:?}: {error}"));
        assert_eq!(summary(&recording).warnings[0].code, "extra_keys");
    }
}

#[test]
fn n03_protocol_5() {
    let recording = open(&pickle(&snapshot(Version::V2_12), Writer::Python(5)), 4096).unwrap();
    assert_eq!(summary(&recording).file.protocol, Some(5));
}

#[test]
fn n04_integers_above_53_bits() {
    let large = (1 << 53) + 1;
    let value = traced([
        event("alloc", large, 512),
        event("alloc", u64::MAX as i128 - 511, 512).with("time_us", V::Int(large)),
    ]);
    let snapshot = open(&pickle(&value, Writer::Python(4)), 4096).unwrap().snapshot;
    let events = &snapshot.devices[0].events;
    assert_eq!(events.addrs, [large as u64, u64::MAX - 511]);
    assert_eq!(events.time_us(1), Some(large as i64));
}

#[test]
fn n05_errors_are_told() {
    let error = open(b"\x80\x04]\xff", 4096).expect_err("a byte that is no opcode");
    assert_eq!(error.at, Some(3));
    assert!(!error.cause.is_empty() && !error.advice.is_empty());
}

#[test]
fn n06_bare_lists_and_dicts_without_traces() {
    for value in [snapshot(Version::V1_13), snapshot(Version::V2_3).without(&["device_traces"])] {
        let recording = open(&pickle(&value, Writer::Python(4)), 4096).unwrap();
        assert_eq!(summary(&recording).devices[0].end.requested_bytes, END_REQUESTED);
    }
}

#[test]
fn n07_no_list_of_traces_at_all() {
    let value = snapshot(Version::V2_11).with("device_traces", V::list([]));
    let recording = open(&pickle(&value, Writer::Python(4)), 4096).unwrap();
    assert_eq!(summary(&recording).devices[0].end.requested_bytes, END_REQUESTED);
    assert!(
        query::answer(&recording, r#"{"ask":"alive","device":0,"moment":0,"limit":5}"#)
            .contains("\"count\":2")
    );
}

#[test]
fn n17_no_dates_where_there_is_no_time() {
    let recording = open(&pickle(&snapshot(Version::V2_1), Writer::Python(4)), 4096).unwrap();
    let opened = serde_json::to_value(query::opened(&recording)).unwrap();
    assert_eq!(opened["devices"][0]["has_time"], false);
    assert!(opened["summary"]["devices"][0]["history"]["first_time_us"].is_null());
    let answer = query::answer(&recording, r#"{"ask":"moment","device":0,"moment":3}"#);
    assert!(answer.contains("\"time_us\":null"), "{answer}");
}

#[test]
fn n18_pools_of_events_are_kept() {
    let pool = V::Tuple(vec![V::Int(0), V::Int(7)]);
    let value = traced([event("alloc", 512, 512).with("pool_id", pool), event("alloc", 1024, 512)]);
    let events = &open(&pickle(&value, Writer::Cpp), 4096).unwrap().snapshot.devices[0].events;
    assert!(events.says_pools);
    assert_eq!((events.notes_of(0).pool, events.notes_of(1).pool), (Some((0, 7)), None));
}

/// Whose code a frame is, is told by its file, not by parts of its name.
#[test]
fn n22_user_code_is_never_hidden() {
    let mut strings = Strings::default();
    for (name, file) in [
        ("my_start_loop", "/home/user/train.py"),
        ("PyEval_helper", "/home/user/tools.py"),
        ("forward", "/home/user/Register/net.py"),
        ("forward", "/home/user/core/boxing/net.py"),
    ] {
        let mut id = |text: &str| -> StringId { strings.intern(text.as_bytes()) };
        let frame = Frame { name: id(name), file: id(file), line: 1 };
        assert_eq!(frame.kind(&strings), FrameKind::Own, "{name} in {file}");
    }
}

#[test]
fn n23_streams_keep_their_handles() {
    let stream = |raw: i128| event("alloc", 512 * raw, 512).with("stream", V::Int(raw));
    let value = traced([stream(0x5581_0000_0010), stream(2), stream(0)]);
    let snapshot = open(&pickle(&value, Writer::Python(4)), 4096).unwrap().snapshot;
    let raw = snapshot.devices[0].events.streams.iter().map(|id| snapshot.stream(*id));
    assert_eq!(raw.collect::<Vec<_>>(), [0x5581_0000_0010, 2, 0]);
}

#[test]
fn n27_pages_of_a_view_that_is_gone() {
    let bytes = page(&pickle(&snapshot(Version::V2_2), Writer::Python(4)), "Active Cached Memory Timeline");
    assert_eq!(summary(&open(&bytes, 4096).unwrap()).devices[0].end.requested_bytes, END_REQUESTED);
}
