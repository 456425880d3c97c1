//! Which of several recordings are the ranks of one job.

use vramscope_core::order;

use super::ranks::Rank;
use super::thresholds::FEWEST_RANKS;

/// Words before a number that say which rank it is.
const OF_RANKS: [&str; 8] = ["rank", "gpu", "cuda", "device", "worker", "proc", "node", "host"];
/// Words before a number that say when the same rank was recorded.
const OF_MOMENTS: [&str; 6] = ["step", "iter", "epoch", "batch", "before", "after"];

/// The places of those that are ranks of one job: their names differ in numbers alone, they ran the same program at the same time, and no word
/// says that their numbers are steps. Two are enough where a word says that they are ranks; otherwise none are that few. The largest such set.
pub fn one_job(of: &[Rank]) -> Vec<u32> {
    let names: Vec<(String, Says)> = of.iter().map(|rank| said(&rank.name)).collect();
    let key = |at: usize| (&names[at].0, &of[at].program);
    let places = order::of(of.len(), |x, y| key(x).cmp(&key(y)));
    let mut best: Vec<u32> = Vec::new();
    for alike in places.chunk_by(|x, y| key(*x as usize) == key(*y as usize)) {
        let says = alike.first().map_or(Says::Nothing, |at| names[*at as usize].1);
        let fewest = if says == Says::Ranks { 2 } else { FEWEST_RANKS };
        let ranks = || alike.iter().filter_map(|at| of.get(*at as usize));
        if says != Says::Moments && alike.len() >= fewest.max(best.len() + 1) && at_once(ranks()) {
            best = alike.to_vec();
        }
    }
    order::by_number(&mut best, |at| u64::from(*at));
    best
}

/// What a name says of its number.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Says {
    Nothing,
    Ranks,
    Moments,
}

/// A name without its numbers, and what the words before them say. "fsdp_rank0.pickle" is "fsdp_rank#.pickle".
fn said(name: &str) -> (String, Says) {
    let mut without = String::new();
    let mut says = Says::Nothing;
    for letter in name.chars().flat_map(char::to_lowercase) {
        if !letter.is_ascii_digit() {
            without.push(letter);
        } else if !without.ends_with('#') {
            let word = without.trim_end_matches(|letter: char| !letter.is_alphabetic());
            let ends = |words: &[&str]| words.iter().any(|each| word.ends_with(each));
            if ends(&OF_MOMENTS) {
                says = Says::Moments;
            } else if ends(&OF_RANKS) && says == Says::Nothing {
                says = Says::Ranks;
            }
            without.push('#');
        }
    }
    (without, says)
}

/// Whether all that have times were recorded at one time: the last to begin did so before the first had ended.
fn at_once<'a>(ranks: impl Iterator<Item = &'a Rank>) -> bool {
    let times = ranks.filter_map(|rank| rank.first_time_us.zip(rank.last_time_us));
    let (first, last) =
        times.fold((i64::MIN, i64::MAX), |(first, last), (from, to)| (first.max(from), last.min(to)));
    first <= last
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(names: &[&str]) -> Vec<u32> {
        one_job(
            &names.iter().map(|name| Rank { name: (*name).into(), ..Rank::default() }).collect::<Vec<_>>(),
        )
    }

    #[test]
    fn names_tell_ranks_from_others() {
        assert_eq!(of(&["fsdp_rank0.pickle", "fsdp_rank1.pickle", "train_plain.pickle"]), [0, 1]);
        assert_eq!(of(&["job7-rank-0.pkl", "job7-rank-1.pkl", "job7-rank-10.pkl"]), [0, 1, 2]);
        assert_eq!(of(&["snapshot_0.pickle", "snapshot_1.pickle"]), [0; 0], "two of something");
        assert_eq!(of(&["x", "snapshot_0.pickle", "snapshot_1.pickle", "snapshot_12.pickle"]), [1, 2, 3]);
        assert_eq!(
            of(&["step100.pickle", "step200.pickle", "step300.pickle"]),
            [0; 0],
            "one rank at three moments"
        );
        assert_eq!(of(&["rank0_step1.pkl", "rank1_step1.pkl"]), [0; 0], "either");
        assert_eq!(of(&["a.pickle", "b.pickle", "c.pickle"]), [0; 0]);
        assert_eq!(
            of(&["snapshot.pickle", "snapshot.pickle", "snapshot.pickle"]),
            [0, 1, 2],
            "from three folders"
        );
        assert_eq!(of(&["two.pickle, GPU 0", "two.pickle, GPU 1"]), [0, 1]);
        assert_eq!(of(&[]), [0; 0]);
    }

    #[test]
    fn one_job_is_one_program_at_one_time() {
        let rank = |at: u32, program: &str, from| Rank {
            name: format!("rank{at}"),
            program: Some(program.into()),
            first_time_us: Some(from),
            last_time_us: Some(from + 10),
            ..Rank::default()
        };
        assert_eq!(
            one_job(&[rank(0, "train.py", 5), rank(1, "eval.py", 5), rank(2, "train.py", 15)]),
            [0, 2]
        );
        assert_eq!(
            one_job(&[rank(0, "train.py", 5), rank(1, "train.py", 16)]),
            [0; 0],
            "one after the other"
        );
    }
}
