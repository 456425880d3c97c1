//! What if: another batch, and changes to the program, by keyboard and by mouse.

use vramscope_tests::recordings;

use crate::Tab;

fn open(tab: &Tab) {
    tab.key("7", "Digit7");
    tab.wait("document.querySelectorAll('#change-list > li[data-key]').length === 6");
}

#[test]
fn batch_and_changes_are_estimated() {
    let tab = crate::tab_with("train_plain");
    open(&tab);
    // Nothing is asked with nothing in the fields.
    tab.js("document.getElementById('batch-from').focus()");
    tab.key("Enter", "Enter");
    tab.wait("!document.getElementById('batch-fault').hidden");
    tab.js("document.getElementById('batch-from').value = '16'; document.getElementById('batch-to').value = '32'; document.getElementById('batch-to').focus()");
    tab.key("Enter", "Enter");
    tab.wait("document.querySelector('[data-role=batch-peaks]')?.dataset.done === 'true'");
    // The allocator's own figure of batch 32.
    let bytes: String = text(&tab, "document.querySelector('[data-role=batch-peaks]').dataset.bytes");
    assert_eq!(bytes, "3693084672");
    let told = text(&tab, "document.getElementById('batch-result').innerText");
    assert!(told.contains("batch 32 instead of 16") && told.contains("Activations, inputs"), "{told}");
    // The largest that fits, by mouse; the next larger one does not.
    tab.js("document.getElementById('batch-from').value = '16'; document.getElementById('batch-limit').value = '4'");
    tab.click("#batch-largest");
    tab.wait("document.querySelector('[data-role=batch-found]') && document.querySelector('[data-role=batch-peaks]')?.dataset.done === 'true'");
    let told = text(&tab, "document.getElementById('batch-result').innerText");
    assert!(told.contains("is the largest that fits in 4 GiB"), "{told}");
    let reserved = |tab: &Tab| -> u64 {
        text(tab, "document.querySelector('[data-role=batch-peaks]').dataset.bytes").parse().unwrap()
    };
    let batch: u64 = text(&tab, "document.getElementById('batch-to').value").parse().unwrap();
    assert!(batch > 32 && reserved(&tab) < 5 << 30, "{batch}");
    tab.js(&format!(
        "document.getElementById('batch-to').value = '{}'; document.getElementById('batch-to').focus()",
        batch + 4
    ));
    tab.key("Enter", "Enter");
    tab.wait(&format!("document.querySelector('[data-role=batch-peaks]')?.dataset.done === 'true' && document.getElementById('batch-result').innerText.includes('batch {}')", batch + 4));
    assert!(reserved(&tab) > 4 << 30);
    tab.click("[data-change=checkpoint]");
    tab.wait(
        "document.querySelector('[data-key=checkpoint] [data-role=change-peak]')?.dataset.done === 'true'",
    );
    let bytes: u64 =
        text(&tab, "document.querySelector('[data-key=checkpoint] [data-role=change-peak]').dataset.bytes")
            .parse()
            .unwrap();
    assert!((1_000_000_000..1_300_000_000).contains(&bytes), "{bytes}");
    tab.click("#changes-all");
    tab.wait("document.querySelectorAll('#change-list [data-done=true]').length === 6");
    let told = text(&tab, "document.querySelector('[data-key=set_to_none]').innerText");
    assert!(told.contains("dropped between steps already"), "{told}");
    tab.finish();
}

fn text(tab: &Tab, script: &str) -> String {
    tab.js(&format!("return {script}")).as_str().unwrap_or_default().to_owned()
}

#[test]
#[ignore = "makes pictures for people"]
fn shots_of_estimates() {
    use vramscope_tests::browser::{Page, Setup, dist};
    for (width, height, dark) in [(1280, 900, false), (1920, 1080, true), (420, 900, false)] {
        let server = xtask::server::Server::start(&dist(), "/", 0).unwrap();
        let page = Page::open(&server.url(), Setup { width, height, dark });
        page.wait_for_state("empty");
        let tab = Tab { page, _server: server };
        tab.choose(&[&recordings::folder().join("train_plain.pickle.gz").canonicalize().expect("a path")]);
        tab.wait_until_ready();
        open(&tab);
        tab.js("document.getElementById('batch-from').value = '16'; document.getElementById('batch-to').value = '32'; document.getElementById('batch-to').focus()");
        tab.key("Enter", "Enter");
        tab.click("#changes-all");
        tab.wait("document.querySelectorAll('#change-list [data-done=true]').length === 6");
        tab.wait("document.querySelector('[data-role=batch-peaks]')?.dataset.done === 'true'");
        tab.js("document.getElementById('whatif-batch').scrollIntoView()");
        std::thread::sleep(std::time::Duration::from_millis(500));
        crate::shots::write(&format!("estimates-{width}.png"), &tab.screenshot());
        eprintln!("{:?}", tab.errors());
    }
}
