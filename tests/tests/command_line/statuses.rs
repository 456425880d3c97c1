//! `vramscope` as scripts use it: exit status, one JSON object, messages on standard error.

use std::process::{Output, Stdio};

use serde_json::Value;
use vramscope_tests::{program, recordings};

fn vramscope(args: &[&str], input: Option<&[u8]>) -> Output {
    let mut command = program::vramscope();
    command.args(args);
    command.stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() });
    let mut child =
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
    if let (Some(input), Some(mut stdin)) = (input, child.stdin.take()) {
        use std::io::Write;
        // A program that stops early is no fault of the test.
        let _ = stdin.write_all(input);
    }
    child.wait_with_output().expect("it ends")
}

fn path(name: &str) -> String {
    recordings::folder().join(format!("{name}.pickle.gz")).to_string_lossy().into_owned()
}

#[test]
fn summary_prints_one_json_object() {
    let output = vramscope(&["summary", "--json", &path("train_plain")], None);
    assert!(output.status.success());
    let summary: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    assert_eq!(summary["schema"], 1);
    assert_eq!(summary["file"]["container"], "gzip");
    let device = &summary["devices"][0];
    assert!(device["peak"]["requested_bytes"].as_u64() > device["end"]["requested_bytes"].as_u64());
    assert_eq!(device["model"]["agreeing_events"], device["events"]);
    assert!(device["peak"]["allocated_bytes"].as_u64() >= device["peak"]["requested_bytes"].as_u64());
    assert_eq!(summary["allocator_settings"]["expandable_segments"], false);
}

#[test]
fn several_files_are_one_json_object_too() {
    let output = vramscope(&["summary", "--json", &path("train_plain"), &path("two_devices")], None);
    let summaries: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    assert_eq!(summaries["files"].as_array().map(Vec::len), Some(2));
    assert_eq!(summaries["files"][1]["devices"].as_array().map(Vec::len), Some(2));
}

#[test]
fn standard_input_is_a_file() {
    let output = vramscope(&["summary", "-"], Some(&recordings::pickle("streams")));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        output.status.success() && text.contains("standard input") && text.contains("history complete"),
        "{text}"
    );
}

#[test]
fn what_cannot_be_used_is_told_with_status_1() {
    for (args, input, words) in [
        (["summary", "/no/such/file"], &b""[..], "cannot be read"),
        (["summary", "-"], b"", "is empty"),
        (["summary", "-"], b"\x80\x04cos\nsystem\n.", "GLOBAL os.system"),
        (["summary", "-"], b"{}", "not a memory snapshot"),
        (["summary", env!("CARGO_MANIFEST_DIR")], b"", "is a folder"),
    ] {
        let output = vramscope(&args, Some(input));
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{message}");
        assert!(message.contains(words) && output.stdout.is_empty(), "{message}");
        assert_eq!(message.trim_end().lines().count(), 1, "one plain message: {message}");
    }
}

#[test]
fn wrong_usage_has_status_2() {
    for args in [&["summary"][..], &["dance"], &["summary", "--jsno", "x"]] {
        assert_eq!(vramscope(args, None).status.code(), Some(2), "{args:?}");
    }
}

#[test]
fn without_the_model_its_figures_are_null() {
    let output = vramscope(&["summary", "--json", "--no-model", &path("train_plain")], None);
    let summary: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    let device = &summary["devices"][0];
    assert_eq!((&device["model"], &device["peak"]["allocated_bytes"]), (&Value::Null, &Value::Null));
}

