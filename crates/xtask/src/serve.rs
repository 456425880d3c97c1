//! `cargo xtask serve`: the page on this machine.

use std::io;
use std::process::Stdio;
use std::thread;

use anyhow::{Context, Result};

use crate::process::command;
use crate::server::Server;
use crate::{page, paths, setup};

const PORTS_TO_TRY: u16 = 20;

/// Builds the page and serves it until the process is ended.
pub fn run(port: u16, open: bool) -> Result<()> {
    page::build(&setup::tools()?)?;
    let server =
        start(port).with_context(|| format!("no free port from {port} on; choose another with --port"))?;
    let url = server.url();
    if server.port() != port && port != 0 {
        println!("\nPort {port} is taken; using {} instead.", server.port());
    }
    println!("\nvramscope is at {url}  (Ctrl-C ends it)");
    if open {
        open_browser(&url);
    }
    loop {
        thread::park();
    }
}

fn start(port: u16) -> io::Result<Server> {
    let start_at = |port| Server::start(&paths::dist(), "/", port);
    (port..port.saturating_add(PORTS_TO_TRY))
        .find_map(|port| start_at(port).ok())
        .map_or_else(|| start_at(port), Ok)
}

/// Best effort: the address stands on the terminal anyway.
fn open_browser(url: &str) {
    let mut opener = match std::env::consts::OS {
        "macos" => command("open"),
        "windows" => command("explorer"),
        _ => command("xdg-open"),
    };
    let _ = opener.arg(url).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
}
