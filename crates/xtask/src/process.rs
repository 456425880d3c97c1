//! Running other programs, and saying which stage that is.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::paths;

/// A command that starts at the top of the repository and can ask nothing.
pub fn command(program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(paths::root()).stdin(Stdio::null());
    command
}

/// The cargo that runs us.
pub fn cargo() -> Command {
    command(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Runs a command with its output on the terminal.
pub fn run(command: &mut Command) -> Result<()> {
    let shown = shown(command);
    let status = command.status().with_context(|| format!("could not start `{shown}`"))?;
    if !status.success() {
        bail!("`{shown}` failed ({status})");
    }
    Ok(())
}

/// What a command prints, if it runs and succeeds.
pub fn output(command: &mut Command) -> Option<String> {
    let output = command.stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// The first of these programs that is on PATH.
pub fn find_on_path(programs: &[&str]) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let folders: Vec<PathBuf> = env::split_paths(&path).collect();
    let files = programs.iter().map(|program| format!("{program}{}", env::consts::EXE_SUFFIX));
    files.flat_map(|file| folders.iter().map(move |folder| folder.join(&file))).find(|file| file.is_file())
}

/// Runs one stage under a headline, with its time; an error names the stage.
pub fn stage<T>(name: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    println!("\n==> {name}");
    let start = Instant::now();
    let done = work().with_context(|| format!("{name}: failed"))?;
    println!("==> {name}: {:.1} s", start.elapsed().as_secs_f64());
    Ok(done)
}

/// The command as a person would type it.
fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let words = std::iter::once(program.file_name().unwrap_or(program.as_os_str())).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}
