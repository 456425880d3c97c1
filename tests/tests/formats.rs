//! Every snapshot that PyTorch ever wrote opens: each version's shape, in each container, with the same figures.

use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use vramscope_core::decode::{Decoder, Limits};
use vramscope_core::model::Snapshot;
use vramscope_core::query::{self, summary::summary};
use vramscope_core::replay::Recording;
use vramscope_tests::plain::{Plain, Stack, plain};
use vramscope_tests::recordings::open;
use vramscope_tests::shapes::V;
use vramscope_tests::shapes::containers::{Method, gzip, page, page_of, torch_save, zip};
use vramscope_tests::shapes::json::json;
use vramscope_tests::shapes::pickles::{Writer, pickle};
use vramscope_tests::shapes::versions::{self, Version, Version::*};

/// Bytes that a model is the same in: name, `file.container`, warnings, and the file.
fn containers(value: &V) -> Vec<(&'static str, &'static str, &'static [&'static str], Vec<u8>)> {
    let protocol4 = pickle(value, Writer::Python(4));
    let text = json(value).into_bytes();
    let html = page(&protocol4, "Active Memory Timeline");
    let stored = zip(&[("snapshot.pickle", &protocol4, Method::Stored)]);
    vec![
        ("protocol 2", "pickle", &[], pickle(value, Writer::Python(2))),
        ("protocol 4", "pickle", &[], protocol4.clone()),
        ("protocol 5", "pickle", &[], pickle(value, Writer::Python(5))),
        ("C++ writer", "pickle", &[], pickle(value, Writer::Cpp)),
        ("JSON", "json", &[], text.clone()),
        ("JSON with a byte order mark", "json", &[], [b"\xef\xbb\xbf\r\n ", &text[..], b"\n\n"].concat()),
        ("page", "html", &[], html.clone()),
        ("gzip of a pickle", "gzip", &[], gzip(&protocol4)),
        ("gzip of JSON", "gzip", &[], gzip(&text)),
        ("gzip of a page", "gzip", &[], gzip(&html)),
        ("stored in zip", "zip", &[], stored.clone()),
        ("deflated in zip", "zip", &[], zip(&[("snapshot.pickle", &protocol4, Method::Deflated)])),
        ("streamed into zip", "zip", &[], zip(&[("a.json", &text, Method::DeflatedThenSizes)])),
        ("zip64", "zip", &[], zip(&[("folder/", b"", Method::Stored), ("a", &protocol4, Method::Stored64)])),
        ("torch.save", "zip", &["other_zip_members"], torch_save(&protocol4)),
        ("gzip of zip of a page", "gzip", &[], gzip(&zip(&[("p.html", &html, Method::StoredThenSizes)]))),
        (
            "zip among other files",
            "zip",
            &["other_zip_members"],
            zip(&[
                ("README", b"read me", Method::Stored),
                ("weights.pkl", b"\x80\x04}(\x8c\x05epochK\x03\x8c\x05modelNu.", Method::Deflated),
                ("evil.pkl", b"\x80\x02cos\nsystem\n.", Method::StoredThenSizes),
                ("snapshot.pickle.gz", &gzip(&protocol4), Method::DeflatedThenSizes),
                ("PK\x07\x08", b"PK\x07\x08PK\x03\x04", Method::StoredThenSizes),
            ]),
        ),
    ]
}

