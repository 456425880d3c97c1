//! The edge in a real browser: `cargo test -p vramscope-web --target wasm32-unknown-unknown`.
#![cfg(target_arch = "wasm32")]
#![allow(missing_docs)]

use js_sys::{JSON, Reflect};
use vramscope_web::*;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

wasm_bindgen_test_configure!(run_in_browser);

const FILE: &[u8] = include_bytes!("../../../tests/snapshots/oom_logits.pickle.gz");

fn opened() -> (Session, JsValue) {
    let mut session = Session::new("oom_logits.pickle.gz");
    for piece in FILE.chunks(1000) {
        session.feed(piece).unwrap();
    }
    let opened = session.finish().unwrap();
    (session, JSON::parse(&opened).unwrap())
}

fn get(object: &JsValue, path: &str) -> JsValue {
    path.split('.').fold(object.clone(), |object, key| Reflect::get(&object, &key.into()).unwrap())
}

fn number(object: &JsValue, path: &str) -> f64 {
    get(object, path).as_f64().unwrap_or_else(|| panic!("{path} is no number"))
}

fn ask(session: &mut Session, question: &str) -> JsValue {
    JSON::parse(&session.ask(question).unwrap()).unwrap()
}

#[wasm_bindgen_test]
fn a_file_fed_in_pieces_can_be_asked_and_drawn() {
    let (mut session, opened) = opened();
    let n_moments = number(&opened, "devices.0.moments");
    assert!(n_moments > 1.0);
    let device = number(&opened, "default_device");
    let overview = ask(&mut session, &format!(r#"{{"ask":"overview","device":{device}}}"#));
    let top = number(&overview, "reserved_peak.reserved_bytes");
    let request = draw_request(device, n_moments, top, "stack");
    let pixels = session.draw(&request).unwrap().0;
    assert_eq!(pixels.len(), 320 * 200 * 4);
    assert!(pixels.chunks_exact(4).any(|pixel| pixel == [16, 16, 16, 255]), "the largest stack is drawn");
    assert_eq!(pixels, session.draw(&request).unwrap().0);
    let view = format!(
        r#"{{"axis":"event","x0":0,"x1":{n_moments},"y0":0,"y1":{top},"width":320,"height":200,"stacking":"stack"}}"#
    );
    let mut probe = |y: u32| {
        ask(&mut session, &format!(r#"{{"ask":"probe","device":{device},"view":{view},"x":319,"y":{y}}}"#))
    };
    assert_eq!(
        get(&probe(199), "allocation.slot"),
        0.0,
        "the lowest row of the last column is in the lowest band"
    );
    assert!(get(&probe(0), "allocation").is_null(), "nothing lies above reserved bytes");
    assert!(memory_bytes() > 65536.0);
    assert_eq!(last_panic(), None);
}

fn draw_request(device: f64, n_moments: f64, top: f64, stacking: &str) -> String {
    let slots: Vec<String> = (1..10).map(|slot| format!("\"#{slot}0{slot}0{slot}0\"")).collect();
    format!(
        r##"{{"picture":"timeline","device":{device},"selected":null,
            "view":{{"axis":"event","x0":0,"x1":{n_moments},"y0":0,"y1":{top},"width":320,"height":200,"stacking":"{stacking}"}},
            "colours":{{"slots":[{}],"opacity":1,"background":"#ffffff","reserved":"#ff0000","edge":"#ffffff"}}}}"##,
        slots.join(",")
    )
}

/// A state view and, as JSON, its picture's colours.
fn state_view(moment: u32) -> String {
    format!(
        r#"{{"moment":{moment},"group":"pool_stream","sort":"size","columns":null,"zoom":1,"left":0,"top":0,"width":900,"height":300,"scale":1}}"#
    )
}

fn state_colours() -> String {
    let slots: Vec<String> = (1..10).map(|slot| format!("\"#{slot}0{slot}0{slot}0\"")).collect();
    format!(
        r##"{{"slots":[{}],"opacity":1,"background":"#ffffff","reserved":"#ff0000","edge":"#ffffff","free":"#0000ff","pending":"#ffff00",
            "rounding":"#00ff00","pinned":"#ff00ff","ink":"#000001"}}"##,
        slots.join(",")
    )
}

