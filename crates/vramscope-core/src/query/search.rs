//! Which allocations have a frame that a pattern matches.
//!
//! A pattern meets each different frame once, as "name file:line". A stack matches if one of its frames does, an allocation if its stack does:
//! files have thousands of frames and millions of events.

use regex_lite::{Regex, RegexBuilder};
use serde::{Deserialize, Serialize};

use crate::ids::{FrameId, StackId};
use crate::model::Snapshot;
use crate::order;
use crate::replay::{Recording, Replay};

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

/// The stacks of a file that a pattern matches, whatever device or filter.
#[derive(Clone, Debug)]
pub struct Matches {
    pattern: String,
    frames: Vec<bool>,
    stacks: Vec<bool>,
}

/// What has been found on a device.
#[derive(Clone, Debug, Serialize)]
#[allow(missing_docs)]
pub struct Found {
    pub allocations: u32,
    /// Requested bytes of them all, alive at once or not.
    pub bytes: u64,
    pub stacks: u32,
    /// Frames of the file that match.
    pub frames: u32,
    pub alive_at_peak: AliveAtPeak,
    pub first: Option<u32>,
}

/// Those alive at the peak of requested bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[allow(missing_docs)]
pub struct AliveAtPeak {
    pub count: u32,
    pub bytes: u64,
}

/// One of the allocations found.
#[derive(Clone, Copy, Debug, Default, Serialize)]
#[allow(missing_docs)]
pub struct FoundNext {
    pub id: Option<u32>,
    /// Its first moment.
    pub moment: u32,
    /// Its place among all that were found, from 0.
    pub index: u32,
    pub of: u32,
}

/// Where to go from an allocation; after the last comes the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum Way {
    Next,
    Previous,
}

/// A stack that matches, with what it holds.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct FoundStack {
    pub stack: StackId,
    pub allocations: u32,
    /// Requested bytes of them all.
    pub bytes: u64,
    pub alive_at_peak: AliveAtPeak,
}

impl Matches {
    /// Finds the stacks. Upper and lower case are the same unless the pattern has an upper-case letter.
    pub fn new(snapshot: &Snapshot, pattern: &str) -> Result<Matches, PatternError> {
        let regex = compiled(pattern)?;
        let stacks = &snapshot.stacks;
        let mut text = String::new();
        let frames: Vec<bool> = (0..stacks.n_frames() as u32)
            .map(|id| {
                write_frame(snapshot, FrameId(id), &mut text);
                regex.is_match(&text)
            })
            .collect();
        let matches = |id: &FrameId| frames.get(id.index()).is_some_and(|matches| *matches);
        Ok(Matches {
            pattern: pattern.to_owned(),
            stacks: (0..stacks.n_stacks() as u32)
                .map(|id| stacks.frames_of(StackId(id)).iter().any(matches))
                .collect(),
            frames,
        })
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

/// The last search, so that walking through what was found matches nothing anew.
#[derive(Debug, Default)]
pub struct LastSearch(Option<Matches>);

impl LastSearch {
    pub(super) fn get(&mut self, snapshot: &Snapshot, pattern: &str) -> Result<&Matches, PatternError> {
        let last = self.0.take().filter(|last| last.pattern == pattern);
        let matches = match last {
            Some(last) => last,
            None => Matches::new(snapshot, pattern)?,
        };
        Ok(self.0.insert(matches))
    }
}

/// "name file:line", as patterns see a frame.
fn write_frame(snapshot: &Snapshot, id: FrameId, text: &mut String) {
    text.clear();
    let Some(frame) = snapshot.stacks.frame(id) else { return };
    text.push_str(&snapshot.strings.get(frame.name));
    text.push(' ');
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

/// What was found on a device; `None` for an unknown one.
pub fn search(recording: &Recording, device: i64, matches: &Matches) -> Option<Found> {
    let (_, replay) = recording.device(device)?;
    let rows = replay.allocations();
    let mut seen = vec![false; matches.stacks.len()];
    let mut found = Found {
        allocations: 0,
        bytes: 0,
        stacks: 0,
        frames: matches.frames.iter().filter(|matches| **matches).count() as u32,
        alive_at_peak: AliveAtPeak::default(),
        first: None,
    };
    for id in matching(replay, matches) {
        found.first.get_or_insert(id);
        found.allocations += 1;
        found.bytes = found.bytes.saturating_add(rows.size_bytes(id));
        if let Some(seen) = seen.get_mut(rows.stack(id).index()) {
            found.stacks += u32::from(!std::mem::replace(seen, true));
        }
    }
    replay.for_each_live(replay.peak(), |id| {
        if matches.has(rows.stack(id)) {
            found.alive_at_peak.add(rows.size_bytes(id));
        }
    });
    Some(found)
}

/// The allocation found before or after one that need not be found itself; from nowhere, the first or the last.
pub fn search_next(
    recording: &Recording,
    device: i64,
    matches: &Matches,
    from: Option<u32>,
    way: Way,
) -> Option<FoundNext> {
    let (_, replay) = recording.device(device)?;
    let mut next = FoundNext::default();
    // The best so far in the direction, and the one to go on with behind the end.
    let (mut beside, mut around) = (None, None);
    for id in matching(replay, matches) {
        let place = Some((id, next.of));
        next.of += 1;
        match way {
            Way::Next => {
                around = around.or(place);
                beside = beside.or(place.filter(|_| from.is_none_or(|from| id > from)));
            }
            Way::Previous => {
                around = place;
                beside = place.filter(|_| from.is_some_and(|from| id < from)).or(beside);
            }
        }
    }
    if let Some((id, index)) = beside.or(around) {
        (next.id, next.index, next.moment) = (Some(id), index, replay.allocations().start(id));
    }
    Some(next)
}

/// The stacks found on a device, most bytes at the peak first; none for an unknown device.
#[inline]
pub fn found_stacks(recording: &Recording, device: i64, matches: &Matches) -> Vec<FoundStack> {
    let Some((_, replay)) = recording.device(device) else { return Vec::new() };
    let rows = replay.allocations();
    let mut stacks: Vec<FoundStack> = (0..matches.stacks.len() as u32)
        .map(|id| FoundStack {
            stack: StackId(id),
            allocations: 0,
            bytes: 0,
            alive_at_peak: AliveAtPeak::default(),
        })
        .collect();
    for id in matching(replay, matches) {
        if let Some(found) = stacks.get_mut(rows.stack(id).index()) {
            found.allocations += 1;
            found.bytes = found.bytes.saturating_add(rows.size_bytes(id));
        }
    }
    replay.for_each_live(replay.peak(), |id| {
        if let Some(found) = stacks.get_mut(rows.stack(id).index()) {
            found.alive_at_peak.add(rows.size_bytes(id));
        }
    });
    stacks.retain(|found| found.allocations > 0);
    let rank =
        |found: &FoundStack| (std::cmp::Reverse((found.alive_at_peak.bytes, found.bytes)), found.stack);
    order::by(&mut stacks, |a, b| rank(a).cmp(&rank(b)));
    stacks
}

/// Allocations found, in order of start; not what a filter leaves out.
fn matching<'a>(replay: &'a Replay, matches: &'a Matches) -> impl Iterator<Item = u32> + 'a {
    let rows = replay.allocations();
    (0..rows.len()).filter(|&id| matches.has(rows.stack(id)) && rows.is_shown(id))
}

impl AliveAtPeak {
    fn add(&mut self, bytes: u64) {
        self.count += 1;
        self.bytes = self.bytes.saturating_add(bytes);
    }
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
