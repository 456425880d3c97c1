//! A part of a device: one stream, one kind of pool, one private pool, or some of its allocations.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::live::Checkpoints;
use super::segments::{Owner, Segments};
use super::series::{Steps, alive_bytes};
use super::{Replay, oom_events};
use crate::bits::Bits;
use crate::ids::StreamId;
use crate::model::{Device, PoolId, SegmentKind, Snapshot};

/// What is looked at. An empty filter leaves nothing out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Filter {
    /// Raw handle of a stream: "0" or "0x…".
    pub stream: Option<String>,
    /// Small or large pool.
    pub kind: Option<SegmentKind>,
    /// A private pool; (0, 0) is the default one.
    pub pool: Option<PoolId>,
    /// Of devices, by number, the allocations that are kept; all of those that are not named.
    #[serde(skip)]
    pub only: Vec<(i64, Arc<Bits>)>,
}

impl Filter {
    /// It leaves nothing out.
    pub fn is_empty(&self) -> bool {
        *self == Filter::default()
    }

    fn stream_handle(&self) -> Option<u64> {
        let text = self.stream.as_deref()?;
        match text.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16).ok(),
            None => text.parse().ok(),
        }
    }

    /// The allocations of a device that are kept; `None`: all.
    fn kept(&self, ordinal: i64) -> Option<&Bits> {
        self.only.iter().find(|(device, _)| *device == ordinal).map(|(_, kept)| kept.as_ref())
    }

    fn shows(&self, kind: SegmentKind, pool: PoolId, stream: u64) -> bool {
        self.kind.is_none_or(|wanted| wanted == kind)
            && self.pool.is_none_or(|wanted| wanted == pool)
            && (self.stream.is_none() || self.stream_handle() == Some(stream))
    }
}

impl Replay {
    /// The part of a device that a filter shows. Ids of allocations stay the same, and so do their colours.
    pub(super) fn filtered(&self, device: &Device, snapshot: &Snapshot, filter: &Filter) -> Replay {
        let handle = |stream: StreamId| snapshot.stream(stream);
        let shows_owner = |owner: &Owner| filter.shows(owner.kind, owner.pool, handle(owner.stream));
        let shows = |id: u32| {
            let (kind, pool) = self.segments.pool_of(id);
            filter.shows(kind, pool, handle(self.allocations.stream(id)))
        };
        let kept = filter.kept(device.ordinal);
        let allocations = self.allocations.without(|id| !(kept.is_none_or(|kept| kept.has(id)) && shows(id)));
        let held = kept.map(|_| {
            let allocations = self.allocations.without(|id| !shows(id));
            (Checkpoints::build(&allocations, self.n_moments), allocations)
        });
        let requested = alive_bytes(self.n_moments, allocations.len(), |id| {
            (allocations.start(id), allocations.end(id), allocations.size_bytes(id))
        });
        let segments = Segments::of(&self.segments, shows_owner, self.n_moments);
        let of_stream = |event: &u32| {
            let stream = device.events.streams.get(*event as usize).copied().unwrap_or(StreamId(0));
            filter.stream.is_none() || filter.stream_handle() == Some(handle(stream))
        };
        let mut replay = Replay {
            n_moments: self.n_moments,
            peak: requested.fullest(0, self.n_moments),
            reserved: Steps::of_spans(segments.spans().iter()),
            segments: Arc::new(segments),
            checkpoints: Checkpoints::build(&allocations, self.n_moments),
            allocations,
            held,
            requested,
            block_sizes: Arc::clone(&self.block_sizes),
            block_series: None,
            model: self.model.clone(),
            slots: Arc::clone(&self.slots),
            labels: self.labels.clone(),
            category_slots: Arc::clone(&self.category_slots),
            times: Arc::clone(&self.times),
            first_time_us: self.first_time_us,
            history: self.history,
            has_final_state: self.has_final_state,
            ooms: oom_events(device).into_iter().filter(of_stream).collect(),
        };
        if self.block_series.is_some() {
            replay.block_series = Some(replay.sum_blocks());
        }
        replay
    }
}
