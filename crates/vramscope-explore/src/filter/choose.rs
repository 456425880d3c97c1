//! An expression over all allocations of a device, column by column.

use vramscope_core::bits::Bits;
use vramscope_core::ids::{StackId, StreamId};
use vramscope_core::model::{Device, SegmentKind};
use vramscope_core::query::Matches;
use vramscope_core::replay::{Category, Labels, Recording, Replay};

use super::measure::Range;
use super::meta::with_meta;
use super::term::{Pool, Term, When, shown};
use super::{Expr, Fault, Step};

/// What expressions are about: a device with nothing left out, and what they may refer to.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'a> {
    recording: &'a Recording,
    device: &'a Device,
    replay: &'a Replay,
    /// The moments marked as A and B.
    marks: [Option<u32>; 2],
}

impl<'a> Scope<'a> {
    /// A device of a recording, with the moments marked as A and B; `None` for an unknown one.
    pub fn new(recording: &'a Recording, ordinal: i64, marks: [Option<u32>; 2]) -> Option<Scope<'a>> {
        let (device, replay) = recording.whole_device(ordinal)?;
        Some(Scope { recording, device, replay, marks })
    }
}

impl Expr {
    /// The allocations that it chooses.
    ///
    /// # Errors
    /// A condition asks for what the file does not tell, or not yet.
    pub fn choose(&self, scope: &Scope<'_>) -> Result<Bits, Fault> {
        let len = scope.replay.allocations().len();
        let all = || Bits::of(len, |_| true);
        let mut stack: Vec<Bits> = Vec::new();
        for step in &self.program {
            match step {
                Step::Term(at) => {
                    if let Some((term, from)) = self.terms.get(*at) {
                        stack.push(scope.choose(term, *from)?);
                    }
                }
                Step::Not => {
                    if let Some(top) = stack.last_mut() {
                        top.not();
                    }
                }
                Step::And | Step::Or => {
                    let right = stack.pop().unwrap_or_else(all);
                    match stack.last_mut() {
                        Some(left) if *step == Step::And => left.and(&right),
                        Some(left) => left.or(&right),
                        None => stack.push(right),
                    }
                }
            }
        }
        Ok(stack.pop().unwrap_or_else(all))
    }
}

impl Scope<'_> {
    fn choose(&self, term: &Term, from: usize) -> Result<Bits, Fault> {
        let (replay, rows) = (self.replay, self.replay.allocations());
        let of = |keep: &dyn Fn(u32) -> bool| Bits::of(rows.len(), keep);
        let fault = |message: String, length: usize| Fault { message, at: from, length };
        Ok(match term {
            Term::Frames(pattern, part) => {
                let matches = Matches::of(&self.recording.snapshot, pattern, *part);
                of(&|id| matches.has(rows.stack(id)))
            }
            Term::Stack(number) => {
                let wanted = u32::try_from(*number).map(StackId).ok();
                of(&|id| Some(rows.stack(id)) == wanted)
            }
            Term::Size(range) => of(&|id| within(range, rows.size_bytes(id))),
            Term::LifeUs(_) if replay.duration_us().is_none() => {
                return Err(fault(
                    "The file has no times; count in events: lifetime > 100 ev.".into(),
                    "lifetime".len(),
                ));
            }
            Term::LifeUs(range) => of(&|id| within(range, self.lived(id).1)),
            Term::LifeEvents(range) => of(&|id| within(range, self.lived(id).0)),
            Term::Categories(names) => self.in_categories(names)?,
            Term::Phases(phases) => {
                let spans = self.labels(from, "phase:")?.phases.iter();
                let wanted = spans.filter(|span| phases.contains(&span.phase));
                self.made_in(wanted.map(|span| (span.first_event, span.last_event)))
            }
            Term::Steps(ranges) => {
                let steps = (1..).zip(&self.labels(from, "step:")?.steps);
                let wanted = steps.filter(|(number, _)| any(ranges, *number));
                self.made_in(wanted.map(|(_, step)| (step.first_event, step.last_event)))
            }
            Term::Streams(handles) => {
                let streams = &self.recording.snapshot.streams;
                let wanted = Bits::of(streams.len() as u32, |id| {
                    handles.contains(&self.recording.snapshot.stream(StreamId(id)))
                });
                of(&|id| wanted.has(rows.stream(id).0))
            }
            Term::Pools(pools) => of(&|id| pools.iter().any(|pool| pool.is(replay.segments().pool_of(id)))),
            Term::Alive(when) => {
                let moment = self.moment(*when).map_err(|message| fault(message, "alive:A".len()))?;
                of(&|id| rows.is_live(id, moment))
            }
            Term::Made(ranges) => {
                of(&|id| rows.start(id).checked_sub(1).is_some_and(|event| any(ranges, event.into())))
            }
            Term::Freed(ranges) => of(&|id| {
                let end = rows.end(id);
                end <= replay.end() && end.checked_sub(1).is_some_and(|event| any(ranges, event.into()))
            }),
            Term::Address(ranges) => of(&|id| {
                let first = rows.address(id);
                let last = first.saturating_add(replay.block_bytes(id).max(1) - 1);
                ranges.iter().any(|(from, to)| first <= *to && *from <= last)
            }),
            Term::Meta(pattern) => with_meta(&self.recording.snapshot, self.device, replay, pattern),
        })
    }

