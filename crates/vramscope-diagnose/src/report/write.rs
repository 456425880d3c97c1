//! A report as Markdown, and as text for a terminal.

use vramscope_core::units::format_bytes_group;

use super::document::{Block, document};
use super::{Bar, DeviceReport, without_marks};

/// A report in Markdown, under a heading with the device's name.
pub fn markdown(report: &DeviceReport, name: &str) -> String {
    let mut text = format!("## {name}\n");
    for block in document(report) {
        text.push('\n');
        match block {
            Block::Verdict { eyebrow, sentence } => text.push_str(&format!("**{eyebrow}**\n\n{sentence}\n")),
            Block::Bar => text.push_str(&report.bar.as_ref().map(markdown_bar).unwrap_or_default()),
            Block::Heading(title) => text.push_str(&format!("### {title}\n")),
            Block::Paragraph(words) => text.push_str(&format!("{words}\n")),
            Block::List(items) => items.iter().for_each(|item| text.push_str(&format!("- {item}\n"))),
            Block::Table { heads, figures_from, rows } => {
                text.push_str(&markdown_table(&heads, figures_from, &rows));
            }
            Block::Fixed(lines) => text.push_str(&format!("```text\n{}\n```\n", lines.replace("```", "'''"))),
        }
    }
    text
}

fn markdown_table(heads: &[&str], figures_from: usize, rows: &[Vec<String>]) -> String {
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let rule = (0..heads.len()).map(|at| if at < figures_from { "---" } else { "---:" }.to_owned());
    let mut text = line(heads.iter().map(|head| (*head).to_owned()).collect()) + &line(rule.collect());
    for row in rows {
        text.push_str(&line(row.iter().map(|cell| cell.replace('|', "¦")).collect()));
    }
    text
}

/// Title of a bar, with what its length is.
fn bar_title(bar: &Bar) -> String {
    match bar.total_label.is_empty() {
        true => bar.title.clone(),
        false => format!("{} ({})", bar.title, bar.total_label),
    }
}

fn bar_rows(bar: &Bar) -> Vec<Vec<String>> {
    let mut values: Vec<u64> = bar.parts.iter().map(|part| part.bytes).collect();
    values.extend(bar.asked_bytes);
    let labels = bar.parts.iter().map(|part| part.label.clone());
    let labels = labels.chain(bar.asked_bytes.map(|_| "Asked for".to_owned()));
    labels.zip(format_bytes_group(&values)).map(|(label, bytes)| vec![label, bytes]).collect()
}

fn markdown_bar(bar: &Bar) -> String {
    format!("### {}\n\n{}", bar_title(bar), markdown_table(&["Part", "Bytes"], 1, &bar_rows(bar)))
}

/// A report for a terminal, under the device's name.
pub fn text(report: &DeviceReport, name: &str) -> String {
    let mut text = format!("{name}\n");
    for block in document(report) {
        text.push_str(&match block {
            Block::Verdict { eyebrow, sentence } => {
                format!("  {}\n  {}\n", without_marks(&eyebrow), without_marks(&sentence))
            }
            Block::Bar => match &report.bar {
                Some(bar) => format!("\n  {}\n{}", bar_title(bar), text_table(&[], 1, &bar_rows(bar))),
                None => String::new(),
            },
            Block::Heading(title) => format!("\n  {}\n", without_marks(&title)),
            Block::Paragraph(words) => wrapped(&without_marks(&words), "  ", "  "),
            Block::List(items) => {
                items.iter().map(|item| wrapped(&without_marks(item), "  – ", "    ")).collect()
            }
            Block::Table { heads, figures_from, rows } => text_table(&heads, figures_from, &rows),
            Block::Fixed(lines) => lines.lines().map(|line| format!("      {line}\n")).collect(),
        });
    }
    text
}

/// Letters of a line of words.
const LINE: usize = 110;

/// Words in lines of at most so many letters. A number keeps its unit: a no-break space is none of the places where lines end.
fn wrapped(words: &str, first: &str, others: &str) -> String {
    let (mut text, mut line, mut is_empty) = (String::new(), first.to_owned(), true);
    for word in words.split(' ') {
        if !is_empty && line.chars().count() + word.chars().count() >= LINE {
            text.push_str(&line);
            text.push('\n');
            (line, is_empty) = (others.to_owned(), true);
        }
        if !is_empty {
            line.push(' ');
        }
        line.push_str(word);
        is_empty = false;
    }
    text + &line + "\n"
}

fn text_table(heads: &[&str], figures_from: usize, rows: &[Vec<String>]) -> String {
    let heads: Vec<String> = heads.iter().map(|head| (*head).to_owned()).collect();
    let rows: Vec<Vec<String>> =
        rows.iter().map(|row| row.iter().map(|cell| cut(&without_marks(cell))).collect()).collect();
    let lines = || std::iter::once(&heads).chain(&rows).filter(|row| !row.is_empty());
    let columns = lines().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        lines().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).enumerate().map(|(at, (cell, width))| match at < figures_from {
            true => format!("{cell:<width$}"),
            false => format!("{cell:>width$}"),
        });
        format!("    {}\n", cells.collect::<Vec<_>>().join("  ").trim_end())
    };
    lines().map(line).collect()
}

/// Names of C++ can be as long as a page.
fn cut(cell: &str) -> String {
    match cell.char_indices().nth(LINE) {
        Some((end, _)) => format!("{}…", &cell[..end]),
        None => cell.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Categories, Part, Peak};

    #[test]
    fn what_was_not_diagnosed_is_not_told() {
        let nothing = DeviceReport::default();
        assert_eq!(markdown(&nothing, "GPU 0"), "## GPU 0\n");
        assert_eq!(text(&nothing, "GPU 0"), "GPU 0\n");
    }

    #[test]
    fn marks_stay_in_markdown_and_go_from_text() {
        let report = DeviceReport {
            eyebrow: "Leak".into(),
            sentence: "Every step keeps 8.0 MiB.".into(),
            why: vec!["`losses.append(loss)` keeps **every** graph.".into()],
            confidence: 0.8,
            bar: Some(Bar {
                title: "At the peak".into(),
                parts: vec![Part { key: "other".into(), label: "Other".into(), bytes: 1 << 20 }],
                ..Bar::default()
            }),
            peak: Peak {
                categories: Categories { other: 1 << 20, ..Categories::default() },
                ..Peak::default()
            },
            ..DeviceReport::default()
        };
        let marked = markdown(&report, "GPU 0");
        assert!(marked.contains("`losses.append(loss)` keeps **every** graph."), "{marked}");
        assert!(marked.contains("| Other | 1.0\u{a0}MiB |"), "{marked}");
        let plain = text(&report, "GPU 0");
        assert!(plain.contains("losses.append(loss) keeps every graph."), "{plain}");
        assert!(!plain.contains('`'), "{plain}");
    }

    #[test]
    fn long_sentences_are_broken_between_words() {
        let text = wrapped(&"word ".repeat(60), "  – ", "    ");
        assert!(text.lines().all(|line| line.chars().count() <= LINE), "{text}");
        assert!(text.lines().count() > 2);
    }
}
