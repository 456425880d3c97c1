//! The table of allocations: against plain loops over what each allocation is known to be, on real recordings.

use std::cmp::Ordering;

use serde_json::{Value, json};
use vramscope_core::bits::Bits;
use vramscope_core::query::{self, Fields};
use vramscope_core::replay::stacking::Stacking;
use vramscope_core::replay::{Filter, Recording};
use vramscope_explore::table::Tables;
use vramscope_tests::recordings;
use vramscope_tests::synth::{Source, write};

const RECORDINGS: [&str; 5] = ["train_plain", "two_devices", "cuda_graphs", "streams", "ring_truncated"];
const COLUMNS: [&str; 14] = [
    "size", "block", "rounding", "category", "site", "operator", "alloc", "free", "lived", "stream", "pool",
    "phase", "step", "address",
];
const GROUPS: [&str; 8] = ["site", "stack", "category", "size", "stream", "pool", "phase", "step"];

fn opened(name: &str) -> Recording {
    let mut recording =
        recordings::open(&recordings::pickle(name), 1 << 16).unwrap_or_else(|error| panic!("{error}"));
    recording.check_all();
    recordings::label(&mut recording);
    recording
}

fn ask(recording: &Recording, question: &Value, matches: Option<&Bits>) -> Value {
    ask_again(&mut Tables::default(), recording, question, matches)
}

fn ask_again(tables: &mut Tables, recording: &Recording, question: &Value, matches: Option<&Bits>) -> Value {
    let answer = tables.answer(recording, Fields::of(question), matches).unwrap();
    serde_json::from_str(&answer.expect("a question about tables")).unwrap()
}

fn with(question: &Value, more: Value) -> Value {
    let mut question = question.clone();
    question.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    question
}

/// All rows, a few at a time.
fn rows(recording: &Recording, question: &Value, matches: Option<&Bits>, count: u32) -> Vec<Value> {
    let (mut tables, mut rows) = (Tables::default(), Vec::new());
    loop {
        let window = with(question, json!({"ask": "table_rows", "from": rows.len(), "count": count}));
        let answer = ask_again(&mut tables, recording, &window, matches);
        assert_eq!(answer["from"], rows.len());
        rows.extend(answer["rows"].as_array().unwrap().iter().cloned());
        if rows.len() as u64 >= answer["total"].as_u64().unwrap() {
            assert_eq!(rows.len() as u64, answer["total"]);
            return rows;
        }
    }
}

#[test]
fn the_first_rows_of_very_many_are_those_of_all_in_order() {
    let source = Source::read(&mut recordings::pickle("train_sgd").as_slice()).unwrap();
    let mut pickle = Vec::new();
    write(&source, 420_000, &mut pickle).unwrap();
    let mut recording = recordings::open(&pickle, 1 << 20).unwrap();
    recordings::label(&mut recording);
    let device = recording.snapshot.devices[0].ordinal;
    for sort in [
        json!([{"column": "size", "down": true}]),
        json!([{"column": "lived", "down": false}]),
        json!([{"column": "category", "down": false}, {"column": "size", "down": true}]),
        json!([{"column": "stream", "down": true}]),
    ] {
        let question = json!({"ask": "table_rows", "device": device, "of": "all", "sort": sort, "from": 0, "count": 200});
        let mut tables = Tables::default();
        let first = ask_again(&mut tables, &recording, &question, None);
        assert_eq!(first["whole"], false);
        // As the page does: a question for no rows puts all in order.
        let none = ask_again(&mut tables, &recording, &with(&question, json!({"count": 0})), None);
        assert_eq!((&none["whole"], &none["rows"]), (&json!(true), &json!([])));
        let all = ask_again(&mut tables, &recording, &question, None);
        assert_eq!(all["whole"], true);
        for key in ["rows", "total", "count", "bytes", "of_count", "of_bytes", "from"] {
            assert_eq!(first[key], all[key], "{key} by {sort}");
        }
        assert!(all["total"].as_u64().unwrap() > 100_000);
    }
}

fn ids(rows: &[Value]) -> Vec<u64> {
    rows.iter().map(|row| row["id"].as_u64().unwrap()).collect()
}

