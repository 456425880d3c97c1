//! Stacks added up to trees: sums against the series, against plain loops, and what each change keeps and drops.

use std::collections::{BTreeMap, HashSet};

use vramscope_core::bits::Bits;
use vramscope_core::ids::{FrameId, StackId, StringId};
use vramscope_core::model::{Frame, FrameKind};
use vramscope_core::replay::{Axis, Recording, Replay};
use vramscope_explore::tree::{
    Change, Form, Key, Keys, MAX_DEPTH, MAX_NODES, Node, RowOrder, Sums, Towards, Tree, Weigh, What, Wish,
    lines_of,
};
use vramscope_tests::recordings;

const HEAVIEST: RowOrder<'static> = RowOrder { column: "total", down: true, name: &|_| String::new() };

const RECORDINGS: [&str; 6] =
    ["train_plain", "oom_activations", "two_devices", "context_none", "streams", "no_history"];
const WEIGHS: [Weigh; 6] =
    [Weigh::Alive, Weigh::Peak, Weigh::Allocated, Weigh::Freed, Weigh::Retained, Weigh::Lifetime];

fn opened(name: &str) -> Recording {
    let mut recording =
        recordings::open(&recordings::pickle(name), 1 << 16).unwrap_or_else(|e| panic!("{e}"));
    recordings::label(&mut recording);
    recording
}

fn grow(recording: &Recording, replay: &Replay, wish: &Wish) -> (Keys, Sums, Tree) {
    let keys = Keys::new(&recording.snapshot);
    let sums = Sums::of(replay, &recording.snapshot, wish, None);
    let tree = Tree::grow(replay, &recording.snapshot, &keys, &sums, wish);
    sound(&tree);
    (keys, sums, tree)
}

/// What holds for every tree.
fn sound(tree: &Tree) {
    let nodes = tree.nodes();
    let own: u128 = nodes.iter().map(|node| node.own).sum();
    assert_eq!(own, tree.total(), "what each allocates by itself is everything");
    assert_eq!(nodes[0].end as usize, nodes.len());
    let mut ids = HashSet::new();
    for (at, node) in (0..).zip(nodes) {
        assert!(ids.insert(node.id) && node.id < 1 << 53);
        assert_eq!(tree.find(node.id), Some(at));
        assert!(at == 0 || node.parent < at && at < nodes[node.parent as usize].end);
        for side in [1, -1] {
            let children = (at + 1..node.end).map(|child| &nodes[child as usize]);
            let children: Vec<_> =
                children.filter(|child| child.parent == at && child.level.signum() == side).collect();
            assert!(children.is_sorted_by_key(|child| std::cmp::Reverse(child.total)));
            let (sum, blocks) =
                children.iter().fold((0, 0), |(s, b), child| (s + child.total, b + child.blocks));
            assert!(sum <= node.total && blocks <= node.blocks);
            let mut start = node.start;
            for child in children {
                assert_eq!((child.start, child.level), (start, node.level + side));
                start += child.total;
            }
        }
    }
}

/// The moments and the wish of a range.
fn range(replay: &Replay, from: f64, to: f64) -> (u32, u32) {
    let n = f64::from(replay.n_moments());
    ((n * from) as u32, (n * to).ceil() as u32)
}

/// The weight of each allocation, by the words of what is asked for.
fn plainly(replay: &Replay, weigh: Weigh, (from, to): (u32, u32), moment: u32) -> Vec<(u32, u128)> {
    let rows = replay.allocations();
    let time = |moment: u32| replay.time_at(moment).map_or(i64::from(moment), |us| us);
    let weight = |id: u32| {
        let (start, end, bytes) = (rows.start(id), rows.end(id), u128::from(rows.size_bytes(id)));
        let counts = match weigh {
            Weigh::Alive => start <= moment && moment < end,
            Weigh::Peak => start <= replay.peak() && replay.peak() < end,
            Weigh::Allocated => start > 0 && start >= from && start < to && start < end,
            Weigh::Freed => end >= from && end < to && start < end,
            Weigh::Retained => start > 0 && start >= from && start < to && end >= to && start < end,
            Weigh::Lifetime => {
                let (from, to) = (start.max(from), end.min(to).min(replay.end()));
                return (from < to && start < end).then(|| bytes * (time(to) - time(from)) as u128);
            }
        };
        counts.then_some(bytes)
    };
    (0..rows.len()).filter_map(|id| Some((id, weight(id)?))).collect()
}

