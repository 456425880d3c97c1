//! The allocator's state: at the end it is the snapshot's own; at any event it is the model's, and what undoing the trace from its end gives.

use std::collections::BTreeMap;

use vramscope_core::model::{Action, BlockState, Device, Snapshot};
use vramscope_core::query::{ListedBlock, ListedSegment, listed};
use vramscope_core::replay::model::Lockstep;
use vramscope_core::replay::state::{SegmentNow, State};
use vramscope_core::replay::{Recording, Replay};
use vramscope_tests::{cut, recordings};

fn each_recording(mut check: impl FnMut(&str, &Recording)) {
    for file in recordings::all() {
        let mut recording = Recording::build(cut::snapshot(&std::fs::read(&file.path).unwrap()));
        recording.check_all();
        check(&file.name, &recording);
    }
}

/// The snapshot's own segments, as `vramscope state` lists them.
fn own_segments(snapshot: &Snapshot, device: &Device) -> Vec<ListedSegment> {
    let stream = |raw: u64| if raw == 0 { "0".to_owned() } else { format!("0x{raw:x}") };
    let segments = device.segments.iter().map(|segment| ListedSegment {
        address: format!("0x{:x}", segment.address),
        bytes: segment.size_bytes,
        stream: stream(snapshot.stream(segment.stream)),
        pool: segment.kind,
        private_pool: segment.pool,
        expandable: segment.expandable,
        blocks: segment
            .blocks
            .iter()
            .map(|block| ListedBlock {
                address: format!("0x{:x}", block.address),
                bytes: block.size_bytes,
                requested_bytes: if block.is_active() { block.requested_bytes } else { 0 },
                state: match block.state {
                    BlockState::Allocated => "active_allocated",
                    BlockState::PendingFree => "active_pending_free",
                    _ => "inactive",
                },
                category: None,
                stack_id: block.is_active().then_some(block.stack),
            })
            .collect(),
    });
    segments.collect()
}

#[test]
fn the_end_is_the_snapshots_own_segments() {
    let mut blocks = 0;
    each_recording(|name, recording| {
        for (device, replay) in recording.snapshot.devices.iter().zip(&recording.replays) {
            let mut state = listed(recording, device.ordinal, replay.end()).unwrap();
            let mut own = own_segments(&recording.snapshot, device);
            blocks += own.iter().map(|segment| segment.blocks.len()).sum::<usize>();
            // Stacks of blocks are those of the alloc event, where there is one; the file may have no other.
            for segment in state.segments.iter_mut().chain(&mut own) {
                segment.blocks.iter_mut().for_each(|block| block.stack_id = None);
            }
            assert_eq!(state.segments, own, "{name}, device {}", device.ordinal);
        }
    });
    assert!(blocks > 4_000, "only {blocks} blocks compared");
}

/// Small pseudo-random numbers, the same in each run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % u64::from(n)) as u32
    }

    /// Moments of a replay, ascending, the ends among them.
    fn moments(&mut self, replay: &Replay, count: usize) -> Vec<u32> {
        let mut moments: Vec<u32> = (0..count).map(|_| self.below(replay.n_moments())).collect();
        moments.extend([0, replay.end(), replay.peak(), replay.reserved_peak()]);
        moments.sort_unstable();
        moments.dedup();
        moments
    }
}

/// Address, size, requested, state of each mapped block.
type Blocks = BTreeMap<u64, (u64, u64, BlockState)>;

fn blocks_of(state: &State) -> Blocks {
    let blocks = state.blocks.iter();
    blocks.map(|block| (block.address, (block.size_bytes, block.requested_bytes, block.state))).collect()
}

/// Forward: the allocator model itself, stopped at the moment. It stands between requests only.
#[test]
fn any_event_is_what_the_model_holds() {
    let mut compared = 0;
    each_recording(|name, recording| {
        for (device, replay) in recording.snapshot.devices.iter().zip(&recording.replays) {
            if replay.model().unwrap().uncertain_blocks > 0 {
                continue; // the model knows no better
            }
            let mut lockstep = Lockstep::new(&recording.snapshot, device, replay);
            for moment in Dice(7).moments(replay, 60) {
                lockstep.run(&recording.snapshot, device, replay, moment - lockstep.event());
                if lockstep.is_between_requests() {
                    let model: Blocks = lockstep
                        .allocator()
                        .mapped_blocks()
                        .map(|block| {
                            let state = match (block.allocated, block.pending) {
                                (true, _) => BlockState::Allocated,
                                (_, true) => BlockState::PendingFree,
                                _ => BlockState::Inactive,
                            };
                            let requested = if block.is_free() { 0 } else { block.requested_bytes };
                            (block.address, (block.size_bytes, requested, state))
                        })
                        .collect();
                    assert_eq!(blocks_of(&State::at(replay, moment)), model, "{name} at {moment}");
                    compared += 1;
                }
            }
        }
    });
    assert!(compared > 1_500, "only {compared} moments compared");
}

