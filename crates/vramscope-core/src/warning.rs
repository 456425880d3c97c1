//! What was odd about a file but did not stop it from opening.

use serde::Serialize;

/// One kind of oddity, with how often it was met. Warnings are returned beside the model, never printed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Warning {
    /// Stable name, for scripts.
    pub code: &'static str,
    /// How often.
    pub count: u64,
    /// Bytes concerned, where that can be told.
    pub bytes: Option<u64>,
    /// The device concerned, where it is one.
    pub device: Option<i64>,
    /// Figures may be wrong, or only less is known than could be.
    pub severity: Severity,
    /// One plain sentence.
    pub message: String,
}

/// How much a warning matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Something contradicts itself or is damaged: figures may be wrong.
    Warning,
    /// Something is not in the file: figures are right, but do not tell all.
    Note,
}

/// Warnings by code, in order of first appearance.
#[derive(Clone, Debug, Default)]
pub struct Warnings(Vec<Warning>);

impl Warnings {
    /// Counts `count` more of `code`; the first message stays.
    pub fn add(&mut self, code: &'static str, count: u64, message: impl FnOnce() -> String) {
        if count == 0 {
            return;
        }
        match self.0.iter_mut().find(|warning| warning.code == code) {
            Some(warning) => warning.count += count,
            None => self.0.push(Warning {
                code,
                count,
                bytes: None,
                device: None,
                severity: Severity::Warning,
                message: message(),
            }),
        }
    }

    /// All of them.
    pub fn list(&self) -> &[Warning] {
        &self.0
    }
}
