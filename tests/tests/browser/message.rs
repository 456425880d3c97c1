//! The start page's field for an error message, and the recipes beside it.

use crate::{Tab, recording, tab};
use vramscope_tests::browser::{Page, Setup, dist};
use xtask::server::Server;

const MESSAGE: &str = "[rank1]:   File \"train.py\", line 60, in step\n[rank1]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.00 GiB. GPU 0 has a total \
capacity of 139.80 GiB of which 130.83 GiB is free. Including non-PyTorch memory, this process has 2.69 GiB memory in use. 5.00 GiB allowed; Of the allocated memory 1.61 GiB \
is allocated by PyTorch, and 589.62 MiB is reserved by PyTorch but unallocated.";

impl Tab {
    fn paste(&self, text: &str) {
        let text = serde_json::json!(text);
        self.js(&format!(
            "const field = document.getElementById('message-input'); field.focus(); field.value = {text};"
        ));
    }
}

#[test]
fn a_pasted_message_is_explained_below_its_field() {
    let tab = tab();
    tab.requests();
    let places = "return ['#message-input', '.drop', '#message-form button'].map(part => document.querySelector(part).getBoundingClientRect().x).join()";
    let before = tab.js(places);
    tab.paste(MESSAGE);
    tab.click("#message-form button");
    tab.wait("document.getElementById('message-told').dataset.verdict === 'fragmentation'");
    assert_eq!(tab.bytes("message.requested"), Some(3 << 30));
    assert_eq!(tab.bytes("message.allowed"), Some(5 << 30));
    let told = tab.text("#message-told");
    for words in [
        "3.0\u{a0}GiB did not fit",
        "train.py:60",
        "expandable_segments:True",
        "Cap of this process",
        "589.62 MiB",
    ] {
        assert!(told.contains(words), "{words} in {told}");
    }
    // Parts are as wide as their share.
    let share = tab.js(
        "const bar = document.querySelector('.message-bar .sum-bar'); \
         return bar.querySelector('[data-part=allocated]').getBoundingClientRect().width / bar.getBoundingClientRect().width",
    );
    assert!((share.as_f64().unwrap() - 1.61 / 5.0).abs() < 0.02, "{share}");
    assert_eq!(tab.js(places), before, "nothing moves sideways");
    assert_eq!(tab.js("return location.hash"), "", "the text does not go into the address");
    tab.finish();
}

/// By keyboard alone, and for a text that is no message.
#[test]
fn ctrl_enter_explains_and_other_text_gets_help() {
    let tab = tab();
    tab.requests();
    tab.paste("RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`");
    press_ctrl_enter(&tab);
    tab.wait("document.getElementById('message-told').dataset.kind === 'cublas'");
    tab.paste("ValueError: hello <b>bold</b>");
    press_ctrl_enter(&tab);
    tab.wait("document.getElementById('message-told').dataset.kind === 'none'");
    assert!(tab.text("#message-told").contains("Tried to allocate"), "an example is shown");
    // A file opens as ever, and the message is still there afterwards.
    tab.choose(&[&recording("train_plain")]);
    tab.wait_until_ready();
    assert!(!tab.is_shown("#message-told"));
    tab.finish();
}

fn press_ctrl_enter(tab: &Tab) {
    for kind in ["rawKeyDown", "keyUp"] {
        let params = serde_json::json!({ "type": kind, "key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "modifiers": 2 });
        tab.devtools("Input.dispatchKeyEvent", params);
    }
}

#[test]
fn recipes_change_with_version_and_purpose() {
    let tab = tab();
    tab.requests();
    tab.click("#recipe-more");
    tab.wait("document.querySelector('#recipe-choice [data-purpose=out_of_memory]')?.checkVisibility()");
    tab.click("[data-purpose=out_of_memory]");
    tab.wait("document.getElementById('recipe').textContent.includes('_cuda_attach_out_of_memory_observer')");
    tab.click("[data-purpose=ranks]");
    tab.wait("document.getElementById('recipe').textContent.includes('snapshot_rank{rank}.pickle')");
    tab.js("const choice = document.getElementById('recipe-version'); choice.value = '1.13'; choice.dispatchEvent(new Event('change'))");
    tab.wait("document.getElementById('recipe').textContent.includes('memory_summary')");
    assert_eq!(tab.attribute("#recipe-more", "aria-expanded").as_deref(), Some("true"));
    tab.finish();
}

#[test]
#[ignore = "makes pictures for people"]
fn message_shots() {
    for (width, height, dark) in
        [(1280, 800, false), (1280, 800, true), (1920, 1080, false), (420, 900, false), (420, 900, true)]
    {
        let server = Server::start(&dist(), "/", 0).unwrap();
        let page = Page::open(&server.url(), Setup { width, height, dark });
        page.wait_for_state("empty");
        let tab = Tab { page, _server: server };
        let theme = if dark { "dark" } else { "light" };
        crate::shots::write(&format!("landing-{theme}-{width}.png"), &tab.screenshot());
        tab.js("document.getElementById('recipe-more').click()");
        tab.paste(MESSAGE);
        press_ctrl_enter(&tab);
        tab.wait("document.getElementById('message-told').dataset.verdict === 'fragmentation'");
        crate::shots::write(&format!("message-{theme}-{width}.png"), &tab.screenshot());
        tab.js("document.getElementById('recipe-choice').scrollIntoView({ block: 'end' })");
        crate::shots::write(&format!("message-end-{theme}-{width}.png"), &tab.screenshot());
    }
}
