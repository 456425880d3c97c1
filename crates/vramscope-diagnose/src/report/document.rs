//! A report as a document: headings, sentences, lists and tables, from which text, Markdown and HTML are written.

use super::{DeviceReport, oom, parts};

/// A part of a document. Texts are Markdown of two kinds only: `code` and **bold**.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Block {
    /// The verdict: what kind it is, and its sentence.
    Verdict {
        /// "Out of memory: leak".
        eyebrow: String,
        /// One sentence.
        sentence: String,
    },
    /// Where the report's bar stands: its parts as rows.
    Bar,
    /// A heading.
    Heading(String),
    /// Sentences.
    Paragraph(String),
    /// A list.
    List(Vec<String>),
    /// A table: heads of its columns, those that hold figures from a column on, and its rows.
    Table {
        /// One for each column.
        heads: Vec<&'static str>,
        /// Columns before this one hold words.
        figures_from: usize,
        /// As many cells as heads.
        rows: Vec<Vec<String>>,
    },
    /// Lines of one width.
    Fixed(String),
}

/// Blocks in order.
pub type Document = Vec<Block>;

/// A report as a document. What was not diagnosed is not in it.
pub fn document(report: &DeviceReport) -> Document {
    let mut blocks = Document::new();
    parts::verdict(&mut blocks, report);
    if report.bar.is_some() {
        blocks.push(Block::Bar);
    }
    parts::advice(&mut blocks, report);
    parts::lines(&mut blocks, report);
    if let Some(failed) = &report.oom {
        oom::explained(&mut blocks, failed);
    }
    parts::findings(&mut blocks, report);
    parts::evidence(&mut blocks, report);
    parts::stacks(&mut blocks, report);
    parts::compositions(&mut blocks, report);
    parts::phases(&mut blocks, report);
    blocks
}
