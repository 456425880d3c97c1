//! The filter's language: each condition, and any of them combined, the same as a plain loop over every allocation.

use std::time::Instant;

use proptest::prelude::*;
use serde_json::json;
use vramscope_core::bits::Bits;
use vramscope_core::query;
use vramscope_core::replay::{Filter, Recording, Replay};
use vramscope_explore::filter::{KEYS, Scope, Way, found, found_next, found_stacks, parse};
use vramscope_tests::recordings;

fn opened(name: &str) -> Recording {
    let mut recording =
        recordings::open(&recordings::pickle(name), 1 << 16).unwrap_or_else(|error| panic!("{error}"));
    recordings::label(&mut recording);
    recording
}

const MARKS: [Option<u32>; 2] = [Some(900), Some(1_500)];

fn chosen(recording: &Recording, device: i64, text: &str) -> Vec<u32> {
    let expr = parse(text).unwrap_or_else(|fault| panic!("{text}: {fault:?}"));
    let scope = Scope::new(recording, device, MARKS).unwrap();
    expr.choose(&scope).unwrap_or_else(|fault| panic!("{text}: {fault:?}")).iter().collect()
}

/// What details say of an allocation, as JSON: the other way to the same facts.
struct Row {
    id: u32,
    details: serde_json::Value,
    /// Frames as "name file:line", and their parts, in lower case.
    frames: Vec<(String, String)>,
}

impl Row {
    fn all(recording: &Recording, device: i64) -> Vec<Row> {
        let snapshot = &recording.snapshot;
        let rows = recording.device(device).unwrap().1.allocations();
        let frame = |id: &vramscope_core::ids::FrameId| {
            let frame = snapshot.stacks.frame(*id).unwrap();
            let line = if frame.line > 0 { format!(":{}", frame.line) } else { String::new() };
            let file = format!("{}{line}", snapshot.strings.get(frame.file)).to_lowercase();
            (snapshot.strings.get(frame.name).to_lowercase(), file)
        };
        (0..rows.len())
            .map(|id| Row {
                id,
                details: serde_json::to_value(query::allocation(
                    recording,
                    device,
                    id,
                    None,
                    Default::default(),
                ))
                .unwrap(),
                frames: snapshot.stacks.frames_of(rows.stack(id)).iter().map(frame).collect(),
            })
            .collect()
    }

    fn number(&self, key: &str) -> Option<u64> {
        self.details[key].as_u64()
    }

    fn address(&self) -> u64 {
        u64::from_str_radix(&self.details["address"].as_str().unwrap()[2..], 16).unwrap()
    }

    fn alive(&self, moment: u64) -> bool {
        self.number("start_moment").unwrap() <= moment && moment < self.number("end_moment").unwrap()
    }

    fn category(&self) -> String {
        let of = &self.details["category_of"];
        of["own_name"].as_str().or(of["category"].as_str()).unwrap_or("unknown").to_owned()
    }

    /// The step in which it was made, from 1: labels made by hand have twenty events in each.
    fn step(&self, replay: &Replay) -> Option<u64> {
        let step = self.number("alloc_event")? / 20;
        (step < u64::from(replay.end() / 20)).then_some(step + 1)
    }
}

type Plainly = Box<dyn Fn(&Row, &Replay) -> bool>;

