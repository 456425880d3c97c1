//! What is taken away is read back: pictures by a decoder, snapshots by our reader.

use base64::{Engine, prelude::BASE64_STANDARD};
use vramscope_core::decode::{Decoder, Limits};
use vramscope_core::replay::Recording;

use crate::{Tab, recording, tab_with, temporary};

/// From now on what the page saves is kept in `window.saved`.
fn watch(tab: &Tab) {
    tab.js(
        "window.saved = []; window.names = []; const make = URL.createObjectURL; \
         URL.createObjectURL = (blob) => { window.saved.push(blob); return make.call(URL, blob); }; \
         addEventListener('click', (event) => { if (event.target.download) { window.names.push(event.target.download); event.preventDefault(); } }, true)",
    );
}

/// The name and the bytes of the file saved last.
fn saved(tab: &Tab, name: &str) -> Vec<u8> {
    tab.wait(&format!("window.names.at(-1) === '{name}'"));
    tab.js(
        "window.read = null; const reader = new FileReader(); \
         reader.onload = () => { window.read = reader.result.split(',')[1]; }; reader.readAsDataURL(window.saved.at(-1))",
    );
    tab.wait("window.read !== null");
    let text = tab.js("return window.read");
    BASE64_STANDARD.decode(text.as_str().unwrap()).unwrap()
}

/// Colours of a picture, as the browser decodes it.
fn colours(tab: &Tab) -> u64 {
    tab.js(
        "window.colours = null; const image = new Image(); image.src = window.read_type + window.read; \
         image.decode().then(() => { const c = document.createElement('canvas'); [c.width, c.height] = [image.naturalWidth, image.naturalHeight]; \
         const p = c.getContext('2d'); p.drawImage(image, 0, 0); \
         window.colours = new Set(new Uint32Array(p.getImageData(0, 0, c.width, c.height).data.buffer)).size; }, (fault) => { window.colours = String(fault); })",
    );
    tab.wait("window.colours !== null");
    tab.js("return window.colours").as_u64().expect("a picture that decodes")
}

fn choose(tab: &Tab, word: &str) {
    tab.click("#take-away");
    tab.js(&format!(
        "[...document.querySelectorAll('.menu .item')].find((item) => item.textContent.includes('{word}')).click()"
    ));
}

#[test]
fn pictures_of_views_can_be_decoded() {
    let tab = tab_with("train_checkpointed");
    tab.choose(&[&recording("train_plain")]);
    tab.wait("performance.getEntriesByName('vramscope:ready').length > 1 && document.getElementById('file-name').textContent.includes('train_plain')");
    watch(&tab);
    for (view, words) in [
        ("overview", "Findings"),
        ("timeline", "Whole recording"),
        ("state", "Group by"),
        ("stacks", "Top down"),
        ("allocations", "Copy as CSV"),
        ("compare", "By category"),
        ("whatif", "Your own setting"),
    ] {
        tab.click(&format!("[role=tab][data-view={view}]"));
        tab.wait(&format!("document.getElementById('{view}').checkVisibility()"));
        match view {
            "timeline" => tab.wait_for_picture(),
            "stacks" => tab.wait("document.querySelector('#icicle-labels > span') && document.querySelector('#tree-window .tree-row')"),
            "allocations" => tab.wait("document.querySelector('#allocations-body .cell')"),
            "compare" => tab.wait("document.querySelector('[data-role=by-stack] tbody tr')"),
            "whatif" => tab.wait("document.querySelector('#ranking-rows [data-bytes]')"),
            _ => {}
        }
        choose(&tab, "SVG");
        let svg = String::from_utf8(saved(&tab, &format!("train_plain-{view}.svg"))).unwrap();
        let raster = svg.contains("<image") || view == "allocations";
        assert!(svg.contains("<text") && raster, "{view}: texts and rasters");
        let parsed = tab.js("const svg = new DOMParser().parseFromString(new TextDecoder().decode(Uint8Array.from(atob(window.read), (letter) => letter.charCodeAt(0))), 'image/svg+xml'); \
             return svg.querySelector('parsererror') ? svg.documentElement.textContent : svg.documentElement.localName + svg.querySelectorAll('script, foreignObject').length");
        assert_eq!(parsed, "svg0", "{view}: well formed, and only shapes and words");
        assert!(svg.contains(words), "{view}: what stands there can be searched for");
        tab.js("window.read_type = 'data:image/svg+xml;base64,'");
        assert!(colours(&tab) > 20, "{view} as SVG");
        tab.js("document.activeElement.blur()");
        tab.key_with(&["Shift"], "P", "KeyP");
        let png = saved(&tab, &format!("train_plain-{view}.png"));
        assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
        let side = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
        assert!(side(16) >= 600 && side(20) >= 300, "{view}: {} × {}", side(16), side(20));
        tab.js("window.read_type = 'data:image/png;base64,'");
        assert!(colours(&tab) > 20, "{view} as PNG");
    }
    tab.finish();
}

#[test]
fn a_smaller_snapshot_holds_the_range_that_is_shown() {
    let tab = tab_with("train_plain");
    watch(&tab);
    tab.show_timeline();
    tab.key_with(&["Control"], "s", "KeyS");
    tab.wait("document.getElementById('smaller-from')");
    tab.js("const put = (id, value) => { const field = document.getElementById(id); field.value = value; field.dispatchEvent(new Event('input', { bubbles: true })); }; put('smaller-from', 9000); put('smaller-to', 9001)");
    assert_eq!(tab.js("return document.getElementById('smaller-save').disabled"), true, "no such events");
    tab.js("const put = (id, value) => { const field = document.getElementById(id); field.value = value; field.dispatchEvent(new Event('input', { bubbles: true })); }; put('smaller-from', 1000); put('smaller-to', 2999)");
    tab.js("document.getElementById('smaller-anonymise').click()");
    tab.click("#smaller-save");
    let bytes = saved(&tab, "train_plain-1000-2999.pickle");
    // CPython reads it, and finds no word of the user's paths.
    let path = temporary("take_away", "part.pickle", &bytes);
    let python = std::process::Command::new("python3")
        .args(["-c", "import pickle, sys; data = pickle.load(open(sys.argv[1], 'rb')); print(len(data['device_traces'][0]), len(data['segments']) > 0, any('/' in frame['filename'] for event in data['device_traces'][0] for frame in event.get('frames', [])))"])
        .arg(&path)
        .output()
        .expect("python3");
    assert_eq!(
        String::from_utf8_lossy(&python.stdout).trim(),
        "2000 True False",
        "{}",
        String::from_utf8_lossy(&python.stderr)
    );
    let mut decoder = Decoder::new("part.pickle", Limits::default());
    decoder.feed(&bytes).unwrap();
    let part = Recording::build(decoder.finish().unwrap());
    let (_, replay) = part.device(0).unwrap();
    assert_eq!(replay.end(), 2000);
    let peak: u64 = tab.bytes("peak.requested_bytes").unwrap();
    assert_eq!(replay.requested_at(replay.peak()), peak, "the peak lies in the range");
    choose(&tab, "Perfetto");
    let json: serde_json::Value = serde_json::from_slice(&saved(&tab, "train_plain-perfetto.json")).unwrap();
    assert!(json["traceEvents"].as_array().unwrap().len() > 100);
    tab.finish();
}
