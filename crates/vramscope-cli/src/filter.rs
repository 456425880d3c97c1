//! Expressions of the filter's language on the command line.

use std::str::FromStr;

use vramscope_core::bits::Bits;
use vramscope_core::replay::Recording;
use vramscope_diagnose::{Options, diagnose};
use vramscope_explore::filter::{Expr, Fault, KEYS, Scope, parse};

/// An expression that was understood, with its text. As the value of an argument, `--filter EXPR`, clap reads it.
#[derive(Clone)]
pub(crate) struct Filter {
    pub(crate) text: String,
    pub(crate) expr: Expr,
}

impl Filter {
    /// Diagnoses a recording if the expression asks for what only that tells.
    pub(crate) fn prepare(&self, recording: &mut Recording) {
        if self.expr.needs_labels() && recording.replays.iter().any(|replay| replay.labels().is_none()) {
            recording.check_all();
            diagnose(recording, &Options::default());
        }
    }

    /// What it chooses of a device; none of an unknown one.
    pub(crate) fn choose(&self, recording: &Recording, device: i64) -> Result<Bits, String> {
        let Some(scope) = Scope::new(recording, device, [None; 2]) else { return Ok(Bits::default()) };
        self.expr.choose(&scope).map_err(|fault| pointed(&fault, &self.text))
    }
}

impl FromStr for Filter {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expr = parse(text).map_err(|fault| pointed(&fault, text))?;
        Ok(Self { text: text.to_owned(), expr })
    }
}

/// A fault with a line that points at it.
fn pointed(fault: &Fault, text: &str) -> String {
    format!("{}\n  {text}\n  {}{}", fault.message, " ".repeat(fault.at), "^".repeat(fault.length))
}

/// The language, for the help of a command.
pub(crate) fn language() -> String {
    let widest =
        KEYS.iter().map(|key| key.example.chars().count()).filter(|width| *width < 34).max().unwrap_or(0);
    let line = |example: &str, what: &str| format!("  {example:widest$}  {what}");
    let lines = KEYS.iter().map(|key| line(key.example, key.what));
    format!("Expressions:\n{}", lines.collect::<Vec<_>>().join("\n"))
}