fn sum(rows: &[Value], key: &str) -> u64 {
    rows.iter().map(|row| row[key].as_u64().unwrap()).sum()
}

/// Which there should be, in order of start: by a plain loop.
fn plainly(recording: &Recording, device: i64, of: &Value) -> Vec<u64> {
    let replay = recording.device(device).unwrap().1;
    let all = replay.allocations();
    let n = replay.n_moments();
    let (from, to) = (of["x0"].as_u64().unwrap_or(0).max(1) as u32, of["x1"].as_u64().unwrap_or(0) as u32);
    let chosen = |id: u32| match of["of"].as_str().unwrap() {
        "peak" => all.is_live(id, replay.peak()),
        "end" => all.is_live(id, replay.end()),
        "moment" => all.is_live(id, of["moment"].as_u64().unwrap() as u32),
        "made" => all.start(id) >= from && all.start(id) < to.min(n),
        "freed" => all.end(id) >= from && all.end(id) < to.min(n),
        _ => true,
    };
    (0..all.len()).filter(|&id| all.is_shown(id) && chosen(id)).map(u64::from).collect()
}

fn questions(recording: &Recording) -> Vec<Value> {
    let mut questions = Vec::new();
    for device in &recording.snapshot.devices {
        let n = device.events.len() as u32;
        let ofs = [
            json!({"of": "peak"}),
            json!({"of": "end"}),
            json!({"of": "all"}),
            json!({"of": "moment", "moment": n / 3}),
            json!({"of": "made", "x0": n / 4, "x1": n / 2}),
            json!({"of": "freed", "x0": n / 4, "x1": n / 2}),
        ];
        questions.extend(ofs.into_iter().map(|of| with(&of, json!({"device": device.ordinal}))));
    }
    questions
}

/// What a row says in a column, as something to compare; nothing comes last.
fn value(row: &Value, column: &str) -> (bool, Vec<u64>, String) {
    let number = |key: &str| (row[key].is_null(), vec![row[key].as_u64().unwrap_or(0)], String::new());
    let text = |text: String| (false, vec![], text);
    let hex = |text: &str| u64::from_str_radix(text.trim_start_matches("0x"), 16).unwrap();
    match column {
        "size" => number("requested_bytes"),
        "block" => number("block_bytes"),
        "rounding" => {
            let (block, size) =
                (row["block_bytes"].as_u64().unwrap(), row["requested_bytes"].as_u64().unwrap());
            (false, vec![block.saturating_sub(size)], String::new())
        }
        "category" => number("slot"),
        "site" => text(format!("{}\0{}", row["name"].as_str().unwrap(), row["at"].as_str().unwrap())),
        "operator" => {
            (row["operator"].is_null(), vec![], row["operator"].as_str().unwrap_or_default().into())
        }
        "alloc" => (false, vec![row["alloc_event"].as_u64().map_or(0, |event| event + 1)], String::new()),
        "free" => number("free_event"),
        "lived" => number(if row["lived_us"].is_null() { "lived_events" } else { "lived_us" }),
        "stream" => (false, vec![hex(row["stream"].as_str().unwrap())], String::new()),
        "address" => (false, vec![hex(row["address"].as_str().unwrap())], String::new()),
        "step" => number("step"),
        "phase" => {
            const ORDER: [&str; 3] = ["build", "forward", "backward"];
            let at = ORDER.iter().position(|phase| row["phase"] == *phase);
            (at.is_none(), vec![at.unwrap_or(0) as u64], String::new())
        }
        "pool" => {
            let pool = row["pool"].as_str().unwrap();
            let private: Vec<u64> =
                pool.split([' ', ':', ',']).filter_map(|part| part.parse().ok()).collect();
            let small = u64::from(pool.contains("small"));
            (
                false,
                if private.is_empty() { vec![0, 0, small] } else { [private, vec![small]].concat() },
                String::new(),
            )
        }
        other => panic!("{other}"),
    }
}

fn compare(a: &Value, b: &Value, column: &str, down: bool) -> Ordering {
    let (a, b) = (value(a, column), value(b, column));
    let order = (a.1, a.2).cmp(&(b.1, b.2));
    a.0.cmp(&b.0).then(if a.0 {
        Ordering::Equal
    } else if down {
        order.reverse()
    } else {
        order
    })
}

