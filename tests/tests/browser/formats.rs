//! Every container opens from the page, whatever the file is called, with the same figures.

use vramscope_tests::shapes::containers::{Method, gzip, page, torch_save, zip};
use vramscope_tests::shapes::json::json;
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
    opens("json", "snapshot.json", json(&snapshot(Version::V2_11)).as_bytes());
}

#[test]
fn a_page_of_trace_plot_opens() {
    opens("html", "trace.html", &page(&plain(), "Active Memory Timeline"));
}

#[test]
fn gzip_opens() {
    opens("gzip", "snapshot.json.gz", &gzip(json(&snapshot(Version::V2_11)).as_bytes()));
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
