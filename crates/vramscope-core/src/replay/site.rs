//! Where an allocation was made, in two words: the line of code that a person would name.

use crate::ids::{FrameId, StackId};
use crate::model::{Frame, FrameKind, Snapshot};

/// The place that stands for a stack: its innermost Python line outside torch; if there is none, its autograd node, its operator, or its innermost Python line.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Site {
    /// A line of code.
    Line(FrameId),
    /// An autograd node, such as `MeanBackward0`: the backward thread has no Python frames.
    AutogradNode(String),
    /// An ATen operator, such as `addmm`.
    Operator(String),
    /// Frames, but nothing that can be named.
    Unnamed,
    /// No stack was recorded.
    NoStack,
}

impl Site {
    /// The place that stands for a stack.
    pub fn of_stack(stack: StackId, snapshot: &Snapshot) -> Site {
        let frames = snapshot.stacks.frames_of(stack);
        if frames.is_empty() {
            return Site::NoStack;
        }
        let mut torch_line = None;
        for &id in frames {
            match snapshot.stacks.frame(id).map(|frame| frame.kind(&snapshot.strings)) {
                Some(FrameKind::Own | FrameKind::Library) => return Site::Line(id),
                Some(FrameKind::Torch) if torch_line.is_none() => torch_line = Some(id),
                _ => {}
            }
        }
        let named = |name_in: fn(&str) -> Option<&str>| {
            frames
                .iter()
                .filter_map(|&id| snapshot.stacks.frame(id))
                .find_map(|frame| name_in(&snapshot.strings.get(frame.name)).map(str::to_owned))
        };
        if let Some(node) = named(autograd_node) {
            return Site::AutogradNode(node);
        }
        if let Some(line) = torch_line {
            return Site::Line(line);
        }
        named(operator).map_or(Site::Unnamed, Site::Operator)
    }

    /// The function, node or operator.
    pub fn name(&self, snapshot: &Snapshot) -> String {
        match self {
            Site::Line(id) => {
                snapshot.stacks.frame(*id).map(|frame| function(frame, snapshot)).unwrap_or_default()
            }
            Site::AutogradNode(name) | Site::Operator(name) => name.clone(),
            Site::Unnamed => "native code".into(),
            Site::NoStack => "no stack".into(),
        }
    }

    /// File and line, or what kind of place it is.
    pub fn at(&self, snapshot: &Snapshot) -> String {
        match self {
            Site::Line(id) => {
                snapshot.stacks.frame(*id).map(|frame| file_and_line(frame, snapshot)).unwrap_or_default()
            }
            Site::AutogradNode(_) => "autograd engine".into(),
            Site::Operator(_) => "operator, no Python frame".into(),
            Site::Unnamed => "no Python frame".into(),
            Site::NoStack => String::new(),
        }
    }

    /// True if the line is the user's own.
    pub fn is_own(&self, snapshot: &Snapshot) -> bool {
        match self {
            Site::Line(id) => {
                let frame = snapshot.stacks.frame(*id);
                frame.is_some_and(|frame| frame.kind(&snapshot.strings) == FrameKind::Own)
            }
            _ => false,
        }
    }
}

fn function(frame: &Frame, snapshot: &Snapshot) -> String {
    snapshot.strings.get(frame.name).into_owned()
}

/// "modeling_qwen2.py:47".
fn file_and_line(frame: &Frame, snapshot: &Snapshot) -> String {
    let file = snapshot.strings.get(frame.file);
    let base = file.rsplit(['/', '\\']).next().unwrap_or_default();
    match frame.line {
        0 => base.to_owned(),
        line => format!("{base}:{line}"),
    }
}

/// `MeanBackward0` in `torch::autograd::generated::MeanBackward0::apply(…)`.
fn autograd_node(name: &str) -> Option<&str> {
    let path = name.split('(').next().unwrap_or(name);
    let mut parts = path.split("::").peekable();
    while let Some(part) = parts.next() {
        let is_node = part.contains("Backward") || part == "AccumulateGrad";
        let is_identifier = part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if is_node && is_identifier && parts.peek().is_some() {
            return Some(part);
        }
    }
    None
}

/// The operator that a native frame's name tells: `addmm` in `at::_ops::addmm::call(…)`.
pub fn operator(name: &str) -> Option<&str> {
    name.split_once("at::_ops::")
        .and_then(|(_, rest)| rest.split("::").next())
        .filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_native_frames() {
        let apply = "torch::autograd::generated::MeanBackward0::apply(std::vector<at::Tensor> &&)";
        assert_eq!(autograd_node(apply), Some("MeanBackward0"));
        assert_eq!(autograd_node("torch::autograd::AccumulateGrad::apply(x)"), Some("AccumulateGrad"));
        assert_eq!(autograd_node("at::native::mean(torch::XBackward0::y)"), None);
        assert_eq!(operator("at::_ops::addmm::call(at::Tensor const&)"), Some("addmm"));
        assert_eq!(operator("at::native::addmm"), None);
    }
}
