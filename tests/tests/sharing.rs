//! Small files that name the same rows again and again: nothing is lost when they are honest, and memory stays in proportion when not.

use peak_alloc::PeakAlloc;
use vramscope_core::query::summary::{DeviceSummary, summary};
use vramscope_tests::recordings;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

fn text(text: &str) -> Vec<u8> {
    [&[0x8c, text.len() as u8], text.as_bytes()].concat()
}

/// A dict of an event, as pickle.
fn event(action: &str, addr: u8, size: u8) -> Vec<u8> {
    let pairs =
        [text("action"), text(action), text("addr"), vec![b'K', addr], text("size"), vec![b'K', size]];
    [b"}(".as_slice(), &pairs.concat(), b"u"].concat()
}

/// A snapshot whose `device_traces` is this pickle fragment.
fn snapshot(traces: &[u8]) -> Vec<u8> {
    let pairs = [text("segments"), b"]".to_vec(), text("device_traces"), traces.to_vec()];
    [b"\x80\x04}(".as_slice(), &pairs.concat(), b"u."].concat()
}

fn devices(bytes: &[u8]) -> Vec<DeviceSummary> {
    summary(&recordings::open(bytes, 4096).unwrap_or_else(|error| panic!("{error}"))).devices
}

/// One memoised list of two events, used `n` times.
fn shared(n: usize) -> Vec<u8> {
    let list = [b"](".as_slice(), &event("alloc", 1, 10), &event("alloc", 2, 20), b"e\x94"].concat();
    snapshot(&[b"](".as_slice(), &list, &b"h\x00".repeat(n - 1), b"e"].concat())
}

/// The only test of this binary: nothing else allocates while it measures.
#[test]
fn shared_rows() {
    let two = devices(&shared(2));
    assert_eq!(two.iter().map(|device| device.events).collect::<Vec<_>>(), [2, 2]);
    assert_eq!(two.iter().map(|device| device.peak.requested_bytes).collect::<Vec<_>>(), [30, 30]);

    MEMORY.reset_peak_usage();
    let many = summary(&recordings::open(&shared(100_000), 4096).unwrap());
    assert!(many.devices.len() <= 4_096);
    assert!(many.warnings.iter().any(|warning| warning.code == "skipped_values" && warning.count > 90_000));
    assert!(MEMORY.peak_usage() < 64 << 20, "{} bytes of memory", MEMORY.peak_usage());

    let flat = [b"](".as_slice(), &event("alloc", 1, 10), b"e"].concat();
    assert_eq!(devices(&snapshot(&flat))[0].events, 1, "a flat list of events is one device");

    let strange = summary(&recordings::open(&snapshot(b"](NK\x05e"), 4096).unwrap());
    assert!(strange.warnings.iter().any(|warning| warning.code == "skipped_values" && warning.count == 2));
}