/// Conditions with what they mean, told by the details of each allocation.
fn conditions() -> Vec<(&'static str, Plainly)> {
    let plainly = |keep: fn(&Row, &Replay) -> bool| -> Plainly { Box::new(keep) };
    vec![
        (
            "backward",
            plainly(|row, _| {
                row.frames.iter().any(|(name, file)| format!("{name} {file}").contains("backward"))
            }),
        ),
        ("train\\.py:\\d", plainly(|row, _| row.frames.iter().any(|(_, file)| file.contains("train.py:")))),
        (
            "\"forward .*py\"",
            plainly(|row, _| {
                row.frames.iter().any(|(name, file)| name.ends_with("forward") && file.contains("py"))
            }),
        ),
        (
            "(linear|matmul)+",
            plainly(|row, _| {
                row.frames.iter().any(|(name, file)| {
                    ["linear", "matmul"].iter().any(|word| name.contains(word) || file.contains(word))
                })
            }),
        ),
        ("name:^forward$", plainly(|row, _| row.frames.iter().any(|(name, _)| name == "forward"))),
        ("file:train", plainly(|row, _| row.frames.iter().any(|(_, file)| file.contains("train")))),
        (
            "stack:step",
            plainly(|row, _| row.frames.iter().any(|(name, file)| format!("{name} {file}").contains("step"))),
        ),
        ("stack:#7", plainly(|row, _| row.number("stack_id") == Some(7))),
        ("size > 1 MiB", plainly(|row, _| row.number("requested_bytes").unwrap() > 1 << 20)),
        ("size>=1.5KB", plainly(|row, _| row.number("requested_bytes").unwrap() >= 1536)),
        ("size<512", plainly(|row, _| row.number("requested_bytes").unwrap() < 512)),
        ("size <= 0.5 KiB", plainly(|row, _| row.number("requested_bytes").unwrap() <= 512)),
        ("size = 4 B", plainly(|row, _| row.number("requested_bytes").unwrap() == 4)),
        (
            "size:1KiB..64 KiB",
            plainly(|row, _| (1024..=65536).contains(&row.number("requested_bytes").unwrap())),
        ),
        ("size:..2,048", plainly(|row, _| row.number("requested_bytes").unwrap() <= 2048)),
        ("lifetime < 1.5 ms", plainly(|row, _| row.number("lifetime_us").unwrap() < 1500)),
        (
            "lifetime:200us..0.1s",
            plainly(|row, _| (200..=100_000).contains(&row.number("lifetime_us").unwrap())),
        ),
        ("lifetime > 50 ev", plainly(|row, _| row.number("lifetime_events").unwrap() > 50)),
        (
            "category:activation, mine",
            plainly(|row, _| ["activation", "mine"].contains(&row.category().as_str())),
        ),
        ("category:unknown", plainly(|row, _| row.category() == "unknown")),
        ("phase:forward", plainly(|row, _| row.details["phase"]["phase"] == "forward")),
        ("phase:backward,idle", plainly(|row, _| row.details["phase"]["phase"] == "backward")),
        ("step:3", plainly(|row, replay| row.step(replay) == Some(3))),
        (
            "step:2..4,7..",
            plainly(|row, replay| row.step(replay).is_some_and(|step| (2..=4).contains(&step) || step >= 7)),
        ),
        ("stream:0", plainly(|row, _| row.details["stream"] == "0")),
        ("pool:large", plainly(|row, _| row.details["pool"] == "large")),
        (
            "pool:small,private",
            plainly(|row, _| row.details["pool"] == "small" || !row.details["private_pool"].is_null()),
        ),
        ("pool:1:0", plainly(|row, _| row.details["private_pool"] == json!([1, 0]))),
        ("alive:peak", plainly(|row, replay| row.alive(replay.peak().into()))),
        ("alive:end", plainly(|row, replay| row.alive(replay.end().into()))),
        ("alive:100", plainly(|row, _| row.alive(101))),
        ("alive:A", plainly(|row, replay| row.alive(replay.end().min(900).into()))),
        ("alive:b", plainly(|row, replay| row.alive(replay.end().min(1_500).into()))),
        (
            "made:100..400",
            plainly(|row, _| row.number("alloc_event").is_some_and(|event| (100..=400).contains(&event))),
        ),
        ("freed:..700", plainly(|row, _| row.number("free_event").is_some_and(|event| event <= 700))),
        (
            "address:0x7f2f2a000000..",
            plainly(|row, _| row.address() + row.number("block_bytes").unwrap() > 0x7f2f_2a00_0000),
        ),
        (
            "meta:.",
            plainly(|row, _| {
                let texts = ["compile_context", "user_metadata", "category", "internal_metadata"];
                texts.iter().any(|key| !row.details[*key].is_null())
                    || row.details["annotations"].as_array().is_some_and(|all| !all.is_empty())
            }),
        ),
    ]
}

const RECORDINGS: [&str; 7] =
    ["train_plain", "compiled", "annotations", "cuda_graphs", "oom_fragmentation", "tagged_gpt", "metadata"];

