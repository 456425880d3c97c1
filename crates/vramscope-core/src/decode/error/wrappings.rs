//! Errors of what lies around the content, and of JSON.

use super::{ErrorCode, OpenError, RECORD, partly_read};
use crate::decode::json;
use crate::units::{count, group_digits};

const COPY_AGAIN: &str =
    "Compare its size and check sum with the original on the machine that wrote it, and copy it again.";
const OTHER_FILE: &str = "Another file was chosen.";

impl OpenError {
    /// All texts, with the places where most errors are alike filled in.
    fn packed(code: ErrorCode, title: &str, looks_like: &str) -> Box<Self> {
        Box::new(OpenError {
            code,
            title: title.into(),
            looks_like: looks_like.into(),
            at: None,
            expected: None,
            found: None,
            cause: OTHER_FILE.into(),
            advice: RECORD.into(),
            readable: 0,
            unpacked: false,
        })
    }

    fn at(mut self: Box<Self>, at: u64, expected: &str, found: &str) -> Box<Self> {
        (self.at, self.expected, self.found) = (Some(at), Some(expected.into()), Some(found.into()));
        self
    }

    fn because(mut self: Box<Self>, cause: &str, advice: &str) -> Box<Self> {
        (self.cause, self.advice) = (cause.into(), advice.into());
        self
    }

    fn readable(mut self: Box<Self>, readable: u64) -> Box<Self> {
        self.readable = readable;
        if readable > 0 {
            self.looks_like = partly_read(&self.looks_like, readable);
        }
        self
    }

    pub(in crate::decode) fn gzip(at: u64, cut: bool, readable: u64) -> Box<Self> {
        let error = match cut {
            true => Self::packed(
                ErrorCode::Truncated,
                "{name} ends in the middle of its gzip data.",
                "a gzip file",
            )
            .at(at, "more gzip data", "the end")
            .because("The copy was cut.", COPY_AGAIN),
            false => Self::packed(
                ErrorCode::Damaged,
                "{name} is damaged: its gzip data do not unpack.",
                "a gzip file",
            )
            .at(at, "gzip data", "something else")
            .because("The copy is damaged.", COPY_AGAIN),
        };
        error.readable(readable)
    }

    pub(in crate::decode) fn nested(limit: u64) -> Box<Self> {
        Self::packed(ErrorCode::TooLarge, "{name} is packed too often.", "an archive in an archive")
            .at(0, &format!("at most {limit} wrappings"), "one more")
            .because(
                "No tool that writes snapshots packs them like this.",
                "Unpack it by hand, and open what is inside.",
            )
    }

    pub(in crate::decode) fn zip_cut(at: u64, readable: u64) -> Box<Self> {
        Self::packed(ErrorCode::Truncated, "{name} ends in the middle of its zip data.", "a zip archive")
            .at(at, "more zip data", "the end")
            .because("The copy was cut.", COPY_AGAIN)
            .readable(readable)
    }

    pub(in crate::decode) fn zip_damaged(at: u64, readable: u64) -> Box<Self> {
        Self::packed(ErrorCode::Damaged, "{name} is damaged: its zip data do not unpack.", "a zip archive")
            .at(at, "zip data", "something else")
            .because("The copy is damaged.", COPY_AGAIN)
            .readable(readable)
    }

    pub(in crate::decode) fn zip_unusable(why: &str, n_files: u64) -> Box<Self> {
        let looks_like = format!("a zip archive of {}", count(n_files, "file", "files"));
        Self::packed(ErrorCode::NotASnapshot, "{name} holds no snapshot that can be read.", &looks_like)
            .at(0, "a snapshot, stored or packed by deflate", &format!("a file that {why}"))
            .because(
                "It was packed with options that are not read here.",
                "Unpack it by hand, and open the snapshot in it.",
            )
    }

    pub(in crate::decode) fn zip_without_snapshot(n_files: u64) -> Box<Self> {
        let looks_like = match n_files {
            0 => "an empty zip archive".into(),
            n => format!("a zip archive of {}, none of them a snapshot", count(n, "file", "files")),
        };
        let mut error =
            Self::packed(ErrorCode::NotASnapshot, "{name} is not a memory snapshot.", &looks_like);
        error.expected = Some("a zip archive with a snapshot in it".into());
        error.found = Some(looks_like);
        error
    }

