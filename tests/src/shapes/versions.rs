//! One small program, as each version of PyTorch would have recorded it.
//!
//! The program takes a segment of 20 MiB, allocates A (5,000,000 bytes) and B (3,000,000), frees A, allocates C (1,000,000, small pool) in
//! a second segment of 2 MiB. B and C live at the end: 4,000,000 bytes requested; the most at once were 8,000,000.

use super::V;

/// Requested bytes at the end.
pub const END_REQUESTED: u64 = 4_000_000;
/// Most requested bytes at once.
pub const PEAK_REQUESTED: u64 = 8_000_000;
/// Bytes held from the driver at the end.
pub const END_RESERVED: u64 = 22 << 20;
/// Events of the program.
pub const EVENTS: u64 = 7;

const LARGE: i128 = 0x7f00_0000_0000;
const SMALL: i128 = 0x7f00_1000_0000;
const MIB: i128 = 1 << 20;
const START_US: i128 = 1_700_000_000_000_000;

/// A version whose shape is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Version {
    V1_12,
    V1_13,
    V2_0,
    V2_1,
    V2_2,
    V2_3,
    /// Nightly builds of spring 2024, with `user_defined` events.
    Nightly2024,
    V2_5,
    V2_8,
    V2_10,
    V2_11,
    V2_12,
}

use Version::{Nightly2024, V1_12, V1_13, V2_0, V2_1, V2_2, V2_3, V2_5, V2_8, V2_10, V2_11, V2_12};

/// All of them, oldest first.
pub const ALL: [Version; 12] =
    [V1_12, V1_13, V2_0, V2_1, V2_2, V2_3, Nightly2024, V2_5, V2_8, V2_10, V2_11, V2_12];

/// The snapshot of the program.
pub fn snapshot(version: Version) -> V {
    let segments = V::list(segments(version));
    if version < V2_0 {
        return segments;
    }
    let mut top = V::dict([("segments", segments), ("device_traces", V::list([V::list(events(version))]))]);
    if version >= V2_3 {
        top = top.with("allocator_settings", settings(version));
    }
    if version >= V2_5 {
        top = top.with("external_annotations", annotations());
    }
    if version >= V2_12 {
        top = top.with("host_segments", V::list([])).with("host_traces", V::list([]));
    }
    top
}

fn settings(version: Version) -> V {
    let mut settings = V::dict([
        ("PYTORCH_CUDA_ALLOC_CONF", V::text("")),
        ("max_split_size", V::Int(-1)),
        ("garbage_collection_threshold", V::Float(0.0)),
        ("expandable_segments", V::Bool(false)),
        ("roundup_power2_divisions", V::dict([("1", V::Int(0)), ("2", V::Int(0))])),
    ]);
    if version >= V2_10 {
        settings = settings.with("graph_capture_record_stream_reuse", V::Bool(false));
    }
    settings
}

fn annotations() -> V {
    let end = |stage: &str, time_us: i128| {
        V::dict([
            ("device", V::Int(0)),
            ("time_us", V::Int(START_US + time_us)),
            ("stage", V::text(stage)),
            ("name", V::text("forward größe")),
        ])
    };
    V::list([end("START", 15), end("END", 55)])
}

fn frame(line: i128) -> V {
    V::dict([("name", V::text("step")), ("filename", V::text("/home/user/train.py")), ("line", V::Int(line))])
}

fn stack(line: i128) -> V {
    V::list([frame(line), frame(99)])
}

fn pool() -> V {
    V::Tuple(vec![V::Int(0), V::Int(0)])
}

fn segments(version: Version) -> Vec<V> {
    let mib = |n: i128| n * MIB;
    let taken = |requested: i128| (requested + 511) / 512 * 512;
    let a = taken(5_000_000);
    let b = taken(3_000_000);
    let c = taken(1_000_000);
    let large = [
        block(version, LARGE, a, None),
        block(version, LARGE + a, b, Some((3_000_000, 2))),
        block(version, LARGE + a + b, mib(20) - a - b, None),
    ];
    let small = [block(version, SMALL, c, Some((1_000_000, 3))), block(version, SMALL + c, mib(2) - c, None)];
    vec![
        segment(version, LARGE, mib(20), b, 3_000_000, "large", V::list(large)),
        segment(version, SMALL, mib(2), c, 1_000_000, "small", V::list(small)),
    ]
}

