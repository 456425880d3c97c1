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

/// Steps from which a base line is told: without the first and the last, two must remain.
pub(crate) const FEWEST_STEPS_OF_BASE_LINE: usize = 4;
/// Middle steps from which a leak per step is told.
pub(crate) const FEWEST_MIDDLE_STEPS: usize = 2;
/// Bytes a step that are a leak, as a share of the peak: a twentieth of it in 100 steps. Seen: leaks 1.2–2.8 %, healthy runs exactly 0.
pub(crate) const LEAK_SHARE_OF_PEAK: f64 = 0.000_5;
/// And at least this: a list of losses as numbers on the card (512 B a step) is not worth an alarm.
pub(crate) const LEAK_BYTES: u64 = 64 << 10;
/// The same with only two middle steps, where chance matters more.
pub(crate) const LEAK_SHARE_OF_PEAK_FEW_STEPS: f64 = 0.01;
/// See [`LEAK_SHARE_OF_PEAK_FEW_STEPS`].
pub(crate) const LEAK_BYTES_FEW_STEPS: u64 = 1 << 20;

/// Outside training: so many blocks of a place are kept at least.
pub(crate) const FEWEST_KEPT: usize = 3;
/// So many more blocks in the second half: a cache that grows in size keeps its number.
pub(crate) const FEWEST_LATE_BLOCKS: u32 = 2;
/// Of the last four of eight parts so many rise. Seen: leaks 4 of 4, bounded caches 0.
pub(crate) const FEWEST_RISING_PARTS: usize = 3;
/// No part has more of the rise: one-off caches and building do. Seen in leaks: 25–38 %.
pub(crate) const MOST_OF_RISE_IN_ONE_PART: f64 = 0.6;
/// Rounds, births with a death of something else between: building a list has one. Seen in leaks: 7–199.
pub(crate) const FEWEST_ROUNDS: u32 = 3;
/// Rounds where nothing failed: a bounded cache that is still filling looks the same, and small ones hold up to eight.
pub(crate) const FEWEST_ROUNDS_WITHOUT_FAILURE: u32 = 5;
/// Calls of a model, without which what is kept is that of its first pass.
pub(crate) const FEWEST_CALLS: usize = 3;
/// Rise of the second half that is a leak, as a share of the peak; and at least 1 MiB.
pub(crate) const RETAINED_SHARE_OF_PEAK: f64 = 0.02;
/// See [`RETAINED_SHARE_OF_PEAK`].
pub(crate) const RETAINED_BYTES: u64 = 1 << 20;
/// What follows the last step is an evaluation if it is longer than so many forwards.
pub(crate) const TAIL_IN_FORWARDS: f64 = 2.5;

/// Blocks that a collector frees at once at least.
pub(crate) const FEWEST_IN_BURST: usize = 5;
/// And bytes.
pub(crate) const LEAST_BURST_BYTES: u64 = 4 << 20;
/// As a share of the peak.
pub(crate) const LEAST_SHARE_OF_BURST: f64 = 0.05;
/// Frees whose stacks name the collector make it certain.
pub(crate) const SHARE_BY_COLLECTOR: f64 = 0.5;
/// In training: what a burst frees comes from so many earlier steps. A list of losses that is cleared does, too, but only once.
pub(crate) const FEWEST_STALE_STEPS: usize = 3;
/// Bursts without the collector in their stacks, in training.
pub(crate) const FEWEST_TEETH_WITHOUT_STACKS_OF_FREES: usize = 2;
/// Rounds that the blocks of a burst come from, outside training.
pub(crate) const ROUNDS_OF_TOOTH: usize = 5;
/// The same without stacks.
pub(crate) const ROUNDS_OF_TOOTH_WITHOUT_STACKS: usize = 8;
/// Blocks of a burst that come from one place.
pub(crate) const MOST_OF_ONE_PLACE: f64 = 0.6;
/// Of all blocks of that place that die, so many die in such bursts: those of requests served side by side die one by one, too.
pub(crate) const SHARE_OF_PLACE_IN_BURSTS: f64 = 0.8;