#[test]
fn what_is_listed_is_what_a_plain_loop_finds() {
    for name in RECORDINGS {
        let mut recording = opened(name);
        let mut listed = 0;
        for filter in [json!({}), json!({"kind": "small"})] {
            recording.set_filter(&serde_json::from_value::<Filter>(filter).unwrap());
            for question in questions(&recording) {
                let device = question["device"].as_i64().unwrap();
                let expected = plainly(&recording, device, &question);
                let third =
                    Bits::of(recording.device(device).unwrap().1.allocations().len(), |id| id % 3 == 0);
                for matches in [None, Some(&third)] {
                    let by_start = with(&question, json!({"sort": [{"column": "alloc", "down": false}]}));
                    let rows = rows(&recording, &by_start, matches, 1000);
                    let wanted = |id: &&u64| matches.is_none() || (**id).is_multiple_of(3);
                    assert_eq!(
                        ids(&rows),
                        expected.iter().filter(wanted).copied().collect::<Vec<_>>(),
                        "{name} {question}"
                    );
                    let first = with(&by_start, json!({"ask": "table_rows", "from": 0, "count": 1}));
                    let sums = ask(&recording, &first, matches);
                    assert_eq!(
                        (&sums["count"], &sums["of_count"]),
                        (&json!(rows.len()), &json!(expected.len()))
                    );
                    assert_eq!(sums["bytes"], sum(&rows, "requested_bytes"));
                    listed += rows.len();
                }
            }
        }
        assert!(listed > 100, "{name}: {listed}");
    }
}

#[test]
fn alive_at_the_peak_adds_up_to_the_counter() {
    let mut met = 0;
    for file in recordings::all()
        .iter()
        .filter(|file| file.truth.is_some() && file.path.starts_with(recordings::folder()))
    {
        let recording = recordings::open(&recordings::pickle(&file.name), 1 << 16).unwrap();
        for device in recording.snapshot.devices.iter().map(|device| device.ordinal) {
            let replay = recording.device(device).unwrap().1;
            for (of, moment) in [("peak", replay.peak()), ("end", replay.end())] {
                let sums = ask(&recording, &json!({"ask": "table_sizes", "device": device, "of": of}), None);
                assert_eq!(sums["bytes"], replay.requested_at(moment), "{}", file.name);
                assert_eq!(sums["count"], replay.n_live(moment), "{}", file.name);
                met += 1;
            }
        }
    }
    assert!(met > 80, "{met}");
    let truth = std::fs::read_to_string(recordings::folder().join("train_plain.truth.json")).unwrap();
    let peak = truth.split("\"requested_bytes.all.peak\":").nth(1).unwrap();
    let peak: u64 = peak.trim_start().split([',', '}', '\n']).next().unwrap().trim().parse().unwrap();
    let sums = ask(&opened("train_plain"), &json!({"ask": "table_sizes", "device": 0, "of": "peak"}), None);
    assert_eq!(sums["bytes"], peak);
}

#[test]
fn each_column_sorts_either_way_and_keeps_equals_in_order() {
    for name in RECORDINGS {
        let recording = opened(name);
        let question = json!({"device": recording.snapshot.devices[0].ordinal, "of": "all"});
        let by_start = with(&question, json!({"sort": [{"column": "alloc"}]}));
        let by_start = rows(&recording, &by_start, None, 1000);
        for column in COLUMNS {
            for down in [false, true] {
                let mut expected = by_start.clone();
                expected.sort_by(|a, b| compare(a, b, column, down));
                let sorted = with(&question, json!({"sort": [{"column": column, "down": down}]}));
                assert!(
                    ids(&rows(&recording, &sorted, None, 997)) == ids(&expected),
                    "{name} {column} {down}"
                );
            }
        }
        let mut expected = by_start;
        expected.sort_by(|a, b| {
            compare(a, b, "site", false).then(compare(a, b, "size", true)).then(compare(a, b, "free", true))
        });
        let keys = json!([{"column": "site", "down": false}, {"column": "size", "down": true}, {"column": "free", "down": true}]);
        let sorted = rows(&recording, &with(&question, json!({"sort": keys})), None, 1000);
        assert!(ids(&sorted) == ids(&expected), "{name}: three keys");
    }
}

