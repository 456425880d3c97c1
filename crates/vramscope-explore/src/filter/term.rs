//! One condition: a key and what stands behind it.

use vramscope_core::query::{Part, Pattern};
use vramscope_core::replay::Phase;

use super::Fault;
use super::cut::{Cut, Word};
use super::keys::{KEYS, MOMENTS, PHASES, POOLS};
use super::measure::{Range, Sign, Unit, hexadecimal, measure, range_of, whole};

/// A condition.
#[derive(Clone, Debug)]
pub(super) enum Term {
    Frames(Pattern, Part),
    Stack(u64),
    Size(Range),
    LifeUs(Range),
    LifeEvents(Range),
    /// Names, with the place of each.
    Categories(Vec<(String, usize)>),
    Phases(Vec<Phase>),
    /// Counted from 1.
    Steps(Vec<Range>),
    Streams(Vec<u64>),
    Pools(Vec<Pool>),
    Alive(When),
    Made(Vec<Range>),
    Freed(Vec<Range>),
    Address(Vec<Range>),
    Meta(Pattern),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pool {
    Large,
    Small,
    Private,
    /// A private one.
    Of(u64, u64),
}

/// A moment that is known once there is a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum When {
    Peak,
    End,
    /// After an event.
    Event(u64),
    /// 0: A, 1: B.
    Mark(usize),
}

impl Term {
    /// How much work it is, in looks at every allocation.
    pub(super) fn weight(&self) -> usize {
        match self {
            Term::Categories(names) => names.len(),
            Term::Steps(ranges) | Term::Made(ranges) | Term::Freed(ranges) | Term::Address(ranges) => {
                ranges.len()
            }
            Term::Streams(handles) => handles.len(),
            Term::Pools(pools) => pools.len(),
            _ => 1,
        }
    }
}

/// The names of all keys, as a sentence lists them.
fn key_names() -> String {
    let names = KEYS.iter().filter(|key| key.key.ends_with([':', '>', '<']));
    names.map(|key| key.key.trim_end_matches([':', '>', '<', ' '])).collect::<Vec<_>>().join(", ")
}

fn is_key(name: &str) -> bool {
    KEYS.iter().any(|key| key.key.strip_prefix(name).is_some_and(|rest| matches!(rest, ":" | " >" | " <")))
}

/// The next condition.
pub(super) fn term(cut: &mut Cut) -> Result<Term, Fault> {
    let from = cut.at;
    if matches!(cut.peek(), Some('>' | '<' | '=' | ':')) {
        cut.at += 1;
        return Err(cut.fault("A key belongs before this sign, as in size > 100 MiB.", from));
    }
    cut.skip(|c| c.is_ascii_alphabetic() || c == '_');
    let (end, name) = (cut.at, cut.text(from, cut.at).to_ascii_lowercase());
    let known = is_key(&name);
    if known {
        cut.skip_blanks();
    }
    let at_sign = cut.at;
    if let Some(sign) = sign(cut).filter(|_| end > from) {
        if known {
            return with_key(cut, &name, sign, at_sign);
        }
        let unknown = sign == Sign::Colon || cut.peek().is_some_and(|c| c.is_ascii_digit());
        if unknown {
            cut.at = end;
            let message = format!(
                "{} is no condition. Possible are {}; quotes make it a word.",
                cut.text(from, end),
                key_names()
            );
            return Err(cut.fault(message, from));
        }
    }
    cut.at = from;
    let word = cut.word()?;
    pattern(&word).map(|pattern| Term::Frames(pattern, Part::Frame))
}

/// The sign here, if it is one; `::` belongs to a C++ name.
fn sign(cut: &mut Cut) -> Option<Sign> {
    let (sign, length) = match (cut.peek()?, cut.peek_at(1)) {
        (':', Some(':')) => return None,
        (':', _) => (Sign::Colon, 1),
        ('>', Some('=')) => (Sign::AtLeast, 2),
        ('<', Some('=')) => (Sign::AtMost, 2),
        ('>', _) => (Sign::More, 1),
        ('<', _) => (Sign::Less, 1),
        ('=', _) => (Sign::Equal, 1),
        _ => return None,
    };
    cut.at += length;
    Some(sign)
}

