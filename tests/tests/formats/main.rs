//! Every snapshot that PyTorch ever wrote opens: each version's shape, in each container, with the same figures.

mod particulars;

use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use vramscope_core::decode::{Decoder, Limits};
use vramscope_core::model::Snapshot;
use vramscope_core::query::summary::summary;
use vramscope_core::replay::Recording;
use vramscope_core::warning::Severity;
use vramscope_tests::plain::{Plain, Stack, plain};
use vramscope_tests::recordings::{self, open};
use vramscope_tests::shapes::containers::{Method, gzip, page, page_of, torch_save, zip};
use vramscope_tests::shapes::json::json;
use vramscope_tests::shapes::pickles::{Writer, pickle};
use vramscope_tests::shapes::versions::{self, Version, Version::*};
use vramscope_tests::shapes::{V, from_pickle};

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
            // What is merely not recorded is told by notes, and stands in tests of its own.
            let wrong = summary.warnings.iter().filter(|warning| warning.severity == Severity::Warning);
            let told: Vec<&str> = wrong.map(|warning| warning.code).collect();
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

/// Real recordings, written anew as JSON and as the C++ writer would, are the same model.
#[test]
fn real_recordings_in_other_forms() {
    for name in [
        "linear_inference",
        "expandable",
        "annotations",
        "metadata",
        "mempool",
        "two_devices",
        "segments_only_list",
    ] {
        let bytes = recordings::pickle(name);
        let value = from_pickle(&bytes);
        let first = everything(&open(&bytes, 1 << 16).unwrap().snapshot);
        for (form, bytes) in [
            ("JSON", json(&value).into_bytes()),
            ("C++", pickle(&value, Writer::Cpp)),
            ("protocol 2", pickle(&value, Writer::Python(2))),
            ("torch.save", torch_save(&bytes)),
            ("page", page(&bytes, "x")),
        ] {
            let recording = open(&bytes, 65_521).unwrap_or_else(|error| panic!("{name} as {form}: {error}"));
            assert!(everything(&recording.snapshot) == first, "{name} as {form}");
        }
    }
}

/// Bytes changed on the way are told where the wrapping has a check sum.
#[test]
fn check_sums_of_zip_are_compared() {
    let bytes = pickle(&versions::snapshot(V2_3), Writer::Python(4));
    let at = bytes.windows(7).position(|seven| seven == b"user/tr").unwrap();
    for (method, warns) in [(Method::Stored, true), (Method::Stored64, true), (Method::Deflated, false)] {
        let mut archive = zip(&[("a", &bytes, method)]);
        if warns {
            let header = archive.windows(7).position(|seven| seven == b"user/tr").unwrap() - at;
            archive[header + at] = b'U';
        }
        let recording = open(&archive, 64).unwrap();
        assert_eq!(codes(&recording).contains(&"checksum_differs"), warns, "{method:?}");
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

/// Warnings of reading. The small traces here contradict their segments, which is the replay's to tell.
fn codes(recording: &Recording) -> Vec<&str> {
    let codes = recording.snapshot.warnings.list().iter().map(|warning| warning.code);
    codes.filter(|code| !["contradictions", "more_requested_than_reserved"].contains(code)).collect()
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
