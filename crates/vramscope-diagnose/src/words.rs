//! Numbers and code in sentences. `code` and **bold** are marked up as in Markdown.

use vramscope_core::ids::{FrameId, StackId};
use vramscope_core::model::{FrameKind, Snapshot};
use vramscope_core::replay::Site;
use vramscope_core::units;

use crate::report::Frame;

/// "43.8 GiB".
pub(crate) fn bytes(bytes: u64) -> String {
    units::format_bytes(bytes)
}

/// "90 %", with a no-break space; "below 1 %" for a little, "over 99 %" for not quite all.
pub(crate) fn percent(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "0\u{a0}%".into();
    }
    let share = part as f64 / whole as f64 * 100.0;
    match share {
        _ if part == 0 => "0\u{a0}%".into(),
        share if share < 1.0 => "below 1\u{a0}%".into(),
        share if share > 99.0 && part < whole => "over 99\u{a0}%".into(),
        share => format!("{share:.0}\u{a0}%"),
    }
}

/// "17,626".
pub(crate) fn number(number: u64) -> String {
    units::group_digits(number)
}

/// "3 steps".
pub(crate) fn count(number: u64, one: &str, many: &str) -> String {
    units::count(number, one, many)
}

/// The line that a person would change: the innermost of their own, else what stands for the stack.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    pub(crate) name: String,
    /// "train.py:60"; empty if no line is known.
    pub(crate) at: String,
    pub(crate) own: bool,
}

impl Place {
    pub(crate) fn of(stack: StackId, snapshot: &Snapshot) -> Self {
        let site = site(stack, snapshot);
        Place {
            name: printable(&site.name(snapshot)),
            at: printable(&site.at(snapshot)),
            own: site.is_own(snapshot),
        }
    }

    /// A key that stacks of the same place share.
    pub(crate) fn id_of(stack: StackId, snapshot: &Snapshot) -> (u64, u64) {
        match site(stack, snapshot) {
            Site::Line(id) => (1, u64::from(id.0)),
            Site::AutogradNode(name) => (2, hash(&name)),
            Site::Operator(name) => (3, hash(&name)),
            Site::Unnamed => (4, 0),
            Site::NoStack => (5, 0),
        }
    }

    /// "`forward` at `train.py:60`"; without a stack "code that was not recorded".
    pub(crate) fn text(&self) -> String {
        match (self.name.as_str(), self.at.as_str()) {
            ("", _) | ("no stack", _) => "code that was not recorded".into(),
            (name, "") => format!("`{name}`"),
            (name, at) if at.contains(':') => format!("`{name}` at `{at}`"),
            (name, at) => format!("`{name}` ({at})"),
        }
    }

    /// "`train.py:60`", or the name where there is no line.
    pub(crate) fn line(&self) -> String {
        match self.at.contains(':') {
            true => format!("`{}`", self.at),
            false => self.text(),
        }
    }

    /// A stack was recorded.
    pub(crate) fn is_known(&self) -> bool {
        !matches!(self.name.as_str(), "" | "no stack")
    }
}

fn site(stack: StackId, snapshot: &Snapshot) -> Site {
    let is_own = |id: &&FrameId| {
        let frame = snapshot.stacks.frame(**id);
        frame.is_some_and(|frame| frame.kind(&snapshot.strings) == FrameKind::Own)
    };
    match snapshot.stacks.frames_of(stack).iter().find(is_own) {
        Some(id) => Site::Line(*id),
        None => Site::of_stack(stack, snapshot),
    }
}

/// FNV-1a: short names of one file, no adversary gains by a collision but a wrong line in a table.
fn hash(name: &str) -> u64 {
    name.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Names come from a file that anybody may have written: what would move a terminal's cursor, end a line or a mark does not.
fn printable(text: &str) -> String {
    text.chars()
        .map(|c| {
            if c.is_control() {
                '\u{fffd}'
            } else if c == '`' {
                '\''
            } else {
                c
            }
        })
        .collect()
}

/// Frames of a stack as plain data, innermost first.
pub(crate) fn frames(stack: StackId, snapshot: &Snapshot) -> Vec<Frame> {
    let frames = snapshot.stacks.frames_of(stack).iter().filter_map(|id| snapshot.stacks.frame(*id));
    let text = |id| printable(&snapshot.strings.get(id));
    let kind = |frame: &vramscope_core::model::Frame| match frame.kind(&snapshot.strings) {
        FrameKind::Own => "own",
        FrameKind::Library => "library",
        FrameKind::Torch => "torch",
        FrameKind::Cpp => "cpp",
    };
    let plain = |frame: &vramscope_core::model::Frame| Frame {
        name: text(frame.name),
        file: text(frame.file),
        line: frame.line,
        kind: kind(frame),
    };
    frames.map(plain).collect()
}
