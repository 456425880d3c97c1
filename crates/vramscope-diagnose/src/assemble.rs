//! The report of a device, put together.

use vramscope_core::order;
use vramscope_core::replay::{Category, N_CATEGORIES};

use crate::analysis::{Analysis, ByCategory, LineSum, plain, total};
use crate::cause;
use crate::findings;
use crate::numbering::Numbering;
use crate::report::{self, Bar, DeviceReport, Line, Lines, Part, PhaseEnd, StackBytes};
use crate::story::{self, About, Story, limit_bytes};
use crate::words;

/// Lines and stacks that are listed.
const LINES: usize = 10;
const STACKS: usize = 20;

pub(crate) fn report(analysis: &Analysis<'_>) -> DeviceReport {
    let cause = cause::find(analysis);
    let story = story::tell(analysis, cause.verdict);
    let findings = findings::all(analysis, &cause, &story);
    let facts = analysis.facts;
    DeviceReport {
        device: facts.device.ordinal,
        verdict: cause.verdict,
        confidence: (cause.confidence * 100.0).round() / 100.0,
        confidence_reason: cause.confidence_reason,
        evidence: cause.evidence,
        runner_up: cause.runner_up,
        bar: bar(analysis, &story),
        lines: lines(analysis, &story),
        findings,
        steps: steps(analysis),
        phases: phases(analysis),
        phase_ends: phase_ends(analysis),
        peak: peak(analysis),
        end: report::End { categories: plain(&analysis.by_category(facts.replay.end())) },
        tone: story.tone,
        eyebrow: story.eyebrow,
        sentence: story.sentence,
        why: story.why,
        advice: story.advice,
        marks: story.marks,
        oom: analysis.oom.clone(),
    }
}

fn steps(analysis: &Analysis<'_>) -> report::Steps {
    let steps = &analysis.table.steps;
    let middle = steps.get(1..).unwrap_or_default();
    let mut gaps = middle.windows(2).map(|pair| pair[1].first_event - pair[0].first_event);
    let first = gaps.next();
    report::Steps {
        count: steps.len() as u32,
        period_events: first.filter(|first| gaps.all(|gap| gap == *first)),
        growth_bytes_per_step: analysis.growth.base_line.map(|line| line.slope_bytes),
    }
}

fn phases(analysis: &Analysis<'_>) -> Vec<report::Phase> {
    let plain = |span: vramscope_core::replay::PhaseSpan| report::Phase {
        phase: span.phase.name(),
        step: span.step,
        first_event: span.first_event,
        last_event: span.last_event,
    };
    analysis.table.spans().into_iter().map(plain).collect()
}

/// Bytes by category as each phase ends, in one walk through the trace.
fn phase_ends(analysis: &Analysis<'_>) -> Vec<PhaseEnd> {
    let facts = analysis.facts;
    let mut sums: ByCategory = [0; N_CATEGORIES];
    let change = |sums: &mut ByCategory, id: u32, born: bool| {
        let sum = &mut sums[analysis.categories.category(id).index()];
        let size = facts.size_bytes(id);
        *sum = if born { sum.saturating_add(size) } else { sum.saturating_sub(size) };
    };
    let rows = facts.replay.allocations();
    let mut next = 0;
    let ended = facts.ids().filter(|&id| rows.end(id) <= facts.replay.end());
    let mut ends: Vec<(u64, u32)> = ended.map(|id| (u64::from(rows.end(id)), id)).collect();
    order::pairs(&mut ends);
    let mut ended = ends.into_iter().peekable();
    let spans = analysis.table.spans();
    let mut all = Vec::with_capacity(spans.len());
    for span in spans {
        let moment = span.last_event + 1;
        while next < rows.len() && rows.start(next) <= moment {
            change(&mut sums, next, true);
            next += 1;
        }
        while let Some((_, id)) = ended.next_if(|(end, _)| *end <= u64::from(moment)) {
            change(&mut sums, id, false);
        }
        all.push(PhaseEnd { phase: span.phase.name(), step: span.step, moment, categories: plain(&sums) });
    }
    all
}

fn peak(analysis: &Analysis<'_>) -> report::Peak {
    let facts = analysis.facts;
    let moment = facts.replay.peak();
    let event = moment.saturating_sub(1);
    let (mut numbers, mut stacks) = (Numbering::default(), Vec::<StackBytes>::new());
    for id in analysis.live(moment) {
        let (stack_id, category) = (facts.stack(id), analysis.categories.category(id));
        let number = numbers.of((u64::from(stack_id.0), category.index() as u64));
        if number == stacks.len() {
            let category = category.name();
            let place = String::new();
            stacks.push(StackBytes { place, bytes: 0, count: 0, category, stack: Vec::new(), stack_id });
        }
        stacks[number].bytes = stacks[number].bytes.saturating_add(facts.size_bytes(id));
        stacks[number].count += 1;
    }
    order::by_number(&mut stacks, |sum| !sum.bytes);
    stacks.truncate(STACKS);
    for sum in &mut stacks {
        sum.stack = words::frames(sum.stack_id, facts.snapshot);
        let place = words::Place::of(sum.stack_id, facts.snapshot);
        sum.place = format!("{} {}", place.name, place.at).trim().to_owned();
    }
    report::Peak {
        event,
        time_us: facts.time_us(event).filter(|_| moment > 0),
        requested_bytes: facts.peak_bytes,
        categories: plain(&analysis.by_category(moment)),
        stacks,
    }
}

