//! `vramscope simulate`: the contract's JSON, what PyTorch refuses, limits, and statuses that CI can use.

use std::process::Output;

use serde_json::Value;
use vramscope_tests::{program, recordings};

fn vramscope(args: &[&str]) -> Output {
    program::vramscope().args(args).output().expect("the program starts")
}

fn json(args: &[&str]) -> Value {
    let output = vramscope(&[&["simulate", "--json"], args].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("one JSON object")
}

fn path(name: &str) -> Option<String> {
    let file = recordings::all().into_iter().find(|file| file.name == name);
    if file.is_none() {
        println!("skipped: {name} is not here");
    }
    Some(file?.path.to_string_lossy().into_owned())
}

#[test]
fn the_json_is_the_contracts() {
    let Some(file) = path("varlen") else { return };
    let told = json(&[&file, "--set", "expandable_segments=True"]);
    assert_eq!(told["schema"], 1);
    assert_eq!(told["settings"]["expandable_segments"], "True");
    assert_eq!(told["limit_bytes"], Value::Null);
    assert_eq!(told["model"]["checked_events"], 17_006);
    assert_eq!(told["model"]["agreeing_events"], 17_006);
    assert_eq!(told["model"]["first_difference"], Value::Null);
    assert_eq!(told["recorded"]["reserved_peak_bytes"], 4_976_541_696u64);
    let simulated = &told["simulated"];
    for key in ["reserved_peak_bytes", "reserved_peak_low_bytes", "reserved_peak_high_bytes"] {
        assert_eq!(simulated[key], 4_114_612_224u64, "{key}");
    }
    assert!(simulated["allocated_peak_bytes"].as_u64() <= told["recorded"]["allocated_peak_bytes"].as_u64());
    assert!(simulated["segments_allocated"].as_u64() > Some(0));
    assert_eq!((&simulated["oom"], &simulated["recorded_oom"]), (&Value::Null, &Value::from("none")));
    assert!(told["notes"].as_array().is_some_and(|notes| !notes.is_empty()));
    // Without settings those of the recording.
    let own = json(&[&file]);
    assert_eq!(own["simulated"]["reserved_peak_bytes"], own["recorded"]["reserved_peak_bytes"]);
    assert_eq!(own["simulated"]["allocated_peak_bytes"], own["recorded"]["allocated_peak_bytes"]);
}

#[test]
fn a_limit_decides_what_runs_out() {
    let file = path("train_plain").expect("a recording of the project");
    let free = json(&[&file, "--limit", "none"]);
    assert_eq!(free["simulated"]["oom"], Value::Null);
    let tight = json(&[&file, "--limit", "1GiB"]);
    assert_eq!(tight["limit_bytes"], 1u64 << 30);
    assert!(tight["simulated"]["oom"]["requested_bytes"].as_u64() > Some(0));
    assert!(tight["simulated"]["reserved_peak_bytes"].as_u64() <= Some(1 << 30));
    let notes = tight["notes"].to_string();
    assert!(notes.contains("the simulation ends there"), "{notes}");
}

#[test]
fn what_fits_is_a_status() {
    let file = path("train_plain").expect("a recording of the project");
    let told = json(&[&file, "--fits", "24GiB"]);
    let needed = told["smallest_limit_bytes"].as_u64().expect("a limit");
    let at = |bytes: u64| vramscope(&["simulate", &file, "--fits", &bytes.to_string()]).status.code();
    assert_eq!((at(needed), at(needed - 1)), (Some(0), Some(3)));
    let text = String::from_utf8(vramscope(&["simulate", &file, "--fits", "1GiB"]).stdout).unwrap();
    assert!(text.contains("does not fit in 1,024.0 MiB"), "{text}");
}

/// As in the environment, with brackets; what other parts of PyTorch read is said to be of no matter.
#[test]
fn settings_are_taken_as_pytorch_takes_them() {
    let file = path("train_plain").expect("a recording of the project");
    let told = json(&[
        &file,
        "--set",
        "roundup_power2_divisions:[256:1, 512:2, >:8]",
        "--set",
        "pinned_use_background_threads=True",
    ]);
    assert_eq!(
        told["alloc_conf"],
        "roundup_power2_divisions:[1:1,2:1,4:1,8:1,16:1,32:1,64:1,128:1,256:1,512:2,>:8]"
    );
    assert!(told["notes"].to_string().contains("pinned_use_background_threads is for other parts"), "{told}");
}

#[test]
fn a_sweep_ranks_the_usual_settings() {
    let Some(file) = path("varlen") else { return };
    let told = json(&[&file, "--sweep"]);
    let tried = told["sweep"].as_array().expect("a list");
    assert!(tried.len() >= 5);
    assert_eq!(tried[0]["simulated"]["reserved_peak_bytes"], told["recorded"]["reserved_peak_bytes"]);
    let output = vramscope(&["simulate", &file, "--sweep"]);
    let text = String::from_utf8(output.stdout).unwrap();
    let place = |words: &str| text.find(words).unwrap_or_else(|| panic!("{words}:\n{text}"));
    assert!(place("expandable_segments:True  ") < place("default settings (as recorded)"));
    assert!(place("default settings (as recorded)") < place("max_split_size_mb:64"));
    assert!(text.contains("−822.0 MiB, −17.3 %") && text.contains("6,708.0 MiB to 6,770.0 MiB"), "{text}");
    assert!(text.contains("  PYTORCH_ALLOC_CONF=expandable_segments:True\n"), "{text}");
}

#[test]
fn what_runs_out_of_memory_is_no_advice() {
    let file = path("train_plain").expect("a recording of the project");
    let text = |limit: &str| {
        String::from_utf8(vramscope(&["simulate", &file, "--sweep", "--limit", limit]).stdout).unwrap()
    };
    // Only with expandable segments is everything served.
    let one = text("1970MiB");
    assert!(one.contains("  PYTORCH_ALLOC_CONF=expandable_segments:True\n"), "{one}");
    let none = text("1900MiB");
    assert!(none.contains("−134.0 MiB, −6.7 %; out of memory"), "{none}");
    assert!(!none.contains("PYTORCH_ALLOC_CONF"), "{none}");
}

#[test]
fn columns_are_as_wide_as_their_heads() {
    let file = path("kv_cache").expect("a recording of the project");
    let text = String::from_utf8(vramscope(&["simulate", &file, "--sweep"]).stdout).unwrap();
    let column = |words: &str| text.lines().find_map(|line| line.rfind(words)).expect("a column");
    assert_eq!(column("  change"), column("  as recorded"), "{text}");
}

#[test]
fn what_cannot_be_simulated_is_told() {
    let file = path("train_plain").expect("a recording of the project");
    let refused = |args: &[&str], status: i32, words: &str| {
        let output = vramscope(&[&["simulate"], args].concat());
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(status), "{args:?}: {told}");
        assert!(told.contains(words) && output.stdout.is_empty(), "{args:?}: {told}");
    };
    refused(&[&file, "--set", "max_split_size_mb=12"], 2, "must be at least 20");
    refused(&[&file, "--set", "expandable_segments=true"], 2, "must be True or False");
    refused(&[&file, "--set", "max_split=1"], 2, "is not a known option");
    refused(&[&file, "--set", "backend=cudaMallocAsync"], 2, "only the native backend");
    refused(&[&file, "--set", "expandable_segments=True,max_split_size_mb=64"], 2, "one KEY=VALUE for each");
    refused(&[&file, "--set", "=True"], 2, "one KEY=VALUE for each");
    refused(&[&file, "--limit", "24"], 2, "units are KiB, MiB, GiB");
    refused(&[&file, "--batch", "8:max"], 2, "Give --limit");
    refused(&[&file, "--with-recording", &file, "--with-batch", "4"], 2, "needs --batch or --length");
    refused(&[&file, "--set", "expandable_segments"], 2, "KEY=VALUE");
    refused(&[&file, "--limit", "much"], 2, "give bytes");
    refused(&[&file, "--device", "7"], 1, "no device 7");
    refused(&[&file, "--sweep", "--set", "a=b"], 2, "cannot be used with");
    for name in ["no_history", "enabled_state"] {
        if let Some(file) = path(name) {
            refused(&[&file], 1, "no history of allocations");
        }
    }
}