/// Live blocks by address (requested bytes, waits) and reserved ranges, undone event by event from the end.
struct Backward {
    live: BTreeMap<u64, (u64, bool)>,
    reserved: BTreeMap<u64, u64>,
}

impl Backward {
    fn at_end(device: &Device) -> Self {
        let live = device.active_blocks().map(|(_, block)| {
            (block.address, (block.requested_bytes, block.state == BlockState::PendingFree))
        });
        let reserved = device.segments.iter().map(|segment| (segment.address, segment.size_bytes));
        let mut backward = Backward { live: live.collect(), reserved: reserved.collect() };
        backward.join();
        backward
    }

    fn undo(&mut self, device: &Device, event: usize) {
        let (address, size) = (device.events.addrs[event], device.events.sizes[event]);
        match device.events.actions[event] {
            Action::Alloc => {
                self.live.remove(&address);
            }
            Action::FreeCompleted => {
                self.live.insert(address, (size, true));
            }
            Action::FreeRequested => {
                self.live.insert(address, (size, false));
            }
            Action::SegmentAlloc | Action::SegmentMap => self.take_out(address, size),
            Action::SegmentFree | Action::SegmentUnmap => {
                self.reserved.insert(address, size);
                self.join();
            }
            _ => {}
        }
    }

    fn take_out(&mut self, address: u64, size: u64) {
        let (&start, &length) = self.reserved.range(..=address).next_back().expect("it is reserved");
        self.reserved.remove(&start);
        if start < address {
            self.reserved.insert(start, address - start);
        }
        if start + length > address + size {
            self.reserved.insert(address + size, start + length - address - size);
        }
    }

    /// Ranges that touch become one: what lies side by side is compared as one.
    fn join(&mut self) {
        let mut joined: BTreeMap<u64, u64> = BTreeMap::new();
        for (&start, &length) in &self.reserved {
            match joined.last_entry() {
                Some(mut last) if last.key() + last.get() == start => *last.get_mut() += length,
                _ => {
                    joined.insert(start, length);
                }
            }
        }
        self.reserved = joined;
    }
}

#[test]
fn undoing_the_trace_gives_the_same_state() {
    let mut compared = 0;
    each_recording(|name, recording| {
        for (device, replay) in recording.snapshot.devices.iter().zip(&recording.replays) {
            let mut backward = Backward::at_end(device);
            let mut now = replay.end();
            for moment in Dice(11).moments(replay, 60).into_iter().rev() {
                while now > moment {
                    now -= 1;
                    backward.undo(device, now as usize);
                }
                let state = State::at(replay, moment);
                let live: BTreeMap<u64, (u64, bool)> = state
                    .blocks
                    .iter()
                    .filter(|block| block.allocation.is_some())
                    .map(|block| {
                        (block.address, (block.requested_bytes, block.state == BlockState::PendingFree))
                    })
                    .collect();
                assert_eq!(live, backward.live, "{name} at {moment}");
                let mut forward = Backward { live, reserved: BTreeMap::new() };
                forward
                    .reserved
                    .extend(state.segments.iter().map(|segment| (segment.address, segment.size_bytes)));
                forward.join();
                assert_eq!(forward.reserved, backward.reserved, "{name} at {moment}");
                assert!(state.outside.is_empty(), "{name} at {moment}");
                totals_agree(name, replay, &state);
                compared += 1;
            }
        }
    });
    assert!(compared > 2_000, "only {compared} moments compared");
}

fn totals_agree(name: &str, replay: &Replay, state: &State) {
    let sum = |of: fn(&SegmentNow) -> u64| state.segments.iter().map(of).sum::<u64>();
    let moment = state.moment;
    assert_eq!(sum(|segment| segment.size_bytes), replay.reserved_at(moment), "{name} at {moment}");
    assert_eq!(sum(|segment| segment.requested_bytes), replay.requested_at(moment), "{name} at {moment}");
    if let (Some(allocated), Some(active)) = (replay.allocated_at(moment), replay.active_at(moment)) {
        assert_eq!(sum(|segment| segment.allocated_bytes), allocated, "{name} at {moment}");
        assert_eq!(sum(SegmentNow::active_bytes), active, "{name} at {moment}");
    }
}
