//! Every threshold of the diagnosis, with its reason.
//!
//! Measured on real recordings (PyTorch 2.11); where a margin was seen it stands beside the value. They are printed beside what was measured.

/// Frees whose stack equals that of their alloc: from this share on all of them repeat it (context='alloc'). Seen: 100 % against 0.6 %.
pub(crate) const SHARE_OF_COPIED_STACKS: f64 = 0.95;

/// A forward at the end of the trace is unfinished, not inference, if it is no longer than this times the usual one: an unfinished one is
/// shorter, and lengths vary.
pub(crate) const LONGEST_UNFINISHED_FORWARD: f64 = 1.3;

/// Gradients that die in one burst without an alloc between: one loop frees all, but user code may drop some earlier.
pub(crate) const SHARE_OF_GRADIENTS_IN_BURST: f64 = 0.6;

/// An excursion rises above this share of the highest: batch, loss and loop variables survive between steps.
pub(crate) const SHARE_OF_EXCURSION: f64 = 0.02;

/// Rank correlation of births and deaths below which memory is freed in reverse order, as backward does. With a seed −0.92 to −1.00 were
/// seen; checkpoints and hooks weaken it.
pub(crate) const FALLING_WITH_SEED: f64 = -0.2;
/// The same without a seed, where chance matters more.
pub(crate) const FALLING_WITHOUT_SEED: f64 = -0.3;

/// A backward allocates about as much as its forward; the end of a call does not.
pub(crate) const FEWEST_ALLOCS_OF_BACKWARD: f64 = 0.2;

/// A loss is one number of two, four or eight bytes.
pub(crate) const SCALAR_BYTES: [u64; 3] = [2, 4, 8];
/// Events that the seed of a backward lives at least.
pub(crate) const SHORTEST_SEED: u32 = 12;
/// Allocations that die in its life at least.
pub(crate) const FEWEST_COVERED: u32 = 4;
/// The seed covers at least this share of what the best scalar covers; 0.85 failed with autocast, where weight copies die between loss and seed.
pub(crate) const SHARE_OF_BEST_COVER: f64 = 0.5;

/// A category with less confidence is unknown.
pub(crate) const SURE_ENOUGH_PERCENT: u8 = 50;
/// Rules that read phases are so much less sure where those follow from lifetimes alone.
pub(crate) const CERTAINTY_WITHOUT_STACKS_PERCENT: u32 = 85;
/// What a checkpoint makes again is used by backward within so many events, or not at all.
pub(crate) const RECOMPUTED_WITHIN_EVENTS: u32 = 4_000;
/// What most allocations of a place were decides about one whose end is not seen.
pub(crate) const SHARE_OF_VOTES: f64 = 0.6;
/// A temporary that is older than this is none any more.
pub(crate) const TEMPORARY_MAY_LIVE_EVENTS: u32 = 400;
/// The last allocations of a forward that was cut may be temporaries.
pub(crate) const NEWEST_EVENTS: u32 = 5;

/// What cuBLAS takes by default: 32 MiB on Hopper, 8,519,680 bytes elsewhere.
pub(crate) const WORKSPACE_BYTES: [u64; 2] = [32 << 20, 8_519_680];
/// What cublasLt takes by default. A common size, so it counts in forward only.
pub(crate) const WORKSPACE_BYTES_LT: u64 = 1 << 20;
/// In a backward of whose survivors so many died, one that is kept is no gradient.
pub(crate) const SHARE_OF_DROPPED_GRADIENTS: f64 = 0.5;

/// Blocks of a place from which a cache can be told.
pub(crate) const FEWEST_OF_CACHE: usize = 8;
/// Replacements in a row.
pub(crate) const FEWEST_LINKS: u32 = 4;
/// Events between the birth of the larger block and the death of the smaller: `torch.cat` and one assignment.
pub(crate) const LINK_EVENTS: u32 = 8;
/// Shorter lives are temporaries.
pub(crate) const SHORTEST_LINK_EVENTS: u32 = 4;
/// A cache at most doubles, plus this for the first tokens.
pub(crate) const LINK_GROWTH_BYTES: u64 = 65_536;

/// An out-of-memory error would likely not have come with all free pieces in one: what is wanted lies below the middle of what the limit may
/// be, …
pub(crate) const MIDDLE_OF_LIMIT: f64 = 0.5;
/// … and so much of what is reserved is free. Seen: fragmentation 6 to 31 %, other causes at most 3.5 %.
pub(crate) const SHARE_OF_FREE_INSIDE: f64 = 0.1;