#[test]
fn each_condition_means_what_details_say() {
    let mut met = vec![0; conditions().len()];
    for name in RECORDINGS {
        let recording = opened(name);
        let device = recording.snapshot.devices[0].ordinal;
        let replay = recording.device(device).unwrap().1;
        let rows = Row::all(&recording, device);
        for ((text, keep), met) in conditions().iter().zip(&mut met) {
            if *text == "alive:100" && replay.end() < 102 {
                continue;
            }
            let expected: Vec<u32> = rows.iter().filter(|row| keep(row, replay)).map(|row| row.id).collect();
            assert_eq!(chosen(&recording, device, text), expected, "{name}: {text}");
            let rest = rows.len() - expected.len();
            assert_eq!(chosen(&recording, device, &format!("not {text}")).len(), rest, "{name}: not {text}");
            *met += usize::from(!expected.is_empty() && rest > 0);
        }
    }
    for ((text, _), met) in conditions().iter().zip(met) {
        assert!(met > 0, "no recording tells {text} from everything and nothing");
    }
}

/// A tree of conditions, written down and worked out.
#[derive(Clone, Debug)]
enum Tree {
    Is(usize),
    Not(Box<Tree>),
    Both(Box<Tree>, Box<Tree>),
    Either(Box<Tree>, Box<Tree>),
}

impl Tree {
    fn text(&self, texts: &[&str]) -> String {
        match self {
            Tree::Is(at) => texts[*at % texts.len()].to_owned(),
            Tree::Not(one) if matches!(**one, Tree::Is(_)) => format!("-{}", one.text(texts)),
            Tree::Not(one) => format!("not ({})", one.text(texts)),
            Tree::Both(a, b) => format!("({}) ({})", a.text(texts), b.text(texts)),
            Tree::Either(a, b) => format!("({} or {})", a.text(texts), b.text(texts)),
        }
    }

    fn keeps(&self, id: u32, sets: &[Bits]) -> bool {
        match self {
            Tree::Is(at) => sets[*at % sets.len()].has(id),
            Tree::Not(one) => !one.keeps(id, sets),
            Tree::Both(a, b) => a.keeps(id, sets) && b.keeps(id, sets),
            Tree::Either(a, b) => a.keeps(id, sets) || b.keeps(id, sets),
        }
    }
}

#[test]
fn conditions_combine_as_they_are_written() {
    let recording = opened("train_plain");
    let texts: Vec<&str> = conditions().iter().map(|(text, _)| *text).collect();
    let scope = Scope::new(&recording, 0, MARKS).unwrap();
    let sets: Vec<Bits> = texts.iter().map(|text| parse(text).unwrap().choose(&scope).unwrap()).collect();
    let leaf = any::<usize>().prop_map(Tree::Is);
    let tree = leaf.prop_recursive(5, 24, 2, |inner| {
        prop_oneof![
            inner.clone().prop_map(|one| Tree::Not(Box::new(one))),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| Tree::Both(Box::new(a), Box::new(b))),
            (inner.clone(), inner).prop_map(|(a, b)| Tree::Either(Box::new(a), Box::new(b))),
        ]
    });
    proptest!(ProptestConfig::with_cases(150), |(tree in tree)| {
        let text = tree.text(&texts);
        let expr = parse(&text).map_err(|fault| TestCaseError::fail(format!("{text}: {fault:?}")))?;
        let expected = Bits::of(sets[0].len(), |id| tree.keeps(id, &sets));
        prop_assert_eq!(expr.choose(&scope).unwrap(), expected, "{}", text);
    });
    let both = chosen(&recording, 0, "backward size > 1 KiB or stream:1");
    assert_eq!(
        both,
        chosen(&recording, 0, "(backward and size > 1 KiB) or stream:1"),
        "side by side binds closer"
    );
}

