//! `vramscope oom-message`: a pasted out-of-memory message, explained.

use std::io::Read;
use std::process::ExitCode;

use serde::Serialize;
use vramscope_core::units::{count, format_bytes, format_bytes_group};
use vramscope_diagnose::message::{Bar, Explanation, Number, explain};

use crate::out;

/// Columns of the text.
const WIDTH: usize = 100;
/// Columns of the bar.
const BAR_WIDTH: usize = 60;
/// What parts of the bar are drawn with, in their order; free memory is a point.
const MARKS: [char; 6] = ['#', '=', '+', 'o', 'x', '?'];

/// Explains the numbers of an out-of-memory error that PyTorch raised, in the words of any version
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The error text, or a whole log; `-` reads standard input
    #[arg(value_name = "FILE", default_value = "-")]
    file: String,
    /// One JSON object on standard output
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Answer<'a> {
    schema: u32,
    #[serde(flatten)]
    explanation: &'a Explanation,
}

/// Prints what the message says; 1 if there is none.
pub(crate) fn run(args: &Args) -> ExitCode {
    let explanation = match read(&args.file) {
        Ok(bytes) => explain(&text_of(&bytes)),
        Err(error) => return refuse(&format!("{} cannot be read: {error}", args.file)),
    };
    if let Some(help) = &explanation.help {
        let text = format!(
            "{} {} Looked for: {}. Such a message begins: {}",
            explanation.sentence, help.text, help.looked_for, help.example
        );
        return refuse(&text);
    }
    let text = match args.json {
        false => told(&explanation),
        true => match serde_json::to_string(&Answer { schema: 1, explanation: &explanation }) {
            Ok(json) => json + "\n",
            Err(error) => return refuse(&error.to_string()),
        },
    };
    let written = if args.json { out::data(&text) } else { out::text(&text) };
    if written { ExitCode::SUCCESS } else { ExitCode::from(1) }
}

fn refuse(message: &str) -> ExitCode {
    out::tell(message);
    ExitCode::from(1)
}

fn read(file: &str) -> std::io::Result<Vec<u8>> {
    if file != "-" {
        return std::fs::read(file);
    }
    let mut bytes = Vec::new();
    std::io::stdin().lock().read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// UTF-8, or UTF-16 as PowerShell writes a log; what is neither is replaced.
fn text_of(bytes: &[u8]) -> String {
    let Some(pairs) = bytes.strip_prefix(&[0xff, 0xfe]) else {
        return String::from_utf8_lossy(bytes).into_owned();
    };
    let units: Vec<u16> = pairs.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
    String::from_utf16_lossy(&units)
}

/// Sentence, bar, numbers, reasons and advice.
fn told(explanation: &Explanation) -> String {
    let mut text = format!("{}\n\n", explanation.eyebrow);
    wrapped(&mut text, "", &explanation.sentence);
    if let Some(bar) = &explanation.bar {
        drawn(&mut text, bar);
    }
    section(&mut text, "Numbers", &explanation.numbers, number);
    let contradictions = &explanation.contradictions;
    section(&mut text, "Contradictions", contradictions, |text, told| wrapped(text, "  ", told));
    section(&mut text, "Why", &explanation.reason, |text, reason| {
        wrapped(text, "  ", &format!("{} ({})", reason.text, reason.threshold));
    });
    section(&mut text, "What to do", &explanation.advice, |text, advice| {
        wrapped(text, "  ", &advice.title);
        wrapped(text, "      ", &advice.text);
    });
    if let Some(asked) = &explanation.asked_by {
        text.push_str(&format!("\nAsked by  {}:{} in {}\n", asked.file, asked.line, asked.name));
    }
    if let Some(snapshot) = &explanation.snapshot {
        text.push_str("\nTo see more\n");
        wrapped(&mut text, "  ", &snapshot.text);
        for line in snapshot.recipe.code.lines() {
            text.push_str(format!("      {line}").trim_end());
            text.push('\n');
        }
    }
    let messages = count(explanation.messages, "message", "messages");
    text.push_str(&format!("\nWritten by {}; {messages} in the text\n", explanation.versions));
    text
}

fn section<T>(text: &mut String, title: &str, list: &[T], one: impl Fn(&mut String, &T)) {
    if !list.is_empty() {
        text.push_str(&format!("\n{title}\n"));
        list.iter().for_each(|item| one(text, item));
    }
}

fn number(text: &mut String, number: &Number) {
    let computed = || number.bytes.map(format_bytes).unwrap_or_default();
    let value = number.found.clone().unwrap_or_else(computed);
    text.push_str(&format!("  {:<29} {value:>12}\n", number.label));
    wrapped(text, "      ", &number.meaning);
    for process in &number.processes {
        let which = if process.likely_this { "  (most likely this one)" } else { "" };
        text.push_str(&format!("      process {}  {}{which}\n", process.pid, format_bytes(process.bytes)));
    }
}

/// The bar in characters, each part as long as its share; what is there has at least one.
fn drawn(text: &mut String, bar: &Bar) {
    let total = bar.total_bytes.max(1) as f64;
    let mut marks = MARKS.iter();
    let (mut line, mut rows, mut sum) = (String::new(), String::new(), 0_u64);
    let sizes: Vec<u64> =
        std::iter::once(bar.total_bytes).chain(bar.parts.iter().map(|part| part.bytes)).collect();
    let sizes = format_bytes_group(&sizes);
    for (part, size) in bar.parts.iter().zip(sizes.iter().skip(1)) {
        let mark = if part.key == "free" { '.' } else { marks.next().copied().unwrap_or('?') };
        sum = sum.saturating_add(part.bytes);
        // The end is rounded, not the length: so they add up.
        let end = (sum as f64 / total * BAR_WIDTH as f64).round() as usize;
        let len = end.saturating_sub(line.len()).max(1);
        line.extend(std::iter::repeat_n(mark, len));
        rows.push_str(&format!("  {mark} {:<42} {size:>12}\n", part.label));
    }
    text.push_str(&format!(
        "\n{}  {}\n[{line}]\n{rows}",
        bar.total_label,
        sizes.first().map_or("", |size| size)
    ));
}

/// Appends a paragraph in lines, each behind `indent`.
fn wrapped(text: &mut String, indent: &str, paragraph: &str) {
    let mut column = 0;
    // A no-break space is none to break at: a number stays with its unit.
    for word in paragraph.split(' ') {
        let len = word.chars().count();
        if column > 0 && column + 1 + len > WIDTH {
            text.push('\n');
            column = 0;
        }
        let before = if column == 0 { indent } else { " " };
        text.push_str(before);
        text.push_str(word);
        column += before.len() + len;
    }
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powershell_logs_are_read() {
        let bytes: Vec<u8> = "\u{feff}CUDA".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(text_of(&bytes), "CUDA");
        assert_eq!(text_of(b"CUDA \xff"), "CUDA \u{fffd}");
    }

    #[test]
    fn lines_break_at_spaces_only() {
        let mut text = String::new();
        wrapped(&mut text, "  ", &"3.0\u{a0}GiB were asked for. ".repeat(12));
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH + 2 && line.starts_with("  ")));
        assert!(!text.contains("3.0\n"));
    }
}
