//! What was free inside reserved memory, by pool and stream, and why it did not serve the request.

use std::cmp::Reverse;

use serde::Serialize;
use vramscope_core::allocator::sizes::SMALL_SIZE;
use vramscope_core::allocator::{Config, DEFAULT_POOL};
use vramscope_core::model::{BlockState, Device, PoolId, SegmentKind, Snapshot};
use vramscope_core::query::stream_text;
use vramscope_core::replay::segments::Owner;
use vramscope_core::replay::state::State;
use vramscope_core::units::format_bytes;

use super::Oom;

/// The memory of one pool and stream.
#[derive(Clone, Debug, Serialize)]
pub struct FreeInside {
    /// "small" or "large".
    pub kind: SegmentKind,
    /// Private pool; (0, 0) is the default one.
    pub private_pool: PoolId,
    /// Stream: "0" or a handle.
    pub stream: String,
    /// Reserved.
    pub reserved_bytes: u64,
    /// Free.
    pub free_bytes: u64,
    /// The largest free piece.
    pub largest_free_bytes: u64,
    /// The request could use it.
    pub usable: bool,
    #[serde(skip)]
    owner: Option<Owner>,
}

impl FreeInside {
    /// "the large pool on stream 0".
    pub fn label(&self) -> String {
        label_of(self.kind, self.private_pool, &self.stream)
    }
}

fn label_of(kind: SegmentKind, pool: PoolId, stream: &str) -> String {
    match (pool, kind.name()) {
        (DEFAULT_POOL, kind) => format!("the {kind} pool on stream {stream}"),
        ((a, b), kind) => format!("the private pool {a}:{b} ({kind}) on stream {stream}"),
    }
}

/// Whom the request is for.
struct Wanted {
    owner: Owner,
    stream: String,
    bytes: u64,
}

pub(super) fn fill(oom: &mut Oom, snapshot: &Snapshot, (device, state): (&Device, &State), config: &Config) {
    let Some(&stream) = device.events.streams.get(oom.event as usize) else { return };
    let kind = if oom.requested_bytes <= SMALL_SIZE { SegmentKind::Small } else { SegmentKind::Large };
    let pool = device.events.notes_of(oom.event).pool.unwrap_or(DEFAULT_POOL);
    let wanted = Wanted {
        owner: Owner { kind, pool, stream },
        stream: stream_text(snapshot.stream(stream)),
        bytes: oom.requested_bytes,
    };
    let mut groups: Vec<FreeInside> = Vec::new();
    let (mut largest_usable, mut is_oversize) = (0, false);
    for segment in &state.segments {
        let at = groups.iter().position(|group| group.owner == Some(segment.owner)).unwrap_or(groups.len());
        if at == groups.len() {
            groups.push(empty(segment.owner, snapshot, &wanted));
        }
        let group = &mut groups[at];
        group.reserved_bytes = group.reserved_bytes.saturating_add(segment.size_bytes);
        group.free_bytes = group.free_bytes.saturating_add(segment.free_bytes());
        group.largest_free_bytes = group.largest_free_bytes.max(segment.largest_free_bytes);
        if !group.usable {
            continue;
        }
        let free = state.blocks_of(segment).iter().filter(|block| block.state == BlockState::Inactive);
        for block in free {
            match is_kept_whole(block.size_bytes, wanted.bytes, config) {
                true => is_oversize = true,
                false => largest_usable = largest_usable.max(block.size_bytes),
            }
        }
    }
    groups.sort_unstable_by_key(|group| Reverse(group.free_bytes));
    oom.largest_usable_free_bytes = largest_usable;
    (oom.not_served_code, oom.not_served) = why(&groups, &wanted, (largest_usable, is_oversize));
    oom.free_inside = groups;
}

fn empty(owner: Owner, snapshot: &Snapshot, wanted: &Wanted) -> FreeInside {
    FreeInside {
        kind: owner.kind,
        private_pool: owner.pool,
        stream: stream_text(snapshot.stream(owner.stream)),
        reserved_bytes: 0,
        free_bytes: 0,
        largest_free_bytes: 0,
        usable: owner == wanted.owner,
        owner: Some(owner),
    }
}

/// Large enough, but `max_split_size_mb` keeps it for larger requests (R4).
fn is_kept_whole(block: u64, wanted: u64, config: &Config) -> bool {
    let oversize = match wanted < config.max_split_bytes {
        true => block >= config.max_split_bytes,
        false => block >= wanted.saturating_add(config.max_non_split_rounding_bytes),
    };
    block >= wanted && oversize
}

/// Why no free piece served the request, as a word and a sentence.
fn why(
    groups: &[FreeInside],
    wanted: &Wanted,
    (largest, is_oversize): (u64, bool),
) -> (&'static str, String) {
    let asked = format_bytes(wanted.bytes);
    let own = groups.iter().find(|group| group.usable);
    if largest >= wanted.bytes {
        let text = format!(
            "A free piece of {} should have served it: the recording contradicts itself.",
            format_bytes(largest)
        );
        return ("contradiction", text);
    }
    if is_oversize {
        let text = format!(
            "A free piece was large enough for {asked}, but max_split_size_mb keeps it whole for larger requests."
        );
        return ("oversize", text);
    }
    let here = match own.filter(|own| own.free_bytes > 0) {
        Some(own) => format!(
            "The largest free piece of {} is {}, of {} free there",
            own.label(),
            format_bytes(largest),
            format_bytes(own.free_bytes)
        ),
        None => {
            format!("Nothing is free in {}", label_of(wanted.owner.kind, wanted.owner.pool, &wanted.stream))
        }
    };
    let elsewhere = groups.iter().filter(|group| !group.usable);
    match elsewhere
        .max_by_key(|group| group.largest_free_bytes)
        .filter(|it| it.largest_free_bytes >= wanted.bytes)
    {
        Some(other) => {
            let (code, serves) = who_else(other, wanted);
            let text = format!(
                "{here}; {} in {} is large enough, but serves only {serves}.",
                format_bytes(other.largest_free_bytes),
                other.label()
            );
            (code, text)
        }
        None if largest == 0 => ("nothing_free", format!("{here}.")),
        None => ("too_small", format!("{here}; {asked} was asked for.")),
    }
}

fn who_else(other: &FreeInside, wanted: &Wanted) -> (&'static str, &'static str) {
    match other.owner {
        Some(owner) if owner.pool != wanted.owner.pool => ("private_pool", "requests of that pool"),
        Some(owner) if owner.kind != wanted.owner.kind => ("other_pool", "requests of its size"),
        _ => ("other_stream", "requests of that stream"),
    }
}