#[test]
fn faults_point_at_the_character() {
    for (text, at, length, says) in [
        ("train(\\.py", 5, 5, "Not a pattern"),
        ("size > ", 7, 1, "A number belongs here"),
        ("size > 10 size < 5 pebbles sise:3", 27, 4, "sise is no condition"),
        ("size>10lb", 7, 2, "lb is no unit"),
        ("lifetime < 20", 12, 1, "unit is missing"),
        ("lifetime:1ms..2ev", 14, 3, "same kind of unit"),
        ("category:", 9, 1, "category:activation"),
        ("foo phase:forward,sideways", 18, 8, "sideways is none of build, forward"),
        ("phase:forward, sideways", 15, 8, "sideways is none of"),
        ("pool:huge", 5, 4, "large, small, private"),
        ("alive:C", 6, 1, "peak, end, A, B"),
        ("stream:main", 7, 4, "0 or 0x"),
        ("made:1..x", 5, 4, "The number of an event"),
        ("address:12", 8, 2, "0x"),
        ("name > 3", 5, 1, "followed by a colon"),
        ("(a b", 0, 1, "not closed"),
        ("a b)", 3, 1, "closes none"),
        ("a or", 4, 1, "A condition belongs here"),
        ("or a", 0, 1, "before this word"),
        ("a not", 5, 1, "A condition belongs here"),
        ("\"a b", 0, 1, "quote"),
        ("é \"a\\\"(\"", 6, 1, "Not a pattern"),
        ("> 5", 0, 1, "A key belongs before"),
        ("()", 1, 1, "before this parenthesis"),
    ] {
        let fault = parse(text).map(|_| text).unwrap_err();
        assert_eq!((fault.at, fault.length), (at, length), "{text}: {}", fault.message);
        assert!(fault.message.contains(says), "{text}: {}", fault.message);
    }
    for word in [
        "at::native::empty",
        "std::vector<int>",
        "size",
        "not_a_key",
        "C\\+\\+",
        "a=b",
        "order",
        "model.py:47",
    ] {
        assert!(parse(word).is_ok_and(|expr| expr.places().len() == 1), "{word}");
    }
}

#[test]
fn what_is_not_known_is_said() {
    let bare = recordings::open(&recordings::pickle("train_plain"), 1 << 16).unwrap();
    let fault = |recording: &Recording, text: &str| {
        let scope = Scope::new(recording, 0, [None; 2]).unwrap();
        parse(text).unwrap().choose(&scope).unwrap_err()
    };
    for text in ["a category:input", "a phase:idle", "a step:1"] {
        let fault = fault(&bare, text);
        assert!(fault.message.contains("not known yet") && fault.at >= 2, "{text}: {fault:?}");
    }
    assert!(fault(&bare, "alive:B").message.contains("No moment is marked as B"));
    assert!(fault(&bare, "alive:99999999").message.contains("the last one is"));
    let labelled = opened("train_plain");
    let unknown = fault(&labelled, "category:input,yours");
    assert_eq!((unknown.at, unknown.length), (15, 5));
    assert!(unknown.message.ends_with("unknown, mine."), "{}", unknown.message);
}

#[test]
fn parts_side_by_side_can_be_taken_out() {
    let parts = |text: &str| {
        let expr = parse(text).unwrap();
        let letters: Vec<char> = text.chars().collect();
        let cut = |from: usize, to: usize| letters[from..to].iter().collect::<String>();
        expr.places().iter().map(|part| (cut(part.from, part.to), part.negated)).collect::<Vec<_>>()
    };
    let owned =
        |list: &[(&str, bool)]| list.iter().map(|(text, not)| ((*text).to_owned(), *not)).collect::<Vec<_>>();
    assert_eq!(
        parts(" größe  size > 100 MiB not stack:adam -(a or b) "),
        owned(&[("größe", false), ("size > 100 MiB", false), ("not stack:adam", true), ("-(a or b)", true)])
    );
    assert_eq!(parts("a b or c "), owned(&[("a b or c", false)]));
    assert_eq!(parts("category:a, b c"), owned(&[("category:a, b", false), ("c", false)]));
    assert!(parts("").is_empty() && parts("   ").is_empty());
}

#[test]
fn every_example_of_the_table_is_understood() {
    for key in KEYS {
        let fault = parse(key.example).err();
        assert!(fault.is_none(), "{}: {fault:?}", key.example);
    }
}