#[test]
fn a_row_says_what_the_details_say() {
    for name in RECORDINGS {
        let recording = opened(name);
        let device = recording.snapshot.devices[0].ordinal;
        for row in rows(&recording, &json!({"device": device, "of": "all"}), None, 1000).iter().step_by(7) {
            let id = row["id"].as_u64().unwrap() as u32;
            let details = query::allocation(&recording, device, id, None, Stacking::Stack).unwrap();
            let details = serde_json::to_value(details).unwrap();
            for key in [
                "requested_bytes",
                "address",
                "stream",
                "alloc_event",
                "free_event",
                "block_bytes",
                "alive_at_end",
            ] {
                assert_eq!(row[key], details[key], "{name} {id} {key}");
            }
            assert_eq!(row["lived_events"], details["lifetime_events"]);
            assert_eq!(row["lived_us"], details["lifetime_us"]);
            assert_eq!(row["bytes"].is_null(), details["block_is_exact"] == false);
            let category = &details["category_of"];
            let name_of =
                if category["own_name"].is_null() { &category["category"] } else { &category["own_name"] };
            if !category.is_null() {
                assert_eq!(
                    (&row["category"], &row["confidence"], &row["rule"]),
                    (name_of, &category["confidence"], &category["why"])
                );
            }
            assert_eq!(row["phase"], details["phase"]["phase"], "{name} {id}");
        }
    }
}

#[test]
fn groups_add_up_and_open() {
    for name in RECORDINGS {
        let recording = opened(name);
        for question in questions(&recording) {
            let flat = rows(&recording, &question, None, 1000);
            for group in GROUPS {
                let grouped = with(&question, json!({"group": group}));
                let closed = rows(&recording, &grouped, None, 13);
                assert_eq!(sum(&closed, "count"), flat.len() as u64, "{name} {group}");
                assert_eq!(sum(&closed, "bytes"), sum(&flat, "requested_bytes"), "{name} {group}");
                assert!(
                    closed.is_sorted_by_key(|row| std::cmp::Reverse(row["bytes"].as_u64())),
                    "{name} {group}"
                );
                let keys: Vec<&Value> = closed.iter().map(|row| &row["group"]).collect();
                let every_other: Vec<&&Value> = keys.iter().step_by(2).collect();
                let all = rows(&recording, &with(&grouped, json!({"open": keys})), None, 1000);
                let some = rows(&recording, &with(&grouped, json!({"open": every_other})), None, 31);
                assert_eq!(all.len(), closed.len() + flat.len());
                assert!(some.len() <= all.len() && some.len() >= closed.len());
                opened_groups_hold_their_own(&all, group);
                let mut inside: Vec<Value> = all.into_iter().filter(|row| row["group"].is_null()).collect();
                inside.sort_by(|a, b| {
                    compare(a, b, "size", true).then(a["id"].as_u64().cmp(&b["id"].as_u64()))
                });
                assert!(ids(&inside) == ids(&flat), "{name} {group}: all are listed, each once");
            }
        }
    }
}

/// Below each group come as many rows as it counts, with its bytes, alike in what it groups by, largest first.
fn opened_groups_hold_their_own(rows: &[Value], group: &str) {
    let mut at = 0;
    while at < rows.len() {
        let (head, count) = (&rows[at], rows[at]["count"].as_u64().unwrap() as usize);
        let inside = &rows[at + 1..at + 1 + count];
        assert_eq!(head["open"], true);
        assert_eq!(sum(inside, "requested_bytes"), head["bytes"]);
        assert!(inside.is_sorted_by(|a, b| compare(a, b, "size", true).is_le()));
        let alike = |row: &Value| match group {
            "stack" => row["stack_id"].clone(),
            "category" => row["category"].clone(),
            other => json!(value(row, other)),
        };
        assert!(inside.iter().all(|row| alike(row) == alike(&inside[0])), "{group} {head}");
        at += 1 + count;
    }
}