#[test]
fn state_lists_segments_and_blocks_at_a_moment() {
    let file = path("oom_fragmentation");
    let state = |args: &[&str]| {
        let output = vramscope(&[&["state", "--json", &file], args].concat(), None);
        serde_json::from_slice::<Value>(&output.stdout).expect("one JSON object")
    };
    let sum = |state: &Value| -> u64 {
        let segments = state["devices"][0]["segments"].as_array().unwrap();
        segments.iter().map(|segment| segment["bytes"].as_u64().unwrap()).sum()
    };
    let end = state(&[]);
    assert_eq!((end["schema"].as_u64(), end["devices"][0]["event"].as_u64()), (Some(1), Some(12_153)));
    assert_eq!(sum(&end), 2_240 << 20);
    let block = &end["devices"][0]["segments"][0]["blocks"][0];
    assert!(block["address"].as_str().unwrap().starts_with("0x") && block["state"].is_string());
    assert_eq!(sum(&state(&["--at", "0"])), 18 << 20, "after the first event, a segment_alloc");
    assert!(sum(&state(&["--at", "peak"])) > sum(&end));
    let text = String::from_utf8(vramscope(&["state", &file], None).stdout).unwrap();
    assert!(text.contains("Large pool, stream 0") && text.contains("0.91"), "{text}");
    let beyond = vramscope(&["state", &file, "--at", "99999"], None);
    assert_eq!(beyond.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&beyond.stderr).contains("12,154 events"));
    assert_eq!(vramscope(&["state", &file, "--at", "never"], None).status.code(), Some(2));
}

#[test]
fn search_tells_as_grep_does() {
    let output =
        vramscope(&["search", "--json", "Train\\.py|train\\.PY|train\\.py", &path("train_plain")], None);
    assert_eq!(output.status.code(), Some(0));
    let found: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    let device = &found["devices"][0];
    let rows = device["rows"].as_array().unwrap();
    assert_eq!(device["stacks"], rows.len());
    let sum = |key: &str| rows.iter().map(|row| row[key].as_u64().unwrap()).sum::<u64>();
    assert_eq!(
        (sum("allocations"), sum("bytes")),
        (device["allocations"].as_u64().unwrap(), device["bytes"].as_u64().unwrap())
    );
    assert!(rows.iter().all(|row| row["frames"][0]["kind"] == "own"));

    let output = vramscope(&["search", "TRAIN", &path("train_plain")], None);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "nothing matches");
    let text = String::from_utf8(vramscope(&["search", "train", &path("train_plain")], None).stdout).unwrap();
    assert!(text.contains(" at the peak") && text.contains("    > "), "{text}");
    let output = vramscope(&["search", "train(", &path("train_plain")], None);
    assert_eq!(output.status.code(), Some(2));
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("Not a pattern") && told.ends_with("  train(\n       ^\n"), "{told}");
}

#[test]
fn search_takes_expressions() {
    let file = path("train_plain");
    let count = |words: &[&str]| {
        let output = vramscope(&[&["search", "--json"], words].concat(), None);
        assert_eq!(output.status.code(), Some(0), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
        let found: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
        found["devices"][0]["allocations"].as_u64().unwrap()
    };
    let large = count(&[&file, "size", ">", "1", "MiB"]);
    assert!(large > 0 && large == count(&["size > 1 MiB", &file]), "the file stands first or last");
    let activations = count(&[&file, "category:activation", "size > 1 MiB"]);
    assert!(activations > 0 && activations < large, "{activations} of {large}");
    assert_eq!(count(&[&file, "-category:activation size > 1 MiB"]), large - activations);
    let output = vramscope(&["search", "train category:sideways", &file], None);
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.ends_with("                 ^^^^^^^^\n"), "{told}");
    let help = String::from_utf8(vramscope(&["search", "--help"], None).stdout).unwrap();
    assert!(help.contains("size > 100 MiB") && help.contains("alive:A not alive:B"), "{help}");
}

#[test]
fn options_may_stand_behind_an_expression() {
    let file = path("train_plain");
    let json = |args: &[&str]| -> Value {
        let output = vramscope(args, None);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).expect("one JSON object")
    };
    let before = json(&["search", "--json", "forward", &file]);
    assert_eq!(json(&["search", "forward", &file, "--json"]), before);
    assert_eq!(json(&["search", &file, "forward", "--json"]), before);
    let wrong = vramscope(&["search", "a or", &file, "--json"], None);
    assert_eq!(wrong.status.code(), Some(2), "an expression that makes no sense");
}
