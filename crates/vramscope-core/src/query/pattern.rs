//! Patterns, and the frames and stacks that one matches.
//!
//! A pattern meets each different frame once, as "name file:line" or as a part of it. A stack matches if one of its frames does: files have
//! thousands of frames and millions of events.

use regex_lite::{Regex, RegexBuilder};
use serde::Serialize;

use crate::ids::{FrameId, StackId};
use crate::model::Snapshot;

/// Longer patterns are refused: nobody types them, and each prefix is tried to find a fault.
const MAX_PATTERN: usize = 1000;
/// Bytes of a compiled pattern; `a{1000}{1000}` would take millions.
const MAX_COMPILED: usize = 1 << 18;

/// Why a pattern is none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PatternError {
    /// A sentence.
    pub error: String,
    /// Characters before the part that is at fault.
    pub at: usize,
}

/// A regular expression. Upper and lower case are the same unless it has an upper-case letter.
#[derive(Clone, Debug)]
pub struct Pattern(Regex);

/// What of a frame a pattern is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Part {
    /// "name file:line".
    #[default]
    Frame,
    /// The function alone.
    Name,
    /// "file:line" alone.
    File,
}

/// The frames and stacks of a file that a pattern matches, whatever device or filter.
#[derive(Clone, Debug)]
pub struct Matches {
    frames: Vec<bool>,
    stacks: Vec<bool>,
}

impl Pattern {
    /// Reads one; fails on what is none, and on what would be too large.
    pub fn new(text: &str) -> Result<Pattern, PatternError> {
        compiled(text).map(Pattern)
    }

    /// Whether it is found in a text.
    pub fn is_match(&self, text: &str) -> bool {
        self.0.is_match(text)
    }
}

impl Matches {
    /// Finds the stacks with a frame like that.
    pub fn new(snapshot: &Snapshot, pattern: &str) -> Result<Matches, PatternError> {
        Ok(Matches::of(snapshot, &Pattern::new(pattern)?, Part::Frame))
    }

    /// The same, by a part of each frame.
    pub fn of(snapshot: &Snapshot, pattern: &Pattern, part: Part) -> Matches {
        let stacks = &snapshot.stacks;
        let mut text = String::new();
        let frames: Vec<bool> = (0..stacks.n_frames() as u32)
            .map(|id| {
                write_frame(snapshot, FrameId(id), part, &mut text);
                pattern.is_match(&text)
            })
            .collect();
        let matches = |id: &FrameId| frames.get(id.index()).is_some_and(|matches| *matches);
        Matches {
            stacks: (0..stacks.n_stacks() as u32)
                .map(|id| stacks.frames_of(StackId(id)).iter().any(matches))
                .collect(),
            frames,
        }
    }

    /// True for a frame that matches.
    pub fn has_frame(&self, frame: FrameId) -> bool {
        self.frames.get(frame.index()).copied().unwrap_or(false)
    }

    /// True for a stack with a frame that matches.
    #[inline]
    pub fn has(&self, stack: StackId) -> bool {
        self.stacks.get(stack.index()).copied().unwrap_or(false)
    }
}

/// A frame as patterns see it.
fn write_frame(snapshot: &Snapshot, id: FrameId, part: Part, text: &mut String) {
    text.clear();
    let Some(frame) = snapshot.stacks.frame(id) else { return };
    if part != Part::File {
        text.push_str(&snapshot.strings.get(frame.name));
    }
    if part == Part::Name {
        return;
    }
    if part == Part::Frame {
        text.push(' ');
    }
    text.push_str(&snapshot.strings.get(frame.file));
    if frame.line > 0 {
        text.push(':');
        text.push_str(&frame.line.to_string());
    }
}

fn compiled(pattern: &str) -> Result<Regex, PatternError> {
    if pattern.len() > MAX_PATTERN {
        let error = format!("The pattern is longer than {MAX_PATTERN} bytes.");
        return Err(PatternError { error, at: 0 });
    }
    let ignore_case = !has_upper_case(pattern);
    let build =
        |text: &str| RegexBuilder::new(text).case_insensitive(ignore_case).size_limit(MAX_COMPILED).build();
    build(pattern).map_err(|error| {
        // The engine names no place: what is at fault follows the longest part that is a pattern by itself.
        let ends = pattern.char_indices().map(|(at, _)| at).rev();
        let good = ends.map(|end| &pattern[..end]).find(|start| build(start).is_ok()).unwrap_or_default();
        PatternError { error: format!("Not a pattern: {error}."), at: good.chars().count() }
    })
}

/// As in ripgrep's smart case: letters of escapes such as `\S` do not count.
pub fn has_upper_case(pattern: &str) -> bool {
    let mut escaped = false;
    pattern.chars().any(|c| {
        let counts = !escaped && c.is_uppercase();
        escaped = c == '\\' && !escaped;
        counts
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(pattern: &str) -> usize {
        compiled(pattern).map(|_| ()).unwrap_err().at
    }

    #[test]
    fn a_fault_has_its_place() {
        for (pattern, at) in [
            ("foo(bar", 3),
            ("foo)bar", 3),
            ("*a", 0),
            ("a\\", 1),
            ("(a)[z-b]", 3),
            ("é|+", 2),
            ("a{3,2}", 1),
        ] {
            assert_eq!(fault(pattern), at, "{pattern}");
        }
        assert_eq!(fault(&"a".repeat(MAX_PATTERN + 1)), 0);
        assert_eq!(fault("ba{1000}{1000}"), 8, "too large once it is compiled");
    }

    #[test]
    fn upper_case_makes_case_count() {
        let matches = |pattern: &str, text: &str| compiled(pattern).unwrap().is_match(text);
        assert!(matches("linear", "nn.Linear") && !matches("LINEAR", "nn.Linear"));
        assert!(matches("Linear", "nn.Linear") && matches("\\Slinear", "nn.Linear"));
        assert!(matches("forward .*model\\.py:4", "forward /home/me/model.py:47"));
    }
}