/// Fewer events tell nothing.
pub(crate) const FEWEST_EVENTS: u32 = 10;
/// A leak is the cause of an out-of-memory if it explains so much of what is allocated. Seen: 90 and 99 %, all others 0. It comes before
/// fragmentation because a leak also fragments.
pub(crate) const LEAK_SHARE_OF_ALLOCATED: f64 = 0.3;
/// Free memory inside, as a share of the limit, that makes fragmentation the cause. Seen: 5.9–15.8 %, others up to 3.5 %; thin.
pub(crate) const FRAGMENTED_SHARE_OF_LIMIT: f64 = 0.05;
/// What fills so much of the memory is the cause. Seen: 99–100 %.
pub(crate) const SHARE_OF_CAUSE: f64 = 0.5;
/// If no more than this was ever released, what is there was placed to stay.
pub(crate) const RELEASED_SHARE: f64 = 0.05;
/// At most three blocks that are so much of what passes make the peak by themselves.
pub(crate) const SHARE_OF_FEW_BLOCKS: f64 = 0.6;

/// Steps whose peaks differ by so much of the larger are worth a note.
pub(crate) const IMBALANCE_OF_STEPS: f64 = 0.2;
/// The same for backward passes of one step.
pub(crate) const IMBALANCE_OF_MICRO_BATCHES: f64 = 0.1;
/// Anything below this share of the moment is not worth a note.
pub(crate) const LEAST_SHARE_WORTH_A_NOTE: f64 = 0.05;
/// One temporary with such a share of what is alive decides the height of the peak.
pub(crate) const SHARE_OF_ONE_TEMPORARY: f64 = 0.1;
/// Of what modules make in inference: without gradients next to nothing stays until the result goes.
pub(crate) const SHARE_HELD_TO_THE_END: f64 = 0.5;
/// Reserved beyond what was ever in use, as a share of reserved.
pub(crate) const SHARE_OF_GAP: f64 = 0.15;
/// Reserved by private pools, as a share of reserved.
pub(crate) const SHARE_OF_POOLS: f64 = 0.05;
/// Lost by rounding, as a share of allocated. Seen: up to 3.3 %.
pub(crate) const SHARE_OF_ROUNDING: f64 = 0.05;
/// Workspaces, as a share of what is alive.
pub(crate) const SHARE_OF_WORKSPACES: f64 = 0.05;
/// Calls of `empty_cache()` that gave something back; one or two are set-up.
pub(crate) const FEWEST_EMPTIED: u64 = 3;
/// A limit whose bounds differ by less is told as one number.
pub(crate) const CLEAR_LIMIT: f64 = 0.02;

/// Sizes in a message have two decimals: two of them can differ by this share and still agree.
pub const MESSAGE_ROUNDING_SHARE: f64 = 0.01;

/// The driver counts a process a little lower than PyTorch its own reserved memory, for both are rounded and read at different moments.
pub const MESSAGE_SAME_PROCESS_SHARE: f64 = 0.02;

/// From this share of the reserved memory on, free pieces are called fragmentation: a full card always has a few per cent of them, the recorded
/// fragmented ones had 25 % and more.
pub const MESSAGE_FRAGMENTED_SHARE: f64 = 0.10;

/// From this share of the card on, other processes are worth naming: a desktop and its context stay below.
pub const MESSAGE_OTHERS_SHARE: f64 = 0.10;

/// From this share of the card on, memory outside PyTorch's allocator is worth naming: a CUDA context stays below.
pub const MESSAGE_OUTSIDE_SHARE: f64 = 0.10;

/// From this share of small allocations on, a ring that is too small is full of them; ordinary training has 70 to 90 %.
pub const RECORDING_SMALL_SHARE: f64 = 0.95;
/// An out-of-memory error would likely not have come with all free pieces in one: what is wanted lies below the middle of what the limit may
/// be, …
pub(crate) const MIDDLE_OF_LIMIT: f64 = 0.5;
/// … and so much of what is reserved is free. Seen: fragmentation 6 to 31 %, other causes at most 3.5 %.
pub(crate) const SHARE_OF_FREE_INSIDE: f64 = 0.1;
/// With fewer steps slow growth cannot be told from what the first ones bring.
pub(crate) const FEW_STEPS: u64 = 4;
/// Attention scores, or another purpose, with so much of what passes are worth advice of their own.
pub(crate) const SHARE_OF_PURPOSE: f64 = 0.2;
/// Allocations after a burst among which its places must make blocks again: some steps of a large model.
pub(crate) const SEARCHED_FOR_MORE: usize = 50_000;
