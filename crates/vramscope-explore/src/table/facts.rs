//! What each column says of an allocation: as a number to sort and group by, and as text.

use std::cell::Cell;

use vramscope_core::ids::StackId;
use vramscope_core::order;
use vramscope_core::query::{pool_label, stream_text};
use vramscope_core::replay::{Allocations, Category, Labels, Phase, Recording, Replay, Rule};
use vramscope_core::units::{format_bytes, group_digits};

use super::column::Column;
use super::names::{NONE, Names};

/// No value, in columns of 32 bits.
const MISSING: u64 = u32::MAX as u64;

/// A stretch of events, and what is said of it.
type Stretch = Cell<(u32, u32, u64)>;

/// A device with all that its columns need.
pub struct Facts<'a> {
    pub(super) recording: &'a Recording,
    pub(super) replay: &'a Replay,
    pub(super) rows: &'a Allocations,
    pub(super) names: &'a Names,
    /// Places of streams and pools in their order.
    streams: Vec<u32>,
    pools: Vec<u32>,
    /// A number for the category of each rule: that of the category, or from 8 on of a name of the user.
    categories: Vec<u64>,
    /// The phase and the step met last: allocations come in order of events.
    phase: Stretch,
    step: Stretch,
}

impl<'a> Facts<'a> {
    /// Of a device; `None` for an unknown one.
    pub fn of(recording: &'a Recording, device: i64, names: &'a Names) -> Option<Facts<'a>> {
        let (_, replay) = recording.device(device)?;
        let (streams, pools) = (&recording.snapshot.streams, replay.segments().pools());
        let by_pool = |a: usize, b: usize| {
            let rank = |at: usize| (pools[at].1, pools[at].0.name() == "small");
            rank(a).cmp(&rank(b))
        };
        Some(Facts {
            recording,
            replay,
            rows: replay.allocations(),
            names,
            streams: ranks(&order::of(streams.len(), |a, b| streams[a].cmp(&streams[b]))),
            pools: ranks(&order::of(pools.len(), by_pool)),
            categories: replay.labels().map(|labels| category_numbers(&labels.rules)).unwrap_or_default(),
            phase: Cell::new((1, 0, 0)),
            step: Cell::new((1, 0, 0)),
        })
    }

    /// The number that a column sorts and groups by.
    pub(super) fn number(&self, column: Column, id: u32) -> u64 {
        let rows = self.rows;
        match column {
            Column::Size => rows.size_bytes(id),
            Column::Block => self.replay.block_bytes(id),
            Column::Rounding => self.replay.block_bytes(id).saturating_sub(rows.size_bytes(id)),
            Column::Category => self.category_number(id),
            Column::Site => u64::from(self.names.site_of(rows.stack(id))),
            Column::Operator => u64::from(self.names.operator_of(rows.stack(id))),
            Column::AllocEvent => u64::from(rows.start(id)),
            Column::FreeEvent if rows.end(id) > self.replay.end() => MISSING,
            Column::FreeEvent => u64::from(rows.end(id)),
            Column::Lived => self.lived_us(id).unwrap_or_else(|| u64::from(self.lived_events(id))),
            Column::Stream => self.streams.get(rows.stream(id).index()).map_or(MISSING, |&at| u64::from(at)),
            Column::Pool => {
                let index = usize::from(self.replay.segments().pool_index(id));
                self.pools.get(index).map_or(MISSING, |&at| u64::from(at))
            }
            Column::Phase => self.during(id, &self.phase, |labels, event| {
                let span = labels.phase_at(event)?;
                Some((span.first_event, span.last_event, span.phase as u64))
            }),
            Column::Step => self.during(id, &self.step, |labels, event| {
                let step = labels.step_at(event)?;
                let span = labels.steps.get(step as usize)?;
                Some((span.first_event, span.last_event, u64::from(step)))
            }),
            Column::Address => rows.address(id),
            Column::Stack => u64::from(rows.stack(id).0),
        }
    }

    /// The same, so that a smaller one comes first.
    pub(super) fn key(&self, column: Column, down: bool, id: u32) -> u64 {
        let number = self.number(column, id);
        match (down, column.is_wide()) {
            (false, _) => number,
            (true, true) => u64::MAX - number,
            (true, false) if number >= MISSING => MISSING,
            (true, false) => MISSING - 1 - number,
        }
    }

    /// Of a stretch of events around the one that made an allocation, if that was recorded.
    fn during(&self, id: u32, last: &Stretch, find: impl Fn(&Labels, u32) -> Option<(u32, u32, u64)>) -> u64 {
        let Some(event) = self.rows.start(id).checked_sub(1) else { return MISSING };
        let (from, to, number) = last.get();
        if (from..=to).contains(&event) {
            return number;
        }
        let found = self.replay.labels().and_then(|labels| find(labels, event));
        found.inspect(|found| last.set(*found)).map_or(MISSING, |(.., number)| number)
    }

    fn category_number(&self, id: u32) -> u64 {
        let rule = self.replay.labels().and_then(|labels| labels.rule_of.get(id as usize));
        rule.and_then(|&rule| self.categories.get(usize::from(rule)))
            .copied()
            .unwrap_or(Category::Unknown as u64)
    }

    /// How long it lived, up to the end of the recording; `None` without times.
    pub(super) fn lived_us(&self, id: u32) -> Option<u64> {
        let end = self.replay.time_at(self.rows.end(id).min(self.replay.end()))?;
        Some(end.saturating_sub(self.replay.time_at(self.rows.start(id))?).max(0) as u64)
    }

    /// The same in events.
    pub(super) fn lived_events(&self, id: u32) -> u32 {
        self.rows.end(id).min(self.replay.n_moments()).saturating_sub(self.rows.start(id))
    }

    /// A value of a column in words: what it is called, and for places where that is.
    pub(super) fn text(&self, column: Column, number: u64, an_id: u32) -> (String, Option<String>) {
        let labels = self.replay.labels();
        let plain = |text: &str| (text.to_owned(), None);
        match column {
            Column::Site | Column::Stack => {
                let site = self.names.site(self.names.site_of(self.rows.stack(an_id)));
                site.map_or_else(|| plain("no stack"), |site| (site.name.clone(), Some(site.at.clone())))
            }
            Column::Category => plain(self.category(an_id).0),
            Column::Stream => (stream_text(self.recording.snapshot.stream(self.rows.stream(an_id))), None),
            Column::Pool => (self.pool(an_id), None),
            Column::Phase => plain(self.phase(an_id).unwrap_or("none")),
            Column::Step if labels.is_none() || number >= MISSING => plain("none"),
            Column::Step => (group_digits(number + 1), None),
            Column::Operator => {
                plain(self.names.operator(self.names.operator_of(self.rows.stack(an_id))).unwrap_or("none"))
            }
            _ => (format_bytes(number), None),
        }
    }

    /// What it holds, or what the user calls that, with the colour slot and the rule.
    pub(super) fn category(&self, id: u32) -> (&'a str, u8, Option<&'a Rule>) {
        let labels = self.replay.labels();
        let rule = labels.and_then(|labels| labels.rule(id));
        let slot = labels.map_or(Category::Unknown as u8, |labels| labels.slot(id));
        let name = match rule {
            Some(Rule { own_name: Some(name), .. }) => name,
            Some(rule) => rule.category.name(),
            None => Category::Unknown.name(),
        };
        (name, slot, rule)
    }

    /// "large", "small", or the label of a private pool.
    pub(super) fn pool(&self, id: u32) -> String {
        let (kind, pool) = self.replay.segments().pool_of(id);
        if pool == (0, 0) { kind.name().into() } else { pool_label(kind, pool) }
    }

    /// Phase that made it.
    pub(super) fn phase(&self, id: u32) -> Option<&'static str> {
        let number = self.number(Column::Phase, id);
        Phase::ALL.iter().find(|phase| **phase as u64 == number).map(|phase| phase.name())
    }

    /// Step that made it, from 0.
    pub(super) fn step(&self, id: u32) -> Option<u32> {
        u32::try_from(self.number(Column::Step, id)).ok().filter(|step| *step != NONE)
    }

    /// Frames of a stack, innermost first.
    pub(super) fn frames(&self, stack: StackId) -> Vec<super::export::Frame> {
        let snapshot = &self.recording.snapshot;
        let frames = snapshot.stacks.frames_of(stack).iter().filter_map(|id| snapshot.stacks.frame(*id));
        let text = |id| snapshot.strings.get(id).into_owned();
        let frame = |frame: &vramscope_core::model::Frame| super::export::Frame {
            name: text(frame.name),
            file: text(frame.file),
            line: frame.line,
        };
        frames.map(frame).collect()
    }
}

/// The place of each in an order.
fn ranks(order: &[u32]) -> Vec<u32> {
    let mut ranks = vec![0; order.len()];
    (0..).zip(order).for_each(|(rank, &at)| ranks[at as usize] = rank);
    ranks
}

/// Rules that decide for the same name have the same number.
fn category_numbers(rules: &[Rule]) -> Vec<u64> {
    let number = |(at, rule): (usize, &Rule)| match &rule.own_name {
        None => rule.category as u64,
        name => {
            let first = rules.iter().position(|other| other.own_name == *name).unwrap_or(at);
            Category::ALL.len() as u64 + first as u64
        }
    };
    rules.iter().enumerate().map(number).collect()
}
