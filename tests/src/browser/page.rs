//! One tab: looking, clicking, typing, dropping, and what it logged.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use thirtyfour::{By, WebDriver};
use tokio::runtime::{Builder, Runtime};

use super::driver::{Driver, Setup};

/// How long to wait for anything; generous, since CI machines are slow.
const PATIENCE: Duration = Duration::from_secs(60);

/// A tab. Every call waits for its end; every failure panics with what was waited for.
pub struct Page {
    // Order of fields is order of drop: the session ends before the driver.
    web: Option<WebDriver>,
    runtime: Runtime,
    driver: Driver,
}

impl Page {
    /// Starts a browser and opens a URL.
    pub fn open(url: &str, setup: Setup) -> Page {
        let driver = Driver::start();
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        let web = driver.session(&runtime, setup);
        let page = Page { web: Some(web), runtime, driver };
        let scheme = if setup.dark { "dark" } else { "light" };
        page.devtools(
            "Emulation.setEmulatedMedia",
            json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] }),
        );
        // The window has borders, the page shall have the size asked for.
        page.devtools(
            "Emulation.setDeviceMetricsOverride",
            json!({ "width": setup.width, "height": setup.height, "deviceScaleFactor": 1, "mobile": false }),
        );
        page.goto(url);
        page
    }

    fn web(&self) -> &WebDriver {
        self.web.as_ref().expect("open until dropped")
    }

    /// Opens another URL.
    pub fn goto(&self, url: &str) {
        self.runtime.block_on(self.web().goto(url)).unwrap_or_else(|error| panic!("{url}: {error}"));
    }

    /// A raw DevTools command.
    pub fn devtools(&self, method: &str, params: Value) -> Value {
        let result = self.runtime.block_on(self.web().cdp().send_raw(method, params));
        result.unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    /// The value of a script that ends with `return`.
    pub fn js(&self, script: &str) -> Value {
        let result = self.runtime.block_on(self.web().execute(script, Vec::new()));
        result.unwrap_or_else(|error| panic!("{script}: {error}")).json().clone()
    }

    /// Waits until a JavaScript expression is true.
    pub fn wait(&self, expression: &str) {
        self.wait_within(expression, PATIENCE, Duration::from_millis(15));
    }

    /// The same with another patience; looks only so often, for work that shall not be disturbed.
    pub fn wait_within(&self, expression: &str, patience: Duration, look_every: Duration) {
        let start = Instant::now();
        while self.js(&format!("return !!({expression})")) != Value::Bool(true) {
            assert!(
                start.elapsed() < patience,
                "waited {patience:?} in vain for {expression}\n{}",
                self.state()
            );
            std::thread::sleep(look_every);
        }
    }

    /// The driver's process: the browser and its tabs are below it.
    pub fn process_id(&self) -> u32 {
        self.driver.process_id()
    }

    /// What the page shows, for messages.
    fn state(&self) -> String {
        let text =
            self.js("return document.body.dataset.state + '\\n' + document.body.innerText.slice(0, 2000)");
        format!("{}\nlog: {:?}", text.as_str().unwrap_or_default(), self.errors())
    }

    /// Waits for `document.body.dataset.state`.
    pub fn wait_for_state(&self, state: &str) {
        self.wait(&format!("document.body.dataset.state === '{state}'"));
    }

    /// Text of the first element that matches.
    pub fn text(&self, selector: &str) -> String {
        let script = format!("return document.querySelector({})?.innerText ?? ''", json!(selector));
        self.js(&script).as_str().unwrap_or_default().to_owned()
    }

    /// An attribute of the first element that matches.
    pub fn attribute(&self, selector: &str, name: &str) -> Option<String> {
        let script = format!(
            "return document.querySelector({})?.getAttribute({}) ?? null",
            json!(selector),
            json!(name)
        );
        self.js(&script).as_str().map(str::to_owned)
    }

    /// True if an element matches and can be seen.
    pub fn is_shown(&self, selector: &str) -> bool {
        let script = format!("return !!document.querySelector({})?.checkVisibility()", json!(selector));
        self.js(&script) == Value::Bool(true)
    }

    /// Hands files to the file input.
    pub fn choose(&self, files: &[&Path]) {
        let paths: Vec<String> = files.iter().map(|path| path.to_string_lossy().into_owned()).collect();
        self.runtime.block_on(async {
            let input = self.web().find(By::Css("#file-input")).await.expect("#file-input");
            input.send_keys(paths.join("\n")).await.expect("files are taken");
        });
    }

    /// Drops files from the disk on the page, as a file manager does.
    pub fn drop_files(&self, files: &[&Path]) {
        for kind in ["dragEnter", "dragOver", "drop"] {
            let data = json!({ "items": [], "files": files, "dragOperationsMask": 1 });
            self.devtools(
                "Input.dispatchDragEvent",
                json!({ "type": kind, "x": 300, "y": 300, "data": data }),
            );
        }
    }

    /// Middle of an element, in CSS pixels of the page.
    pub fn middle(&self, selector: &str) -> (f64, f64) {
        self.at(selector, 0.5, 0.5)
    }

    /// A place in an element, as shares of its width and height.
    pub fn at(&self, selector: &str, right: f64, down: f64) -> (f64, f64) {
        let script = format!(
            "const r = document.querySelector({}).getBoundingClientRect(); return [r.left + r.width * {right}, r.top + r.height * {down}]",
            json!(selector)
        );
        let place = self.js(&script);
        (place[0].as_f64().expect("a number"), place[1].as_f64().expect("a number"))
    }

    fn mouse(&self, kind: &str, (x, y): (f64, f64), more: Value) {
        let mut params = json!({ "type": kind, "x": x, "y": y });
        if let (Some(params), Some(more)) = (params.as_object_mut(), more.as_object()) {
            params.extend(more.clone());
        }
        self.devtools("Input.dispatchMouseEvent", params);
    }

    /// Moves the mouse.
    pub fn point(&self, place: (f64, f64)) {
        self.mouse("mouseMoved", place, json!({}));
    }

    /// Clicks with the left button.
    pub fn click_at(&self, place: (f64, f64)) {
        self.point(place);
        self.mouse("mousePressed", place, json!({ "button": "left", "clickCount": 1 }));
        self.mouse("mouseReleased", place, json!({ "button": "left", "clickCount": 1 }));
    }

    /// Clicks the middle of an element.
    pub fn click(&self, selector: &str) {
        self.wait(&format!("document.querySelector({})", json!(selector)));
        self.click_at(self.middle(selector));
    }

    /// Drags with the left button.
    pub fn drag(&self, from: (f64, f64), to: (f64, f64)) {
        self.point(from);
        self.mouse("mousePressed", from, json!({ "button": "left", "clickCount": 1 }));
        for step in 1..=5 {
            let share = f64::from(step) / 5.0;
            let place = (from.0 + (to.0 - from.0) * share, from.1 + (to.1 - from.1) * share);
            self.mouse("mouseMoved", place, json!({ "button": "left", "buttons": 1 }));
        }
        self.mouse("mouseReleased", to, json!({ "button": "left", "clickCount": 1 }));
    }

    /// Turns the wheel; negative is away from the hand.
    pub fn wheel(&self, place: (f64, f64), delta_y: f64) {
        self.wheel_both(place, (0.0, delta_y));
    }

    /// Two fingers on a touch pad, right and down.
    pub fn wheel_both(&self, place: (f64, f64), (delta_x, delta_y): (f64, f64)) {
        self.mouse("mouseWheel", place, json!({ "deltaX": delta_x, "deltaY": delta_y }));
    }

    /// Presses a key: its value ("ArrowUp", "w") and its place on the keyboard ("ArrowUp", "KeyW").
    pub fn key(&self, key: &str, code: &str) {
        let text = match key {
            "Enter" => json!("\r"), // without it no button is pressed
            key if key.chars().count() == 1 => json!(key),
            _ => Value::Null,
        };
        let mut down = json!({ "type": "keyDown", "key": key, "code": code });
        if !text.is_null() {
            down["text"] = text;
        }
        if let Some(virtual_key) = virtual_key(key) {
            down["windowsVirtualKeyCode"] = json!(virtual_key);
        }
        self.devtools("Input.dispatchKeyEvent", down);
        self.devtools("Input.dispatchKeyEvent", json!({ "type": "keyUp", "key": key, "code": code }));
    }

    /// Presses a key with others held: "Alt", "Control", "Shift".
    pub fn key_with(&self, held: &[&str], key: &str, code: &str) {
        let bit = |name: &&str| match *name {
            "Alt" => 1,
            "Control" => 2,
            _ => 8,
        };
        let modifiers: u32 = held.iter().map(bit).sum();
        for kind in ["rawKeyDown", "keyUp"] {
            let mut event = json!({ "type": kind, "key": key, "code": code, "modifiers": modifiers });
            if let Some(virtual_key) = virtual_key(key) {
                event["windowsVirtualKeyCode"] = json!(virtual_key);
            }
            self.devtools("Input.dispatchKeyEvent", event);
        }
    }

    /// Types into what has the focus.
    pub fn type_text(&self, text: &str) {
        self.devtools("Input.insertText", json!({ "text": text }));
    }

    /// Severe lines of the console since the last call: errors, refused policies, failed loads.
    pub fn errors(&self) -> Vec<String> {
        let lines = self.runtime.block_on(self.web().get_log("browser")).expect("a log");
        lines.iter().filter(|line| line.level == "SEVERE").map(|line| line.message.clone()).collect()
    }

    /// URLs that the browser asked for since the last call, own and foreign, `data:` and `blob:` left out.
    pub fn requests(&self) -> Vec<String> {
        let lines = self.runtime.block_on(self.web().get_log("performance")).expect("a log");
        let urls = lines.iter().filter_map(|line| {
            let entry: Value = serde_json::from_str(&line.message).ok()?;
            let message = &entry["message"];
            let sent = message["method"] == "Network.requestWillBeSent";
            sent.then(|| message["params"]["request"]["url"].as_str().map(str::to_owned)).flatten()
        });
        urls.filter(|url| !url.starts_with("data:") && !url.starts_with("blob:")).collect()
    }

    /// A picture of the page, as PNG.
    pub fn screenshot(&self) -> Vec<u8> {
        self.runtime.block_on(self.web().screenshot_as_png()).expect("a picture")
    }
}

/// Keys that act without text need their number.
fn virtual_key(key: &str) -> Option<u32> {
    Some(match key {
        "Enter" => 13,
        "Escape" => 27,
        "Tab" => 9,
        "ArrowLeft" => 37,
        "ArrowUp" => 38,
        "ArrowRight" => 39,
        "ArrowDown" => 40,
        _ => return None,
    })
}

impl Drop for Page {
    fn drop(&mut self) {
        if let Some(web) = self.web.take() {
            let _ = self.runtime.block_on(web.quit());
        }
    }
}
