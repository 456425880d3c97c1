//! The figures as a table for the terminal, as Markdown, and as JSON.

use std::fmt::Write;

use serde_json::{Value, json};

use super::bounds::LINEAR;
use super::machine::Machine;
use super::row::{Found, Row, Verdict, quantile};

/// The figures of one file.
#[derive(Clone, Debug)]
pub struct OfFile {
    /// Its name, without folders.
    pub name: String,
    /// Its length.
    pub bytes: u64,
    /// Events of all devices.
    pub events: u64,
    /// What was found.
    pub rows: Vec<Row>,
}

/// Everything that one run found.
#[derive(Clone, Debug)]
pub struct Report {
    /// On what.
    pub machine: Machine,
    /// What does not depend on a file.
    pub page: Vec<Row>,
    /// Each file in turn.
    pub files: Vec<OfFile>,
    /// Files that differ in nothing but length.
    pub linear: Vec<OfFile>,
}

impl OfFile {
    fn title(&self) -> String {
        format!("{}, {} events, {:.1} MB", self.name, grouped(self.events), self.bytes as f64 / 1e6)
    }
}

impl Report {
    /// Lines that fall short of what they must hold.
    pub fn failures(&self) -> usize {
        let rows = self.files.iter().flat_map(|file| &file.rows).chain(&self.page);
        rows.chain(self.linear.iter().flat_map(|file| &file.rows))
            .filter(|row| row.verdict() == Verdict::Fails)
            .count()
    }

    /// For the terminal.
    pub fn text(&self) -> String {
        let mut text = format!("{}\n", self.machine.sentence());
        let mut block = |title: &str, rows: &[Row]| {
            if rows.is_empty() {
                return;
            }
            let _ = writeln!(text, "\n{title}");
            for row in rows {
                let [what, found, must, aim, verdict] = cells(row);
                let _ = writeln!(text, "  {what:<36} {found:<44} {must:<22} {aim:<12} {verdict}");
            }
        };
        block("The page", &self.page);
        for file in &self.files {
            block(&file.title(), &file.rows);
        }
        for file in &self.linear {
            block(&format!("A row of sizes: {}", file.title()), &linear_rows(file));
        }
        text
    }

    /// Tables for README.md.
    pub fn markdown(&self) -> String {
        let mut text = format!("Measured on {}.\n", self.machine.sentence());
        let mut block = |title: &str, rows: &[Row]| {
            if rows.is_empty() {
                return;
            }
            let _ = write!(text, "\n| {title} | found | must | aim | |\n|---|---|---|---|---|\n");
            for row in rows {
                let _ = writeln!(text, "| {} |", cells(row).join(" | "));
            }
        };
        block("The page", &self.page);
        for file in &self.files {
            block(&file.title(), &file.rows);
        }
        if !self.linear.is_empty() {
            text += &self.linear_markdown();
        }
        text
    }

    /// A line for each size.
    fn linear_markdown(&self) -> String {
        let head: Vec<_> = LINEAR.iter().map(|measure| measure.what.trim()).collect();
        let mut text = format!("\n| events | {} |\n|---|{}\n", head.join(" | "), "---|".repeat(head.len()));
        for file in &self.linear {
            let found: Vec<_> = linear_rows(file).iter().map(shown).collect();
            let _ = writeln!(text, "| {} | {} |", grouped(file.events), found.join(" | "));
        }
        text
    }

    /// For programs.
    pub fn json(&self) -> Value {
        let rows = |rows: &[Row]| rows.iter().map(Row::json).collect::<Vec<_>>();
        let file = |file: &OfFile| json!({ "name": file.name, "bytes": file.bytes, "events": file.events, "rows": rows(&file.rows) });
        json!({
            "schema": 1, "machine": self.machine.json(), "page": rows(&self.page),
            "files": self.files.iter().map(file).collect::<Vec<_>>(),
            "linear": self.linear.iter().map(file).collect::<Vec<_>>(),
        })
    }
}

/// The rows of a file that a row of sizes shows, in its order, with what follows from them.
fn linear_rows(file: &OfFile) -> Vec<Row> {
    let figure = |id: &str| file.rows.iter().find(|row| row.measure.id == id)?.found.figure();
    let millions = file.events as f64 / 1e6;
    let rows = LINEAR.iter().map(|measure| {
        let value = match measure.id {
            "ready_ms_per_million" => figure("ready_ms").map(|ms| ms / millions),
            "worker_bytes_per_event" => {
                figure("worker_mib").map(|mib| mib * 1_048_576.0 / file.events as f64)
            }
            id => figure(id),
        };
        Row { measure, found: Found::one(value, "not measured"), events: file.events }
    });
    rows.collect()
}

/// What, found, must, aim, verdict.
fn cells(row: &Row) -> [String; 5] {
    let bound = row.measure.bound(row.events);
    let unit = row.measure.unit.name();
    let sign = if row.measure.more_is_better { "≥" } else { "≤" };
    let bounded = |figure: Option<f64>| {
        figure.map(|figure| format!("{sign} {} {unit}", number(figure))).unwrap_or_default()
    };
    let most = bound
        .and_then(|bound| bound.most)
        .map(|most| format!(", all {sign} {}", number(most)))
        .unwrap_or_default();
    [
        row.measure.what.into(),
        shown(row),
        bounded(bound.and_then(|bound| bound.must)) + most.as_str(),
        bounded(bound.and_then(|bound| bound.aim)),
        row.verdict().word().into(),
    ]
}

fn shown(row: &Row) -> String {
    let unit = row.measure.unit.name();
    match &row.found {
        Found::One(figure) => format!("{} {unit}", number(*figure)),
        Found::Several(all) => {
            let [p50, p95, most] = [0.5, 0.95, 1.0].map(|share| number(quantile(all, share)));
            format!("p50 {p50}, p95 {p95}, max {most} {unit} ({} ×)", all.len())
        }
        Found::Nothing(why) => why.clone(),
    }
}

/// Three digits that count.
fn number(figure: f64) -> String {
    match figure.abs() {
        size if size >= 1000.0 => grouped(figure.round() as u64),
        size if size >= 100.0 => format!("{figure:.0}"),
        size if size >= 10.0 => format!("{figure:.1}").trim_end_matches(".0").into(),
        _ => format!("{figure:.2}").trim_end_matches('0').trim_end_matches('.').into(),
    }
}

fn grouped(number: u64) -> String {
    vramscope_core::units::group_digits(number)
}
