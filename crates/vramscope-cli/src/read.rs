//! A file, or standard input, into the decoder.

use std::fs::File;
use std::io::{IsTerminal, Read, stderr, stdin};
use std::path::Path;

use std::sync::LazyLock;

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use vramscope_core::decode::{Decoder, Limits};
use vramscope_core::replay::Recording;
use vramscope_core::units;

use crate::pieces::for_each_piece;

/// Reads and replays a file, and checks the allocator model; the error is one plain message.
pub(crate) fn open_checked(path: &str) -> Result<Recording, String> {
    let mut recording = open(path)?;
    let bar = progress_bar(Some(0));
    bar.set_style(
        ProgressStyle::with_template("checking the allocator model {percent} %")
            .unwrap_or_else(|_| ProgressStyle::default_bar()),
    );
    loop {
        let progress = recording.check(CHECKED_AT_ONCE);
        bar.set_length(progress.events);
        bar.set_position(progress.checked_events);
        if progress.done {
            bar.finish_and_clear();
            return Ok(recording);
        }
    }
}

/// Events between two looks at the progress bar.
const CHECKED_AT_ONCE: u32 = 100_000;

/// Reads and replays a file; the error is one plain message.
pub(crate) fn open(path: &str) -> Result<Recording, String> {
    let shown = if path == "-" { "standard input" } else { path };
    let unreadable = |error: std::io::Error| format!("{shown} cannot be read: {error}");
    let (source, size): (Box<dyn Read + Send>, Option<u64>) = if path == "-" {
        (Box::new(stdin()), None)
    } else {
        let file = File::open(path).map_err(unreadable)?;
        let meta = file.metadata().map_err(unreadable)?;
        if meta.is_dir() {
            return Err(format!("{shown} is a folder; give the snapshot file in it"));
        }
        (Box::new(file), Some(meta.len()))
    };
    let bar = progress_bar(size);
    let mut decoder = Decoder::new(&base_name(shown), Limits::default());
    if let Some(size) = size {
        decoder.expect(size);
    }
    let told = |error: Box<vramscope_core::decode::OpenError>| error.to_string().replace("{name}", shown);
    for_each_piece(source, unreadable, |piece| {
        decoder.feed(piece).map_err(told)?;
        let progress = decoder.progress();
        bar.set_position(progress.bytes);
        bar.set_message(units::count(progress.events, "event", "events"));
        Ok(())
    })?;
    bar.set_message("replaying");
    let recording = Recording::build(decoder.finish().map_err(told)?);
    bar.finish_and_clear();
    Ok(recording)
}

fn base_name(path: &str) -> String {
    Path::new(path).file_name().map_or_else(|| path.to_owned(), |name| name.to_string_lossy().into_owned())
}

/// Several files may be read at once: each has its own line.
static BARS: LazyLock<MultiProgress> = LazyLock::new(MultiProgress::new);

/// "simulating 3 of 8"
pub(crate) fn counting_bar(what: &'static str, of: u64) -> ProgressBar {
    let bar = progress_bar(Some(of));
    bar.set_style(
        ProgressStyle::with_template("{msg} {pos} of {len}, {elapsed}")
            .unwrap_or_else(|_| ProgressStyle::default_bar()),
    );
    bar.set_message(what);
    bar.enable_steady_tick(std::time::Duration::from_millis(200));
    bar
}

/// Shown only when standard error is a terminal.
fn progress_bar(size: Option<u64>) -> ProgressBar {
    if !stderr().is_terminal() {
        return ProgressBar::with_draw_target(size, ProgressDrawTarget::hidden());
    }
    let (bar, template) = match size {
        Some(size) => (ProgressBar::new(size), "{bar:40} {bytes} of {total_bytes}, {msg}, {elapsed}"),
        None => (ProgressBar::new_spinner(), "{spinner} {bytes}, {msg}, {elapsed}"),
    };
    let bar = BARS.add(bar);
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
