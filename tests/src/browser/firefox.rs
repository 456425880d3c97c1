//! Firefox, spoken to by Marionette: the protocol of its own that geckodriver translates WebDriver to.

use std::cell::RefCell;
use std::fs;
use std::io::{BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// How long to wait for anything.
const PATIENCE: Duration = Duration::from_secs(60);
/// An element, as the protocol names it.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// A port that the system chooses, no first steps, nothing asked of the network by itself.
const SETTINGS: &str = r#"
user_pref("marionette.port", 0);
user_pref("app.update.disabledForTesting", true);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("browser.startup.homepage_override.mstone", "ignore");
user_pref("browser.startup.page", 0);
user_pref("browser.safebrowsing.downloads.enabled", false);
user_pref("browser.sessionstore.resume_from_crash", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
user_pref("security.sandbox.content.level", 0);
user_pref("toolkit.telemetry.reportingpolicy.firstRun", false);
"#;

/// Kept in the page: what goes wrong. What Firefox says of layouts that take two frames is not a fault.
const WATCH: &str = "\
    window.faults = []; \
    addEventListener('error', (event) => /^ResizeObserver loop/.test(event.message) || window.faults.push(String(event.message)), true); \
    addEventListener('unhandledrejection', (event) => window.faults.push(String(event.reason))); \
    addEventListener('securitypolicyviolation', (event) => window.faults.push(`policy: ${event.violatedDirective} ${event.blockedURI}`)); \
    const { error } = console; console.error = (...words) => { window.faults.push(words.join(' ')); error(...words); };";

/// A tab of Firefox. The browser ends and its profile goes when this is dropped.
pub struct Firefox {
    process: Child,
    profile: PathBuf,
    wire: RefCell<Wire>,
}

struct Wire {
    stream: BufReader<TcpStream>,
    next: u64,
}

impl Firefox {
    /// Starts the browser that `FIREFOX` names, with a page of a size in CSS pixels.
    pub fn start(width: u32, height: u32) -> Firefox {
        static STARTED: AtomicU32 = AtomicU32::new(0);
        let name =
            format!("vramscope-firefox-{}-{}", std::process::id(), STARTED.fetch_add(1, Ordering::Relaxed));
        let profile = std::env::temp_dir().join(name);
        fs::create_dir_all(&profile).expect("a folder for the profile");
        fs::write(profile.join("user.js"), SETTINGS).expect("settings");
        let program = std::env::var_os("FIREFOX").unwrap_or_else(|| "firefox-esr".into());
        let process = Command::new(&program)
            .args(["--headless", "--marionette", "--no-remote", "--profile"])
            .arg(&profile)
            .arg(format!("--width={width}"))
            .arg(format!("--height={height}"))
            .env("HOME", &profile)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|error| panic!("{}: {error}; `cargo xtask test` installs it", program.display()));
        let stream = connect(&profile);
        let wire = RefCell::new(Wire { stream: BufReader::new(stream), next: 1 });
        let firefox = Firefox { process, profile, wire };
        firefox.wire.borrow_mut().read(); // who it is
        firefox.ask("WebDriver:NewSession", json!({ "capabilities": {} }));
        firefox.ask("WebDriver:SetTimeouts", json!({ "script": 60_000, "pageLoad": 60_000 }));
        firefox.resize(width, height);
        firefox
    }

    /// Gives the page a size: the window has borders.
    pub fn resize(&self, width: u32, height: u32) {
        for _ in 0..3 {
            let borders =
                self.js("return [window.outerWidth - innerWidth, window.outerHeight - innerHeight]");
            let of = |at: usize| borders[at].as_u64().unwrap_or(0);
            let size = json!({ "width": u64::from(width) + of(0), "height": u64::from(height) + of(1) });
            self.ask("WebDriver:SetWindowRect", size);
            if self.js("return [innerWidth, innerHeight]") == json!([width, height]) {
                return;
            }
        }
    }

    /// A command of the protocol; panics with what the browser says of it.
    pub fn ask(&self, command: &str, params: Value) -> Value {
        let answer = self.wire.borrow_mut().ask(command, &params);
        answer.unwrap_or_else(|error| panic!("{command} {params}: {error}"))
    }

    /// Opens a URL and watches its page for faults.
    pub fn goto(&self, url: &str) {
        self.ask("WebDriver:Navigate", json!({ "url": url }));
        self.js(WATCH);
    }

    /// The value of a script that ends with `return`.
    pub fn js(&self, script: &str) -> Value {
        let params = json!({ "script": script, "args": [], "sandbox": null });
        self.ask("WebDriver:ExecuteScript", params)["value"].clone()
    }

    /// Waits until a JavaScript expression is true.
    pub fn wait(&self, expression: &str) {
        let start = Instant::now();
        while self.js(&format!("return !!({expression})")) != Value::Bool(true) {
            if start.elapsed() > PATIENCE {
                let shown = self.js("return document.body.innerText.slice(0, 1500)");
                panic!("waited in vain for {expression}\n{shown}\n{:?}", self.faults());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// An element, for other commands.
    fn element(&self, selector: &str) -> Value {
        let found = self.ask("WebDriver:FindElement", json!({ "using": "css selector", "value": selector }));
        found["value"][ELEMENT].clone()
    }

    /// Hands files to the file input.
    pub fn choose(&self, files: &[&Path]) {
        let paths: Vec<String> = files.iter().map(|path| path.to_string_lossy().into_owned()).collect();
        let params = json!({ "id": self.element("#file-input"), "text": paths.join("\n") });
        self.ask("WebDriver:ElementSendKeys", params);
    }

    /// Clicks the middle of an element, scrolled to if need be.
    pub fn click(&self, selector: &str) {
        self.wait(&format!("document.querySelector({})?.checkVisibility()", json!(selector)));
        self.ask("WebDriver:ElementClick", json!({ "id": self.element(selector) }));
    }

    /// A place in an element, as shares of its width and height.
    pub fn at(&self, selector: &str, right: f64, down: f64) -> (f64, f64) {
        let place = self.js(&format!(
            "const r = document.querySelector({}).getBoundingClientRect(); return [r.left + r.width * {right}, r.top + r.height * {down}]",
            json!(selector)
        ));
        (place[0].as_f64().expect("a number"), place[1].as_f64().expect("a number"))
    }

    fn act(&self, kind: &str, id: &str, actions: Value) {
        let chain = json!([{ "type": kind, "id": id, "actions": actions }]);
        self.ask("WebDriver:PerformActions", json!({ "actions": chain }));
    }

    /// Moves the mouse.
    pub fn point(&self, (x, y): (f64, f64)) {
        self.act("pointer", "mouse", json!([{ "type": "pointerMove", "x": x.round(), "y": y.round() }]));
    }

    /// Clicks with the left button.
    pub fn click_at(&self, place: (f64, f64)) {
        self.point(place);
        self.act(
            "pointer",
            "mouse",
            json!([{ "type": "pointerDown", "button": 0 }, { "type": "pointerUp", "button": 0 }]),
        );
    }

    /// Turns the wheel; negative is away from the hand.
    pub fn wheel(&self, (x, y): (f64, f64), delta: i32) {
        let turn =
            json!([{ "type": "scroll", "x": x.round(), "y": y.round(), "deltaX": 0, "deltaY": delta }]);
        self.act("wheel", "wheel", turn);
    }

    /// Presses a key, with others held: a letter, or one of the protocol's private characters.
    pub fn key(&self, held: &[&str], key: &str) {
        let one = |kind: &str, key: &str| json!({ "type": kind, "value": named(key) });
        let mut actions: Vec<Value> = held.iter().map(|key| one("keyDown", key)).collect();
        actions.extend([one("keyDown", key), one("keyUp", key)]);
        actions.extend(held.iter().map(|key| one("keyUp", key)));
        self.act("key", "keyboard", Value::Array(actions));
    }

    /// Types a text, key by key.
    pub fn type_text(&self, text: &str) {
        for letter in text.chars() {
            self.key(&[], &letter.to_string());
        }
    }

    /// What has gone wrong since the page was opened.
    pub fn faults(&self) -> Vec<String> {
        let faults = self.js("return window.faults ?? []");
        faults.as_array().into_iter().flatten().map(|each| each.as_str().unwrap_or("?").to_owned()).collect()
    }

    /// A picture of the page, as PNG in base64.
    pub fn screenshot(&self) -> String {
        let taken = self.ask("WebDriver:TakeScreenshot", json!({ "full": false }));
        taken["value"].as_str().expect("a picture").to_owned()
    }
}

/// Keys without a letter.
fn named(key: &str) -> &str {
    match key {
        "Enter" => "\u{e007}",
        "Escape" => "\u{e00c}",
        "Tab" => "\u{e004}",
        "Shift" => "\u{e008}",
        "Control" => "\u{e009}",
        "Alt" => "\u{e00a}",
        "ArrowLeft" => "\u{e012}",
        "ArrowUp" => "\u{e013}",
        "ArrowRight" => "\u{e014}",
        "ArrowDown" => "\u{e015}",
        other => other,
    }
}

/// The browser writes its port into the profile once it listens.
fn connect(profile: &Path) -> TcpStream {
    let start = Instant::now();
    loop {
        let port = fs::read_to_string(profile.join("MarionetteActivePort")).ok();
        if let Some(port) = port.and_then(|text| text.trim().parse::<u16>().ok())
            && let Ok(stream) = TcpStream::connect(("127.0.0.1", port))
        {
            return stream;
        }
        assert!(start.elapsed() < PATIENCE, "Firefox does not start");
        std::thread::sleep(Duration::from_millis(50));
    }
}

impl Wire {
    /// One message: its length in figures, a colon, JSON.
    fn read(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut byte = [0];
            self.stream.read_exact(&mut byte).expect("Firefox answers");
            match byte[0] {
                b':' => break,
                figure => length = length * 10 + usize::from(figure - b'0'),
            }
        }
        let mut text = vec![0; length];
        self.stream.read_exact(&mut text).expect("a whole answer");
        serde_json::from_slice(&text).expect("an answer in JSON")
    }

    fn ask(&mut self, command: &str, params: &Value) -> Result<Value, String> {
        let id = self.next;
        self.next += 1;
        let message = json!([0, id, command, params]).to_string();
        write!(self.stream.get_mut(), "{}:{message}", message.len()).expect("Firefox listens");
        loop {
            let answer = self.read();
            if answer[1] == json!(id) {
                let error = &answer[2];
                return if error.is_null() {
                    Ok(answer[3].clone())
                } else {
                    Err(error["message"].to_string())
                };
            }
        }
    }
}

impl Drop for Firefox {
    fn drop(&mut self) {
        let _ = self.wire.borrow_mut().ask("Marionette:Quit", &json!({ "flags": ["eForceQuit"] }));
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = fs::remove_dir_all(&self.profile);
    }
}
