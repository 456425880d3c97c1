//! Messages about lack of memory that tell no numbers: known by their words.

use super::text::Pasted;
use super::{Advice, Explanation, Snapshot, Verdict};
use crate::recipe::{Purpose, Version, recipe};

/// A message known by its words.
struct Named {
    kind: &'static str,
    versions: &'static str,
    /// In the compact text; one is enough.
    words: &'static [&'static str],
    sentence: &'static str,
    title: &'static str,
    text: &'static str,
}

const LEAVE_ROOM: &str = "Leave room outside PyTorch";
const ANY: &str = "any PyTorch";

/// The most telling first: a log can hold several.
const NAMED: [Named; 8] = [
    Named {
        kind: "cublas",
        versions: ANY,
        words: &["cublas_status_alloc_failed"],
        sentence: "cuBLAS could not get memory for itself: the card was full when the first matrix product began.",
        title: LEAVE_ROOM,
        text: "cuBLAS and its workspace need some hundred MiB outside PyTorch's allocator. Make the batch smaller, or cap PyTorch with \
               `torch.cuda.set_per_process_memory_fraction(0.95)`. An index out of range in an earlier kernel can look the same: run once with \
               `CUDA_LAUNCH_BLOCKING=1`.",
    },
    Named {
        kind: "cudnn",
        versions: ANY,
        words: &["cudnn_status_not_initialized", "cudnn_status_alloc_failed"],
        sentence: "cuDNN could not start: most often because the card was full.",
        title: LEAVE_ROOM,
        text: "cuDNN needs memory outside PyTorch's allocator. Make the batch smaller, or cap PyTorch with \
               `torch.cuda.set_per_process_memory_fraction(0.95)`. If the card is almost empty, versions of cuDNN and driver do not fit together.",
    },
    Named {
        kind: "nccl",
        versions: ANY,
        words: &[
            "failedtocudacalloc",
            "failedtocudamalloc",
            "ncclwarncudafailure'outofmemory'",
            "ncclwarncudafailure2'outofmemory'",
        ],
        sentence: "NCCL could not get memory for its buffers: the card was full, outside PyTorch's allocator.",
        title: LEAVE_ROOM,
        text: "NCCL takes its buffers from the driver, when the first collective runs. Start it before memory is full (one `all_reduce` after \
               `init_process_group`), or keep PyTorch from taking all of the card.",
    },
    Named {
        kind: "triton",
        versions: "PyTorch 2.0 or later",
        words: &["outofresource:sharedmemory", "outofresources:sharedmemory"],
        sentence: "A Triton kernel wants more shared memory than a multiprocessor has: the memory of the card is not what is missing.",
        title: "Make the tiles of the kernel smaller",
        text: "Fewer stages or a smaller block size need less shared memory. A smaller batch does not help.",
    },
    Named {
        kind: "driver",
        versions: ANY,
        words: &[
            "cudadrivererror:outofmemory",
            "cudaerror:outofmemory",
            "cudaerroroutofmemory",
            "cuda_error_out_of_memory",
            "hiperror:outofmemory",
            "hiperroroutofmemory",
        ],
        sentence: "The driver had no memory left, and the call came from outside PyTorch's allocator.",
        title: "See who fills the card",
        text: "At the start of a program another process fills the card: `nvidia-smi` lists them. Later it is this program itself: kernels, graphs or \
               libraries that need memory beside PyTorch's.",
    },
    Named {
        kind: "xpu",
        versions: "PyTorch for Intel cards",
        words: &[
            "ur_result_error_out_of_device_memory",
            "ur_result_error_out_of_resources",
            "pi_error_out_of_resources",
        ],
        sentence: "The driver of the Intel card had no memory left.",
        title: "Make the batch smaller",
        text: "Some Intel cards also refuse single requests above 4 GiB, however much is free.",
    },
    Named {
        kind: "legacy",
        versions: "PyTorch 0.1 to 1.0",
        words: &["cudaruntimeerror(2):outofmemory", "error=2:outofmemory"],
        sentence: "The card was full; this PyTorch did not tell how much was asked for or free.",
        title: "Make the batch smaller",
        text: "`nvidia-smi` tells whether another process fills the card. PyTorch 1.0 and later tell the numbers in the message.",
    },
    Named {
        kind: "unknown",
        versions: ANY,
        words: &[
            "cudaoutofmemory",
            "hipoutofmemory",
            "xpuoutofmemory",
            "mpsbackendoutofmemory",
            "outofmemoryerror",
        ],
        sentence: "It is an out-of-memory error, but its numbers are not in the text.",
        title: "Paste the rest of the message",
        text: "The numbers follow the words \"Tried to allocate\", often on the same line.",
    },
];

/// Words of other frameworks: their messages are not PyTorch's.
pub(super) const FOREIGN: [&str; 6] = [
    "resource_exhausted",
    "resourceexhausted",
    "oomwhenallocatingtensor",
    "cupy.cuda.memory",
    "rmm::out_of_memory",
    "paddle",
];

/// Explains a message that is known by its words.
pub(super) fn explain(pasted: &Pasted) -> Option<Explanation> {
    let text = &pasted.compact;
    if FOREIGN.iter().any(|words| text.contains(words)) {
        return None;
    }
    let (named, at) = NAMED
        .iter()
        .find_map(|named| Some((named, named.words.iter().find_map(|words| text.rfind(words))?)))?;
    let advice = Advice { title: named.title.into(), text: named.text.into() };
    let makes_sense = !matches!(named.kind, "triton" | "legacy");
    Some(Explanation {
        recognised: true,
        kind: named.kind,
        versions: named.versions.into(),
        messages: 1,
        verdict: Verdict::CannotTell,
        eyebrow: "Out of memory: no numbers",
        sentence: named.sentence.into(),
        advice: vec![advice],
        asked_by: super::traceback::asked_by(pasted, at),
        snapshot: makes_sense.then(|| Snapshot {
            text: "The message has no numbers. A snapshot tells what PyTorch held then, and which lines of code.".into(),
            recipe: recipe(Version { major: 2, minor: 1 }, Purpose::OutOfMemory),
        }),
        ..Explanation::default()
    })
}