#[wasm_bindgen_test]
fn the_state_of_the_allocator_can_be_laid_out_probed_and_drawn() {
    let (mut session, opened) = opened();
    let device = number(&opened, "default_device");
    let overview = ask(&mut session, &format!(r#"{{"ask":"overview","device":{device}}}"#));
    let view = state_view(number(&overview, "reserved_peak.moment") as u32);
    let mut about = |name: &str, rest: &str| {
        ask(&mut session, &format!(r#"{{"ask":"{name}","device":{device},"view":{view}{rest}}}"#))
    };
    let layout = about("state_layout", "");
    assert_eq!(number(&layout, "columns"), 2.0);
    let row = get(&layout, "rows.0");
    let (x, y) = (number(&row, "x"), number(&row, "y"));
    let probe = about("state_probe", &format!(r#","x":{x},"y":{y}"#));
    assert_eq!(get(&probe, "segment.address"), get(&row, "segment"));
    assert_eq!(get(&probe, "segment.bytes"), get(&row, "bytes"));
    assert!(about("state_probe", r#","x":0,"y":0"#).is_null(), "nothing lies in the gutter");
    let address = get(&probe, "block.address").as_string().unwrap();
    let place = about("state_place", &format!(r#","segment":"{address}""#));
    assert_eq!((number(&place, "x"), number(&place, "y")), (x, y));
    let first = about("state_neighbour", r#","towards":"right""#);
    assert_eq!(get(&first, "address"), address.as_str());
    let next = about("state_neighbour", &format!(r#","address":"{address}","towards":"left""#));
    assert!(get(&next, "address").is_null());

    let colours = state_colours();
    let mut draw = |more: &str| {
        let request =
            format!(r#"{{"picture":"state","device":{device},"view":{view},"colours":{colours}{more}}}"#);
        session.draw(&request).unwrap().0
    };
    let plain = draw("");
    assert_eq!(plain.len(), 900 * 300 * 4);
    assert_ne!(draw(&format!(r#","segment":"{address}""#)), plain);
    assert_ne!(draw(r#","filter":{"kind":"small"}"#), plain, "a filter leaves out large segments");
    assert_eq!(draw(""), plain);
}

#[wasm_bindgen_test]
fn segments_and_pools_can_be_shown_instead_of_allocations() {
    let (mut session, opened) = opened();
    let (device, n_moments) = (number(&opened, "default_device"), number(&opened, "devices.0.moments"));
    let mut probe = |show: &str| {
        let view = format!(
            r#"{{"axis":"event","x0":0,"x1":{n_moments},"y0":0,"y1":9e9,"width":99,"height":200,"stacking":"stack","show":"{show}"}}"#
        );
        ask(&mut session, &format!(r#"{{"ask":"probe","device":{device},"view":{view},"x":98,"y":199}}"#))
    };
    let segment = probe("segments");
    assert!(number(&segment, "segment.bytes") > 1e6);
    assert!(get(&segment, "allocation").is_null());
    assert!(number(&probe("pools"), "pool.reserved_bytes") > 1e6);
    assert!(number(&probe("allocations"), "allocation.requested_bytes") > 0.0);
    let pools = ask(&mut session, &format!(r#"{{"ask":"lanes","device":{device},"width":99}}"#));
    assert!(number(&pools, "driver.length") >= 1.0);
}

#[wasm_bindgen_test]
fn a_filter_is_obeyed_by_every_question() {
    let (mut session, opened) = opened();
    let device = number(&opened, "default_device");
    let mut peak = |filter: &str| {
        let question = format!(r#"{{"ask":"overview","device":{device},"filter":{filter}}}"#);
        number(&ask(&mut session, &question), "peak.requested_bytes")
    };
    let (all, small, large) = (peak("{}"), peak(r#"{"kind":"small"}"#), peak(r#"{"kind":"large"}"#));
    assert!(small < large && large <= all, "{small}, {large}, {all}");
    assert_eq!(peak("null"), all);
    let wrong =
        ask(&mut session, &format!(r#"{{"ask":"overview","device":{device},"filter":{{"kind":7}}}}"#));
    assert!(get(&wrong, "error").is_string());
}

#[wasm_bindgen_test]
fn the_check_of_the_model_comes_to_an_end() {
    let (mut session, _) = opened();
    let mut steps = 0;
    let done = loop {
        let progress = JSON::parse(&session.check(50).unwrap()).unwrap();
        steps += 1;
        if get(&progress, "done") == true {
            break progress;
        }
        assert!(steps < 10_000);
    };
    assert_eq!(number(&done, "checked_events"), number(&done, "events"));
    assert!(steps > 1);
}

#[wasm_bindgen_test]
fn faults_are_thrown_as_plain_objects() {
    let mut session = Session::new("empty.pickle");
    let empty = session.finish().unwrap_err();
    assert_eq!(get(&empty, "code"), "empty");
    assert_eq!(number(&empty, "readable"), 0.0);

    let mut session = Session::new("picture.png");
    let fault = session
        .feed(b"\x89PNG\r\n\x1a\n0123456789abcdef")
        .and_then(|()| session.finish().map(drop))
        .unwrap_err();
    assert_eq!(get(&fault, "code"), "not_a_snapshot");

    let early = Session::new("early.pickle").ask("{}").unwrap_err();
    assert_eq!(get(&early, "code"), "internal");
}

#[wasm_bindgen_test]
fn what_was_read_of_a_cut_file_can_be_opened() {
    let mut session = Session::new("cut.pickle.gz");
    session.feed(&FILE[..FILE.len() * 3 / 4]).unwrap();
    let progress = JSON::parse(&session.progress().unwrap()).unwrap();
    assert_eq!(number(&progress, "bytes"), (FILE.len() * 3 / 4) as f64);
    let cut = session.finish().unwrap_err();
    assert_eq!(get(&cut, "code"), "truncated");
    let opened = JSON::parse(&session.finish_readable().unwrap()).unwrap();
    assert!(number(&opened, "devices.length") >= 1.0);
}

#[wasm_bindgen_test]
fn numbers_are_worded_as_everywhere() {
    assert_eq!(format_bytes(47_029_013_299.0), "43.8\u{a0}GiB");
    assert_eq!(format_bytes(f64::NAN), "0\u{a0}B");
    assert_eq!(format_bytes_group(vec![1024.0, 2048.0]).unwrap(), "[\"1.0\u{a0}KiB\",\"2.0\u{a0}KiB\"]");
    assert_eq!(format_duration_us(676.0), "676\u{a0}µs");
    let ticks = ticks(r#"{"kind":"events","from":0,"to":2000,"pixels":200}"#).unwrap();
    assert_eq!(ticks, r#"[{"at":1.0,"label":"0"},{"at":1001.0,"label":"1,000"}]"#);
    assert_eq!(get(&vramscope_web::ticks("{}").unwrap_err(), "code"), "internal");
}

fn canvas(width: u32, height: u32) -> HtmlCanvasElement {
    let document = web_sys::window().unwrap().document().unwrap();
    let canvas: HtmlCanvasElement = document.create_element("canvas").unwrap().dyn_into().unwrap();
    canvas.set_width(width);
    canvas.set_height(height);
    canvas
}

/// Red, green, blue and alpha of one pixel.
fn pixel(canvas: &HtmlCanvasElement, x: f64, y: f64) -> Vec<u8> {
    let context: CanvasRenderingContext2d = canvas.get_context("2d").unwrap().unwrap().dyn_into().unwrap();
    context.get_image_data(x, y, 1.0, 1.0).unwrap().data().0
}

#[wasm_bindgen_test]
fn charts_are_painted_on_a_canvas() {
    let canvas = canvas(200, 100);
    let spec = r##"{"x":[0,1,2,3],"requested":[50,50,50,50],"reserved":[80,80,80,80],"y1":100,"marks":[{"x":2,"kind":"oom"}],
        "colours":{"requested":"#00ff00","reserved":"#000000","grid":"#ffffff","axis":"#888888","peak":"#0000ff","oom":"#ff0000"}}"##;
    paint_chart(canvas.clone(), spec).unwrap();
    assert_eq!(pixel(&canvas, 20.0, 80.0), [0, 255, 0, 255]);
    assert_eq!(pixel(&canvas, 20.0, 10.0), [0, 0, 0, 0]);
    assert_eq!(pixel(&canvas, 99.0, 40.0)[3], 255, "the line of the out-of-memory moment");
}

#[wasm_bindgen_test]
fn a_grid_is_transparent_and_clears_what_was_there() {
    let canvas = canvas(200, 100);
    let spec = |top: u32| {
        format!(
            r##"{{"y0":0,"y1":{top},"x0":0,"x1":10,"kind":"events","colours":{{"grid":"#ff0000","axis":"#0000ff"}}}}"##
        )
    };
    paint_grid(canvas.clone(), &spec(100)).unwrap();
    let lines =
        |canvas: &HtmlCanvasElement| (0..95).filter(|&y| pixel(canvas, 3.0, f64::from(y))[3] > 0).count();
    let first = lines(&canvas);
    assert!(first >= 1);
    paint_grid(canvas.clone(), &spec(100)).unwrap();
    assert_eq!(lines(&canvas), first);
}
