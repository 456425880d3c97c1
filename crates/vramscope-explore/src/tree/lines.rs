//! The lines of one file, with what was allocated through each.

use serde::Serialize;
use vramscope_core::ids::FrameId;
use vramscope_core::model::Snapshot;
use vramscope_core::order;

use super::{Key, Sums};

/// A line of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[allow(missing_docs)]
pub struct Line {
    pub line: u32,
    /// Of all stacks with this line; one that has it twice counts once.
    pub weight: u128,
    pub blocks: u32,
}

/// The lines of the file in which a frame is, in order, whatever is changed or hidden in the tree.
pub fn lines_of(snapshot: &Snapshot, sums: &Sums, key: Key) -> Vec<Line> {
    let Some(file) = snapshot.stacks.frame(FrameId(key.0)).map(|frame| frame.file) else { return Vec::new() };
    let mut lines: Vec<Line> = Vec::new();
    for sum in &sums.rows {
        let from = lines.len();
        for id in snapshot.stacks.frames_of(sum.stack) {
            let Some(frame) = snapshot.stacks.frame(*id).filter(|frame| frame.file == file) else { continue };
            lines.push(Line { line: frame.line, weight: sum.weight, blocks: sum.blocks });
        }
        if let Some(own) = lines.get_mut(from..) {
            order::by_number(own, |line| u64::from(line.line));
        }
        let mut seen = None;
        let mut keep = from;
        for at in from..lines.len() {
            if seen != Some(lines[at].line) {
                seen = Some(lines[at].line);
                lines[keep] = lines[at];
                keep += 1;
            }
        }
        lines.truncate(keep);
    }
    order::by_number(&mut lines, |line| u64::from(line.line));
    lines.dedup_by(|next, line| {
        let same = next.line == line.line;
        if same {
            line.weight = line.weight.saturating_add(next.weight);
            line.blocks = line.blocks.saturating_add(next.blocks);
        }
        same
    });
    lines
}