fn segment(
    version: Version,
    address: i128,
    size: i128,
    active: i128,
    requested: i128,
    kind: &str,
    blocks: V,
) -> V {
    let mut segment = V::dict([
        ("device", V::Int(0)),
        ("address", V::Int(address)),
        ("total_size", V::Int(size)),
        ("allocated_size", V::Int(active)),
        ("active_size", V::Int(active)),
    ]);
    if version >= V2_0 {
        segment = segment.with("requested_size", V::Int(requested));
    }
    if version >= V1_13 {
        segment = segment.with("stream", V::Int(0));
    }
    segment = segment.with("segment_type", V::text(kind));
    if version >= V2_1 {
        segment = segment.with("segment_pool_id", pool()).with("is_expandable", V::Bool(false));
        segment = segment.with("frames", V::list([]));
    }
    segment.with("blocks", blocks)
}

/// A block: of an allocation (requested bytes, line), or free.
fn block(version: Version, address: i128, size: i128, of: Option<(i128, i128)>) -> V {
    let state = if of.is_some() { "active_allocated" } else { "inactive" };
    let mut block = V::Dict(Vec::new());
    if version >= V2_1 {
        block = block.with("address", V::Int(address));
    }
    block = block.with("size", V::Int(size));
    if version >= V2_0 {
        block = block.with("requested_size", V::Int(of.map_or(0, |(requested, _)| requested)));
    }
    block = block.with("state", V::text(state));
    match of {
        _ if version == V1_12 => block,
        Some((requested, line)) if version < V2_1 => {
            let tenant = V::dict([
                ("addr", V::Int(address)),
                ("real_size", V::Int(requested)),
                ("frames", stack(line)),
            ]);
            let tenant = if version == V2_0 { tenant.with("cpp_frames", cpp()) } else { tenant };
            let older = V::dict([("addr", V::Int(address)), ("real_size", V::Int(77)), ("frames", stack(1))]);
            block.with("history", V::list([tenant, older]))
        }
        None if version < V2_1 => block,
        Some((_, line)) => block.with("frames", stack(line)),
        None => block.with("frames", V::list([])),
    }
}

fn cpp() -> V {
    V::text(
        "frame #0: c10::cuda::alloc(long) + 0x57 (0x7f12 in /opt/torch/lib/libc10_cuda.so)\nframe #1: main + 0x1 (0x55 in python)\n",
    )
}

fn events(version: Version) -> Vec<V> {
    let a = 5_000_000;
    let b_at = LARGE + (5_000_000 + 511) / 512 * 512;
    let program = [
        ("segment_alloc", LARGE, 20 * MIB, None),
        ("alloc", LARGE, a, Some(1)),
        ("alloc", b_at, 3_000_000, Some(2)),
        ("free_requested", LARGE, a, None),
        ("free_completed", LARGE, a, None),
        ("segment_alloc", SMALL, 2 * MIB, None),
        ("alloc", SMALL, 1_000_000, Some(3)),
    ];
    let mut events: Vec<V> =
        (0..).zip(program).map(|(nth, event)| self::event(version, nth, event)).collect();
    if version == Nightly2024 {
        for (at, stage) in [(1, "START"), (5, "END")] {
            let label = V::dict([
                ("name", V::text(stage)),
                ("filename", V::text("forward größe")),
                ("line", V::Int(0)),
            ]);
            let event = self::event(version, at, ("user_defined", 0, 0, None));
            events.insert(at as usize, event.with("frames", V::list([label])));
        }
    }
    events
}

fn event(version: Version, nth: i128, (action, addr, size, line): (&str, i128, i128, Option<i128>)) -> V {
    let mut event = V::dict([
        ("action", V::text(action)),
        ("addr", V::Int(addr)),
        ("size", V::Int(size)),
        ("stream", V::Int(0)),
    ]);
    if version >= V2_2 {
        event = event.with("time_us", V::Int(START_US + 10 * nth));
    }
    if version >= V2_8 {
        event = event.with("compile_context", V::text("N/A"));
    }
    if version >= V2_10 {
        event = event.with("user_metadata", V::text(""));
    }
    if version >= V2_12 {
        event = event.with("pool_id", pool());
    }
    let Some(line) = line else { return event };
    event = event.with("frames", stack(line));
    if version == V2_0 {
        event = event.with("cpp_frames", cpp());
    }
    if version >= V2_11 {
        let lines = [
            "  File \"/home/user/train.py\", line 7, in main\n    step()\n",
            "  File \"/home/user/net.py\", line 4, in forward\n",
        ];
        event = event.with("forward_frames", V::list(lines.map(V::text)));
    }
    event
}
