//! What single versions have: old stacks, new notes, host memory, other accelerators, profiler runs; what is missing or unknown.

use vramscope_core::query::{self, summary::summary};
use vramscope_core::replay::Recording;
use vramscope_tests::plain::plain;
use vramscope_tests::recordings::open;
use vramscope_tests::shapes::json::json;
use vramscope_tests::shapes::pickles::{Writer, pickle};
use vramscope_tests::shapes::versions::{self, END_REQUESTED as END, Version::*};
use vramscope_tests::shapes::{V, event, traced};

use crate::{codes, everything, shown};

fn recorded(value: &V) -> Recording {
    let bytes = pickle(value, Writer::Python(4));
    let recording = open(&bytes, 4096).unwrap_or_else(|error| panic!("{error}"));
    let from_json = open(json(value).as_bytes(), 7).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(everything(&recording.snapshot), everything(&from_json.snapshot), "JSON");
    recording
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
