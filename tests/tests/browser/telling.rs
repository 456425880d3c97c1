//! The page does not say what it cannot know.

use crate::tab_with;

#[test]
fn one_moment_has_no_peak() {
    let tab = tab_with("no_history");
    let overview = tab.text("#overview");
    assert!(overview.contains("At this moment") && overview.contains("no stack"), "{overview}");
    for word in ["At the peak", "at its own peak", "the largest stack"] {
        assert!(!overview.contains(word), "{word}: {overview}");
    }
    assert!(tab.bytes("end.requested_bytes").is_some() && tab.bytes("peak.requested_bytes").is_none());
    assert!(tab.text("#model-line").contains("no events to check"));
    tab.show_timeline();
    assert_eq!(tab.js("return document.querySelectorAll('#timeline-marks *').length"), 0);
    tab.key("3", "Digit3");
    tab.wait("document.getElementById('state-now').innerText.includes('This moment')");
    assert!(!tab.text("#state-now").contains("peak"));
    tab.finish();
}

#[test]
fn stacks_of_frees_and_estimates_are_called_so() {
    let tab = tab_with("ring_truncated");
    assert!(!tab.text("#overview").contains("the largest stack"));
    tab.wait("document.querySelector('#overview .picks').innerText.includes('freed at')");
    tab.key("3", "Digit3");
    tab.wait("/estimated here\\. .*first event/.test(document.getElementById('state-details').innerText)");
    tab.finish();
}

#[test]
fn a_failed_request_says_why_and_leads_to_the_state() {
    let tab = tab_with("oom_fragmentation");
    let why = tab.text("#overview .why").replace('\u{a0}', " ");
    assert!(why.contains("589.6 MiB lie free in segments"), "{why}");
    let facts = tab.text("#oom").replace('\u{a0}', " ");
    assert!(facts.contains("4.97 to 5.03 GiB") && facts.contains("3.0 GiB"), "{facts}");
    tab.js("[...document.querySelectorAll('#overview button')].find(b => b.textContent.includes('allocator’s state')).click()");
    tab.wait("document.getElementById('state-now').innerText.includes('out of memory')");
    tab.finish();
}
