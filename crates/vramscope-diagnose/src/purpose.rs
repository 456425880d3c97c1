//! What a large block is, in a word, by the code that made it.

use vramscope_core::ids::StackId;
use vramscope_core::model::Snapshot;

/// What may be logits.
pub(crate) const LINEAR: &str = "the result of a linear layer";

/// Words in function or file names, innermost frames first, and what they mean. The first frame with one of them decides.
const PURPOSES: [(&str, &str); 21] = [
    ("cross_entropy", "logits and their log-softmax, for the loss"),
    ("log_softmax", "log-softmax of the logits"),
    ("nll_loss", "the loss over all logits"),
    ("lm_head", "logits"),
    ("scaled_dot_product", "attention"),
    ("_efficient_attention", "attention"),
    ("_flash_attention", "attention"),
    ("baddbmm", "attention scores"),
    ("bmm", "attention scores, or another batched product"),
    ("multi_head_attention_forward", "attention"),
    ("softmax", "softmax of attention scores, or another"),
    ("_to_copy", "a copy in another type or on another device"),
    ("upsample", "an upsampled map"),
    ("interpolate", "an upsampled map"),
    ("index_select", "rows that were looked up"),
    ("embedding", "rows of an embedding"),
    ("cat", "a concatenation"),
    ("contiguous", "a contiguous copy"),
    ("clone", "a copy"),
    ("conv", "the result of a convolution"),
    ("linear", LINEAR),
];

/// "attention scores"; `None` if no frame tells.
pub(crate) fn of_stack(stack: StackId, snapshot: &Snapshot) -> Option<&'static str> {
    let frames = snapshot.stacks.frames_of(stack).iter().filter_map(|id| snapshot.stacks.frame(*id));
    for frame in frames {
        let name = snapshot.strings.get(frame.name);
        // In native code only the operator's own name counts, not its helpers'.
        let word = match name.split_once("at::_ops::") {
            Some((_, rest)) => rest.split("::").next().unwrap_or_default().to_owned(),
            None if name.contains("::") => continue,
            None => name.into_owned(),
        };
        if let Some((_, purpose)) = PURPOSES.iter().find(|(key, _)| matches(&word, key)) {
            return Some(purpose);
        }
    }
    None
}

fn matches(word: &str, key: &str) -> bool {
    match key {
        "cat" | "bmm" | "clone" | "conv" | "linear" => {
            word == key || word.starts_with(&format!("{key}2")) || word.starts_with(&format!("{key}o"))
        }
        _ => word.contains(key),
    }
}
