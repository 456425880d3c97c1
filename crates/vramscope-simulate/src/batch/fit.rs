//! Two recordings of one program at different batches: each size as a fixed part and a part for each sample.
//!
//! Requests of one step and phase are held beside those of the same step and phase of the other recording, in order. Two match if they come from
//! the same place and their sizes are equal or as the batches are; what lies between two matches is paired in order if it comes from the
//! same places.

use vramscope_core::ids::StackId;
use vramscope_core::model::FrameKind;
use vramscope_core::replay::Phase;

use crate::program::Program;

/// A size as a line: through what was recorded at two batches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// Bytes that the size is larger by in the other recording, and by how much its batch is larger. The latter is never 0.
    rise_bytes: i128,
    run: i128,
}

impl Line {
    pub(super) fn size_at(self, size_bytes: u64, batch: u64, recorded: u64) -> u64 {
        let samples = i128::from(batch) - i128::from(recorded);
        let exact = i128::from(size_bytes) * self.run + self.rise_bytes * samples;
        // Rounded up, whichever sign the run has.
        let (exact, run) = if self.run < 0 { (-exact, -self.run) } else { (exact, self.run) };
        let size = exact.div_euclid(run) + i128::from(exact.rem_euclid(run) != 0);
        u64::try_from(size.max(1)).unwrap_or(u64::MAX)
    }
}

/// What two recordings say together.
#[derive(Clone, Debug, Default)]
pub(super) struct Fit {
    /// By id of the first recording.
    lines: Vec<Option<Line>>,
    /// Requests of the first recording with a match, and all of them.
    pub(super) matched: u32,
    pub(super) of: u32,
    /// Bytes by which matched sizes are larger at the larger batch, and by which they are smaller.
    rising_bytes: u128,
    falling_bytes: u128,
    /// Matched ones whose part for each sample is no whole number of bytes.
    pub(super) uneven: u32,
    /// How far the second recording's peak is from what the first one's requests and the fit say.
    pub(super) residual_percent: f64,
}

impl Fit {
    pub(super) fn of((own, batch): (&Program<'_>, u64), (other, other_batch): (&Program<'_>, u64)) -> Fit {
        let run = i128::from(other_batch) - i128::from(batch);
        let (keys, other_keys) = (places(own), places(other));
        let mut fit = Fit { lines: vec![None; own.requests.wanted.len()], ..Fit::default() };
        let theirs = groups(other);
        let last_step = theirs.iter().map(|group| group.0).max().unwrap_or(0);
        let key = |program: &Program<'_>, keys: &[u64], id: u32| {
            let stack = program.replay.allocations().stack(id);
            (keys.get(stack.index()).copied().unwrap_or(0), program.size_bytes(id))
        };
        for (step, nth, phase, ids) in groups(own) {
            fit.of += ids.len() as u32;
            // A step that the other has not is as its last one.
            let wish = (step.min(last_step), nth, phase);
            let from = theirs.partition_point(|group| group.0 < wish.0);
            let mut of_step = theirs[from..].iter().take_while(|group| group.0 == wish.0);
            let Some((.., their_ids)) = of_step.find(|group| (group.0, group.1, group.2) == wish) else {
                continue;
            };
            let a: Vec<(u64, u64)> = ids.iter().map(|id| key(own, &keys, *id)).collect();
            let b: Vec<(u64, u64)> = their_ids.iter().map(|id| key(other, &other_keys, *id)).collect();
            for (at, other_at) in pairs(&a, &b, (batch, other_batch)) {
                let rise_bytes = i128::from(b[other_at].1) - i128::from(a[at].1);
                fit.matched += 1;
                match (rise_bytes < 0) == (run < 0) {
                    true => fit.rising_bytes += rise_bytes.unsigned_abs(),
                    false => fit.falling_bytes += rise_bytes.unsigned_abs(),
                }
                fit.uneven += u32::from(rise_bytes % run != 0);
                fit.lines[ids[at] as usize] = Some(Line { rise_bytes, run });
            }
        }
        fit
    }

    /// Why these two recordings say nothing of what grows with a batch.
    pub(super) fn fault(&self, other_batch: u64) -> Option<String> {
        if self.matched * 2 < self.of {
            return Some(format!(
                "Only {} of {} requests were found in it: the recordings seem to be of different programs.",
                self.matched, self.of
            ));
        }
        if self.rising_bytes == 0 && self.falling_bytes == 0 {
            return Some("Both recordings ask for the same sizes: they are not of two batches.".into());
        }
        (self.falling_bytes > self.rising_bytes)
            .then(|| format!("Sizes fall as the batch grows: was it really recorded at {other_batch}?"))
    }

    pub(super) fn line(&self, id: u32) -> Option<Line> {
        self.lines.get(id as usize).copied().flatten()
    }
}

/// Requests of one span: the steps begun by then, the span's place among those of its phase in the step, its phase, and ids in order.
type Group = (u32, u32, Phase, Vec<u32>);

