//! What to do about a message, largest effect first.

use vramscope_core::order;
use vramscope_core::units::format_bytes;

use super::facts::Facts;
use super::wording::Wording;
use super::{Advice, Verdict};
use crate::recipe::Version;
use crate::thresholds::{MESSAGE_OTHERS_SHARE, MESSAGE_OUTSIDE_SHARE};

/// Processes named in an advice, at most.
const NAMED: usize = 4;

/// Advice for a message and its verdict.
pub(super) fn for_facts(facts: &Facts, verdict: Verdict) -> Vec<Advice> {
    let mut list = match (facts.wording, verdict) {
        (Wording::Cpu, _) => return host(),
        (Wording::Mps, _) => return apple(facts),
        (_, Verdict::Fragmentation) => vec![settings(facts), smaller(facts)],
        (_, Verdict::Cap) => vec![cap(facts), smaller(facts)],
        (_, Verdict::OtherProcess) => vec![other_processes(facts), another_card()],
        (_, Verdict::TooBig) if facts.limit.is_some_and(|limit| facts.requested > limit) => {
            vec![one_request(facts)]
        }
        (_, Verdict::TooBig) => vec![smaller(facts), checkpointing(), state()],
        (_, Verdict::CannotTell) => cannot_tell(facts),
    };
    list.extend(also(facts, verdict));
    list.push(empty_cache(facts));
    list
}

fn advice(title: impl Into<String>, text: impl Into<String>) -> Advice {
    Advice { title: title.into(), text: text.into() }
}

/// The name of the environment variable.
fn variable(facts: &Facts) -> &'static str {
    match facts.since {
        Some(Version { major: 2, minor: 9.. }) => "PYTORCH_ALLOC_CONF",
        _ if facts.is_hip => "PYTORCH_HIP_ALLOC_CONF",
        _ => "PYTORCH_CUDA_ALLOC_CONF",
    }
}

/// The allocator's settings, by what that version has.
fn settings(facts: &Facts) -> Advice {
    let pieces = format_bytes(facts.unallocated.unwrap_or(0));
    let name = variable(facts);
    if facts.wording == Wording::Cached || facts.since == Some(Version { major: 1, minor: 4 }) {
        return advice(
            "Update PyTorch, or ask for the largest tensors first",
            format!(
                "{pieces} are in pieces between live blocks. This PyTorch has no setting against it; 2.1 and later have segments that grow in place."
            ),
        );
    }
    if facts.wording == Wording::ReservedInTotal {
        return advice(
            format!("Set `{name}=max_split_size_mb:128`"),
            format!(
                "{pieces} are in pieces between live blocks. The setting keeps large blocks whole; it must be there before the process starts. PyTorch 2.1 and later have the stronger `expandable_segments:True`."
            ),
        );
    }
    advice(
        format!("Set `{name}=expandable_segments:True`"),
        format!(
            "{pieces} are in pieces between live blocks; segments that grow in place usually leave few of them. It must be there before the process starts. Where it is set already or not supported (Windows), `max_split_size_mb:128` is the next thing to try."
        ),
    )
}

fn smaller(facts: &Facts) -> Advice {
    let text = match facts.short_by {
        Some(short) if short > 0 => format!(
            "{} were missing. Half the batch halves the activations, not weights and optimizer state; gradient accumulation keeps the step the same.",
            format_bytes(short)
        ),
        _ => "Half the batch halves the activations, not weights and optimizer state; gradient accumulation keeps the step the same.".into(),
    };
    advice("Make the batch or the sequences smaller", text)
}

fn checkpointing() -> Advice {
    let text = "`torch.utils.checkpoint` computes activations again in backward instead of keeping them: about a third more time, often less than half of \
                the activations.";
    advice("Checkpoint the activations", text)
}

fn state() -> Advice {
    let text = "Adam keeps two more numbers for each weight. bfloat16 weights, an 8-bit optimizer or sharding (FSDP) help where it fails on the first step, \
                whatever the batch.";
    advice("Shrink weights and optimizer state", text)
}

fn one_request(facts: &Facts) -> Advice {
    let text = format!(
        "One tensor of {} was asked for. No setting can serve that: look at its shape. Usual causes are an attention matrix over the whole sequence, a \
         broadcast of two large tensors, or a batch size in the wrong place.",
        format_bytes(facts.requested)
    );
    advice("Find the line that makes this tensor", text)
}

fn cap(facts: &Facts) -> Advice {
    let text = format!(
        "The card had {} free. The cap comes from `torch.cuda.set_per_process_memory_fraction`, called by your code or by the framework; check that \
         nobody else needs the rest.",
        format_bytes(facts.free.unwrap_or(0))
    );
    advice("Raise the cap of this process", text)
}

