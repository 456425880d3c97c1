//! Every container opens from the page, whatever the file is called, with the same figures.

use serde_json::{Value, json};
use vramscope_tests::shapes::containers::{Method, gzip, page, torch_save, zip};
use vramscope_tests::shapes::json::json as to_json;
use vramscope_tests::shapes::pickles::{Writer, pickle};
use vramscope_tests::shapes::versions::{END_REQUESTED, PEAK_REQUESTED, Version, snapshot};

use crate::{tab, temporary};

fn opens(test: &str, name: &str, bytes: &[u8]) {
    let tab = tab();
    tab.requests();
    tab.choose(&[&temporary(test, name, bytes)]);
    tab.wait_until_ready();
    assert_eq!(tab.bytes("peak.requested_bytes"), Some(PEAK_REQUESTED));
    assert_eq!(tab.bytes("end.requested_bytes"), Some(END_REQUESTED));
    tab.finish();
}

fn plain() -> Vec<u8> {
    pickle(&snapshot(Version::V2_11), Writer::Python(4))
}

#[test]
fn json_opens() {
    opens("json", "snapshot.json", to_json(&snapshot(Version::V2_11)).as_bytes());
}

#[test]
fn a_page_of_trace_plot_opens() {
    opens("html", "trace.html", &page(&plain(), "Active Memory Timeline"));
}

#[test]
fn gzip_opens() {
    opens("gzip", "snapshot.json.gz", &gzip(to_json(&snapshot(Version::V2_11)).as_bytes()));
}

#[test]
fn zip_opens() {
    opens(
        "zip",
        "snapshot.zip",
        &zip(&[("README", b"hello", Method::Stored), ("s", &plain(), Method::Deflated)]),
    );
}

#[test]
fn what_torch_save_wrote_opens() {
    opens("torch_save", "snapshot.pt", &torch_save(&plain()));
}

/// What the newest recorders add stands in the details: contexts, notes, the forward stack and the source line of a graph node.
#[test]
fn what_new_versions_add_is_shown() {
    let mut snapshot: Value = serde_json::from_str(&to_json(&snapshot(Version::V2_12))).unwrap();
    let events = snapshot["device_traces"][0].as_array_mut().unwrap();
    for event in events.iter_mut().filter(|event| event["action"] == "alloc") {
        event["compile_context"] = "Torch-Compiled Region: 3/1".into();
        event["user_metadata"] = "epoch 7".into();
        let frame = &mut event["frames"][0];
        frame["fx_node_op"] = "call_function".into();
        frame["fx_node_name"] = "add_1".into();
        frame["fx_node_target"] = "aten.add.Tensor".into();
        frame["fx_original_trace"] = "File net.py, line 31, in forward".into();
    }
    let notes: Vec<Value> = events
        .iter()
        .filter(|event| event["action"] == "alloc")
        .map(|alloc| json!({ "action": "annotate", "addr": alloc["addr"], "size": 1, "stream": 0, "time_us": alloc["time_us"], "user_metadata": "the KV cache" }))
        .collect();
    // Each note right after the alloc that it is about.
    for note in notes {
        let alloc = events
            .iter()
            .rposition(|event| event["addr"] == note["addr"] && event["action"] == "alloc")
            .unwrap();
        events.insert(alloc + 1, note);
    }
    let tab = tab();
    tab.requests();
    tab.choose(&[&temporary("additions", "snapshot.json", snapshot.to_string().as_bytes())]);
    tab.wait_until_ready();
    tab.key("2", "Digit2");
    tab.wait("document.querySelector('canvas[data-role=timeline]').checkVisibility()");
    tab.key("End", "End");
    tab.key("Enter", "Enter");
    for words in [
        "Torch-Compiled Region: 3/1",
        "epoch 7",
        "the KV cache",
        "aten.add.Tensor",
        "net.py, line 31",
        "Forward, where",
        "net.py:4",
    ] {
        tab.wait(&format!("document.querySelector('[data-role=details]')?.textContent.includes('{words}')"));
    }
    tab.wait("[...document.querySelectorAll('#lanes *')].some(each => each.textContent.includes('forward gr') || (each.title || '').includes('forward gr'))");
    tab.finish();
}
