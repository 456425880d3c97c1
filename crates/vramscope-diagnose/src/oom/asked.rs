//! Who asked.

use serde::Serialize;
use vramscope_core::ids::StackId;
use vramscope_core::model::{Action, Device, Snapshot};
use vramscope_core::replay::{Replay, Site};

/// The place that asked, as far as a stack tells.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Asked {
    /// Its stack.
    pub stack_id: Option<StackId>,
    /// The function, node or operator.
    pub name: String,
    /// "train.py:60".
    pub at: String,
    /// Whose stack it is: "own"; "release", of the memory that the request gave back; "before", of the last allocation before it, which is
    /// not its own; "none".
    pub stack_of: &'static str,
}

/// The request's own stack; without one, that of memory that it gave back on its way; else that of the allocation before it.
pub(super) fn asked_by(snapshot: &Snapshot, device: &Device, replay: &Replay, event: u32) -> Asked {
    let (stack_id, stack_of) = best_stack(device, replay, event);
    let site = Site::of_stack(stack_id, snapshot);
    let stack_id = Some(stack_id).filter(|stack| *stack != StackId::EMPTY);
    Asked { stack_id, name: site.name(snapshot), at: site.at(snapshot), stack_of }
}

fn best_stack(device: &Device, replay: &Replay, event: u32) -> (StackId, &'static str) {
    let events = &device.events;
    let stack = |event: usize| events.stacks.get(event).copied().filter(|stack| *stack != StackId::EMPTY);
    if let Some(own) = stack(event as usize) {
        return (own, "own");
    }
    // Memory that goes back right before a request fails was given back by it: it asks the driver again afterwards.
    let goes_back = |event: &usize| {
        matches!(events.actions.get(*event), Some(Action::SegmentFree | Action::SegmentUnmap))
    };
    let released = (0..event as usize).rev().take_while(goes_back).find_map(stack);
    if let Some(stack) = released {
        return (stack, "release");
    }
    let rows = replay.allocations();
    let born_before = |id: &u32| (1..=event).contains(&rows.start(*id)) && rows.stack(*id) != StackId::EMPTY;
    match (0..rows.len()).rev().find(born_before) {
        Some(id) => (rows.stack(id), "before"),
        None => (StackId::EMPTY, "none"),
    }
}
