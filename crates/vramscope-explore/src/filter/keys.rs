//! The words of the language: one table for whoever reads it, helps with it or completes it.

use serde::Serialize;

/// A key, as help shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Key {
    /// As it is typed, with the sign that follows: "size >".
    pub key: &'static str,
    /// What it chooses, in one line.
    pub what: &'static str,
    /// An expression that uses it.
    pub example: &'static str,
    /// What may stand behind it, where that is a list.
    pub values: &'static [&'static str],
}

const fn key(
    key: &'static str,
    what: &'static str,
    example: &'static str,
    values: &'static [&'static str],
) -> Key {
    Key { key, what, example, values }
}

pub(super) const CATEGORIES: &[&str] =
    &["parameter", "optimizer_state", "gradient", "activation", "input", "temporary", "other", "unknown"];
pub(super) const PHASES: &[&str] =
    &["build", "forward", "backward", "optimizer", "zero_grad", "inference", "idle"];
pub(super) const POOLS: &[&str] = &["large", "small", "private"];
pub(super) const MOMENTS: &[&str] = &["peak", "end", "A", "B"];

/// All of them.
pub const KEYS: &[Key] = &[
    key(
        "word",
        "A frame of the stack matches: a regular expression over “name file:line”. Quotes hold spaces together.",
        "attention",
        &[],
    ),
    key("stack:", "The same; #12 is the stack of that number.", "stack:train\\.py:4", &[]),
    key("name:", "The function of a frame matches.", "name:^forward$", &[]),
    key("file:", "The file and line of a frame match.", "file:optim/", &[]),
    key("size >", "Requested bytes: > >= < <= = or from..to, in B, KiB, MiB, GiB.", "size > 100 MiB", &[]),
    key("lifetime <", "How long it lives: us, ms, s, or ev for events.", "lifetime:1ms..20ms", &[]),
    key(
        "category:",
        "What it holds, as the diagnosis or you say.",
        "category:activation,gradient",
        CATEGORIES,
    ),
    key("phase:", "The phase that made it.", "phase:backward", PHASES),
    key("step:", "The step that made it, from 1.", "step:2..3", &[]),
    key("stream:", "Its stream: 0 or 0x….", "stream:0", &[]),
    key("pool:", "The pool that served it: large, small, private, or a private one.", "pool:0:1", POOLS),
    key(
        "alive:",
        "It is alive at the peak, at the end, after an event, at mark A or B.",
        "alive:A not alive:B",
        MOMENTS,
    ),
    key("made:", "Events that make it.", "made:100..200", &[]),
    key("freed:", "Events that free it.", "freed:5000..", &[]),
    key(
        "address:",
        "Its block contains an address, or lies in a range of them.",
        "address:0x7f0db6000000",
        &[],
    ),
    key(
        "meta:",
        "User metadata, compile context, annotations or the allocator's note match.",
        "meta:layer",
        &[],
    ),
    key("not", "Negates the next condition, as a leading - does.", "not stack:adam", &[]),
    key(
        "or",
        "Either is enough; conditions side by side must both hold. Parentheses group.",
        "size > 1 GiB or (phase:backward lifetime < 1 ms)",
        &[],
    ),
];
