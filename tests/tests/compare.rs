//! Two beside each other: what is known of pairs of recordings, and what must hold for any two.

use vramscope_core::replay::Recording;
use vramscope_diagnose::{Options, diagnose};
use vramscope_explore::compare::{
    Align, At, Diff, Holdings, Match, Rank, changes, diff, holdings, markdown, ranks,
};
use vramscope_tests::recordings;

const MIB: f64 = (1u64 << 20) as f64;

fn open(name: &str) -> Recording {
    let mut recording = recordings::open(&recordings::pickle(name), 1 << 20).expect("a sound recording");
    diagnose(&mut recording, &Options::default());
    recording
}

/// One that only some have.
fn shared(name: &str) -> Option<Recording> {
    let file = recordings::all().into_iter().find(|file| file.name == name)?;
    let bytes = std::fs::read(&file.path).ok()?;
    let mut recording = recordings::open(&bytes, 1 << 20).expect("a sound recording");
    diagnose(&mut recording, &Options::default());
    Some(recording)
}

fn at(recording: &Recording, at: At) -> Holdings {
    let devices = recording.snapshot.devices.iter().zip(&recording.replays);
    let (device, replay) = devices.max_by_key(|(_, replay)| replay.requested_at(replay.peak())).unwrap();
    let device = device.ordinal;
    let moment = if at == At::End { replay.end() } else { replay.peak() };
    holdings(recording, device, moment, at).unwrap()
}

fn all_of(a: &Holdings, b: &Holdings) -> Diff {
    diff(a, b, Align::Step, usize::MAX)
}

fn change(diff: &Diff, category: &str) -> i64 {
    diff.by_category[category].as_i64().unwrap()
}

#[test]
fn checkpointing_shrinks_activations() {
    let (a, b) = (at(&open("train_plain"), At::Peak), at(&open("train_checkpointed"), At::Peak));
    let diff = all_of(&a, &b);
    let mib = |bytes: i64| (bytes as f64 / MIB * 10.0).round() / 10.0;
    assert_eq!(
        diff.sentence.replace('\u{a0}', " "),
        "B holds 959.4 MiB less at its peak, and all of it is activations."
    );
    assert_eq!((mib(diff.total_bytes), mib(change(&diff, "activation"))), (-959.4, -960.4));
    assert_eq!((mib(change(&diff, "temporary")), change(&diff, "parameter")), (1.0, 0));
    assert!(
        diff.by_stack
            .iter()
            .take(9)
            .all(|row| row.category == "activation" && row.bytes < 0 && row.name == "forward")
    );
    let of_line =
        |at: &str| diff.by_stack.iter().filter(|row| row.at == at).map(|row| row.bytes).sum::<i64>();
    assert_eq!(
        [of_line("train.py:58"), of_line("train.py:59"), of_line("train.py:60")].map(mib),
        [-0.2, -527.0, -432.2]
    );
    assert!(!diff.same_requests);
    // By line: what is reached another way stands below its line.
    let lines: Vec<(&str, f64)> =
        diff.by_line.iter().take(3).map(|line| (line.at.as_str(), mib(line.bytes))).collect();
    assert_eq!(lines, [("train.py:59", -527.0), ("train.py:60", -432.2), ("train.py:58", -0.2)]);
    assert!(diff.by_line.iter().take(3).all(|line| line.category == "activation"));
    assert_eq!([0, 1, 2].map(|at| diff.by_line[at].how), [Match::Stack, Match::Stack, Match::OnlyA]);
    assert_eq!((diff.categories[0].name.as_str(), mib(diff.categories[0].bytes)), ("activation", -960.4));
    let line = &diff.by_line[0];
    assert!(line.n_stacks as usize == line.stacks.len() && line.n_stacks > 1);
    let named =
        |(side, place): &(u8, u32)| (*side, &[&a, &a, &b][usize::from(*side)].frames[*place as usize]);
    for stack in &line.stacks {
        let of_a: Vec<u32> = stack.frames.iter().filter(|(side, _)| *side < 2).map(|(_, at)| *at).collect();
        assert!(a.stacks.iter().any(|held| held.frames == of_a), "A's stack, whole and in order");
        let own = stack.frames.iter().map(named).find(|(_, frame)| frame.kind == 0);
        let (side, frame) = own.expect("a frame of the user's");
        assert!(frame.line == 59 && side == 0, "both have the line: {side} {frame:?}");
    }
    let in_b_alone =
        line.stacks.iter().flat_map(|stack| &stack.frames).map(named).filter(|(side, _)| *side == 2);
    assert!(in_b_alone.map(|(_, frame)| &frame.file).any(|file| file.ends_with("checkpoint.py")));
}