#[test]
fn sums_are_those_of_a_plain_loop_and_of_the_series() {
    for name in RECORDINGS {
        let recording = opened(name);
        for device in &recording.snapshot.devices {
            let replay = recording.device(device.ordinal).unwrap().1;
            for (share, weigh) in
                [0.0, 0.3, 0.7].into_iter().flat_map(|share| WEIGHS.map(|weigh| (share, weigh)))
            {
                let (from, to) = range(replay, share, share + 0.3);
                let moment = (from + to) / 2;
                let wish =
                    Wish { weigh, moment, x0: from.into(), x1: to.into(), folded: true, ..Wish::default() };
                let plain = plainly(replay, weigh, (from, to), moment.min(replay.end()));
                let total: u128 = plain.iter().map(|(_, weight)| weight).sum();
                let (_, sums, tree) = grow(&recording, replay, &wish);
                assert_eq!(
                    (tree.total(), tree.nodes()[0].blocks),
                    (total, plain.len() as u32),
                    "{name} {weigh:?}"
                );
                match weigh {
                    Weigh::Alive => assert_eq!(total, u128::from(replay.requested_at(moment))),
                    Weigh::Peak => assert_eq!(total, u128::from(replay.requested_at(replay.peak()))),
                    _ => {}
                }
                for sum in &sums.rows {
                    let of_stack =
                        plain.iter().filter(|(id, _)| replay.allocations().stack(*id) == sum.stack);
                    let of_stack: Vec<_> = of_stack.collect();
                    assert_eq!(sum.weight, of_stack.iter().map(|(_, weight)| weight).sum::<u128>());
                    assert_eq!(sum.by_category.iter().sum::<u128>(), sum.weight);
                    let sizes = || of_stack.iter().map(|(id, _)| replay.allocations().size_bytes(*id));
                    assert_eq!((Some(sum.least_bytes), Some(sum.most_bytes)), (sizes().min(), sizes().max()));
                    assert_eq!(replay.allocations().size_bytes(sum.largest), sum.most_bytes);
                }
            }
        }
    }
}

#[test]
fn what_is_chosen_is_added_up_beside_the_whole() {
    let recording = opened("train_plain");
    let replay = &recording.replays[0];
    let wish = Wish { weigh: Weigh::Peak, ..Wish::default() };
    let odd = Bits::of(replay.allocations().len(), |id| id % 2 == 1);
    let sums = Sums::of(replay, &recording.snapshot, &wish, Some(&odd));
    let plain = plainly(replay, Weigh::Peak, (0, 0), 0);
    let expected: u128 = plain.iter().filter(|(id, _)| id % 2 == 1).map(|(_, weight)| weight).sum();
    let whole: u128 = plain.iter().map(|(_, weight)| weight).sum();
    assert_eq!(sums.rows.iter().map(|sum| sum.weight).sum::<u128>(), whole);
    assert_eq!(sums.rows.iter().map(|sum| sum.chosen).sum::<u128>(), expected);
    // Each frame has as much as ends in it and below it.
    let keys = Keys::new(&recording.snapshot);
    for form in [Form::TopDown, Form::BottomUp] {
        let tree = Tree::grow(replay, &recording.snapshot, &keys, &sums, &Wish { form, ..wish.clone() });
        let nodes = tree.nodes();
        assert_eq!((nodes[0].chosen, nodes[0].total), (expected, whole));
        assert!(nodes.iter().all(|node| node.chosen <= node.total));
        let below = |at: u32| nodes.iter().filter(move |node| node.parent == at && node.level > 0);
        let parted = |at: u32| below(at).map(|node| node.chosen).sum::<u128>() <= nodes[at as usize].chosen;
        assert!((0..nodes.len() as u32).all(parted));
        assert!(
            nodes.iter().any(|node| node.chosen == 0) && nodes.iter().any(|node| node.chosen == node.total)
        );
    }
}

