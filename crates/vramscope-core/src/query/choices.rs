//! What a device can be filtered by.

use hashbrown::HashMap;
use serde::Serialize;

use crate::model::{PoolId, SegmentKind};
use crate::order;
use crate::replay::Recording;

/// Streams and pools of a device, whatever filter is in force.
#[derive(Clone, Debug, Serialize)]
#[allow(missing_docs)]
pub struct Choices {
    pub streams: Vec<StreamChoice>,
    pub pools: Vec<PoolChoice>,
}

/// A stream.
#[derive(Clone, Debug, Serialize)]
#[allow(missing_docs)]
pub struct StreamChoice {
    pub stream: String,
    pub allocations: u64,
    /// The most requested bytes alive on it at once.
    pub peak_bytes: u64,
}

/// A pool.
#[derive(Clone, Debug, Serialize)]
#[allow(missing_docs)]
pub struct PoolChoice {
    pub kind: SegmentKind,
    pub pool: PoolId,
    pub label: String,
    pub allocations: u64,
    /// The most requested bytes alive in it at once.
    pub peak_bytes: u64,
}

/// How much one choice holds, followed through the recording.
#[derive(Clone, Copy, Default)]
struct Tally {
    allocations: u64,
    now: u64,
    peak: u64,
}

impl Tally {
    fn up(&mut self, bytes: u64) {
        self.allocations += 1;
        self.now = self.now.saturating_add(bytes);
        self.peak = self.peak.max(self.now);
    }

    fn down(&mut self, bytes: u64) {
        self.now = self.now.saturating_sub(bytes);
    }
}

/// Streams and pools of a device, most bytes first.
#[inline]
pub fn choices(recording: &Recording, ordinal: i64) -> Option<Choices> {
    let (_, replay) = recording.whole_device(ordinal)?;
    let rows = replay.allocations();
    // Ends and starts in order of moment: ends first, as an address may be used again at once.
    let mut ends: Vec<(u64, u32)> = (0..rows.len()).map(|id| (rows.end(id).into(), id)).collect();
    order::pairs(&mut ends);
    let mut ended = ends.into_iter().map(|(_, id)| id).peekable();
    let mut streams: HashMap<u64, Tally> = HashMap::new();
    let mut pools: HashMap<(SegmentKind, PoolId), Tally> = HashMap::new();
    for span in replay.segments().spans() {
        streams.entry(recording.snapshot.stream(span.owner.stream)).or_default();
        pools.entry((span.owner.kind, span.owner.pool)).or_default();
    }
    for id in 0..rows.len() {
        while let Some(gone) = ended.next_if(|&gone| rows.end(gone) <= rows.start(id)) {
            let bytes = rows.size_bytes(gone);
            streams.entry(recording.snapshot.stream(rows.stream(gone))).or_default().down(bytes);
            pools.entry(replay.segments().pool_of(gone)).or_default().down(bytes);
        }
        let bytes = rows.size_bytes(id);
        streams.entry(recording.snapshot.stream(rows.stream(id))).or_default().up(bytes);
        pools.entry(replay.segments().pool_of(id)).or_default().up(bytes);
    }
    let mut streams: Vec<(u64, Tally)> = streams.into_iter().collect();
    order::by(&mut streams, |(a, most), (b, other)| other.peak.cmp(&most.peak).then(a.cmp(b)));
    let mut pools: Vec<_> = pools.into_iter().collect();
    order::by(&mut pools, |(a, most), (b, other)| other.peak.cmp(&most.peak).then(a.cmp(b)));
    let stream = |(stream, tally): (u64, Tally)| StreamChoice {
        stream: super::stream_text(stream),
        allocations: tally.allocations,
        peak_bytes: tally.peak,
    };
    let pool = |((kind, pool), tally): ((SegmentKind, PoolId), Tally)| PoolChoice {
        kind,
        pool,
        label: super::pool_label(kind, pool),
        allocations: tally.allocations,
        peak_bytes: tally.peak,
    };
    Some(Choices {
        streams: streams.into_iter().map(stream).collect(),
        pools: pools.into_iter().map(pool).collect(),
    })
}
