//! Where recording and model differ, and why that may be.

use super::{Calls, Lockstep, Recorded, Request};
use crate::allocator::{SegmentAction, SegmentEvent};
use crate::model::{Action, BlockState, Device};
use crate::order;
use crate::replay::model::{Cause, Difference};

impl Lockstep {
    /// Event, recorded and expected, where they differ.
    pub(super) fn compare(
        &self,
        recorded: Recorded<'_>,
        request: Request,
        calls: &Calls,
        served: Option<u64>,
    ) -> Option<(u32, String, String)> {
        let got: Vec<Call> = self.allocator.events().iter().map(without_stream).collect();
        let wanted: Vec<Call> = calls.events.iter().map(|&event| call(recorded.device, event)).collect();
        if got != wanted {
            let same = got.iter().zip(&wanted).take_while(|(got, wanted)| got == wanted).count();
            let event = calls.events.get(same).copied().unwrap_or(request.event);
            let what = |calls: &[Call]| calls.get(same).map_or("no call of the driver".into(), describe);
            return Some((event, what(&wanted), what(&got)));
        }
        let at = |address: u64| format!("a block at 0x{address:x}");
        match (request.action, served) {
            (Action::Alloc, Some(address)) if address == request.address => None,
            (Action::Alloc, Some(address)) => Some((request.event, at(request.address), at(address))),
            (Action::Alloc, None) => Some((request.event, at(request.address), "out of memory".into())),
            (Action::Oom, Some(address)) => Some((request.event, "out of memory".into(), at(address))),
            _ => None,
        }
    }

    /// The blocks that are left, beside those of the final segments.
    pub(super) fn compare_end(&self, recorded: Recorded<'_>, event: u32) -> Option<Difference> {
        let mut model: Vec<EndBlock> = self
            .allocator
            .mapped_blocks()
            .map(|block| (block.address, block.size_bytes, block.allocated, block.pending))
            .collect();
        order::by(&mut model, Ord::cmp);
        let blocks = recorded.device.segments.iter().flat_map(|segment| &segment.blocks);
        let mut own: Vec<EndBlock> = blocks
            .map(|block| {
                let (held, waits) =
                    (block.state == BlockState::Allocated, block.state == BlockState::PendingFree);
                (block.address, block.size_bytes, held, waits)
            })
            .collect();
        order::by(&mut own, Ord::cmp);
        if model == own {
            return None;
        }
        let same = model.iter().zip(&own).take_while(|(model, own)| model == own).count();
        let what = |blocks: &[EndBlock]| blocks.get(same).map_or("no further block".into(), describe_block);
        let cause = Cause::FinalSegments;
        Some(Difference { event, recorded: what(&own), expected: what(&model), cause })
    }

    pub(super) fn likely_cause(
        &self,
        recorded: Recorded<'_>,
        request: Request,
        served: Option<u64>,
    ) -> Cause {
        let (history, faults) = (recorded.replay.history(), recorded.replay.segments().faults());
        if history.lost_allocs
            + history.lost_frees
            + history.contradictions
            + faults.segment_events
            + faults.outside
            > 0
        {
            return Cause::MissingEvents;
        }
        if request.action == Action::Alloc && served.is_none() {
            return Cause::LimitChanged;
        }
        let says_pools = recorded.device.events.says_pools;
        if request.action == Action::Alloc && !says_pools && self.lies_in_lost_segment(recorded, request) {
            return Cause::LostPrivatePool;
        }
        match recorded.snapshot.settings {
            None => Cause::SettingsNotRecorded,
            Some(_) => Cause::Other,
        }
    }

    fn lies_in_lost_segment(&self, recorded: Recorded<'_>, request: Request) -> bool {
        let mut lost = false;
        recorded.replay.segments().for_each_at(request.event + 1, |_, span| {
            let inside = span.address <= request.address && request.address - span.address < span.size_bytes;
            lost |= inside && span.end != u32::MAX;
        });
        lost
    }
}

/// A driver call as it is compared: action, bytes, address.
pub(super) type Call = (SegmentAction, u64, u64);

pub(super) fn without_stream(event: &SegmentEvent) -> Call {
    (event.action, event.size_bytes, event.address)
}

/// A recorded driver call.
pub(super) fn call(device: &Device, event: u32) -> Call {
    let (events, event) = (&device.events, event as usize);
    let action = match events.actions[event] {
        Action::SegmentAlloc => SegmentAction::Alloc,
        Action::SegmentMap => SegmentAction::Map,
        Action::SegmentUnmap => SegmentAction::Unmap,
        _ => SegmentAction::Free,
    };
    (action, events.sizes[event], events.addrs[event])
}

/// A block at the end: address, bytes, held, waited for.
type EndBlock = (u64, u64, bool, bool);

fn describe_block((address, size, held, waits): &EndBlock) -> String {
    let state = match (held, waits) {
        (true, _) => "allocated",
        (_, true) => "awaiting free",
        _ => "free",
    };
    format!("a final block of {} at 0x{address:x}, {state}", crate::units::format_bytes(*size))
}

fn describe(call: &Call) -> String {
    let (action, size, address) = call;
    let action = match action {
        SegmentAction::Alloc => "segment_alloc",
        SegmentAction::Free => "segment_free",
        SegmentAction::Map => "segment_map",
        SegmentAction::Unmap => "segment_unmap",
    };
    format!("{action} of {} at 0x{address:x}", crate::units::format_bytes(*size))
}