#[test]
fn a_range_of_time_is_that_of_its_moments() {
    let recording = opened("train_plain");
    let replay = &recording.replays[0];
    let (from, to) = (replay.end() / 3, replay.end() / 2);
    // Times may be equal: the range begins with the first of them.
    let first = |us| (0..replay.n_moments()).find(|m| replay.time_at(*m).unwrap() >= us).unwrap();
    let (x0, x1) = (replay.time_at(from).unwrap(), replay.time_at(to).unwrap());
    for weigh in [Weigh::Allocated, Weigh::Freed] {
        let wish = Wish { weigh, axis: Axis::Time, x0: x0 as f64, x1: x1 as f64, ..Wish::default() };
        let sums = Sums::of(replay, &recording.snapshot, &wish, None);
        let plain = plainly(replay, weigh, (first(x0), first(x1)), 0);
        let expected: u128 = plain.iter().map(|(_, weight)| weight).sum();
        assert_eq!(sums.rows.iter().map(|sum| sum.weight).sum::<u128>(), expected, "{weigh:?}");
    }
}

/// The frames of a stack, outermost first, as they are shown when nothing or all that is the framework's is folded.
fn path(recording: &Recording, stack: StackId, folded: bool) -> Vec<Key> {
    let snapshot = &recording.snapshot;
    let kind = |id: &FrameId| snapshot.stacks.frame(*id).unwrap().kind(&snapshot.strings);
    let frames = snapshot.stacks.frames_of(stack);
    let innermost = frames.iter().find(|id| kind(id) != FrameKind::Cpp);
    let mut path: Vec<Key> = Vec::new();
    for id in frames {
        let own = matches!(kind(id), FrameKind::Own | FrameKind::Library);
        if !folded || own || (Some(id) == innermost && path.is_empty()) {
            path.push(Key(id.0));
        }
    }
    path.reverse();
    path
}

/// Weights by path, of stacks that have frames of their own when they are folded.
fn paths(recording: &Recording, sums: &Sums, folded: bool) -> BTreeMap<Vec<Key>, u128> {
    let mut weights = BTreeMap::new();
    for sum in &sums.rows {
        *weights.entry(path(recording, sum.stack, folded)).or_default() += sum.weight;
    }
    weights
}

/// Totals of all paths that begin a path, as a tree should have them.
fn totals(paths: impl IntoIterator<Item = (Vec<Key>, u128)>) -> BTreeMap<Vec<Key>, u128> {
    let mut totals = BTreeMap::new();
    for (path, weight) in paths {
        for end in 0..=path.len() {
            *totals.entry(path[..end].to_vec()).or_default() += weight;
        }
    }
    totals
}

fn of_tree(tree: &Tree, side: i32) -> BTreeMap<Vec<Key>, u128> {
    let nodes = (0..).zip(tree.nodes()).filter(|(_, node)| node.level.signum() != -side);
    nodes.map(|(at, node)| (tree.path_to(at), node.total)).collect()
}

#[test]
fn every_form_is_what_a_plain_loop_finds() {
    let recording = opened("train_plain");
    let replay = &recording.replays[0];
    for weigh in [Weigh::Peak, Weigh::Lifetime] {
        let base = Wish { weigh, x1: replay.n_moments().into(), ..Wish::default() };
        let (_, sums, down) = grow(&recording, replay, &base);
        let known = paths(&recording, &sums, false);
        assert_eq!(of_tree(&down, 1), totals(known.clone()));
        let turned = |path: &[Key]| path.iter().rev().copied().collect::<Vec<_>>();
        let (_, _, up) = grow(&recording, replay, &Wish { form: Form::BottomUp, ..base.clone() });
        assert_eq!(of_tree(&up, 1), totals(known.iter().map(|(path, weight)| (turned(path), *weight))));
        let functions: HashSet<Key> = known.keys().flatten().copied().collect();
        for function in functions.into_iter().take(40) {
            let wish = Wish { form: Form::Sandwich, function: Some(function), ..base.clone() };
            let (_, _, tree) = grow(&recording, replay, &wish);
            let held = known.iter().filter_map(|(path, weight)| {
                let at = path.iter().position(|key| *key == function)?;
                Some((turned(&path[..at]), path[at + 1..].to_vec(), *weight))
            });
            let held: Vec<_> = held.collect();
            assert_eq!(
                of_tree(&tree, -1),
                totals(held.iter().map(|(above, _, weight)| (above.clone(), *weight)))
            );
            assert_eq!(
                of_tree(&tree, 1),
                totals(held.iter().map(|(_, below, weight)| (below.clone(), *weight)))
            );
        }
        let (_, _, tree) = grow(&recording, replay, &Wish { form: Form::Sandwich, ..base.clone() });
        assert_eq!(tree.function(), up.node(1).map(|node| node.key), "the function with the most of its own");
    }
}

