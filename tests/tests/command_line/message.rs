//! `vramscope oom-message` as people and scripts use it.

use std::io::Write;
use std::process::{Output, Stdio};

use serde_json::Value;
use vramscope_tests::program;

const MESSAGE: &str = "  File \"train.py\", line 60, in step\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.00 GiB. GPU 0 has a total capacity of \
139.80 GiB of which 130.83 GiB is free. Including non-PyTorch memory, this process has 2.69 GiB memory in use. 5.00 GiB allowed; Of the allocated memory \
1.61 GiB is allocated by PyTorch, and 589.62 MiB is reserved by PyTorch but unallocated.";

fn oom_message(args: &[&str], input: &str) -> Output {
    let mut command = program::vramscope();
    command.arg("oom-message").args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    child.stdin.take().expect("standard input").write_all(input.as_bytes()).expect("it reads");
    child.wait_with_output().expect("it ends")
}

#[test]
fn a_message_becomes_one_json_object() {
    let output = oom_message(&["--json"], MESSAGE);
    assert!(output.status.success());
    let told: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    assert_eq!((told["schema"].as_u64(), told["verdict"].as_str()), (Some(1), Some("fragmentation")));
    assert_eq!(told["limit_bytes"].as_u64(), Some(5 << 30));
    let requested = &told["numbers"][0];
    assert_eq!((requested["key"].as_str(), requested["bytes"].as_u64()), (Some("requested"), Some(3 << 30)));
    assert_eq!(requested["found"], "3.00 GiB");
    let parts = told["bar"]["parts"].as_array().expect("parts");
    assert_eq!(parts.iter().map(|part| part["bytes"].as_u64().unwrap()).sum::<u64>(), 5 << 30);
    assert_eq!((told["asked_by"]["line"].as_u64(), told["messages"].as_u64()), (Some(60), Some(1)));
    assert!(told["snapshot"]["recipe"]["code"].as_str().unwrap().contains("_dump_snapshot"));
}

#[test]
fn as_text_it_has_bar_numbers_and_advice() {
    let output = oom_message(&["-"], MESSAGE);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && output.stderr.is_empty());
    for words in [
        "Out of memory: fragmentation",
        "[####",
        "Asked for",
        "3.00 GiB",
        "What to do",
        "expandable_segments:True",
        "train.py:60 in step",
    ] {
        assert!(text.contains(words), "{words} in\n{text}");
    }
    let bar = text.lines().find(|line| line.starts_with('[')).unwrap();
    assert_eq!(bar.len(), 62, "{bar}");
    assert!(text.lines().all(|line| line.chars().count() <= 104), "{text}");
}

#[test]
fn what_is_no_message_has_status_1_and_help() {
    for (args, input, words) in [
        (&["--json"][..], "", "the text is empty"),
        (&[], "ValueError: x", "Tried to allocate"),
        (&[], "slurmstepd: oom-kill event", "host's memory"),
        (&["/no/such/file"], "", "cannot be read"),
    ] {
        let output = oom_message(args, input);
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{message}");
        assert!(message.contains(words) && output.stdout.is_empty(), "{message}");
        assert_eq!(message.trim_end().lines().count(), 1, "one plain message: {message}");
    }
}
