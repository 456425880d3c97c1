//! Where a comparison draws lines, each with its reason.

/// A category that makes so much of the change is "all of it": the rest is rounding of buffers. Seen: checkpointing, 1.001.
pub const ALL_OF_IT: (f64, f64) = (0.98, 1.05);
/// From here on a category is "most of it".
pub const MOST_OF_IT: f64 = 0.5;
/// A rank is an outlier if its peak lies so far from the median, as a share of it: ranks of one job that shard evenly differ by remainders of
/// shards, far below; a twentieth decides whether the next batch size fits. Seen: 0 % between ranks of FSDP.
pub const OUTLIER_SHARE: f64 = 0.05;
/// … and so many times farther than the ranks lie from the median as a rule (the median distance): stages of a pipeline all differ, and none
/// of them is an outlier.
pub const OUTLIER_DISTANCES: f64 = 4.0;
/// … and there are so many ranks: of two nobody can tell which one is out of line.
pub const FEWEST_RANKS: usize = 3;
/// Points of a curve: more than pixels of half a screen are not seen.
pub const CURVE_POINTS: u32 = 480;
/// Steps of a curve aligned by step: what comes later is not drawn.
pub const MOST_STEPS: usize = 2_000;