#[test]
fn folding_and_hiding_keep_every_byte() {
    for name in RECORDINGS {
        let recording = opened(name);
        let replay = &recording.replays[0];
        let base = Wish { weigh: Weigh::Peak, ..Wish::default() };
        let (_, _, shown) = grow(&recording, replay, &base);
        for (folded, hidden) in
            [(true, ""), (false, "module.py"), (true, "train|forward"), (true, "."), (true, "(")]
        {
            let wish = Wish { folded, hidden: hidden.into(), ..base.clone() };
            let (keys, sums, tree) = grow(&recording, replay, &wish);
            assert_eq!((tree.total(), tree.nodes()[0].blocks), (shown.total(), shown.nodes()[0].blocks));
            assert_eq!(Tree::pattern_fault(&recording.snapshot, &wish).is_some(), hidden == "(");
            let has = |name: &str| {
                tree.nodes().iter().any(|node| {
                    let named = keys.named(&recording.snapshot, node.key);
                    format!("{} {}", named.name, named.file).contains(name)
                })
            };
            assert!(hidden.len() < 3 || !hidden.split('|').any(has), "{hidden}");
            if folded && hidden.is_empty() {
                let python = |node: &&vramscope_explore::tree::Node| {
                    keys.named(&recording.snapshot, node.key).kind != "none"
                };
                let lines = tree.nodes().iter().filter(python);
                assert!(lines.into_iter().all(|node| keys.kind(FrameId(node.key.0)) != FrameKind::Cpp));
                let known =
                    totals(paths(&recording, &sums, true).into_iter().filter(|(path, _)| !path.is_empty()));
                let found = of_tree(&tree, 1);
                for (path, weight) in known.iter().filter(|(path, _)| !path.is_empty()) {
                    assert_eq!(found.get(path), Some(weight));
                }
            }
        }
    }
}

#[test]
fn changes_keep_and_drop_exactly_their_bytes() {
    let recording = opened("train_plain");
    let replay = &recording.replays[0];
    let base = Wish { weigh: Weigh::Peak, folded: true, ..Wish::default() };
    for form in [Form::TopDown, Form::BottomUp] {
        let base = Wish { form, ..base.clone() };
        let (_, _, before) = grow(&recording, replay, &base);
        let inverted = form == Form::BottomUp;
        for at in (1..before.nodes().len() as u32).step_by(3) {
            let node = before.node(at).unwrap();
            let (key, path) = (node.key, before.path_to(at));
            let with = |what, function| {
                let change = Change { what, path: path.clone(), function, inverted };
                grow(&recording, replay, &Wish { changes: vec![change], ..base.clone() }).2
            };
            let has = |tree: &Tree| tree.nodes().iter().any(|node| node.key == key);
            let (only, rest) = (with(What::Focus, false), with(What::Drop, false));
            assert_eq!((only.total(), rest.total()), (node.total, before.total() - node.total));
            assert!(!of_tree(&rest, 1).contains_key(&path));
            let (only, rest, merged) =
                (with(What::Focus, true), with(What::Drop, true), with(What::Merge, true));
            assert_eq!(only.total() + rest.total(), before.total());
            assert_eq!(merged.total(), before.total());
            assert!(!has(&rest) && !has(&merged) && has(&only));
            // A function focused on is the only one at the top; from the bottom up it is the outermost of all.
            if !inverted {
                assert!(only.nodes().iter().all(|node| (node.level == 1) <= (node.key == key)));
            }
            // One after the other, and undone by leaving the last one out.
            let focus = Change { what: What::Focus, path: path.clone(), function: true, inverted };
            let drop = Change { what: What::Drop, path: vec![key], function: true, inverted };
            let none = grow(&recording, replay, &Wish { changes: vec![focus, drop], ..base.clone() }).2;
            assert_eq!(none.total(), 0);
        }
    }
}

