//! What the reader does to the tree: looks at a part, leaves a part out, takes a function out from between.

use serde::{Deserialize, Serialize};

use super::Key;

/// What a change does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// Only this, and from here on.
    Focus,
    /// All but this.
    Drop,
    /// Its bytes go to its caller. Always of a function, wherever it stands.
    Merge,
}

/// One change of all paths.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// What is done.
    pub what: What,
    /// Keys from the root to the node; of a function only the last one counts.
    pub path: Vec<Key>,
    /// Of the function wherever it stands; else of the node and what is below it.
    #[serde(default)]
    pub function: bool,
    /// The path begins with what allocated, as in a tree from the bottom up.
    #[serde(default)]
    pub inverted: bool,
}

impl Change {
    /// Changes a path, which begins with the outermost frame; false: it is left out.
    pub(super) fn apply(&self, path: &mut Vec<Key>) -> bool {
        let Some(&key) = self.path.last() else { return true };
        if self.what == What::Merge {
            path.retain(|each| *each != key);
            return true;
        }
        // Keys before the part that stays, and behind it.
        let found = match (self.function, self.inverted) {
            (true, _) => path.iter().position(|each| *each == key).map(|at| (at, 0)),
            (false, false) => path.starts_with(&self.path).then(|| (self.path.len() - 1, 0)),
            (false, true) => {
                path.iter().rev().take(self.path.len()).eq(&self.path).then(|| (0, self.path.len() - 1))
            }
        };
        match (self.what, found) {
            (What::Drop, found) => found.is_none(),
            (_, None) => false,
            (_, Some((before, behind))) => {
                path.truncate(path.len() - behind);
                path.drain(..before);
                true
            }
        }
    }
}
