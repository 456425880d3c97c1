//! `vramscope report` and `vramscope state --summary` as scripts and people use them.

use std::path::Path;
use std::process::Output;

use serde_json::Value;
use vramscope_tests::{program, recordings};

fn vramscope(args: &[&str]) -> Output {
    program::vramscope().args(args).output().expect("the program starts")
}

fn text(args: &[&str]) -> String {
    let output = vramscope(args);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

fn path(name: &str) -> String {
    recordings::folder().join(format!("{name}.pickle.gz")).to_string_lossy().into_owned()
}

#[test]
fn json_has_the_keys_of_the_contract() {
    let report: Value =
        serde_json::from_str(&text(&["report", "--json", &path("oom_fragmentation")])).unwrap();
    assert_eq!((report["schema"].as_u64(), report["devices"][0]["device"].as_i64()), (Some(1), Some(0)));
    let device = &report["devices"][0];
    for key in ["verdict", "confidence", "findings", "oom", "steps", "phases", "peak", "end"] {
        assert!(!device[key].is_null(), "{key}");
    }
    let oom = &device["oom"];
    assert_eq!(oom["event"].as_u64(), Some(12_153));
    assert_eq!(oom["requested_bytes"].as_u64(), Some(3 << 30));
    assert_eq!(
        (oom["would_fit_unfragmented"].as_str(), oom["expandable_would_fit"].as_str()),
        (Some("yes"), Some("no"))
    );
    for key in [
        "allocated_bytes",
        "reserved_bytes",
        "free_in_reserved_bytes",
        "largest_usable_free_bytes",
        "pinned_bytes",
        "device_free_bytes",
        "limit_low_bytes",
        "limit_high_bytes",
        "short_by_bytes",
    ] {
        assert!(oom[key].is_u64(), "{key}");
    }
    let both = text(&["report", "--json", &path("oom_fragmentation"), &path("two_devices")]);
    let both: Value = serde_json::from_str(&both).unwrap();
    assert_eq!(both["files"][1]["devices"].as_array().map(Vec::len), Some(2));
    let one = text(&["report", "--json", "--device", "1", &path("two_devices")]);
    let one: Value = serde_json::from_str(&one).unwrap();
    assert_eq!(one["devices"][0]["device"], 1);
    assert_eq!(one["devices"][0]["oom"], Value::Null);
}

#[test]
fn a_limit_can_be_given() {
    let file = path("oom_fragmentation");
    let report = text(&["report", "--json", "--limit", "5GiB", &file]);
    let report: Value = serde_json::from_str(&report).unwrap();
    let oom = &report["devices"][0]["oom"];
    assert_eq!(
        (oom["limit_low_bytes"].as_u64(), oom["limit_high_bytes"].as_u64()),
        (Some(5 << 30), Some(5 << 30))
    );
    assert_eq!(vramscope(&["report", "--limit", "much", &file]).status.code(), Some(2));
}

#[test]
fn text_and_markdown_say_who_asked_and_why_it_failed() {
    let plain = text(&["report", &path("oom_fragmentation")]);
    let plain = plain.split([' ', '\n']).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    for words in [
        "GPU 0",
        "asked for 3.0\u{a0}GiB at event 12,153",
        "a cap of this process refused it",
        "The largest free piece",
        "PyTorch CUDA memory summary, device ID 0",
        "CUDA OOMs: 1",
    ] {
        assert!(plain.contains(words), "{words}\n{plain}");
    }
    assert!(!plain.contains("**") && !plain.contains("Confidence 0.00"), "{plain}");
    let marked = text(&["report", "--markdown", &path("oom_fragmentation")]);
    assert!(marked.starts_with("## GPU 0\n") && marked.contains("| Reserved | "), "{marked}");
}

#[test]
fn the_page_needs_nothing_else() {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("report.html");
    let out = out.to_string_lossy();
    let printed = text(&["report", "--html", &out, &path("oom_fragmentation"), &path("train_plain")]);
    assert!(printed.is_empty());
    let page = std::fs::read_to_string(&*out).unwrap();
    assert!(page.starts_with("<!doctype html>") && page.trim_end().ends_with("</html>"));
    for forbidden in ["<script", "http://", "https://", "src=", "@import", "url("] {
        assert!(!page.contains(forbidden), "{forbidden}");
    }
    assert!(page.contains("prefers-color-scheme: dark") && page.matches("<svg").count() == 2);
    assert!(page.contains("var(--cat-activation)") && page.contains("out of memory"));
    assert!(page.contains("PyTorch CUDA memory summary"));
    for element in ["section", "table", "svg", "ul", "pre", "g", "p"] {
        let ends = page.matches(&format!("</{element}>")).count();
        let starts =
            page.matches(&format!("<{element}>")).count() + page.matches(&format!("<{element} ")).count();
        assert_eq!(starts, ends, "{element}");
    }
    let lost = vramscope(&["report", "--html", "/no/such/folder/x.html", &path("train_plain")]);
    assert_eq!(lost.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&lost.stderr).contains("cannot be written"));
}

#[test]
fn state_prints_the_table_of_any_moment() {
    let file = path("train_plain");
    let table = text(&["state", "--summary", "--at", "peak", &file]);
    assert!(
        table.contains("|        Metric         | Cur Usage  | Peak Usage | Tot Alloc  | Tot Freed  |"),
        "{table}"
    );
    assert_ne!(table, text(&["state", "--summary", "--at", "0", &file]));
    assert_eq!(vramscope(&["state", "--summary", "--json", &file]).status.code(), Some(2));
}

/// Names come from a file that anybody may have written: they neither break tables nor reach the terminal.
#[test]
fn hostile_names_stay_in_their_place() {
    let long = "f".repeat(70_000);
    let names = [long.as_str(), "\u{1b}[31mred\n# head", "<img src=x onerror=alert(1)>", "a`b``c```d"];
    let mut script = vramscope_tests::script::Script::default();
    for (at, name) in (1..).zip(names) {
        script = script.alloc_at(at << 20, 1 << 20, &format!("/p/{name}.py"), at);
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let file = folder.join("hostile_names.pickle");
    std::fs::write(&file, script.event("oom", 0, 1 << 30).pickle()).unwrap();
    let file = file.to_string_lossy().into_owned();
    for way in [&["report"][..], &["report", "--markdown"]] {
        let told = text(&[way, &[file.as_str()]].concat());
        assert!(!told.contains('\u{1b}') && !told.contains("\n# head"), "{way:?}");
        assert!(told.lines().all(|line| line.len() < 80_000), "{way:?}");
        // In Markdown only as code.
        for (at, _) in told.match_indices("<img").filter(|_| way.len() > 1) {
            let line_start = told[..at].rfind('\n').map_or(0, |at| at + 1);
            let ticks = told[line_start..at].matches('`').count();
            let fenced = told[..at].matches("```").count() % 2 == 1;
            assert!(ticks % 2 == 1 || fenced, "{}", &told[line_start..at]);
        }
    }
    text(&["report", "--json", &file]);
}
