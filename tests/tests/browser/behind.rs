//! The second part of the wasm comes behind the first: late, or never.

use serde_json::json;

use vramscope_tests::browser::{Page, Setup, dist};
use xtask::server::Server;

use crate::{recording, tab};

/// A worker that has only the first part until the page calls `bring()`; what it says is in `told`.
const WORKER: &str = "
window.told = [];
(async () => {
  const folder = new URL('.', document.getElementById('views-script').src);
  const get = async (name) => (await fetch(name)).arrayBuffer();
  const parts = ['vramscope_bg.wasm', 'vramscope_more.wasm'].map(async (name) => WebAssembly.compile(await get(new URL(name, folder))));
  const [module, more] = await Promise.all(parts);
  const file = new Blob([await get('samples/oom.pickle.gz')]);
  const worker = new Worker(new URL('worker.js', folder));
  worker.onmessage = ({ data }) => told.push(data.type === 'answer' ? `answer ${data.seq} ${Object.keys(data.answer)[0]}` : data.type);
  worker.postMessage({ type: 'open', file, module, name: 'oom.pickle.gz' });
  worker.postMessage({ type: 'ask', seq: 1, question: { ask: 'overview', device: 0 } });
  worker.postMessage({ type: 'ask', seq: 2, question: { ask: 'filter_keys' } });
  window.bring = () => worker.postMessage({ type: 'more', module: more });
})();";

#[test]
fn what_needs_the_second_part_waits_for_it() {
    let tab = tab();
    tab.js(WORKER);
    tab.wait("told.includes('answer 1 figures')");
    // Longer than the worker waits for a first picture before it begins to diagnose.
    tab.js("setTimeout(() => { window.waited = [...told]; bring(); }, 900)");
    tab.wait("told.includes('answer 2 0') && told.includes('diagnosed') && told.includes('checked')");
    let early = tab.js("return waited.filter((line) => line !== 'progress').join()");
    assert_eq!(early, json!("building,opened,answer 1 figures"));
    assert_eq!(tab.js("return told.includes('died') || told.includes('failed')"), json!(false));
    assert_eq!(tab.errors(), Vec::<String>::new());
}

#[test]
fn without_the_second_part_the_first_picture_comes_and_the_page_says_what_is_missing() {
    let server = Server::start(&dist(), "/tools/vramscope/", 0).expect("a free port");
    let page = Page::open("about:blank", Setup::default());
    page.devtools("Network.enable", json!({}));
    page.devtools("Network.setBlockedURLs", json!({ "urls": ["*vramscope_more.wasm"] }));
    page.goto(&server.url());
    page.wait("document.querySelector('dialog[open]')?.textContent.includes('could not load its reader')");
    page.key("Escape", "Escape");
    page.wait("!document.querySelector('dialog[open]')");
    page.choose(&[&recording("train_plain")]);
    page.wait("performance.getEntriesByName('vramscope:first-paint').length > 0");
    let errors = page.errors();
    assert!(errors.iter().all(|line| line.contains("vramscope_more.wasm")), "{errors:?}");
}