#[test]
fn what_is_found_adds_up() {
    let mut recording = opened("train_plain");
    for kind in [None, Some("small")] {
        let filter: Filter = serde_json::from_value(json!({ "kind": kind })).unwrap();
        recording.set_filter(&filter);
        let scope = Scope::new(&recording, 0, MARKS).unwrap();
        let bits = parse("backward").unwrap().choose(&scope).unwrap();
        let replay = recording.device(0).unwrap().1;
        let rows = replay.allocations();
        let ids: Vec<u32> = bits.iter().filter(|&id| rows.is_shown(id)).collect();
        let told = found(&recording, 0, &bits).unwrap();
        assert_eq!((told.count as usize, told.first), (ids.len(), ids.first().copied()));
        assert_eq!(told.bytes, ids.iter().map(|&id| rows.size_bytes(id)).sum::<u64>());
        assert_eq!(told.alive_at_peak.of, replay.n_live(replay.peak()));
        let stacks = found_stacks(&recording, 0, &bits);
        assert_eq!(stacks.len(), told.stacks as usize);
        assert_eq!(stacks.iter().map(|row| row.alive_at_peak.bytes).sum::<u64>(), told.alive_at_peak.bytes);
        let step = |from, way| found_next(&recording, 0, &bits, from, way).unwrap();
        let (first, last) = (ids[0], *ids.last().unwrap());
        assert_eq!(step(None, Way::Next).id, Some(first));
        assert_eq!(
            (step(Some(last), Way::Next).id, step(Some(first), Way::Previous).id),
            (Some(first), Some(last))
        );
        assert_eq!(step(Some(first), Way::Next).index, 1);
        assert_eq!(step(None, Way::Previous).index as usize, ids.len() - 1);
    }
}

#[test]
fn only_what_is_chosen_is_shown_and_the_rest_is_not_free() {
    let mut recording = opened("oom_fragmentation");
    let scope = Scope::new(&recording, 0, MARKS).unwrap();
    let bits = std::sync::Arc::new(parse("size > 4 MiB or made:..99").unwrap().choose(&scope).unwrap());
    let whole = recording.whole_device(0).unwrap().1;
    let moments = [0, whole.peak(), whole.end() / 2, whole.end()];
    let expected = moments.map(|moment| {
        let mut bytes = 0;
        whole.for_each_live(moment, |id| {
            bytes += if bits.has(id) { whole.allocations().size_bytes(id) } else { 0 }
        });
        bytes
    });
    let state = |recording: &Recording| serde_json::to_value(query::state(recording, 0, moments[1])).unwrap();
    let before = state(&recording);
    recording.set_filter(&Filter { only: vec![(0, bits)], ..Filter::default() });
    let part = recording.device(0).unwrap().1;
    assert_eq!(moments.map(|moment| part.requested_at(moment)), expected);
    assert!(
        expected[1] > 0
            && part.requested_at(moments[1]) < recording.whole_device(0).unwrap().1.requested_at(moments[1])
    );
    let after = state(&recording);
    assert_eq!(after["total"]["free_bytes"], before["total"]["free_bytes"]);
    recording.set_filter(&Filter::default());
    assert_eq!(state(&recording), before);
}

/// Expressions that take others minutes, and those that would take much memory.
#[test]
fn hostile_expressions_are_quick() {
    let recording = opened("train_plain");
    let start = Instant::now();
    for text in [
        "(a+)+$",
        "(.*)*(.*)*(.*)*x",
        "(a|aa)+b",
        "((((a{99}){99}){99}){99})",
        "a{1000}{1000}",
        &"(".repeat(999),
        &"(a ".repeat(1_300),
        &"not ".repeat(999),
        &"-".repeat(3_999),
        &"a?".repeat(499),
        &"a ".repeat(1_900),
        &"a or ".repeat(790),
        &format!("made:{}", "1,".repeat(1_900)),
        &"x".repeat(1 << 20),
        "size > 99999999999999999999999999999999999999",
        "size:18446744073709551615..18446744073709551616 TiB",
    ] {
        let scope = Scope::new(&recording, 0, MARKS).unwrap();
        let _ = parse(text).and_then(|expr| expr.choose(&scope));
    }
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}

proptest! {
    #[test]
    fn any_text_is_an_expression_or_a_fault_inside_it(text in "[a-z():<>=\"\\\\ ,.0-9é-]{0,40}") {
        if let Err(fault) = parse(&text) {
            prop_assert!(fault.at <= text.chars().count() && fault.length > 0 && !fault.message.is_empty());
        }
    }
}