    /// How long an allocation lives, as far as it is recorded: events, and microseconds.
    fn lived(&self, id: u32) -> (u64, u64) {
        let (replay, rows) = (self.replay, self.replay.allocations());
        let (start, end) = (rows.start(id), rows.end(id).min(replay.n_moments()));
        let time = |moment: u32| replay.time_at(moment.min(replay.end())).unwrap_or(0);
        (end.saturating_sub(start).into(), time(end).saturating_sub(time(start)).max(0) as u64)
    }

    fn labels(&self, at: usize, key: &str) -> Result<&Labels, Fault> {
        self.replay.labels().ok_or_else(|| Fault {
            message: format!("{key} is not known yet: the diagnosis is still at work."),
            at,
            length: key.len(),
        })
    }

    /// Allocations made by events of some stretches, which come in order.
    fn made_in(&self, stretches: impl Iterator<Item = (u32, u32)>) -> Bits {
        let rows = self.replay.allocations();
        let mut stretches = stretches.peekable();
        Bits::of(rows.len(), |id| {
            let Some(event) = rows.start(id).checked_sub(1) else { return false };
            while stretches.next_if(|(_, last)| *last < event).is_some() {}
            stretches.peek().is_some_and(|(first, _)| *first <= event)
        })
    }

    fn in_categories(&self, names: &[(String, usize)]) -> Result<Bits, Fault> {
        let at = names.first().map_or(0, |(_, at)| *at);
        let labels = self.labels(at, "category")?;
        let is = |rule: &vramscope_core::replay::Rule, name: &str| match &rule.own_name {
            Some(own) => own == name,
            None => rule.category.name() == name || rule.category.label() == name,
        };
        let own = || labels.rules.iter().filter_map(|rule| rule.own_name.as_deref());
        for (name, at) in names {
            let known = Category::ALL.iter().any(|each| each.name() == name || each.label() == name);
            if !known && !own().any(|each| each == name) {
                let mut possible: Vec<&str> = Category::ALL.iter().map(|each| each.name()).collect();
                for name in own() {
                    if !possible.contains(&name) {
                        possible.push(name);
                    }
                }
                let message = format!("{} is none of {}.", shown(name), possible.join(", "));
                return Err(Fault { message, at: *at, length: name.chars().count().max(1) });
            }
        }
        let wanted: Vec<bool> =
            labels.rules.iter().map(|rule| names.iter().any(|(name, _)| is(rule, name))).collect();
        // Without a rule it is unknown.
        let bare = names.iter().any(|(name, _)| name == Category::Unknown.name());
        Ok(Bits::of(self.replay.allocations().len(), |id| {
            let rule = labels.rule_of.get(id as usize).map(|rule| usize::from(*rule));
            rule.and_then(|rule| wanted.get(rule).copied()).unwrap_or(bare)
        }))
    }

    fn moment(&self, when: When) -> Result<u32, String> {
        let replay = self.replay;
        match when {
            When::Peak => Ok(replay.peak()),
            When::End => Ok(replay.end()),
            When::Event(event) => match u32::try_from(event).ok().filter(|event| *event < replay.end()) {
                Some(event) => Ok(event + 1),
                None => {
                    Err(format!("There is no such event: the last one is {}.", i64::from(replay.end()) - 1))
                }
            },
            When::Mark(at) => {
                let mark = self.marks.get(at).copied().flatten();
                let name = if at == 0 { "A" } else { "B" };
                mark.map(|moment| moment.min(replay.end()))
                    .ok_or_else(|| format!("No moment is marked as {name}."))
            }
        }
    }
}

impl Pool {
    fn is(self, (kind, pool): (SegmentKind, (u64, u64))) -> bool {
        match self {
            Pool::Large => kind == SegmentKind::Large,
            Pool::Small => kind == SegmentKind::Small,
            Pool::Private => pool != (0, 0),
            Pool::Of(a, b) => pool == (a, b),
        }
    }
}

fn within((from, to): &Range, number: u64) -> bool {
    (*from..=*to).contains(&number)
}

fn any(ranges: &[Range], number: u64) -> bool {
    ranges.iter().any(|range| within(range, number))
}
