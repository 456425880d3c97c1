//! Comma-separated values by RFC 4180, safe to open in a spreadsheet.

use std::fmt::{Display, Write};

/// One line under construction.
pub(super) struct Line<'a> {
    out: &'a mut String,
    begun: bool,
}

impl<'a> Line<'a> {
    pub(super) fn new(out: &'a mut String) -> Self {
        Line { out, begun: false }
    }

    fn begin(&mut self) {
        if std::mem::replace(&mut self.begun, true) {
            self.out.push(',');
        }
    }

    /// A number, or nothing.
    pub(super) fn number(&mut self, value: Option<impl Display>) -> &mut Self {
        self.begin();
        if let Some(value) = value {
            // A String takes everything.
            let _ = write!(self.out, "{value}");
        }
        self
    }

    /// A text of the file. What a spreadsheet would take for a formula gets an apostrophe before it.
    pub(super) fn text(&mut self, text: &str) -> &mut Self {
        self.begin();
        let guard = if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { "'" } else { "" };
        if text.contains(['"', ',', '\n', '\r']) {
            let _ = write!(self.out, "\"{guard}{}\"", text.replace('"', "\"\""));
        } else {
            self.out.push_str(guard);
            self.out.push_str(text);
        }
        self
    }

    pub(super) fn end(&mut self) {
        self.out.push_str("\r\n");
    }
}

#[cfg(test)]
mod tests {
    use super::Line;

    #[test]
    fn quoted_and_guarded() {
        let mut out = String::new();
        let mut line = Line::new(&mut out);
        line.text("plain")
            .text("a,\"b\"\n")
            .text("=1+1")
            .text("@x,y")
            .number(Some(-7))
            .number(None::<u32>)
            .end();
        assert_eq!(out, "plain,\"a,\"\"b\"\"\n\",'=1+1,\"'@x,y\",-7,\r\n");
    }
}
