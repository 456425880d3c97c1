//! Trimmed snapshots, read back by this project's reader and by Python's.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use vramscope_core::model::Snapshot;
use vramscope_core::replay::Recording;
use vramscope_core::replay::state::State;
use vramscope_tests::plain::plain;
use vramscope_tests::recordings;

use crate::{checked, devices, exported, request, stack};

/// The same events in the same order, and the same totals before and after each.
fn compare(name: &str, whole: &Recording, part: &Recording, from: u32, to: u32) {
    for (device, replay) in devices(whole) {
        let Some((other, after)) = part.device(device.ordinal) else {
            assert_eq!(
                (replay.requested_at(to), replay.reserved_at(to)),
                (0, 0),
                "{name}: device {} is gone",
                device.ordinal
            );
            continue;
        };
        let (from, to) = (from.min(replay.end()), to.min(replay.end()));
        assert_eq!(after.end(), to - from, "{name}: events of device {}", device.ordinal);
        for moment in from..=to {
            assert_eq!(
                after.requested_at(moment - from),
                replay.requested_at(moment),
                "{name} {from}..{to}: requested at {moment}"
            );
            assert_eq!(
                after.reserved_at(moment - from),
                replay.reserved_at(moment),
                "{name} {from}..{to}: reserved at {moment}"
            );
        }
        for (there, here) in (from..to).zip(0..) {
            let row = |snapshot: &Snapshot, device: &vramscope_core::model::Device, event: u32| {
                let (at, events) = (event as usize, &device.events);
                let notes = events.notes_of(event);
                let text = |id: Option<_>| id.map(|id| snapshot.strings.get(id).into_owned());
                let texts =
                    [notes.compile_context, notes.user_metadata, notes.internal_metadata, notes.category]
                        .map(text);
                let forward = notes.forward_stack.map(|forward| stack(snapshot, forward));
                let fixed = (
                    events.actions[at],
                    events.addrs[at],
                    events.sizes[at],
                    snapshot.stream(events.streams[at]),
                    events.time_us(at),
                );
                (fixed, stack(snapshot, events.stacks[at]), texts, notes.pool, forward)
            };
            assert_eq!(
                row(&part.snapshot, other, here),
                row(&whole.snapshot, device, there),
                "{name}: event {there}"
            );
        }
        let sizes = |replay, moment| {
            let state = State::at(replay, moment);
            let blocks = state
                .blocks
                .iter()
                .map(|block| (block.address, block.size_bytes, block.requested_bytes, block.state));
            let segments = state.segments.iter().map(|segment| {
                (
                    segment.address,
                    segment.size_bytes,
                    segment.expandable,
                    segment.owner.kind,
                    segment.owner.pool,
                )
            });
            (segments.collect::<Vec<_>>(), blocks.collect::<Vec<_>>())
        };
        assert_eq!(sizes(after, after.end()), sizes(replay, to), "{name} {from}..{to}: the state at the end");
    }
}

#[test]
fn every_part_of_every_recording_has_the_same_events_and_totals() {
    for file in recordings::all() {
        let packed = fs::read(&file.path).unwrap();
        let whole = checked(&packed);
        let n = whole.replays.iter().map(|replay| replay.end()).max().unwrap_or(0);
        for (from, to) in [(0, n / 2), (n / 2, n), (n / 3, 2 * n / 3), (n / 2, n / 2)] {
            let bytes = exported(&whole, &request(Some(from..to)));
            let part = recordings::open(&bytes, 1 << 20).unwrap();
            compare(&file.name, &whole, &part, from, to);
        }
    }
}

#[test]
fn the_whole_is_the_snapshot_that_was_read() {
    for name in ["train_plain", "annotations", "metadata", "mempool", "expandable", "streams", "two_devices"]
    {
        let whole = checked(&recordings::pickle(name));
        let copy = checked(&exported(&whole, &request(None)));
        assert_eq!(plain(&copy.snapshot), plain(&whole.snapshot), "{name}");
    }
}

#[test]
fn python_reads_it_without_a_global() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("exported");
    fs::create_dir_all(&folder).unwrap();
    let (mut paths, mut expected) = (Vec::new(), Vec::new());
    for name in [
        "train_plain",
        "annotations",
        "metadata",
        "mempool",
        "expandable",
        "two_devices",
        "oom_logits",
        "no_history",
    ] {
        let whole = checked(&recordings::pickle(name));
        let n = whole.replays[0].end();
        for (from, to) in [(0, n), (n / 3, 2 * n / 3)] {
            let path = folder.join(format!("{name}-{from}.pickle"));
            fs::write(&path, exported(&whole, &request(Some(from..to)))).unwrap();
            paths.push(path);
            let at_end = |of: &dyn Fn(&vramscope_core::replay::Replay, u32) -> u64| -> u64 {
                whole.replays.iter().map(|replay| of(replay, to.min(replay.end()))).sum()
            };
            expected.push((
                at_end(&|replay, to| replay.requested_at(to)),
                at_end(&|replay, to| replay.reserved_at(to)),
                to - from,
            ));
        }
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/unpickle.py");
    let output = Command::new("python3").arg(script).args(&paths).output().expect("python3 starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let read: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(read.len(), expected.len());
    for ((figures, (requested, reserved, events)), path) in read.iter().zip(expected).zip(paths) {
        assert_eq!(
            (&figures["requested"], &figures["reserved"]),
            (&requested.into(), &reserved.into()),
            "{}: {figures}",
            path.display()
        );
        assert_eq!(figures["events"][0], events, "{}", path.display());
    }
}

#[test]
fn numbers_beyond_63_bits_and_odd_texts_come_back() {
    let file = vramscope_tests::script::Script::default()
        .event("segment_alloc", u64::MAX - (4 << 20), 2 << 20)
        .alloc_at(u64::MAX - (4 << 20), 512, "/a/größe \u{1F600}.py", 3)
        .event("never heard of", 5, 6)
        .segment(
            u64::MAX - (4 << 20),
            2 << 20,
            &[
                (u64::MAX - (4 << 20), 512, 512, "active_allocated"),
                (u64::MAX - (4 << 20) + 512, (2 << 20) - 512, 0, "inactive"),
            ],
        );
    let whole = checked(&file.pickle());
    let copy = checked(&exported(&whole, &request(None)));
    compare("by hand", &whole, &copy, 0, 3);
}

#[test]
fn a_sink_that_wants_no_more_ends_it() {
    let whole = checked(&recordings::pickle("oom_fragmentation"));
    let mut pieces = 0;
    assert!(!vramscope_explore::export::snapshot(&whole, &request(None), &mut |_| {
        pieces += 1;
        false
    }));
    assert_eq!(pieces, 1);
}