#[test]
fn the_same_requests_reserve_otherwise() {
    let (Some(a), Some(b)) = (shared("varlen"), shared("varlen-expandable")) else { return };
    let diff = all_of(&at(&a, At::Peak), &at(&b, At::Peak));
    assert!(diff.same_requests && diff.reserved_peak_bytes < 0, "{}", diff.reserved_peak_bytes);
    assert!(diff.sentence.starts_with("The same requests, and B reserves "), "{}", diff.sentence);
    assert_eq!(diff.total_bytes, 0);
}

#[test]
fn edits_move_lines() {
    let a = at(&open("train_plain"), At::Peak);
    let mut b = a.clone();
    for frame in b.frames.iter_mut().filter(|frame| frame.kind == 0) {
        frame.line += 7;
        frame.file = frame.file.replace("/", "/elsewhere/");
    }
    let moved = all_of(&a, &b);
    assert!(moved.by_stack.iter().all(|row| row.bytes == 0 && row.count == 0));
    assert!(moved.by_stack.iter().any(|row| row.how == Match::Moved));
    assert!(moved.by_line.iter().all(|row| row.bytes == 0));
    // Another checkout alone is no change at all.
    for frame in b.frames.iter_mut().filter(|frame| frame.kind == 0) {
        frame.line -= 7;
    }
    assert!(all_of(&a, &b).by_stack.iter().all(|row| row.how == Match::Stack && row.bytes == 0));
}

/// Everything that must hold for any two.
fn hold(a: &Holdings, b: &Holdings) {
    for held in [a, b] {
        assert_eq!(
            held.categories.iter().map(|part| part.bytes).sum::<u64>(),
            held.total_bytes,
            "{}",
            held.name
        );
        assert_eq!(
            held.stacks.iter().map(|stack| stack.bytes).sum::<u64>(),
            held.total_bytes,
            "{}",
            held.name
        );
        assert_eq!(held.stacks.iter().map(|stack| stack.count).sum::<u32>(), held.count);
        let json = serde_json::to_string(held).unwrap();
        assert_eq!(serde_json::from_str::<Holdings>(&json).unwrap(), *held);
    }
    let (there, back) = (all_of(a, b), all_of(b, a));
    let total = there.total_bytes;
    assert_eq!(there.by_stack.iter().map(|row| row.bytes).sum::<i64>(), total);
    assert_eq!(there.by_stack.iter().map(|row| row.a_bytes).sum::<u64>(), a.total_bytes);
    assert_eq!(there.by_stack.iter().map(|row| row.b_bytes).sum::<u64>(), b.total_bytes);
    assert_eq!(there.by_category.values().map(|bytes| bytes.as_i64().unwrap()).sum::<i64>(), total);
    assert_eq!(back.total_bytes, -total);
    for (category, bytes) in &there.by_category {
        assert_eq!(back.by_category[category].as_i64(), bytes.as_i64().map(|bytes| -bytes));
    }
    let sides = |diff: &Diff, turned: bool| {
        let side = |a, b| if turned { (b, a) } else { (a, b) };
        let mut rows: Vec<_> = diff
            .by_stack
            .iter()
            .map(|row| (side(row.a_bytes, row.b_bytes), side(row.a_count, row.b_count)))
            .collect();
        rows.sort();
        rows
    };
    assert_eq!(sides(&there, false), sides(&back, true));
    assert!(there.by_stack.is_sorted_by_key(|row| std::cmp::Reverse(row.bytes.unsigned_abs())));
    // Lines hold the same stacks.
    assert_eq!(there.by_line.iter().map(|row| row.bytes).sum::<i64>(), total);
    assert_eq!(there.by_line.iter().map(|row| row.n_stacks as usize).sum::<usize>(), there.by_stack.len());
    for line in there.by_line.iter().filter(|line| line.stacks.len() == line.n_stacks as usize) {
        assert_eq!(line.stacks.iter().map(|row| row.bytes).sum::<i64>(), line.bytes);
        assert_eq!(line.stacks.iter().map(|row| row.b_count).sum::<u64>(), line.b_count);
    }
    // A limit leaves the sum as it is.
    let short = diff(a, b, Align::Event, 3);
    assert_eq!(short.by_stack.iter().map(|row| row.bytes).sum::<i64>() + short.rest.bytes, total);
    assert_eq!(short.by_stack.len() + short.rest_count as usize, there.by_stack.len());
    for align in [Align::Step, Align::Event, Align::Time] {
        let curves = diff(a, b, align, 0).curves;
        assert_eq!(curves.a.len(), curves.b.len());
        assert!(curves.a.len() < 5_000);
        let most = |values: &[Option<u64>]| values.iter().flatten().max().copied().unwrap_or(0);
        assert_eq!(
            (most(&curves.a), most(&curves.b)),
            (a.peak.requested_bytes, b.peak.requested_bytes),
            "{align:?}"
        );
    }
    assert!(markdown(a, b, &there).starts_with("**"));
}

