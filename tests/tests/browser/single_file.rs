//! The one self-contained file, opened from the disk.

use vramscope_tests::browser::{Page, Setup, dist};

use crate::recording;

#[test]
fn works_from_the_disk() {
    let path = dist().canonicalize().unwrap().join("vramscope.html");
    let url = format!("file://{}", path.display());
    let page = Page::open(&url, Setup { dark: true, ..Setup::default() });
    page.wait_for_state("empty");
    assert_eq!(page.requests(), [url], "the file itself and nothing else");
    page.choose(&[&recording("train_plain")]);
    page.wait_for_state("ready");
    let peak = page.attribute("[data-metric='peak.requested_bytes']", "data-bytes");
    assert!(peak.is_some_and(|bytes| bytes.parse::<u64>().unwrap() > 1 << 20));
    // Simulators are workers of the same text.
    page.key("7", "Digit7");
    page.wait(
        "document.querySelector(\"#ranking-rows tr[data-key='expandable_segments:True@'] [data-bytes]\")",
    );
    page.drop_files(&[&recording("oom_logits")]);
    page.wait("document.getElementById('file-name').textContent.includes('oom_logits')");
    page.click("#brand");
    page.click("[data-sample=healthy]");
    page.wait(
        "document.querySelector(\"[data-metric='peak.requested_bytes']\")?.dataset.bytes === '47014824456'",
    );
    assert_eq!(page.errors(), Vec::<String>::new());
    assert_eq!(page.requests(), Vec::<String>::new());
}
