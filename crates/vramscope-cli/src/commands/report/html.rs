//! A report as one page: no scripts, nothing from elsewhere, light or dark as the reader's system is.

use vramscope_core::units::format_bytes;
use vramscope_diagnose::report::{Bar, Block, DeviceReport, document};

use super::picture::chart_of;
use super::{Device, Reported, summary_heading};

const STYLE: &str = include_str!("report.css");

/// The page of all files.
pub(super) fn page(reported: &[Reported]) -> String {
    let names: Vec<String> =
        reported.iter().map(|one| escaped(&one.recording.snapshot.source.name)).collect();
    let mut body = String::new();
    for (one, name) in reported.iter().zip(&names) {
        body.push_str(&format!("<h1>{name}</h1>\n"));
        if one.devices.is_empty() {
            body.push_str("<p>No device has events or segments.</p>\n");
        }
        for device in &one.devices {
            body.push_str(&section(one, device));
        }
    }
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{} · vramscope report</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n{body}</main>\n</body>\n</html>\n",
        names.join(", ")
    )
}

fn section(one: &Reported, device: &Device) -> String {
    let mut text = format!("<section>\n<h2>{}</h2>\n", escaped(&device.label));
    let chart = chart_of(&one.recording, device.report.device);
    let blocks = document(&device.report);
    // The chart stands behind the verdict and its bar, or first.
    let chart_at = blocks.iter().position(|block| matches!(block, Block::Heading(_))).unwrap_or(blocks.len());
    for (at, block) in blocks.iter().enumerate() {
        if at == chart_at {
            text.push_str(&chart);
        }
        text.push_str(&html_of(block, &device.report));
    }
    if chart_at == blocks.len() {
        text.push_str(&chart);
    }
    let heading = summary_heading(device);
    text + &format!("<h3>{heading}</h3>\n<pre>{}</pre>\n</section>\n", escaped(&device.summary))
}

fn html_of(block: &Block, report: &DeviceReport) -> String {
    match block {
        Block::Verdict { eyebrow, sentence } => {
            let tone = match report.tone {
                tone @ ("error" | "warning" | "note" | "good") => tone,
                _ => "note",
            };
            format!(
                "<p class=\"eyebrow {tone}\">{}</p>\n<p class=\"verdict\">{}</p>\n",
                marked(eyebrow),
                marked(sentence)
            )
        }
        Block::Bar => report.bar.as_ref().map(bar).unwrap_or_default(),
        Block::Heading(title) => format!("<h3>{}</h3>\n", marked(title)),
        Block::Paragraph(words) => format!("<p>{}</p>\n", marked(words)),
        Block::List(items) => {
            let items = items.iter().map(|item| format!("<li>{}</li>\n", marked(item)));
            format!("<ul>\n{}</ul>\n", items.collect::<String>())
        }
        Block::Table { heads, figures_from, rows } => table(heads, *figures_from, rows),
        Block::Fixed(lines) => format!("<pre>{}</pre>\n", escaped(lines)),
    }
}

fn table(heads: &[&str], figures_from: usize, rows: &[Vec<String>]) -> String {
    let class = |at: usize| if at < figures_from { "" } else { " class=\"figure\"" };
    let heads = heads.iter().enumerate().map(|(at, head)| format!("<th{}>{}</th>", class(at), escaped(head)));
    let row = |row: &Vec<String>| {
        let cells =
            row.iter().enumerate().map(|(at, cell)| format!("<td{}>{}</td>", class(at), marked(cell)));
        format!("<tr>{}</tr>\n", cells.collect::<String>())
    };
    let (heads, rows) = (heads.collect::<String>(), rows.iter().map(row).collect::<String>());
    format!("<div class=\"wide\"><table>\n<tr>{heads}</tr>\n{rows}</table></div>\n")
}

/// Parts side by side, as long as their bytes.
fn bar(bar: &Bar) -> String {
    let total =
        bar.parts.iter().map(|part| part.bytes).fold(0u64, u64::saturating_add).max(bar.total_bytes).max(1);
    let colour = |key: &str| match key {
        "parameter" | "optimizer_state" | "gradient" | "activation" | "input" | "temporary" | "other"
        | "unknown" => {
            format!("cat-{key}")
        }
        "retained" => "error-line".to_owned(),
        "rounding" => "ink-3".to_owned(),
        _ => "line".to_owned(),
    };
    let parts = bar.parts.iter().map(|part| {
        let percent = part.bytes as f64 * 100.0 / total as f64;
        let title = format!("{} {}", escaped(&part.label), format_bytes(part.bytes));
        format!(
            "<i style=\"width:{percent:.2}%;background:var(--{})\" title=\"{title}\"></i>",
            colour(&part.key)
        )
    });
    let key = bar.parts.iter().map(|part| {
        let (colour, label) = (colour(&part.key), marked(&part.label));
        format!("<li><i style=\"background:var(--{colour})\"></i>{label} {}</li>", format_bytes(part.bytes))
    });
    let asked = bar.asked_bytes.map(|bytes| format!("<li>asked for {}</li>", format_bytes(bytes)));
    format!(
        "<p class=\"caption\">{} {}</p>\n<div class=\"bar\">{}</div>\n<ul class=\"key\">{}{}</ul>\n",
        marked(&bar.title),
        marked(&bar.total_label),
        parts.collect::<String>(),
        key.collect::<String>(),
        asked.unwrap_or_default()
    )
}

/// Text with nothing in it that HTML would take for more.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The same with `code` and **bold** as elements; a mark without its pair stays text.
fn marked(text: &str) -> String {
    let mut html = String::new();
    let pieces: Vec<&str> = text.split('`').collect();
    for (at, piece) in pieces.iter().enumerate() {
        let piece = escaped(piece);
        match (at % 2 == 1, at + 1 == pieces.len()) {
            (true, false) => html.push_str(&format!("<code>{piece}</code>")),
            (true, true) => html.push_str(&format!("`{piece}")),
            _ => html.push_str(&bold(&piece)),
        }
    }
    html
}

fn bold(text: &str) -> String {
    let mut html = String::new();
    let pieces: Vec<&str> = text.split("**").collect();
    for (at, piece) in pieces.iter().enumerate() {
        match (at % 2 == 1, at + 1 == pieces.len()) {
            (true, false) => html.push_str(&format!("<b>{piece}</b>")),
            (true, true) => html.push_str(&format!("**{piece}")),
            _ => html.push_str(piece),
        }
    }
    html
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_become_elements_and_files_cannot_add_any() {
        assert_eq!(marked("a `b<c>` **d** & e"), "a <code>b&lt;c&gt;</code> <b>d</b> &amp; e");
        assert_eq!(marked("one ` and **two"), "one ` and **two");
        assert_eq!(marked("`<script>`"), "<code>&lt;script&gt;</code>");
        assert_eq!(escaped("\"x\""), "&quot;x&quot;");
    }
}