#[test]
fn what_holds_for_any_two() {
    let names = [
        "train_plain",
        "train_checkpointed",
        "train_sgd",
        "oom_leak",
        "no_history",
        "context_none",
        "two_devices",
        "ring_truncated",
    ];
    let held: Vec<Holdings> = recordings::all()
        .iter()
        .filter(|file| names.contains(&file.name.as_str()))
        .filter_map(|file| shared(&file.name))
        .map(|recording| at(&recording, At::Peak))
        .collect();
    assert!(held.len() >= 6);
    for a in &held {
        for b in &held {
            hold(a, b);
        }
        let same = all_of(a, a);
        assert!(
            same.total_bytes == 0
                && same
                    .by_stack
                    .iter()
                    .all(|row| row.bytes == 0 && row.count == 0 && row.how == Match::Stack)
        );
        assert!(same.sentence.starts_with("A and B hold the same"), "{}", same.sentence);
    }
}

#[test]
fn moments_of_one_recording() {
    let recording = open("train_plain");
    let device = recording.snapshot.devices[0].ordinal;
    let (_, replay) = recording.device(device).unwrap();
    let rows = replay.allocations();
    let end = replay.end();
    for (a, b) in
        [(0, end), (end / 3, end / 2), (replay.peak(), end), (end / 2, end / 3), (7, 7), (9, u32::MAX)]
    {
        let found = changes(&recording, device, a, b, usize::MAX).unwrap();
        let b = b.min(end);
        let sum = |of: &dyn Fn(u32) -> bool| {
            let ids = (0..rows.len()).filter(|id| of(*id));
            ids.fold((0, 0), |(bytes, count), id| (bytes + rows.size_bytes(id), count + 1))
        };
        let lot = |lot: vramscope_explore::compare::Lot| (lot.bytes, lot.count);
        assert_eq!(lot(found.new), sum(&|id| !rows.is_live(id, a) && rows.is_live(id, b)));
        assert_eq!(lot(found.released), sum(&|id| rows.is_live(id, a) && !rows.is_live(id, b)));
        assert_eq!(lot(found.still), sum(&|id| rows.is_live(id, a) && rows.is_live(id, b)));
        assert_eq!(found.still.bytes + found.new.bytes, replay.requested_at(b));
        assert_eq!(found.by_stack.iter().map(|row| row.new.bytes).sum::<u64>(), found.new.bytes);
        assert_eq!(found.by_stack.iter().map(|row| row.released.count).sum::<u32>(), found.released.count);
        assert_eq!(found.by_stack.iter().map(|row| row.still.bytes).sum::<u64>(), found.still.bytes);
    }
}

#[test]
fn ranks_of_one_job() {
    let rank = |name: &str| {
        let held = at(&open(name), At::Peak);
        Rank {
            name: name.into(),
            peak_bytes: held.peak.requested_bytes,
            reserved_bytes: held.peak.reserved_bytes,
            ..Rank::default()
        }
    };
    let mut all = vec![rank("fsdp_rank0"), rank("fsdp_rank1")];
    assert!(ranks(&all).rows.iter().all(|row| !row.outlier));
    let more = all[0].clone();
    all.extend([more.clone(), more]);
    assert!(ranks(&all).rows.iter().all(|row| !row.outlier), "{}", ranks(&all).sentence);
    all[2].name = "odd".into();
    all[2].peak_bytes += all[2].peak_bytes / 4;
    let found = ranks(&all);
    assert_eq!(found.rows.iter().map(|row| row.outlier).collect::<Vec<_>>(), [false, false, true, false]);
    assert!(found.sentence.starts_with("odd is out of line"), "{}", found.sentence);
}