/// Every order has the same rows, siblings sorted below what they belong to, callers above what is called.
#[test]
fn rows_are_sorted_below_their_parents() {
    let recording = opened("train_plain");
    let replay = &recording.replays[0];
    for form in [Form::TopDown, Form::Sandwich] {
        let wish = Wish { weigh: Weigh::Allocated, form, folded: true, x1: 1e9, ..Wish::default() };
        let (keys, _, tree) = grow(&recording, replay, &wish);
        let name = |key| keys.named(&recording.snapshot, key).name;
        let all = tree.rows(&[], (0, u32::MAX), (None, false), &HEAVIEST);
        assert!(all.nodes.is_sorted(), "as the tree lies");
        assert!(all.count > if form == Form::TopDown { 6 } else { 1 }, "{form:?}: {} rows", all.count);
        let known: HashSet<u32> = all.nodes.iter().copied().collect();
        for (column, down) in
            ["name", "own", "blocks", "category", "total"].map(|it| [(it, true), (it, false)]).concat()
        {
            let order = RowOrder { column, down, name: &name };
            let rows = tree.rows(&[], (0, u32::MAX), (None, false), &order);
            assert_eq!(rows.nodes.iter().copied().collect::<HashSet<u32>>(), known, "{column} {down}");
            assert_eq!(
                tree.rows(&[], (2, 4), (None, false), &order).nodes,
                rows.nodes.iter().skip(2).take(4).copied().collect::<Vec<u32>>()
            );
            // By parent and side the last sibling that was met.
            let mut before: BTreeMap<(u32, bool), u32> = BTreeMap::new();
            for (at, &index) in rows.nodes.iter().enumerate().skip(1) {
                let node = tree.node(index).unwrap();
                assert!(rows.nodes[..at].contains(&node.parent), "below what it belongs to");
                let other = before.insert((node.parent, node.level > 0), index);
                let Some(other) = other.and_then(|other| tree.node(other)) else { continue };
                let number = |node: &Node| match column {
                    "own" => node.own,
                    "blocks" => node.blocks.into(),
                    "category" => node.slots[0].into(),
                    _ => node.total,
                };
                let compared = match column {
                    "name" => name(other.key).cmp(&name(node.key)),
                    _ => number(other).cmp(&number(node)),
                };
                assert!(if down { compared.is_ge() } else { compared.is_le() }, "{column} {down}");
            }
        }
    }
}

#[test]
fn rows_are_the_open_nodes_and_neighbours_stand_beside() {
    let recording = opened("train_plain");
    let replay = &recording.replays[0];
    let wish = Wish { weigh: Weigh::Peak, folded: true, ..Wish::default() };
    let (keys, sums, tree) = grow(&recording, replay, &wish);
    let all = tree.rows(&[], (0, u32::MAX), (None, false), &HEAVIEST);
    assert_eq!(all.count as usize, all.nodes.len());
    let pieces: Vec<u32> = (0..all.count)
        .step_by(7)
        .flat_map(|from| tree.rows(&[], (from, 7), (None, false), &HEAVIEST).nodes)
        .collect();
    assert_eq!(pieces, all.nodes);
    let deepest = (0..).zip(tree.nodes()).max_by_key(|(_, node)| node.level).unwrap();
    let revealed = tree.rows(&[], (0, u32::MAX), (Some(deepest.1.id), true), &HEAVIEST);
    assert_eq!(revealed.nodes[revealed.selected.unwrap() as usize], deepest.0);
    let mut flipped = revealed.opened.clone();
    flipped.sort_unstable();
    let again = tree.rows(&flipped, (0, u32::MAX), (Some(deepest.1.id), false), &HEAVIEST);
    assert_eq!((again.count, again.selected), (revealed.count, revealed.selected));
    let root = tree.node(0).unwrap().id;
    assert_eq!(tree.rows(&[root], (0, 9), (None, false), &HEAVIEST).count, 1, "closed");
    for at in 0..tree.nodes().len() as u32 {
        let (node, go) = (tree.node(at).unwrap(), |towards| tree.beside(at, towards, None));
        assert_eq!(go(Towards::Up), (at > 0).then_some(node.parent));
        if let Some(child) = go(Towards::Down) {
            assert_eq!((tree.node(child).unwrap().parent, child), (at, at + 1));
        }
        if let Some(right) = go(Towards::Right) {
            let other = tree.node(right).unwrap();
            assert!(other.level == node.level && other.start >= node.start + node.total);
            assert_eq!(tree.beside(right, Towards::Left, None), Some(at));
        }
        let details = tree.details(&recording.snapshot, &keys, &sums, at).unwrap();
        assert_eq!(details.parts.iter().map(|part| part.weight).sum::<u128>(), node.total);
        let made: u128 = details.made_by.iter().map(|made| made.weight).sum();
        assert_eq!(made + details.made_by_rest, node.total);
        assert!(details.least_bytes <= details.most_bytes);
        assert_eq!(replay.allocations().size_bytes(details.largest.unwrap()), details.most_bytes);
    }
    let inside = tree.beside(1, Towards::Right, Some(1));
    assert_eq!(inside, None, "nothing stands beside within its own width");
}

