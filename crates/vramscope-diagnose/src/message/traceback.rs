//! The line of a traceback that asked for the memory.

use super::AskedBy;
use super::text::{Line, Pasted};

/// Lines that are looked at before a message.
const MOST_LINES: usize = 4000;

/// The innermost frame of the user's own code in the traceback that ends in a message.
pub(super) fn asked_by(pasted: &Pasted, message_at: usize) -> Option<AskedBy> {
    let at = pasted.line_at(message_at);
    let rank = &pasted.lines.get(at)?.rank;
    let before = pasted.lines.get(at.saturating_sub(MOST_LINES)..at)?;
    // Lines of other ranks come between; a traceback of another error ends the search.
    let own = before.iter().rev().filter(|line| line.rank == *rank);
    own.take_while(|line| !line.text.starts_with("Traceback (most recent")).find_map(own_frame)
}

fn own_frame(line: &Line) -> Option<AskedBy> {
    python(&line.text).or_else(|| short(&line.text)).filter(|frame| is_own(&frame.file))
}

/// `File "train.py", line 60, in step`.
fn python(line: &str) -> Option<AskedBy> {
    let rest = line.trim_start().strip_prefix("File ")?.trim_start_matches('"');
    let (file, rest) = rest.split_once("\", line ").or_else(|| rest.split_once(", line "))?;
    let (number, rest) = rest.split_at_checked(rest.bytes().take_while(u8::is_ascii_digit).count())?;
    let name = rest.trim_start_matches(',').trim().strip_prefix("in ").unwrap_or("<module>");
    frame(file, number, name)
}

/// `train.py:60 in step`, as Rich and IPython write.
fn short(line: &str) -> Option<AskedBy> {
    let rest = line.trim().trim_start_matches("File ");
    let (file, rest) = rest.split_once(".py:")?;
    let (number, rest) = rest.split_at_checked(rest.bytes().take_while(u8::is_ascii_digit).count())?;
    let name = rest.trim_start_matches(',').trim().strip_prefix("in ")?;
    frame(&format!("{file}.py"), number, name.split('(').next().unwrap_or(name))
}

fn frame(file: &str, number: &str, name: &str) -> Option<AskedBy> {
    let name = name.trim().trim_end_matches(|letter: char| letter.is_whitespace());
    (!file.is_empty() && file.len() < 1024 && name.len() < 256).then_some(AskedBy {
        file: file.trim().to_owned(),
        line: number.parse().ok()?,
        name: name.to_owned(),
    })
}

/// Not an installed package, not Python's own library.
fn is_own(file: &str) -> bool {
    let path = file.replace('\\', "/").to_ascii_lowercase();
    let foreign = [
        "/site-packages/",
        "/dist-packages/",
        "/lib/python",
        "/torch/nn/",
        "/torch/autograd/",
        "<frozen",
        "/torchinductor_",
        "/lib/runpy.py",
    ];
    !foreign.iter().any(|part| path.contains(part))
}