fn other_processes(facts: &Facts) -> Advice {
    let mut largest: Vec<_> = facts.others.iter().collect();
    order::by_number(&mut largest, |process| !process.bytes);
    let named = largest
        .iter()
        .take(NAMED)
        .map(|process| format!("process {} holds {}", process.pid, format_bytes(process.bytes)));
    let named = named.collect::<Vec<_>>().join(", ");
    let more = facts.others.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(", and {more} more") } else { String::new() };
    let title = match largest.first() {
        Some(process) => format!("End process {}, or wait until it ends", process.pid),
        None => "Look which processes use the card".into(),
    };
    advice(
        title,
        format!(
            "On this card {named}{more}. Often it is an earlier run that did not end, or a notebook that is still open."
        ),
    )
}

fn another_card() -> Advice {
    advice(
        "Use another card",
        "`CUDA_VISIBLE_DEVICES=1` picks it before the process starts; `nvidia-smi` lists which are free. With several ranks check that each uses its own.",
    )
}

fn cannot_tell(facts: &Facts) -> Vec<Advice> {
    let mut list = Vec::new();
    if facts.had_room() {
        list.push(advice(
            "Run it again and watch the card",
            "Free memory was read after the failure: another process may have released it in between. On Windows and WSL the system lends a process less than \
             the card has, and a card in slices (MIG) has less than it says.",
        ));
    }
    list.push(smaller(facts));
    list
}

/// What is worth saying whatever the verdict.
fn also(facts: &Facts, verdict: Verdict) -> Vec<Advice> {
    let mut list = Vec::new();
    let large =
        |bytes: u64, share: f64| facts.total.is_some_and(|total| bytes as f64 >= total as f64 * share);
    let others = facts.others_bytes();
    if verdict != Verdict::OtherProcess && others > 0 && large(others, MESSAGE_OTHERS_SHARE) {
        list.push(other_processes(facts));
    }
    // Messages before 2.1 name no processes: what is missing from the sum is theirs, or the system's.
    if let Some(rest) =
        facts.unaccounted().filter(|rest| facts.in_use.is_none() && large(*rest, MESSAGE_OTHERS_SHARE))
    {
        let text = format!(
            "{} of the card are neither free nor PyTorch's: other processes, the desktop, or libraries of this one. `nvidia-smi` lists them.",
            format_bytes(rest)
        );
        list.push(advice("Look which processes use the card", text));
    }
    if let Some(pools) = facts.private_pools.filter(|bytes| large(*bytes, MESSAGE_OUTSIDE_SHARE)) {
        let text = format!(
            "{} are kept for CUDA graphs, whether they run or not. Capture fewer sizes, or let the captures share a pool.",
            format_bytes(pools)
        );
        list.push(advice("Capture fewer CUDA graphs", text));
    }
    if let Some(outside) = facts.outside.filter(|bytes| large(*bytes, MESSAGE_OUTSIDE_SHARE)) {
        let text = format!(
            "{} of this process are outside PyTorch's allocator: NCCL buffers, other libraries, a second framework. A snapshot does not show them.",
            format_bytes(outside)
        );
        list.push(advice("Look outside PyTorch", text));
    }
    list
}

fn empty_cache(facts: &Facts) -> Advice {
    let text = match facts.unallocated {
        Some(_) => {
            "PyTorch gave back every segment that was wholly free before it raised the error. What is still reserved has live blocks in it."
        }
        None => "PyTorch gives back every segment that is wholly free before it raises the error.",
    };
    advice("Do not expect help from `empty_cache()`", text)
}

fn host() -> Vec<Advice> {
    vec![
        advice(
            "Load less into the host's memory",
            "It is memory of the computer: data sets, workers of a DataLoader (each has a copy), checkpoints. `torch.load(..., mmap=True)` reads a checkpoint \
             without a copy.",
        ),
        advice(
            "Check the limit of the job",
            "A container or a Slurm job can have less than the machine: `ulimit -v`, `--mem`, or the memory limit of the container.",
        ),
    ]
}

fn apple(facts: &Facts) -> Vec<Advice> {
    vec![
        smaller(facts),
        advice(
            "Close other programs",
            format!(
                "The chip shares its memory with the system; {} are counted for others than PyTorch's tensors.",
                format_bytes(facts.outside.unwrap_or(0))
            ),
        ),
        advice(
            "Raise the limit only with care",
            "`PYTORCH_MPS_HIGH_WATERMARK_RATIO=0.0` takes it away; then the whole system can run out of memory.",
        ),
    ]
}
