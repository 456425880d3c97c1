//! Every threshold of the diagnosis, with its reason.

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
