//! A comparison as text, and as Markdown.

use vramscope_core::units::{format_bytes, format_bytes_group, group_digits};

use super::diff::{Diff, Row};
use super::holdings::{At, Holdings};
use super::matching::Match;

/// Rows by line of code in a text.
const ROWS: usize = 20;

/// "+1.0 MiB", "−960.4 MiB", "0".
fn signed(bytes: i64) -> String {
    match bytes {
        0 => "0".into(),
        less if less < 0 => format!("−{}", format_bytes(less.unsigned_abs())),
        more => format!("+{}", format_bytes(more.unsigned_abs())),
    }
}

/// "1,904.5 MiB → 945.1 MiB", in one unit.
fn from_to(a: u64, b: u64) -> String {
    format_bytes_group(&[a, b]).join(" → ")
}

/// "train.pickle, GPU 0, peak, event 1,978".
fn side(held: &Holdings) -> String {
    let when = match (held.at, held.moment) {
        (At::Peak, 0) => "peak, before the first event".into(),
        (_, 0) => "before the first event".into(),
        (At::Peak, _) => format!("peak, event {}", group_digits(held.event.into())),
        (At::End, _) => format!("end, event {}", group_digits(held.event.into())),
        (At::Event, _) => format!("event {}", group_digits(held.event.into())),
    };
    format!("{}, {}, {when}", held.name, held.label)
}

fn how(row: &Row) -> &'static str {
    match row.how {
        Match::Stack => "",
        Match::Moved => "lines moved",
        // Only stacks are matched so.
        Match::Line | Match::Function => "",
        Match::OnlyA => "only in A",
        Match::OnlyB => "only in B",
    }
}

/// A table of texts: a head and rows.
struct Table(Vec<[String; 5]>);

fn tables(diff: &Diff) -> [Table; 2] {
    let head = |first: &str, fourth: &str, last: &str| [first, "A", "B", fourth, last].map(str::to_owned);
    let mut categories = vec![head("Change", "Category", "")];
    categories.extend(diff.categories.iter().map(|each| {
        let name = each.name.replace('_', " ");
        [signed(each.bytes), format_bytes(each.a_bytes), format_bytes(each.b_bytes), name, String::new()]
    }));
    let mut stacks = vec![head("Change", "Blocks", "Made at")];
    let shown = diff.by_line.iter().filter(|row| row.bytes != 0 || row.count != 0).take(ROWS);
    stacks.extend(shown.map(|row| {
        let blocks = format!("{} → {}", group_digits(row.a_count), group_digits(row.b_count));
        let mut place = format!("{} {}", row.name, row.at).trim().to_owned();
        if !how(row).is_empty() {
            place = format!("{place} ({})", how(row));
        }
        [signed(row.bytes), format_bytes(row.a_bytes), format_bytes(row.b_bytes), blocks, place]
    }));
    [Table(categories), Table(stacks)]
}

/// What is said before the tables.
fn lines(a: &Holdings, b: &Holdings, diff: &Diff) -> [String; 4] {
    let requests = if diff.same_requests { "; both made the same requests" } else { "" };
    [
        format!("A: {}", side(a)),
        format!("B: {}", side(b)),
        format!("Requested: {}, {}", from_to(a.total_bytes, b.total_bytes), signed(diff.total_bytes)),
        format!(
            "Reserved at the peak: {}, {}{requests}",
            from_to(a.peak.reserved_bytes, b.peak.reserved_bytes),
            signed(diff.reserved_peak_bytes)
        ),
    ]
}

/// Stacks that changed, beyond those shown.
fn more(diff: &Diff) -> Option<String> {
    let changed = diff.by_line.iter().filter(|row| row.bytes != 0 || row.count != 0).count();
    let left = changed.saturating_sub(ROWS) as u64 + u64::from(diff.rest_lines);
    (left > 0).then(|| format!("and {} more lines", group_digits(left)))
}

/// For people who read a terminal.
pub fn text(a: &Holdings, b: &Holdings, diff: &Diff) -> String {
    let mut text = format!("{}\n", diff.sentence);
    for line in lines(a, b, diff) {
        text += &format!("  {line}\n");
    }
    for Table(rows) in tables(diff) {
        text.push('\n');
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths = [0, 1, 2, 3].map(width);
        for row in &rows {
            let cell = |at: usize| format!("{:>width$}", row[at], width = widths[at]);
            let fourth = if row[4].is_empty() { row[3].clone() } else { cell(3) };
            let line = format!("  {}  {}  {}  {fourth}  {}", cell(0), cell(1), cell(2), row[4]);
            text += line.trim_end();
            text.push('\n');
        }
    }
    if let Some(more) = more(diff) {
        text += &format!("  {more}\n");
    }
    text
}

/// For an issue or a pull request.
pub fn markdown(a: &Holdings, b: &Holdings, diff: &Diff) -> String {
    let mut text = format!("**{}**\n\n", escaped(&diff.sentence));
    for line in lines(a, b, diff) {
        text += &format!("- {}\n", escaped(&line));
    }
    for Table(rows) in tables(diff) {
        text.push('\n');
        for (at, row) in rows.iter().enumerate() {
            let filled = if rows[0][4].is_empty() { 4 } else { 5 };
            let cells: Vec<String> = row.iter().take(filled).map(|cell| escaped(cell)).collect();
            text += &format!("| {} |\n", cells.join(" | "));
            if at == 0 {
                text += ["|--:|--:|--:|---|\n", "|--:|--:|--:|--:|---|\n"][filled - 4];
            }
        }
    }
    if let Some(more) = more(diff) {
        text += &format!("\n{more}\n");
    }
    text
}

/// Names come from files: they must not become markup.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for letter in text.chars() {
        if matches!(letter, '|' | '*' | '_' | '`' | '<' | '\\' | '[' | '#') {
            escaped.push('\\');
        }
        escaped.push(if letter.is_control() { ' ' } else { letter });
    }
    escaped
}