fn groups(program: &Program<'_>) -> Vec<Group> {
    let labels = program.labels;
    let mut groups: Vec<Group> = Vec::new();
    // Spans of each phase in this step.
    let mut seen = [0; Phase::ALL.len()];
    for span in &labels.phases {
        let step = labels.steps.partition_point(|step| step.first_event <= span.first_event) as u32;
        if groups.last().is_some_and(|group| group.0 != step) {
            seen = [0; Phase::ALL.len()];
        }
        let nth = &mut seen[span.phase as usize];
        groups.push((step, *nth, span.phase, program.asked_in(program.steps_of(span)).collect()));
        *nth += 1;
    }
    groups
}

/// The place of each stack, the same in both recordings: its frames up to the first line of the user or of a library, so that who calls the
/// training does not matter.
fn places(program: &Program<'_>) -> Vec<u64> {
    let (stacks, strings) = (&program.snapshot.stacks, &program.snapshot.strings);
    let frames: Vec<(u64, bool)> = (0..stacks.n_frames() as u32)
        .map(|id| match stacks.frame(vramscope_core::ids::FrameId(id)) {
            Some(frame) => {
                let kind = frame.kind(strings);
                let names = hash(hash(FNV, strings.bytes(frame.name)), strings.bytes(frame.file));
                let ends = matches!(kind, FrameKind::Own | FrameKind::Library);
                (hash(names, &frame.line.to_le_bytes()), ends)
            }
            None => (0, false),
        })
        .collect();
    let place = |stack: u32| {
        let mut place = FNV;
        for frame in stacks.frames_of(StackId(stack)) {
            let (own, ends) = frames.get(frame.index()).copied().unwrap_or_default();
            place = hash(place, &own.to_le_bytes());
            if ends {
                break;
            }
        }
        place
    };
    (0..stacks.n_stacks() as u32).map(place).collect()
}

const FNV: u64 = 0xcbf2_9ce4_8422_2325;

/// FNV-1a.
fn hash(seed: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(seed, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// How far ahead a place is looked for at which both go on alike, and for how many requests they must.
const AHEAD: usize = 48;
const ALIKE: usize = 3;

/// Pairs of places in two rows of (place, size).
fn pairs(a: &[(u64, u64)], b: &[(u64, u64)], (batch, other): (u64, u64)) -> Vec<(usize, usize)> {
    let as_batches = |a: u64, b: u64| u128::from(a) * u128::from(other) == u128::from(b) * u128::from(batch);
    let alike = |i: usize, j: usize| match (a.get(i), b.get(j)) {
        (Some(a), Some(b)) => a.0 == b.0 && (a.1 == b.1 || as_batches(a.1, b.1)),
        (None, None) => true,
        _ => false,
    };
    let (mut i, mut j, mut found) = (0, 0, Vec::new());
    while i < a.len() && j < b.len() {
        if alike(i, j) {
            found.push((i, j));
            (i, j) = (i + 1, j + 1);
            continue;
        }
        // The nearest place from which on both go on alike.
        let ahead = (1..=2 * AHEAD).flat_map(|sum| (0..=sum).map(move |left| (left, sum - left)));
        let ahead = ahead.filter(|(left, right)| *left <= AHEAD && *right <= AHEAD);
        let goes_on =
            |&(left, right): &(usize, usize)| (0..ALIKE).all(|on| alike(i + left + on, j + right + on));
        let (left, right) = ahead.clone().find(goes_on).unwrap_or((1, 1));
        // Between: in order, if both have as many, from the same places.
        let between =
            left == right && (0..left).all(|on| a.get(i + on).map(|it| it.0) == b.get(j + on).map(|it| it.0));
        if between {
            found.extend(
                (0..left).filter(|on| i + on < a.len() && j + on < b.len()).map(|on| (i + on, j + on)),
            );
        }
        (i, j) = (i + left, j + right);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_goes_through_both_sizes_and_on() {
        // 100 + 7 × batch, recorded at 8 and 16.
        let line = Line { rise_bytes: 7 * 8, run: 8 };
        assert_eq!(line.size_at(156, 16, 8), 212);
        assert_eq!(line.size_at(156, 32, 8), 324);
        let back = Line { rise_bytes: -56, run: -8 };
        assert_eq!(back.size_at(212, 32, 16), 324);
        assert_eq!(back.size_at(212, 1, 16), 107);
    }

    #[test]
    fn what_one_has_more_is_passed_over() {
        let a = [(1, 8), (2, 100), (3, 16), (4, 24), (5, 7)];
        let b = [(1, 16), (9, 5), (2, 120), (3, 32), (4, 48), (5, 7)];
        assert_eq!(pairs(&a, &b, (8, 16)), [(0, 0), (2, 3), (3, 4), (4, 5)]);
        let b = [(1, 16), (2, 120), (3, 32), (4, 48), (5, 7)];
        assert_eq!(pairs(&a, &b, (8, 16)), [(0, 0), (1, 1), (2, 2), (3, 3), (4, 4)]);
    }
}
