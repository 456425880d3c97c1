//! What was reserved before the first event: the final segments, walked backwards through the trace (rule R13).

use std::collections::BTreeMap;

use super::{Owner, Span};
use crate::allocator::Config;
use crate::allocator::sizes::SMALL_BUFFER;
use crate::ids::StackId;
use crate::model::{Action, Device, SegmentKind};

/// A range of reserved memory by its address.
pub(super) type Ranges = BTreeMap<u64, Span>;

/// The final segments as ranges.
pub(super) fn final_ranges(device: &Device) -> Ranges {
    let range = |segment: &crate::model::Segment| {
        let owner = Owner { kind: segment.kind, pool: segment.pool, stream: segment.stream };
        let span = Span {
            start: 0,
            end: super::super::allocations::NEVER,
            address: segment.address,
            size_bytes: segment.size_bytes,
            owner,
            expandable: segment.expandable,
            stack: segment.stack,
        };
        (segment.address, span)
    };
    let mut ranges = Ranges::new();
    // One by one: to collect into a map compiles a sort.
    for (address, span) in device.segments.iter().filter(|segment| segment.size_bytes > 0).map(range) {
        ranges.insert(address, span);
    }
    ranges
}

/// What was reserved before the first event.
pub(super) fn initial_ranges(device: &Device, config: &Config) -> Ranges {
    let mut ranges = final_ranges(device);
    let events = &device.events;
    for event in (0..events.len()).rev() {
        let (address, size) = (events.addrs[event], events.sizes[event]);
        match events.actions[event] {
            Action::SegmentAlloc => {
                ranges.remove(&address);
            }
            Action::SegmentMap => cut(&mut ranges, address, size, |_| {}),
            Action::SegmentFree => {
                let span = freed_span(device, config, event, false);
                ranges.insert(address, span);
            }
            Action::SegmentUnmap => {
                let span = freed_span(device, config, event, true);
                ranges.insert(address, span);
            }
            _ => {}
        }
    }
    ranges
}

/// The range that an event gives back. Its pool is not recorded (before 2.12).
pub(super) fn freed_span(device: &Device, config: &Config, event: usize, expandable: bool) -> Span {
    let events = &device.events;
    Span {
        start: 0,
        end: super::super::allocations::NEVER,
        address: events.addrs[event],
        size_bytes: events.sizes[event],
        owner: Owner {
            kind: kind_by_size(events.sizes[event], expandable, config),
            pool: events.notes_of(event as u32).pool.unwrap_or((0, 0)),
            stream: events.streams[event],
        },
        expandable,
        stack: StackId::EMPTY,
    }
}

/// Segments of the small pool have 2 MiB, those of the large one more (R3). Of expandable ones whole pages come and go: several of
/// the small pool at once, so what is no multiple of a large page is of the small pool (R9).
pub(super) fn kind_by_size(size_bytes: u64, expandable: bool, config: &Config) -> SegmentKind {
    let is_small = match expandable {
        true => !size_bytes.is_multiple_of(config.large_segment_bytes),
        false => size_bytes <= SMALL_BUFFER,
    };
    if is_small { SegmentKind::Small } else { SegmentKind::Large }
}

/// Takes `address..address + size` out of the ranges; what sticks out on either side stays. `gone` sees every range that was cut,
/// as it was before.
pub(super) fn cut(ranges: &mut Ranges, address: u64, size: u64, mut gone: impl FnMut(&Span)) {
    let end = address.saturating_add(size);
    let first = ranges.range(..=address).next_back().map_or(address, |(start, _)| *start);
    let touched: Vec<u64> = ranges.range(first..end).map(|(start, _)| *start).collect();
    for start in touched {
        let Some(span) = ranges.get(&start).copied() else { continue };
        let span_end = start.saturating_add(span.size_bytes);
        if span_end <= address {
            continue;
        }
        ranges.remove(&start);
        gone(&span);
        if start < address {
            ranges.insert(start, Span { size_bytes: address - start, ..span });
        }
        if span_end > end {
            ranges.insert(end, Span { address: end, size_bytes: span_end - end, ..span });
        }
    }
}
