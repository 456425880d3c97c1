//! `vramscope allocations` as scripts use it.

use std::process::Output;

use serde_json::Value;
use vramscope_tests::{program, recordings};

fn allocations(name: &str, args: &[&str]) -> Output {
    let file = recordings::folder().join(format!("{name}.pickle.gz"));
    program::vramscope().arg("allocations").arg(file).args(args).output().expect("it ends")
}

fn text(name: &str, args: &[&str]) -> String {
    let output = allocations(name, args);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn json(name: &str, args: &[&str]) -> Value {
    serde_json::from_str(&text(name, &[&["--json"], args].concat())).expect("one JSON object")
}

fn sum(rows: &Value, key: &str) -> u64 {
    rows.as_array().unwrap().iter().map(|row| row[key].as_u64().unwrap()).sum()
}

#[test]
fn json_is_as_the_contract_has_it() {
    let all = json("train_plain", &[]);
    let device = &all["devices"][0];
    assert_eq!((&all["schema"], &device["device"]), (&1.into(), &0.into()));
    let rows = &device["allocations"];
    // requested_bytes.all.peak and the blocks of that moment, by the allocator's own counters.
    assert_eq!(sum(rows, "requested_bytes"), 1_996_967_944);
    assert!(sum(rows, "bytes") <= 2_001_163_264 && sum(rows, "bytes") > sum(rows, "requested_bytes"));
    let rows = rows.as_array().unwrap();
    assert!(rows.is_sorted_by_key(|row| std::cmp::Reverse(row["requested_bytes"].as_u64())));
    for row in rows {
        assert!(row["address"].as_str().unwrap().starts_with("0x") && row["stream"].is_string());
        assert!(row["alloc_event"].as_u64() <= device["event"].as_u64());
        assert!(row["free_event"].is_null() || row["free_event"].as_u64() > device["event"].as_u64());
        assert!((0.0..=1.0).contains(&row["confidence"].as_f64().unwrap()));
        assert!(row["category"].is_string() && row["rule"].is_string());
        let frames = &device["stacks"][row["stack_id"].to_string()];
        assert!(frames[0]["name"].is_string() && frames[0]["file"].is_string() && frames[0]["line"].is_u64());
    }
    let known = rows.iter().filter(|row| row["category"] != "unknown").count();
    assert!(known * 2 > rows.len(), "the diagnosis labels them");
}

#[test]
fn moments_limits_and_devices() {
    let end = json("train_plain", &["--at", "end"]);
    assert_eq!(sum(&end["devices"][0]["allocations"], "requested_bytes"), 68_157_440);
    let few = json("train_plain", &["--limit", "3"]);
    let few = &few["devices"][0];
    assert_eq!(
        (few["allocations"].as_array().unwrap().len(), few["requested_bytes"].as_u64()),
        (3, Some(1_996_967_944))
    );
    assert!(few["count"].as_u64() > Some(3) && few["stacks"].as_object().unwrap().len() <= 3);
    let first = json("train_plain", &["--at", "1"]);
    assert_eq!(first["devices"][0]["event"], 1);
    assert_eq!(json("two_devices", &[])["devices"].as_array().unwrap().len(), 2);
    assert_eq!(json("two_devices", &["--device", "1"])["devices"][0]["device"], 1);
    assert_eq!(allocations("train_plain", &["--at", "9999999"]).status.code(), Some(1));
    assert_eq!(allocations("two_devices", &["--csv"]).status.code(), Some(1), "which device?");
    assert_eq!(allocations("train_plain", &["--group", "colour"]).status.code(), Some(2));
    assert_eq!(allocations("train_plain", &["--json", "--csv"]).status.code(), Some(2));
}

#[test]
fn groups_add_up_to_what_is_alive() {
    for group in ["stack", "line", "category", "stream", "pool", "size", "phase", "step"] {
        let groups = json("train_plain", &["--group", group]);
        let device = &groups["devices"][0];
        assert_eq!(sum(&device["groups"], "bytes"), 1_996_967_944, "{group}");
        assert_eq!(sum(&device["groups"], "count"), device["count"], "{group}");
        assert!(device["groups"].as_array().unwrap().iter().all(|row| row["key"].is_string()));
        assert!(device["allocations"].is_null());
    }
    let csv = text("train_plain", &["--group", "category", "--csv"]);
    let lines: Vec<Vec<&str>> = csv.split_terminator("\r\n").map(|line| line.split(',').collect()).collect();
    assert_eq!(lines[0], ["key", "bytes", "count"]);
    assert_eq!(lines[1..].iter().map(|line| line[1].parse::<u64>().unwrap()).sum::<u64>(), 1_996_967_944);
}

#[test]
fn people_get_a_table() {
    let table = text("train_plain", &["--limit", "5"]);
    assert!(
        table.starts_with("GPU 0  ") && table.contains(" alive after event ") && table.contains("made at"),
        "{table}"
    );
    assert!(table.contains(" more, smaller ones") && table.lines().count() == 8, "{table}");
    let groups = text("train_plain", &["--group", "line"]);
    assert!(groups.contains('%') && groups.contains("train.py:"), "{groups}");
    let csv = text("train_plain", &["--csv"]);
    assert!(csv.starts_with("id,requested_bytes,bytes,") && csv.split_terminator("\r\n").count() > 100);
}
