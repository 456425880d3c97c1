//! A stack for the eye: own and library frames one by one, runs of torch and native frames folded.

use serde::Serialize;

use crate::ids::{StackId, StringId};
use crate::model::{FrameKind, FxNode, Strings};
use crate::replay::Recording;
use crate::units;

/// Neighbouring frames that are shown together, innermost first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[allow(missing_docs)]
pub struct Group {
    /// "own", "library", or "internal" for torch and native code.
    pub kind: &'static str,
    /// Closed until the reader opens it.
    pub folded: bool,
    /// "19 C++ and 3 torch frames"; only for folded ones.
    pub label: Option<String>,
    pub frames: Vec<ShownFrame>,
}

/// One frame.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[allow(missing_docs)]
pub struct ShownFrame {
    pub name: String,
    pub file: String,
    pub line: u32,
    /// The node of an FX graph that generated this line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fx: Option<ShownFx>,
}

/// A node of an FX graph.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[allow(missing_docs)]
pub struct ShownFx {
    pub op: Option<String>,
    pub name: Option<String>,
    pub target: Option<String>,
    /// Where the node comes from: a stack in the model's source, in several lines.
    pub source: Option<String>,
}

/// The groups of a stack.
#[inline]
pub fn groups(recording: &Recording, stack: StackId) -> Vec<Group> {
    let snapshot = &recording.snapshot;
    let mut groups: Vec<Group> = Vec::new();
    let (mut cpp, mut torch) = (0, 0);
    for id in snapshot.stacks.frames_of(stack) {
        let Some(frame) = snapshot.stacks.frame(*id) else { continue };
        let shown = ShownFrame {
            name: snapshot.strings.get(frame.name).into_owned(),
            file: snapshot.strings.get(frame.file).into_owned(),
            line: frame.line,
            fx: snapshot.stacks.fx(*id).map(|node| shown_fx(&snapshot.strings, node)),
        };
        let kind = match frame.kind(&snapshot.strings) {
            FrameKind::Own => "own",
            FrameKind::Library => "library",
            FrameKind::Torch => "torch",
            FrameKind::Cpp => "cpp",
        };
        let internal = matches!(kind, "torch" | "cpp");
        match groups.last_mut() {
            Some(last) if internal && last.folded => last.frames.push(shown),
            _ => {
                (cpp, torch) = (0, 0);
                let kind = if internal { "internal" } else { kind };
                groups.push(Group { kind, folded: internal, label: None, frames: vec![shown] });
            }
        }
        if internal {
            cpp += u64::from(kind == "cpp");
            torch += u64::from(kind == "torch");
            if let Some(last) = groups.last_mut() {
                last.label = Some(label(cpp, torch));
            }
        }
    }
    groups
}

fn shown_fx(strings: &Strings, node: &FxNode) -> ShownFx {
    let text = |id: Option<StringId>| id.map(|id| strings.get(id).into_owned());
    ShownFx {
        op: text(node.op),
        name: text(node.name),
        target: text(node.target),
        source: text(node.original_trace),
    }
}

fn label(cpp: u64, torch: u64) -> String {
    match (cpp, torch) {
        (cpp, 0) => units::count(cpp, "C++ frame", "C++ frames"),
        (0, torch) => units::count(torch, "torch frame", "torch frames"),
        (cpp, torch) => format!(
            "{} C++ and {}",
            units::group_digits(cpp),
            units::count(torch, "torch frame", "torch frames")
        ),
    }
}