fn with_key(cut: &mut Cut, name: &str, sign: Sign, at_sign: usize) -> Result<Term, Fault> {
    if matches!(name, "size" | "lifetime") {
        return Ok(match measure(cut, sign, name == "size")? {
            (Unit::Bytes, range) => Term::Size(range),
            (Unit::Us, range) => Term::LifeUs(range),
            (Unit::Events, range) => Term::LifeEvents(range),
        });
    }
    if !matches!(sign, Sign::Colon | Sign::Equal) {
        return Err(cut.fault(format!("{name} is followed by a colon."), at_sign));
    }
    cut.skip_blanks();
    let word = list(cut)?;
    if word.text.trim().is_empty() {
        let key = KEYS.iter().find(|key| key.key.trim_end_matches(':') == name);
        let example = key.map_or("", |key| key.example);
        return Err(word.fault(format!("Something belongs behind {name}:, as in {example}."), 0, 1));
    }
    Ok(match name {
        "stack" => match word.text.strip_prefix('#') {
            Some(number) => Term::Stack(whole(number).ok_or_else(|| {
                word.fault("The number of a stack belongs here.", 1, word.text.chars().count())
            })?),
            None => Term::Frames(pattern(&word)?, Part::Frame),
        },
        "name" => Term::Frames(pattern(&word)?, Part::Name),
        "file" => Term::Frames(pattern(&word)?, Part::File),
        "meta" => Term::Meta(pattern(&word)?),
        "category" => {
            Term::Categories(word.items().map(|(at, item)| (item.to_owned(), word.place(at))).collect())
        }
        "phase" => Term::Phases(each(&word, |item| one_of(&word, item, PHASES).map(phase))?),
        "pool" => Term::Pools(each(&word, |item| pool(&word, item))?),
        "alive" => Term::Alive(when(&word)?),
        "step" => Term::Steps(each(&word, |item| range_of(&word, item, "The number of a step", whole))?),
        "made" => Term::Made(each(&word, |item| range_of(&word, item, "The number of an event", whole))?),
        "freed" => Term::Freed(each(&word, |item| range_of(&word, item, "The number of an event", whole))?),
        "address" => Term::Address(each(&word, |item| range_of(&word, item, "An address 0x…", hexadecimal))?),
        _ => Term::Streams(each(&word, |item| stream(&word, item))?),
    })
}

/// A word; one that ends in a comma goes on behind blanks.
fn list(cut: &mut Cut) -> Result<Word, Fault> {
    let from = cut.at;
    let mut word = cut.word()?;
    while word.text.ends_with(',') && cut.peek().is_some_and(char::is_whitespace) {
        cut.skip_blanks();
        let (at, before) = (cut.at, word.text.chars().count());
        let next = cut.word()?;
        if next.text.is_empty() {
            break;
        }
        // What lies between stays, so that places stay right.
        let blanks = at.saturating_sub(from + before);
        word.text.extend(std::iter::repeat_n(' ', blanks));
        word.text.push_str(&next.text);
    }
    Ok(word)
}

fn pattern(word: &Word) -> Result<Pattern, Fault> {
    Pattern::new(&word.text).map_err(|fault| word.fault(fault.error, fault.at, word.text.chars().count()))
}

fn each<T>(word: &Word, read: impl Fn((usize, &str)) -> Result<T, Fault>) -> Result<Vec<T>, Fault> {
    word.items().map(read).collect()
}

/// The place of a name among those that are possible.
fn one_of(word: &Word, (at, item): (usize, &str), possible: &[&str]) -> Result<usize, Fault> {
    possible.iter().position(|name| *name == item).ok_or_else(|| {
        let message = format!("{} is none of {}.", shown(item), possible.join(", "));
        word.fault(message, at, at + item.chars().count())
    })
}

/// What was written, if anything was.
pub(super) fn shown(item: &str) -> &str {
    if item.is_empty() { "Nothing" } else { item }
}

fn phase(at: usize) -> Phase {
    Phase::ALL.get(at).copied().unwrap_or_default()
}

fn pool(word: &Word, item: (usize, &str)) -> Result<Pool, Fault> {
    if let Some(numbers) = item.1.split_once(':').and_then(|(a, b)| whole(a).zip(whole(b))) {
        return Ok(Pool::Of(numbers.0, numbers.1));
    }
    let kind = one_of(word, item, POOLS).map_err(|fault| Fault {
        message: format!(
            "{} or the numbers of a private pool, such as 0:1.",
            fault.message.trim_end_matches('.')
        ),
        ..fault
    })?;
    Ok([Pool::Large, Pool::Small, Pool::Private][kind.min(2)])
}

fn stream(word: &Word, (at, item): (usize, &str)) -> Result<u64, Fault> {
    hexadecimal(item)
        .or_else(|| whole(item))
        .ok_or_else(|| word.fault("A stream belongs here: 0 or 0x….", at, at + item.chars().count()))
}

fn when(word: &Word) -> Result<When, Fault> {
    if let Some(event) = whole(&word.text) {
        return Ok(When::Event(event));
    }
    let text = match word.text.as_str() {
        "a" => "A",
        "b" => "B",
        other => other,
    };
    let at = one_of(word, (0, text), MOMENTS).map_err(|fault| Fault {
        message: format!("{}, or the number of an event.", fault.message.trim_end_matches('.')),
        ..fault
    })?;
    Ok([When::Peak, When::End, When::Mark(0), When::Mark(1)][at.min(3)])
}
