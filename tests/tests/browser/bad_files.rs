//! Each kind of bad file: a dialog that says what it is, where it stopped, and what to do; the page goes on.

use vramscope_tests::recordings;
use vramscope_tests::shapes::containers::torch_save;

use crate::{Tab, recording, tab, temporary};

const DIALOG: &str = "[role=alertdialog]";

fn open_bad(test: &str, name: &str, bytes: &[u8]) -> Tab {
    let tab = tab();
    tab.requests();
    tab.choose(&[&temporary(test, name, bytes)]);
    tab.wait("document.querySelector('[role=alertdialog]')?.checkVisibility()");
    tab
}

/// The dialog's code and words; then it closes, and a good file opens.
fn check(tab: Tab, code: &str, words: &[&str]) {
    assert_eq!(tab.attribute(DIALOG, "data-code").as_deref(), Some(code));
    let text = tab.text(DIALOG);
    for word in words {
        assert!(text.contains(word), "{word:?} is not in {text}");
    }
    tab.key("Escape", "Escape");
    tab.wait("!document.querySelector('[role=alertdialog]')?.checkVisibility()");
    tab.choose(&[&recording("linear_inference")]);
    tab.wait_until_ready();
    tab.finish();
}

#[test]
fn empty() {
    check(open_bad("empty", "nothing.pickle", b""), "empty", &["nothing.pickle is empty (0 bytes)"]);
}

#[test]
fn calls_code() {
    let tab = open_bad("calls", "evil.pickle", b"\x80\x04cos\nsystem\n\x8c\x02id\x85R.");
    check(tab, "calls_code", &["evil.pickle asks Python to run code", "GLOBAL os.system", "byte 2"]);
}

#[test]
fn another_kind_of_file() {
    let model = torch_save(b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n.");
    let tab = open_bad("kind", "model.pt", &model);
    check(
        tab,
        "not_a_snapshot",
        &["model.pt is not a memory snapshot", "PyTorch checkpoint", "_dump_snapshot"],
    );
}

#[test]
fn a_pickle_of_something_else() {
    let tab = open_bad("shape", "weights.pickle", b"\x80\x04}(\x8c\x05epochK\x03\x8c\x05modelNu.");
    check(tab, "wrong_shape", &["weights.pickle has no", "segments", "epoch, model"]);
}

#[test]
fn damaged() {
    let mut bytes = recordings::pickle("linear_inference");
    // The opcode after the header.
    bytes[2] = 0xff;
    check(
        open_bad("damaged", "flipped.pickle", &bytes),
        "damaged",
        &["flipped.pickle is damaged", "byte 2", "0xff"],
    );
}

/// A cut file offers the part before the cut, which opens with a warning.
#[test]
fn cut_and_the_readable_part() {
    let bytes = recordings::pickle("train_plain");
    let cut = &bytes[..bytes.len() * 3 / 4];
    let tab = open_bad("cut", "cut.pickle", cut);
    assert_eq!(tab.attribute(DIALOG, "data-code").as_deref(), Some("truncated"));
    let text = tab.text(DIALOG);
    assert!(text.contains("cut.pickle ends in the middle of a value"), "{text}");
    assert!(
        text.contains(&vramscope_core::units::group_digits(cut.len() as u64)),
        "the offset is told: {text}"
    );
    tab.js("[...document.querySelectorAll('[role=alertdialog] button')].find(b => b.textContent.includes('readable part')).click()");
    tab.wait_until_ready();
    assert!(tab.text("#overview").contains("Only the readable part"), "{}", tab.text("#overview"));
    assert!(tab.bytes("peak.requested_bytes").unwrap() > 0);
    tab.finish();
}

/// A bad file beside good ones leaves the good ones open.
#[test]
fn a_bad_file_leaves_the_others_open() {
    let tab = tab();
    tab.requests();
    tab.choose(&[&recording("linear_inference")]);
    tab.wait_until_ready();
    let bytes = tab.bytes("peak.requested_bytes");
    tab.choose(&[&temporary("beside", "bad.pickle", b"hello")]);
    tab.wait("document.querySelector('[role=alertdialog]')?.checkVisibility()");
    tab.key("Escape", "Escape");
    tab.wait_for_state("ready");
    assert_eq!(tab.bytes("peak.requested_bytes"), bytes);
    tab.finish();
}

/// Several bad files are told one after the other.
#[test]
fn bad_files_queue() {
    let tab = tab();
    tab.requests();
    let (one, two) = (temporary("queue", "one.pickle", b"hello"), temporary("queue", "two.pickle", b""));
    tab.choose(&[&one, &two]);
    for _ in 0..2 {
        tab.wait("document.querySelectorAll('[role=alertdialog]').length === 1");
        tab.wait_for_state("error");
        let before = tab.text(DIALOG);
        tab.key("Escape", "Escape");
        tab.wait(&format!(
            "document.querySelector('[role=alertdialog]')?.innerText !== {}",
            serde_json::json!(before)
        ));
    }
    tab.wait_for_state("empty");
    tab.finish();
}