/// Version, then what it opens as: devices, events, allocations, segments, requested bytes at the end, version guessed.
type Row = (Version, usize, u64, u64, u64, u64, Option<&'static str>);

const END: u64 = versions::END_REQUESTED;
const EVENTS: u64 = versions::EVENTS;
/// Without requested sizes the rounded ones stand for them.
const END_ROUNDED: u64 = 3_000_320 + 1_000_448;

#[rustfmt::skip]
const TABLE: [Row; 12] = [
    //            devices  events      allocs  segments  requested    guess
    (V1_12,       1,       0,          2,      2,        END_ROUNDED, None),
    (V1_13,       1,       0,          2,      2,        END,         Some("1.13")),
    (V2_0,        1,       EVENTS,     3,      2,        END,         Some("2.0")),
    (V2_1,        1,       EVENTS,     3,      2,        END,         Some("2.1")),
    (V2_2,        1,       EVENTS,     3,      2,        END,         Some("2.2")),
    (V2_3,        1,       EVENTS,     3,      2,        END,         Some("2.3")),
    (Nightly2024, 1,       EVENTS + 2, 3,      2,        END,         Some("2.3")),
    (V2_5,        1,       EVENTS,     3,      2,        END,         Some("2.5")),
    (V2_8,        1,       EVENTS,     3,      2,        END,         Some("2.8")),
    (V2_10,       1,       EVENTS,     3,      2,        END,         Some("2.10")),
    (V2_11,       1,       EVENTS,     3,      2,        END,         Some("2.11")),
    (V2_12,       1,       EVENTS,     3,      2,        END,         Some("2.12")),
];

#[test]
fn every_version_opens_in_every_container() {
    for (version, devices, events, allocations, segments, requested, guess) in TABLE {
        let value = versions::snapshot(version);
        let mut first: Option<Everything> = None;
        for (name, container, warnings, bytes) in containers(&value) {
            let what = format!("{version:?}, {name}");
            let recording = open(&bytes, 4096).unwrap_or_else(|error| panic!("{what}: {error}"));
            let summary = summary(&recording);
            let device = &summary.devices[0];
            assert_eq!(summary.devices.len(), devices, "{what}");
            assert_eq!(
                (device.events, device.allocations, device.segments),
                (events, allocations, segments),
                "{what}"
            );
            assert_eq!(device.end.requested_bytes, requested, "{what}");
            assert_eq!(device.end.reserved_bytes, versions::END_RESERVED, "{what}");
            if events > 0 {
                assert_eq!(device.peak.requested_bytes, versions::PEAK_REQUESTED, "{what}");
            }
            assert_eq!(recording.snapshot.written_by_at_least, guess, "{what}");
            assert_eq!(summary.file.container, container, "{what}");
            let told: Vec<&str> = summary.warnings.iter().map(|warning| warning.code).collect();
            assert_eq!(told, warnings, "{what}");
            let all = everything(&recording.snapshot);
            match &first {
                None => first = Some(all),
                Some(first) => assert_eq!(&all, first, "{what}"),
            }
        }
    }
}

/// A snapshot field by field, and the notes of each event in words.
type Everything = (Plain, Vec<String>);

fn everything(snapshot: &Snapshot) -> Everything {
    let notes = snapshot.devices.iter().flat_map(|device| {
        let text = |id: Option<_>| id.map(|id| snapshot.strings.get(id).into_owned());
        let events = device.events.notes.iter().map(move |(event, notes)| {
            let forward = notes.forward_stack.map(|stack| shown(snapshot, stack));
            format!("{event} {forward:?} {:?} {:?}", text(notes.internal_metadata), text(notes.category))
        });
        events.chain([format!("{:?} {:?} {}", device.kind, device.ring, device.events.says_pools)])
    });
    (plain(snapshot), notes.collect())
}

fn shown(snapshot: &Snapshot, stack: vramscope_core::ids::StackId) -> Stack {
    let frames = snapshot.stacks.frames_of(stack).iter().filter_map(|frame| snapshot.stacks.frame(*frame));
    let text = |id| snapshot.strings.get(id).into_owned();
    frames.map(|frame| (text(frame.name), text(frame.file), frame.line)).collect()
}

/// However a file is cut into pieces, the model is the same, in each container.
#[test]
fn pieces_do_not_matter() {
    for (name, _, _, bytes) in containers(&versions::snapshot(V2_12)) {
        let whole = everything(&open(&bytes, usize::MAX).unwrap().snapshot);
        for piece in [1, 2, 3, 5, 17, 64, 509, 512, 513, 1021] {
            let recording = open(&bytes, piece).unwrap_or_else(|error| panic!("{name}, {piece}: {error}"));
            assert_eq!(everything(&recording.snapshot), whole, "{name} in pieces of {piece}");
        }
    }
}

proptest! {
    /// Also when each piece has another length.
    #[test]
    fn random_pieces_do_not_matter(nth in 0..containers(&V::None).len(), cuts in vec(any::<Index>(), 0..40)) {
        let (name, _, _, bytes) = containers(&versions::snapshot(V2_12)).swap_remove(nth);
        let mut decoder = Decoder::new(name, Limits::default());
        let mut from = 0;
        for to in cuts.iter().map(|cut| cut.index(bytes.len())).collect::<BTreeSet<_>>() {
            decoder.feed(&bytes[from..to]).unwrap();
            from = to;
        }
        decoder.feed(&bytes[from..]).unwrap();
        let whole = everything(&open(&bytes, usize::MAX).unwrap().snapshot);
        prop_assert_eq!(everything(&Recording::build(decoder.finish().unwrap()).snapshot), whole);
    }
}

fn recorded(value: &V) -> Recording {
    let bytes = pickle(value, Writer::Python(4));
    let recording = open(&bytes, 4096).unwrap_or_else(|error| panic!("{error}"));
    let from_json = open(json(value).as_bytes(), 7).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(everything(&recording.snapshot), everything(&from_json.snapshot), "JSON");
    recording
}

/// Warnings of reading. The small traces here contradict their segments, which is the replay's to tell.
fn codes(recording: &Recording) -> Vec<&str> {
    let codes = recording.snapshot.warnings.list().iter().map(|warning| warning.code);
    codes.filter(|code| !["contradictions", "more_requested_than_reserved"].contains(code)).collect()
}

fn event(action: &str, addr: i128, size: i128) -> V {
    V::dict([
        ("action", V::text(action)),
        ("addr", V::Int(addr)),
        ("size", V::Int(size)),
        ("stream", V::Int(0)),
    ])
}

fn traced(events: impl IntoIterator<Item = V>) -> V {
    V::dict([("segments", V::list([])), ("device_traces", V::list([V::list(events)]))])
}

/// 2.0: the C++ backtrace stands before the Python frames; 1.13: the newest tenant of a block is the one that counts.
#[test]
fn stacks_of_old_versions() {
    let old = recorded(&versions::snapshot(V2_0)).snapshot;
    let stack = shown(&old, old.devices[0].events.stacks[1]);
    let names: Vec<&str> = stack.iter().map(|(name, _, _)| name.as_str()).collect();
    assert_eq!(names, ["c10::cuda::alloc(long)", "main", "step", "step"]);
    assert_eq!(stack[0].1, "/opt/torch/lib/libc10_cuda.so");
    assert_eq!(stack[1].1, "python");
    let older = recorded(&versions::snapshot(V1_13)).snapshot;
    let block = &older.devices[0].segments[0].blocks[1];
    assert_eq!(block.requested_bytes, 3_000_000);
    assert_eq!(shown(&older, block.stack)[0].2, 2);
    assert_eq!(block.address, 0x7f00_0000_0000 + 5_000_192, "addresses follow from sizes");
}

/// Nightly builds of 2024 put annotations among the events.
#[test]
fn user_defined_events_are_annotations() {
    let snapshot = recorded(&versions::snapshot(Nightly2024)).snapshot;
    let said = plain(&snapshot).annotations;
    let label = "forward größe".to_owned();
    assert_eq!(
        said,
        [(label.clone(), true, 0, 1_700_000_000_000_010), (label, false, 0, 1_700_000_000_000_050)]
    );
}

/// 2.11 and later: the forward stack, innermost first; 2.12: notes, pools, the ring.
#[test]
fn notes_of_new_versions() {
    let recording = recorded(&versions::snapshot(V2_12));
    let snapshot = &recording.snapshot;
    let events = &snapshot.devices[0].events;
    assert!(events.says_pools && events.notes_of(1).pool.is_none(), "pool (0, 0)");
    let forward = shown(snapshot, events.notes_of(1).forward_stack.unwrap());
    assert_eq!(forward[0], ("forward".into(), "/home/user/net.py".into(), 4));
    assert_eq!(forward[1], ("main".into(), "/home/user/train.py".into(), 7));
    let answer = query::answer(&recording, r#"{"ask":"allocation","device":0,"id":0}"#);
    assert!(answer.contains(r#""forward_stack":[{"#) && answer.contains(r#""annotations":[]"#), "{answer}");
    assert!(
        !open(&pickle(&versions::snapshot(V2_11), Writer::Cpp), 99).unwrap().snapshot.devices[0]
            .events
            .says_pools
    );

    let noted = traced([
        event("alloc", 64, 100)
            .with("category", V::text("gradient"))
            .with("internal_metadata", V::text("helper")),
        event("annotate", 64, 100).with("user_metadata", V::text("weights of größe")),
        event("annotate", 65, 100).with("user_metadata", V::text("another block")),
        event("free_completed", 64, 100),
        event("alloc", 64, 100),
        event("annotate", 64, 100).with("user_metadata", V::text("later")),
    ]);
    let recording = recorded(&noted);
    let answer = query::answer(&recording, r#"{"ask":"allocation","device":0,"id":0}"#);
    for part in [
        r#""annotations":["weights of größe"]"#,
        r#""category":"gradient""#,
        r#""internal_metadata":"helper""#,
        r#""forward_stack":null"#,
    ] {
        assert!(answer.contains(part), "{part}: {answer}");
    }
    let later = query::answer(&recording, r#"{"ask":"allocation","device":0,"id":1}"#);
    assert!(later.contains(r#""annotations":["later"]"#), "{later}");
}

#[test]
fn the_ring_is_told_where_the_writer_says_it() {
    let ring = |value: &V| {
        let devices = recorded(value).snapshot.devices;
        devices.iter().map(|device| (device.ring.overflowed, device.ring.max_entries)).collect::<Vec<_>>()
    };
    let two = || V::dict([("segments", V::list([])), ("device_traces", V::list([V::list([]), V::list([])]))]);
    assert_eq!(ring(&two()), [(None, None); 2]);
    let at_top =
        two().with("trace_alloc_overflowed", V::Bool(true)).with("trace_alloc_max_entries", V::Int(1000));
    assert_eq!(ring(&at_top), [(Some(true), Some(1000)); 2]);
    let settings = V::dict([
        ("trace_alloc_overflowed", V::list([V::Bool(false), V::Bool(true)])),
        ("trace_alloc_max_entries", V::Int(7)),
    ]);
    assert_eq!(
        ring(&two().with("allocator_settings", settings)),
        [(Some(false), Some(7)), (Some(true), Some(7))]
    );
}

/// Pinned memory of the host is a device of its own; empty lists are none.
#[test]
fn host_memory_is_a_device() {
    let block =
        V::dict([("address", V::Int(64)), ("size", V::Int(512)), ("state", V::text("active_allocated"))]);
    let segment = V::dict([
        ("device", V::Int(-1)),
        ("address", V::Int(64)),
        ("total_size", V::Int(512)),
        ("blocks", V::list([block])),
    ]);
    let value = versions::snapshot(V2_12)
        .with("host_segments", V::list([segment]))
        .with("host_traces", V::list([event("alloc", 64, 500)]));
    let recording = recorded(&value);
    let opened = query::opened(&recording);
    let labels: Vec<(i64, &str)> = opened.devices.iter().map(|d| (d.device, d.label.as_str())).collect();
    assert_eq!(labels, [(-1, "Host memory"), (0, "GPU 0")]);
    assert_eq!(opened.summary.devices[0].end.requested_bytes, 500);
    assert_eq!(opened.summary.devices[1].end.requested_bytes, END);
    assert_eq!(codes(&recording), [""; 0]);
}

/// XPU: addresses and streams from 2^63 on, by either writer; the device's name is not known.
#[test]
fn addresses_of_the_upper_half() {
    let high = 0xff00_0000_1000_u64 as i128 + (1 << 63);
    let settings = V::dict([("PYTORCH_ALLOC_CONF", V::text("")), ("max_split_size", V::Int(-1))]);
    let value = traced([event("alloc", high, 512).with("stream", V::Int(18_446_720_620_317_114_368))])
        .with("allocator_settings", settings);
    for bytes in [pickle(&value, Writer::Python(4)), pickle(&value, Writer::Cpp), json(&value).into_bytes()] {
        let recording = open(&bytes, 4096).unwrap();
        let snapshot = &recording.snapshot;
        let events = &snapshot.devices[0].events;
        assert_eq!(events.addrs[0], high as u64);
        assert_eq!(snapshot.stream(events.streams[0]), 18_446_720_620_317_114_368);
        assert_eq!(query::opened(&recording).devices[0].label, "Device 0");
    }
}

/// What is missing, and what nobody knows, is no fault.
#[test]
fn missing_and_unknown_parts() {
    let full = versions::snapshot(V2_12);
    for key in ["device_traces", "segments", "allocator_settings", "external_annotations", "host_segments"] {
        assert_eq!(codes(&recorded(&full.clone().without(&[key]))), [""; 0], "without {key}");
    }
    let no_traces = full.clone().with("device_traces", V::list([]));
    assert_eq!(summary(&recorded(&no_traces)).devices[0].end.requested_bytes, END);
    let renamed =
        V::dict([("segments", V::list([])), ("traces", V::list([V::list([event("alloc", 1, 512)])]))]);
    assert_eq!(summary(&recorded(&renamed)).devices[0].events, 1);
    let idle = full.clone().with("device_traces", V::list([V::list([]), V::list([event("alloc", 1, 512)])]));
    assert_eq!(recorded(&idle).snapshot.devices.len(), 2);

    let odd = traced([event("dance", 1, 2), event("alloc", 3, 4).with("colour", V::text("red"))])
        .with("rank", V::Int(3));
    let mut told = codes(&recorded(&odd)).into_iter().map(str::to_owned).collect::<Vec<_>>();
    told.sort();
    assert_eq!(told, ["extra_keys", "unknown_actions", "unknown_fields"]);
    let plain_pool =
        V::dict([("total_size", V::Int(512)), ("segment_pool_id", V::Int(5)), ("blocks", V::list([]))]);
    assert_eq!(recorded(&V::list([plain_pool])).snapshot.devices[0].segments[0].pool, (0, 5));
}

/// Snapshots that `profile_plot` makes: blocks and segments without addresses, categories, and the processor as last device.
#[test]
fn snapshots_of_a_profiler_run() {
    let segment = |device: i128| {
        let block = V::dict([
            ("size", V::Int(512)),
            ("state", V::text("active_allocated")),
            ("requested_size", V::Int(500)),
            ("frames", V::list([])),
        ]);
        V::dict([
            ("device", V::Int(device)),
            ("address", V::None),
            ("total_size", V::Int(512)),
            ("stream", V::Int(0)),
            ("blocks", V::list([block])),
        ])
    };
    let alloc = || event("alloc", 64, 500).with("category", V::text("activation"));
    let value = V::dict([
        ("segments", V::list([segment(0), segment(1)])),
        ("device_traces", V::list([V::list([alloc()]), V::list([alloc()])])),
    ]);
    let recording = recorded(&value);
    let labels: Vec<String> =
        query::opened(&recording).devices.into_iter().map(|device| device.label).collect();
    assert_eq!(labels, ["GPU 0", "CPU"]);
    assert_eq!(codes(&recording), [""; 0]);
}

/// Frames of FX graphs carry their node.
#[test]
fn nodes_of_fx_graphs() {
    let frame = V::dict([
        ("name", V::text("forward")),
        ("filename", V::text("<eval_with_key>.0")),
        ("line", V::Int(9)),
        ("fx_node_op", V::text("call_function")),
        ("fx_node_name", V::text("relu")),
        ("fx_node_target", V::None),
        ("fx_original_trace", V::text("File \"net.py\", line 3, in forward\n")),
    ]);
    let recording = recorded(&traced([event("alloc", 64, 500).with("frames", V::list([frame]))]));
    let answer = query::answer(&recording, r#"{"ask":"allocation","device":0,"id":0}"#);
    let fx = r#""fx":{"op":"call_function","name":"relu","target":null,"source":"File \"net.py\", line 3, in forward\n"}"#;
    assert!(answer.contains(fx), "{answer}");
}

/// Numbers as other tools write them into JSON.
#[test]
fn json_of_other_tools() {
    let text = r#"{"device_traces": [[{"action":"alloc","addr":1.40737488355328E14,"size":512.0,"stream":0.0,"time_us":1.7e15,
        "frames":[{"name":"\ud83d\ude00\ud83d","filename":"a\/b.py","line":18446744073709551615}]}]],
        "segments": null, "segments": [], "nothing": NaN}"#;
    for piece in [1, 4096] {
        let snapshot = open(text.as_bytes(), piece).unwrap().snapshot;
        let events = &snapshot.devices[0].events;
        assert_eq!((events.addrs[0], events.sizes[0]), (140_737_488_355_328, 512));
        assert_eq!(events.time_us(0), Some(1_700_000_000_000_000));
        assert_eq!(shown(&snapshot, events.stacks[0]), [("😀\u{fffd}".into(), "a/b.py".into(), 0)]);
    }
    let latin = b"{\"segments\":[], \"device_traces\":[[{\"action\":\"alloc\",\"user_metadata\":\"gr\xf6\xdfe\",\"size\":1}]]}";
    assert_eq!(summary(&open(latin, 3).unwrap()).devices[0].events, 1);
}

/// A page may hold several files, and a zip archive may: the first snapshot is read, the others are counted.
#[test]
fn further_files_are_counted() {
    let (first, second) =
        (pickle(&versions::snapshot(V2_3), Writer::Cpp), pickle(&versions::snapshot(V2_0), Writer::Cpp));
    let counts = |bytes: &[u8]| {
        let recording = open(bytes, 100).unwrap();
        assert_eq!(recording.snapshot.written_by_at_least, Some("2.3"));
        recording.snapshot.warnings.list().iter().map(|w| (w.code, w.count)).collect::<Vec<_>>()
    };
    let page = page_of(&[&first, &second, &second], "Allocator State History");
    assert_eq!(counts(&page), [("other_page_files", 2)]);
    let archive = zip(&[("a", &first, Method::Deflated), ("b", &second, Method::StoredThenSizes)]);
    assert_eq!(counts(&archive), [("other_zip_members", 1)]);
}
