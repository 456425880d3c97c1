//! Memory of other processes, from `/proc`; elsewhere it is not known.

use std::fs;
use std::io;
use std::process::Command;
use std::time::{Duration, Instant};

/// How often a running process is looked at. Its peak can be missed by what it takes within the last of these.
const LOOK_EVERY: Duration = Duration::from_millis(1);

/// How a process went.
#[derive(Clone, Copy, Debug)]
pub struct Ran {
    /// From its start to its end, in seconds.
    pub seconds: f64,
    /// Most bytes of memory in use, if the system tells.
    pub peak_bytes: Option<u64>,
}

/// Runs a command to its end.
///
/// # Errors
/// It does not start, or fails.
pub fn run(command: &mut Command) -> io::Result<Ran> {
    let start = Instant::now();
    let mut child = command.spawn()?;
    let mut peak_bytes = None;
    let status = loop {
        peak_bytes = peak_of(child.id()).max(peak_bytes);
        if let Some(status) = child.try_wait()? {
            break status;
        }
        std::thread::sleep(LOOK_EVERY);
    };
    let seconds = start.elapsed().as_secs_f64();
    if status.success() {
        Ok(Ran { seconds, peak_bytes })
    } else {
        Err(io::Error::other(format!("{command:?}: {status}")))
    }
}

/// Most bytes that a process has had in memory: `VmHWM`.
pub fn peak_of(pid: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().trim_end_matches("kB").trim().parse::<u64>().ok()? * 1024)
}

/// The largest peak among the renderers below a process.
pub fn largest_renderer(ancestor: u32) -> Option<u64> {
    let processes = fs::read_dir("/proc").ok()?;
    let pids: Vec<u32> =
        processes.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    let renderers = pids.into_iter().filter(|pid| is_renderer(*pid) && is_below(*pid, ancestor));
    renderers.filter_map(peak_of).max()
}

fn is_renderer(pid: u32) -> bool {
    fs::read(format!("/proc/{pid}/cmdline"))
        .is_ok_and(|line| String::from_utf8_lossy(&line).contains("--type=renderer"))
}

fn is_below(pid: u32, ancestor: u32) -> bool {
    let mut at = Some(pid);
    // Deeper trees than this are no browser's.
    for _ in 0..20 {
        match at {
            Some(pid) if pid == ancestor => return true,
            Some(pid) if pid > 1 => at = parent(pid),
            _ => return false,
        }
    }
    false
}

/// The name in `stat` may hold anything, so what counts follows its last bracket.
fn parent(pid: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}