fn lines(analysis: &Analysis<'_>, story: &Story) -> Lines {
    let at_peak = analysis.oom.is_none() && !analysis.facts.device.events.is_empty();
    let (ids, title, bytes_label, key) = match &story.about {
        Some(about) => (about.ids.clone(), about.lines_title, about.bytes_label, Some(about.key)),
        None => (
            analysis.live(analysis.moment()),
            if at_peak { "Whose lines make the peak" } else { "Whose lines hold what is alive" },
            if at_peak { "At the peak" } else { "Alive" },
            None,
        ),
    };
    let row = |line: LineSum| Line {
        bytes: line.bytes,
        count: line.count,
        category: key.unwrap_or(line.main_category().name()).into(),
        name: line.place.name,
        at: line.place.at,
        stack_id: line.stack,
        allocation: line.largest,
    };
    Lines {
        title: title.into(),
        bytes_label: bytes_label.into(),
        rows: analysis.by_line_of(ids, key.is_none()).into_iter().take(LINES).map(row).collect(),
    }
}

/// What adds up to the limit at the failed request, or to the peak.
fn bar(analysis: &Analysis<'_>, story: &Story) -> Option<Bar> {
    let facts = analysis.facts;
    let moment = analysis.moment();
    let mut parts = contents(analysis, story.about.as_ref(), moment);
    let requested: u64 = parts.iter().map(|part| part.bytes).sum();
    if requested == 0 && facts.replay.reserved_at(moment) == 0 {
        return None;
    }
    let part = |key: &str, label: String, bytes: u64| Part { key: key.into(), label, bytes };
    let (title, total_bytes, total_label) = match &analysis.oom {
        None if facts.device.events.is_empty() => {
            ("At this moment".to_owned(), requested, format!("requested {}", words::bytes(requested)))
        }
        None => ("At the peak".to_owned(), requested, format!("peak {}", words::bytes(requested))),
        Some(oom) => {
            let limit = limit_bytes(oom);
            parts.push(part(
                "rounding",
                "Lost by rounding".into(),
                oom.allocated_bytes.saturating_sub(requested),
            ));
            let usable = words::bytes(oom.largest_usable_free_bytes);
            parts.push(part(
                "free",
                format!("Free, largest usable piece {usable}"),
                oom.free_in_reserved_bytes,
            ));
            parts.push(part("outside", "Never reserved".into(), limit.saturating_sub(oom.reserved_bytes)));
            let sum = parts.iter().map(|part| part.bytes).sum::<u64>();
            ("At the failed request".to_owned(), sum, limit_label(oom, limit))
        }
    };
    parts.retain(|part| part.bytes > 0);
    Some(Bar {
        title,
        moment,
        event: moment.saturating_sub(1),
        total_bytes,
        total_label,
        parts,
        asked_bytes: analysis.oom.as_ref().map(|oom| oom.requested_bytes),
    })
}

/// "limit 4.0 GiB"; "limit at least 11.2 GiB" where the recording proves no more.
fn limit_label(oom: &crate::oom::Oom, limit: u64) -> String {
    let clear = oom.limit_high_bytes.is_some_and(|high| story::is_clear(limit, high));
    format!("limit {}{}", if clear { "" } else { "at least " }, words::bytes(limit))
}

/// Categories at a moment, most first; what the verdict is about apart.
fn contents(analysis: &Analysis<'_>, about: Option<&About>, moment: u32) -> Vec<Part> {
    let facts = analysis.facts;
    let mut sums = analysis.by_category(moment);
    let mut of_about = 0u64;
    for &id in about.iter().flat_map(|about| &about.ids) {
        if facts.replay.allocations().is_live(id, moment) {
            let size = facts.size_bytes(id);
            of_about = of_about.saturating_add(size);
            let sum = &mut sums[analysis.categories.category(id).index()];
            *sum = sum.saturating_sub(size);
        }
    }
    let mut own: Vec<Part> = Vec::new();
    let mut of_story: Vec<u32> = about.map(|about| about.ids.clone()).unwrap_or_default();
    order::by_number(&mut of_story, |id| u64::from(*id));
    facts.replay.for_each_live(moment, |id| {
        let Some(name) = analysis.categories.own_name(id) else { return };
        if of_story.binary_search(&id).is_ok() {
            return;
        }
        let size = facts.size_bytes(id);
        let sum = &mut sums[analysis.categories.category(id).index()];
        *sum = sum.saturating_sub(size);
        match own.iter_mut().find(|part| part.label == name) {
            Some(part) => part.bytes = part.bytes.saturating_add(size),
            None => own.push(Part { key: "own".into(), label: name.into(), bytes: size }),
        }
    });
    let mut parts: Vec<Part> = Category::ALL
        .iter()
        .map(|category| Part {
            key: category.name().into(),
            label: capital(category.label()),
            bytes: sums[category.index()],
        })
        .collect();
    parts.extend(own);
    if let Some(about) = about {
        parts.push(Part { key: about.key.into(), label: about.label.into(), bytes: of_about });
    }
    debug_assert_eq!(parts.iter().map(|part| part.bytes).sum::<u64>(), total(&analysis.by_category(moment)));
    order::by_number(&mut parts, |part| !part.bytes);
    parts
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}