#[test]
fn what_is_looked_for_is_found_in_any_order() {
    let recording = opened("train_plain");
    let base = json!({"ask": "table_rows", "device": 0, "of": "all", "from": 0, "count": 1000});
    for more in [json!({}), json!({"sort": [{"column": "site"}]}), json!({"group": "site"})] {
        let question = with(&base, more);
        let all = rows(&recording, &question, None, 1000);
        for id in [0, 17, 400] {
            let found = ask(&recording, &with(&question, json!({"find": id})), None)["found"]
                .as_u64()
                .unwrap() as usize;
            if question["group"].is_null() {
                assert_eq!(all[found]["id"], id);
                continue;
            }
            let key = &all[found]["group"];
            let open = with(&question, json!({"find": id, "open": [key]}));
            let inside = ask(&recording, &open, None)["found"].as_u64().unwrap() as usize;
            assert!(inside > found);
            assert_eq!(rows(&recording, &open, None, 1000)[inside]["id"], id);
        }
    }
    let none = ask(&recording, &with(&base, json!({"find": u32::MAX})), None);
    assert_eq!(none["found"], Value::Null);
}

#[test]
fn sizes_are_counted_once() {
    for name in RECORDINGS {
        let recording = opened(name);
        for question in questions(&recording) {
            let flat = rows(&recording, &question, None, 1000);
            let n = recording.device(question["device"].as_i64().unwrap()).unwrap().1.allocations().len();
            let third = Bits::of(n, |id| id % 3 == 0);
            for steps in [0, 1, 2, 4, 8, 99] {
                let sizes = with(&question, json!({"ask": "table_sizes", "steps": steps}));
                let sizes = ask(&recording, &sizes, Some(&third));
                let bins = sizes["bins"].as_array().unwrap();
                assert!(bins.windows(2).all(|two| two[0]["to"] == two[1]["from"]), "{name} {steps}");
                for bin in bins {
                    let (from, to) = (bin["from"].as_u64().unwrap(), bin["to"].as_u64().unwrap());
                    let inside =
                        |row: &&Value| (from..to).contains(&row["requested_bytes"].as_u64().unwrap());
                    let all: Vec<Value> = flat.iter().filter(inside).cloned().collect();
                    let hits: Vec<Value> =
                        all.iter().filter(|row| row["id"].as_u64().unwrap() % 3 == 0).cloned().collect();
                    assert_eq!(
                        (&bin["of_count"], &bin["of_bytes"]),
                        (&json!(all.len()), &json!(sum(&all, "requested_bytes")))
                    );
                    assert_eq!(
                        (&bin["count"], &bin["bytes"]),
                        (&json!(hits.len()), &json!(sum(&hits, "requested_bytes")))
                    );
                }
                assert_eq!(sum(bins, "of_count"), flat.len() as u64);
                let largest =
                    flat.iter().map(|row| row["requested_bytes"].as_u64().unwrap()).max().unwrap_or(0);
                assert_eq!(sizes["largest_bytes"], largest);
            }
        }
    }
}

fn exported(recording: &Recording, question: &Value, format: &str, groups: bool, count: u32) -> String {
    let (mut tables, mut text, mut from) = (Tables::default(), String::new(), json!(0));
    while !from.is_null() {
        let more =
            json!({"ask": "table_export", "format": format, "groups": groups, "from": from, "count": count});
        let piece = ask_again(&mut tables, recording, &with(question, more), None);
        text.push_str(piece["text"].as_str().unwrap());
        assert!(piece["next"].is_null() || piece["next"].as_u64() > from.as_u64());
        from = piece["next"].clone();
    }
    text
}

/// RFC 4180, as its grammar says.
fn csv(text: &str) -> Vec<Vec<String>> {
    let (mut lines, mut line, mut cell, mut quoted) = (Vec::new(), Vec::new(), String::new(), false);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, quoted) {
            ('"', true) if chars.peek() == Some(&'"') => cell.extend(chars.next()),
            ('"', _) => quoted = !quoted,
            (',', false) => line.push(std::mem::take(&mut cell)),
            ('\r', false) => {
                assert_eq!(chars.next(), Some('\n'));
                line.push(std::mem::take(&mut cell));
                lines.push(std::mem::take(&mut line));
            }
            (c, _) => cell.push(c),
        }
    }
    assert!(!quoted && cell.is_empty() && line.is_empty(), "it ends with a line");
    lines
}

