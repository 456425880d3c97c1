//! `vramscope` on what is no plain pickle: every container, from a file and from standard input.

use std::path::Path;
use std::process::{Output, Stdio};

use serde_json::Value;
use vramscope_tests::program;
use vramscope_tests::shapes::containers::{gzip, page, torch_save};
use vramscope_tests::shapes::json::json;
use vramscope_tests::shapes::pickles::{Writer, pickle};
use vramscope_tests::shapes::versions::{END_REQUESTED, PEAK_REQUESTED, Version, snapshot};

fn vramscope(args: &[&str], input: &[u8]) -> Output {
    let mut command = program::vramscope();
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    if let Some(mut stdin) = child.stdin.take() {
        use std::io::Write;
        // A program that stops early is no fault of the test.
        let _ = stdin.write_all(input);
    }
    child.wait_with_output().expect("it ends")
}

/// Name, `file.container`, bytes.
fn files() -> Vec<(&'static str, &'static str, Vec<u8>)> {
    let value = snapshot(Version::V2_11);
    let bytes = pickle(&value, Writer::Python(4));
    vec![
        ("plain.pickle", "pickle", bytes.clone()),
        ("misnamed.txt", "json", json(&value).into_bytes()),
        ("page.html", "html", page(&bytes, "Active Memory Timeline")),
        ("packed.gz", "gzip", gzip(json(&value).as_bytes())),
        ("saved.pt", "zip", torch_save(&bytes)),
    ]
}

fn check(output: &Output, name: &str, container: &str) {
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    let summary: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    assert_eq!(summary["file"]["container"], container, "{name}");
    assert_eq!(summary["devices"][0]["end"]["requested_bytes"], END_REQUESTED, "{name}");
    assert_eq!(summary["devices"][0]["peak"]["requested_bytes"], PEAK_REQUESTED, "{name}");
}

#[test]
fn every_container_from_standard_input() {
    for (name, container, bytes) in files() {
        check(&vramscope(&["summary", "--json", "-"], &bytes), name, container);
    }
}

#[test]
fn every_container_from_a_file() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("command_line_input");
    std::fs::create_dir_all(&folder).unwrap();
    for (name, container, bytes) in files() {
        let path = folder.join(name);
        std::fs::write(&path, bytes).unwrap();
        let path = path.to_string_lossy().into_owned();
        check(&vramscope(&["summary", "--json", &path], b""), name, container);
        let text = vramscope(&["summary", &path], b"").stdout;
        let text = String::from_utf8(text).unwrap();
        assert!(text.contains(container) && text.contains("history complete"), "{text}");
    }
}

/// One plain message, with what to do.
#[test]
fn bad_input_is_told_in_one_line() {
    for (bytes, words) in [
        (&b"{'segments': []}"[..], "standard input is not quite JSON"),
        (b"<html>let alloc_data = {}</html>", "PyTorch 2.0"),
        (b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", "an empty zip archive"),
    ] {
        let output = vramscope(&["summary", "-"], bytes);
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{message}");
        assert!(message.contains(words) && output.stdout.is_empty(), "{message}");
        assert_eq!(message.trim_end().lines().count(), 1, "{message}");
    }
}