    /// A zip archive whose `data.pkl` runs code: what `torch.save` makes of a model. `error` is the pickle's refusal.
    pub(in crate::decode) fn checkpoint(error: Self) -> Box<Self> {
        Box::new(OpenError {
            code: ErrorCode::NotASnapshot,
            title: "{name} is not a memory snapshot.".into(),
            looks_like: "a zip archive such as a PyTorch checkpoint, written by torch.save".into(),
            cause: "Another file was chosen. Nothing in it was run.".into(),
            advice: RECORD.into(),
            ..error
        })
    }

    pub(in crate::decode) fn page_without_data(looks_like: &str, fed: u64) -> Box<Self> {
        let error = Self::packed(ErrorCode::NotASnapshot, "{name} holds no snapshot.", looks_like).at(
            fed,
            "a page of trace_plot or segment_plot of PyTorch 2.1 or later",
            looks_like,
        );
        match looks_like {
            page if page.contains("2.0") => error.because(
                "Pages of that release keep sizes and stacks, but no addresses, segments or streams.",
                "Open the pickle that the page was made from.",
            ),
            page if page.contains("elsewhere") => error.because(
                "The page only names its snapshots.",
                "Download the snapshots that it names, and open those.",
            ),
            _ => error,
        }
    }

    pub(in crate::decode) fn page_cut(at: u64, readable: u64) -> Box<Self> {
        Self::packed(
            ErrorCode::Truncated,
            "{name} ends in the middle of its data.",
            "an HTML page with a snapshot",
        )
        .at(at, "more data and a closing quote", "the end")
        .because("The copy was cut.", COPY_AGAIN)
        .readable(readable)
    }

    pub(in crate::decode) fn no_base64(at: u64, found: u8, readable: u64) -> Box<Self> {
        let found = if found.is_ascii_graphic() {
            format!("the character {}", char::from(found))
        } else {
            format!("byte 0x{found:02x}")
        };
        Self::packed(ErrorCode::Damaged, "{name} is damaged.", "an HTML page with a snapshot")
            .at(at, "base64", &found)
            .because("Bytes were changed on the way.", COPY_AGAIN)
            .readable(readable)
    }

    /// A known kind of file that is no snapshot.
    pub(in crate::decode) fn foreign(kind: &str) -> Box<Self> {
        let advice = match kind {
            kind if kind.contains("trace") => format!("Open it in a trace viewer. {RECORD}"),
            _ => RECORD.into(),
        };
        Self::packed(ErrorCode::NotASnapshot, "{name} is not a memory snapshot.", kind)
            .at(0, "a memory snapshot", kind)
            .because(OTHER_FILE, &advice)
    }

    pub(in crate::decode) fn json(error: &json::Error, readable: u64) -> Box<Self> {
        use json::ErrorKind;
        let told = match &error.kind {
            ErrorKind::Foreign { looks_like } => return Self::foreign(looks_like),
            ErrorKind::Truncated { .. } => {
                Self::packed(ErrorCode::Truncated, "{name} ends in the middle of a value.", "JSON").because(
                    "The copy was cut, or the process was killed while it wrote the file.",
                    COPY_AGAIN,
                )
            }
            ErrorKind::Python => {
                Self::packed(ErrorCode::Damaged, "{name} is not quite JSON.", "JSON with single quotes")
                    .because(
                        "Python's print or repr wrote it.",
                        "Write it with json.dump, or with torch.cuda.memory._dump_snapshot().",
                    )
            }
            ErrorKind::Refused(refusal) => {
                let title = format!(
                    "{{name}} has more {} than the limit of {}.",
                    refusal.what,
                    group_digits(refusal.limit)
                );
                Self::packed(ErrorCode::TooLarge, &title, "JSON").because(
                    "The file is damaged, or far larger than any known recording.",
                    "Record fewer events (max_entries).",
                )
            }
            ErrorKind::Unexpected { .. } => Self::packed(ErrorCode::Damaged, "{name} is damaged.", "JSON")
                .because(
                    "It is JSON with a mistake in it.",
                    "Write it again with json.dump, or copy it again.",
                ),
        };
        told.at(error.at, &error.kind.expected(), &error.kind.found()).readable(readable)
    }
}