#[test]
fn files_say_what_the_rows_say_whatever_the_pieces() {
    for name in RECORDINGS {
        let recording = opened(name);
        for question in questions(&recording) {
            let flat = rows(&recording, &question, None, 1000);
            let json: Value =
                serde_json::from_str(&exported(&recording, &question, "json", false, 100_000)).unwrap();
            assert_eq!(json["allocations"], json!(flat), "{name}");
            assert_eq!(json["count"], flat.len());
            let stacks = json["stacks"].as_object().unwrap();
            let used: std::collections::BTreeSet<String> = flat
                .iter()
                .filter(|row| !row["stack_id"].is_null())
                .map(|row| row["stack_id"].to_string())
                .collect();
            assert!(stacks.keys().cloned().collect::<std::collections::BTreeSet<_>>() == used, "{name}");
            let lines = csv(&exported(&recording, &question, "csv", false, 100_000));
            assert_eq!(lines.len(), flat.len() + 1);
            for (line, row) in lines[1..].iter().zip(&flat) {
                for (head, cell) in lines[0].iter().zip(line) {
                    let expected = match &row[head] {
                        Value::Null => String::new(),
                        Value::String(text) => text.clone(),
                        Value::Number(number) if number.is_f64() => number.as_f64().unwrap().to_string(),
                        other => other.to_string(),
                    };
                    assert_eq!(cell.trim_start_matches('\''), expected, "{name} {head}");
                }
            }
        }
        let question =
            json!({"device": recording.snapshot.devices[0].ordinal, "of": "peak", "group": "site"});
        for (format, groups) in [("csv", false), ("json", false), ("csv", true), ("json", true)] {
            let whole = exported(&recording, &question, format, groups, 100_000);
            for count in [1, 7, 50] {
                assert!(
                    exported(&recording, &question, format, groups, count) == whole,
                    "{name} {format} {groups} {count}"
                );
            }
        }
        let whole: Value = serde_json::from_str(&exported(&recording, &question, "json", true, 9)).unwrap();
        assert_eq!(sum(whole["groups"].as_array().unwrap(), "count"), whole["count"]);
    }
}

/// Labels say other categories; the table that was kept must not.
#[test]
fn what_is_kept_is_forgotten_when_told() {
    let mut recording = recordings::open(&recordings::pickle("train_plain"), 1 << 16).unwrap();
    let mut tables = Tables::default();
    let question =
        json!({"ask": "table_rows", "device": 0, "of": "all", "group": "category", "from": 0, "count": 50});
    assert_eq!(ask_again(&mut tables, &recording, &question, None)["groups"], 1, "all are unknown");
    recordings::label(&mut recording);
    tables.forget();
    assert_eq!(ask_again(&mut tables, &recording, &question, None)["groups"], 9);
}

#[test]
fn odd_questions_have_answers() {
    let recording = opened("train_plain");
    let base = json!({"ask": "table_rows", "device": 0, "from": u32::MAX, "count": u32::MAX});
    assert_eq!(ask(&recording, &base, None)["rows"], json!([]));
    assert_eq!(ask(&recording, &with(&base, json!({"device": 9})), None), Value::Null);
    for more in [
        json!({"of": "made", "x0": -5.0, "x1": -1.0}),
        json!({"of": "freed", "axis": "time", "x0": 1e300, "x1": 2e300}),
        json!({"of": "moment", "moment": u32::MAX}),
        json!({"group": "address", "sort": [{"column": "colour"}, 7, null]}),
        json!({"group": "size", "open": ["x", "-1", 3, "18446744073709551615"]}),
    ] {
        let answer = ask(&recording, &with(&base, with(&more, json!({"from": 0}))), None);
        assert!(answer["rows"].is_array(), "{more}: {answer}");
    }
    assert!(
        Tables::default().answer(&recording, Fields::of(&json!({"ask": "alive"})), None).unwrap().is_none()
    );
}
