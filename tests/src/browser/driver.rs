//! Chromium's driver as a process, and a session in it.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use thirtyfour::common::capabilities::chromium::ChromiumLikeCapabilities;
use thirtyfour::{ChromeCapabilities, DesiredCapabilities, LoggingPrefsLogLevel, WebDriver};
use tokio::runtime::Runtime;

/// How a browser window looks.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    /// Width of the page in CSS pixels.
    pub width: u32,
    /// Height.
    pub height: u32,
    /// Dark colours.
    pub dark: bool,
}

impl Default for Setup {
    fn default() -> Self {
        Setup { width: 1280, height: 800, dark: false }
    }
}

/// The driver's process; killed when dropped, also when a test panics.
pub(super) struct Driver {
    process: Child,
    port: u16,
}

/// How often a driver is started before the test gives up.
const STARTS: u32 = 5;

impl Driver {
    /// The driver takes a free port of IPv4 and then the same of IPv6, where another test's may be faster: it ends then, and is started
    /// anew.
    pub(super) fn start() -> Driver {
        let mut said = String::new();
        for _ in 0..STARTS {
            match Driver::start_once() {
                Ok(driver) => return driver,
                Err(lines) => said = lines,
            }
        }
        panic!("the driver ended {STARTS} times before it listened; the last time it said:\n{said}");
    }

    /// What it said, if it ended before it listened.
    fn start_once() -> Result<Driver, String> {
        let program = std::env::var_os("CHROMEDRIVER").unwrap_or_else(|| "chromedriver".into());
        let mut process = Command::new(&program)
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|error| panic!("{}: {error}; `cargo xtask test` installs it", program.display()));
        let mut lines = BufReader::new(process.stdout.take().expect("piped")).lines();
        let mut said = String::new();
        // Its first line says "on port 0"; the real port comes with the last.
        while let Some(Ok(line)) = lines.next() {
            if let Some(port) = listening_port(&line) {
                // Nobody reads on: a full pipe would stop it.
                std::thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
                return Ok(Driver { process, port });
            }
            said += &(line + "\n");
        }
        let ended = process.wait();
        Err(format!("{said}({ended:?})"))
    }

    pub(super) fn process_id(&self) -> u32 {
        self.process.id()
    }

    pub(super) fn session(&self, runtime: &Runtime, setup: Setup) -> WebDriver {
        let url = format!("http://127.0.0.1:{}", self.port);
        let capabilities = capabilities(setup);
        runtime.block_on(WebDriver::new(url, capabilities)).expect("Chromium starts")
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn listening_port(line: &str) -> Option<u16> {
    line.split_once("successfully on port ")?.1.trim_end_matches('.').parse().ok()
}

fn capabilities(setup: Setup) -> ChromeCapabilities {
    let mut capabilities = DesiredCapabilities::chrome();
    let size = format!("--window-size={},{}", setup.width, setup.height);
    for arg in [
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--disable-dev-shm-usage",
        "--hide-scrollbars",
        &size,
    ] {
        capabilities.add_arg(arg).expect("a plain argument");
    }
    for log in ["browser", "performance"] {
        capabilities.set_logging_prefs(log, LoggingPrefsLogLevel::All).expect("a plain setting");
    }
    capabilities
}
