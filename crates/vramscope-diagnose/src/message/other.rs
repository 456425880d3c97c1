//! What was pasted instead of a message.

use super::named::FOREIGN;
use super::text::Pasted;
use super::{Explanation, Help};

const LOOKED_FOR: &str = "\"out of memory\" and \"Tried to allocate\", as PyTorch writes them";
const EXAMPLE: &str = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.00 GiB. GPU 0 has a total capacity of 23.69 GiB of which 10.81 MiB is free. …";

/// What it looks like, and what to do.
pub(super) fn explain(pasted: &Pasted) -> Explanation {
    let (looks_like, text) = looks_like(pasted);
    Explanation {
        kind: "none",
        eyebrow: "No message found",
        sentence: format!("This looks like {looks_like}."),
        help: Some(Help { looks_like, text: text.into(), looked_for: LOOKED_FOR, example: EXAMPLE }),
        ..Explanation::default()
    }
}

fn looks_like(pasted: &Pasted) -> (&'static str, &'static str) {
    let text = &pasted.compact;
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    if text.is_empty() {
        return (
            "nothing: the text is empty",
            "Paste the last lines that the program wrote, from \"Traceback\" on.",
        );
    }
    if has(&FOREIGN) {
        return (
            "a message of another framework, not PyTorch's",
            "JAX, TensorFlow and CuPy have allocators and words of their own; this page knows PyTorch's. If both run in one process, each takes memory that the other cannot have.",
        );
    }
    if has(&["oom-kill", "oom_kill", "oomkilled", "outofmemory:killed", "invokedoom-killer"])
        || is_killed(pasted)
    {
        return (
            "a process that the system ended",
            "Linux or Slurm ends a process when the host's memory is full, not the GPU's. Ask for more memory for the job, or use fewer DataLoader workers; a GPU snapshot does not show it.",
        );
    }
    if has(&["nvidia-smi"]) || (has(&["driverversion:"]) && has(&["cudaversion:"])) {
        return (
            "a table of nvidia-smi",
            "It shows how much each process holds, not why a request failed. Paste the error message, or drop a snapshot on the page.",
        );
    }
    if has(&["device_traces", "segment_pool_id"]) {
        return (
            "a snapshot itself, not a message",
            "Drop the file on the page; on the command line it is `vramscope summary FILE`.",
        );
    }
    if is_path(pasted) {
        return (
            "the path of a file",
            "Drop the file itself on the page, or choose it; on the command line it is `vramscope summary FILE`.",
        );
    }
    if has(&["traceback(mostrecentcalllast)"]) {
        return (
            "a traceback without an out-of-memory error",
            "The error in it is another one. If memory ran out elsewhere, look farther up: the first error of a log is the cause.",
        );
    }
    if has(&["torch.cudamemorysummary", "pytorchcudamemorysummary"]) {
        return (
            "a memory summary of PyTorch",
            "It holds counters, no request that failed. Paste the error message, or record a snapshot to see the lines of code.",
        );
    }
    (
        "text without an out-of-memory message",
        "Paste the error that PyTorch raised. The whole log may come with it.",
    )
}

/// "Killed" stands alone, or a launcher tells of signal 9.
fn is_killed(pasted: &Pasted) -> bool {
    let alone = pasted
        .lines
        .iter()
        .rev()
        .take(20)
        .any(|line| line.text == "Killed" || line.text.ends_with(" Killed"));
    let words = ["exitcode:-9", "signal9", "sigkill"];
    alone || words.iter().any(|word| pasted.compact.contains(word))
}

/// One line with the ending of a snapshot.
fn is_path(pasted: &Pasted) -> bool {
    let [line] = &pasted.lines[..] else { return false };
    let name = line.text.trim_matches(['"', '\'', ' ']);
    let endings = [".pickle", ".pkl", ".gz", ".zip", ".json", ".html", ".pt"];
    name.len() < 1024 && endings.iter().any(|ending| name.ends_with(ending))
}
