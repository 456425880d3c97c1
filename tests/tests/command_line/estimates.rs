//! `vramscope simulate` at another batch, and of a changed program.

use std::process::Output;

use serde_json::Value;
use vramscope_simulate::changes::KINDS;
use vramscope_tests::{program, recordings};

fn simulate(args: &[&str]) -> Output {
    let output = program::vramscope().arg("simulate").arg(path("train_plain")).args(args).output();
    output.expect("the program starts")
}

fn path(name: &str) -> String {
    recordings::folder().join(format!("{name}.pickle.gz")).to_string_lossy().into_owned()
}

fn json(args: &[&str]) -> Value {
    let output = simulate(&[args, &["--json"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn fails(args: &[&str], status: i32, word: &str) {
    let output = simulate(args);
    let told = String::from_utf8_lossy(&output.stderr).into_owned()
        + String::from_utf8_lossy(&output.stdout).as_ref();
    assert_eq!(output.status.code(), Some(status), "{told}");
    assert!(told.contains(word), "{word}: {told}");
}

#[test]
fn another_batch_adds_a_scenario_to_the_figures() {
    let own = json(&[]);
    assert!(own.get("scenario").is_none());
    let twice = json(&["--batch", "16:32"]);
    for key in
        ["reserved_peak_bytes", "reserved_peak_low_bytes", "reserved_peak_high_bytes", "allocated_peak_bytes"]
    {
        assert!(twice["simulated"][key].as_u64() > own["simulated"][key].as_u64(), "{key}");
    }
    assert_eq!(twice["recorded"], own["recorded"]);
    let scenario = &twice["scenario"];
    assert_eq!(scenario["title"], "batch 32 instead of 16");
    assert!(scenario["uncertainty_percent"].as_f64().is_some_and(|percent| percent > 0.0 && percent < 20.0));
    let part = |at: usize, key: &str| scenario["parts"][at][key].as_u64().expect("bytes");
    assert_eq!(part(1, "scaling_bytes"), 2 * part(0, "scaling_bytes"));
    assert_eq!(part(1, "fixed_bytes"), part(0, "fixed_bytes"));
    assert!(scenario.get("requests").is_none() && scenario["notes"].is_array());
    // Twice as long is twice as much, and says what it cannot tell.
    let length = json(&["--length", "256:512"]);
    assert_eq!(length["simulated"], twice["simulated"]);
    assert!(length["scenario"]["notes"].to_string().contains("square of the length"));
}

#[test]
fn the_largest_batch_is_the_last_that_fits() {
    let found = json(&["--batch", "16:max", "--limit", "4GiB"]);
    let batch = found["largest"]["batch"].as_u64().expect("a batch");
    assert_eq!(found["largest"]["at_least"], false);
    assert_eq!(found["simulated"]["oom"], Value::Null);
    let at = |batch: u64| {
        json(&["--batch", &format!("16:{batch}"), "--limit", "4GiB"])["simulated"]["oom"].clone()
    };
    assert_eq!(at(batch), Value::Null);
    assert_ne!(at(batch + 1), Value::Null);
    fails(&["--batch", "16:max", "--limit", "64MiB"], 3, "not even 1 fits");
    fails(&["--batch", "16:max"], 2, "--limit");
    // What is certain leaves room for what the estimate may be wrong by; what fits is a limit, too.
    let safe = found["largest"]["safe_batch"].as_u64().expect("a batch");
    assert!(safe < batch && safe > batch / 2, "{safe} of {batch}");
    assert_eq!(json(&["--batch", "16:max", "--fits", "4GiB"])["largest"]["batch"], batch);
}

#[test]
fn every_change_answers_or_says_why_not() {
    let own = json(&[])["simulated"]["allocated_peak_bytes"].as_u64();
    for kind in KINDS {
        let output = simulate(&["--change", kind.key]);
        let told =
            String::from_utf8_lossy(if output.status.success() { &output.stdout } else { &output.stderr })
                .into_owned();
        assert!(
            matches!(output.status.code(), Some(0 | 1)) && told.trim_end().len() > 60,
            "{}: {told}",
            kind.key
        );
        assert_eq!(told.contains("estimate: "), output.status.success(), "{told}");
    }
    let less = json(&["--change", "checkpoint"]);
    assert!(less["simulated"]["allocated_peak_bytes"].as_u64() < own);
    let place = less["scenario"]["title"].as_str().expect("a title").to_owned();
    let line = place.split_whitespace().find(|word| word.contains(".py:")).expect("a line").to_owned();
    assert_eq!(json(&["--change", &format!("checkpoint={line}")])["simulated"], less["simulated"]);
    fails(&["--change", "checkpoint=nowhere.py:1"], 1, &line);
}

#[test]
fn what_is_no_batch_and_no_change_is_refused() {
    fails(&["--batch", "16"], 2, "8:32");
    fails(&["--batch", "0:16"], 2, "8:32");
    fails(&["--batch", "16:0"], 2, "8:32");
    fails(&["--change", "nonsense"], 2, "checkpoint");
    fails(&["--change", "half_state", "--batch", "8:16"], 2, "cannot be used with");
    fails(
        &["--batch", "16:32", "--with-recording", &path("train_plain"), "--with-batch", "16"],
        1,
        "two different",
    );
    fails(&["--with-recording", &path("train_plain"), "--with-batch", "8"], 2, "--batch");
}

#[test]
fn a_wrong_second_recording_is_refused() {
    let with = |name: &str, at: &str, word: &str| {
        fails(&["--batch", "16:64", "--with-recording", &path(name), "--with-batch", at], 1, word);
    };
    with("train_plain", "32", "the same sizes");
    with("train_bs32", "7", "fall as the batch grows");
    // Another program of the same model.
    with("varlen", "32", "fall as the batch grows");
}