#[test]
fn lines_count_a_stack_once() {
    let recording = opened("train_plain");
    let replay = &recording.replays[0];
    let (_, sums, tree) = grow(&recording, replay, &Wish { weigh: Weigh::Peak, ..Wish::default() });
    let snapshot = &recording.snapshot;
    for node in tree.nodes().iter().skip(1).step_by(5) {
        let file = snapshot.stacks.frame(FrameId(node.key.0)).unwrap().file;
        let lines = lines_of(snapshot, &sums, node.key);
        assert!(lines.is_sorted_by_key(|line| line.line));
        let mut expected: BTreeMap<u32, (u128, u32)> = BTreeMap::new();
        for sum in &sums.rows {
            let frames =
                snapshot.stacks.frames_of(sum.stack).iter().filter_map(|id| snapshot.stacks.frame(*id));
            let here: HashSet<u32> = frames.filter(|f| f.file == file).map(|f| f.line).collect();
            for line in here {
                let entry = expected.entry(line).or_default();
                *entry = (entry.0 + sum.weight, entry.1 + sum.blocks);
            }
        }
        let found =
            lines.iter().map(|line| (line.line, (line.weight, line.blocks))).collect::<BTreeMap<_, _>>();
        assert_eq!(found, expected);
    }
}

#[test]
fn stacks_as_deep_as_a_file_can_make_them() {
    let mut recording = opened("train_plain");
    let snapshot = &mut recording.snapshot;
    let mut deep: Vec<FrameId> = Vec::new();
    for line in 0..200_000 {
        deep.push(snapshot.stacks.intern_frame(Frame { name: StringId(1), file: StringId(1), line }));
    }
    let many = snapshot.stacks.n_stacks() as u32;
    // Hundreds of stacks of which no two begin alike, and a recursion.
    let mut ids: Vec<StackId> =
        (0..300).map(|from| snapshot.stacks.intern(&deep[from * 600..from * 600 + 5000])).collect();
    ids.push(snapshot.stacks.intern(&vec![deep[0]; 150_000]));
    let stacks = &mut snapshot.devices[0].events.stacks;
    let last = ids.len();
    stacks.iter_mut().enumerate().for_each(|(at, stack)| *stack = ids[at % last]);
    let recording = Recording::build(recording.snapshot);
    let replay = &recording.replays[0];
    let start = std::time::Instant::now();
    for form in [Form::TopDown, Form::BottomUp, Form::Sandwich] {
        let wish = Wish {
            weigh: Weigh::Allocated,
            x1: 1e9,
            form,
            function: Some(Key(deep[0].0)),
            ..Wish::default()
        };
        let keys = Keys::new(&recording.snapshot);
        let sums = Sums::of(replay, &recording.snapshot, &wish, None);
        let tree = Tree::grow(replay, &recording.snapshot, &keys, &sums, &wish);
        assert!(tree.nodes().len() <= 2 * MAX_NODES && tree.cut_stacks() > 0);
        assert!(tree.nodes().iter().all(|node| node.level.unsigned_abs() as usize <= MAX_DEPTH));
        let own: u128 = tree.nodes().iter().map(|node| node.own).sum();
        assert_eq!(own, tree.total(), "what is cut off stays with its caller");
        tree.rows(&[], (0, 50), (tree.nodes().last().map(|node| node.id), true), &HEAVIEST);
    }
    assert!(many > 0 && start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}
