//! What the reader calls for what it has read.

use crate::Value;

/// Receives the contents of a pickle in the order in which they become complete.
///
/// The reader passes handles back exactly as they were given out. A batch may be one of several for the same container:
/// Python's writer sends 1,000 items at a time.
pub trait Build {
    /// A text. `utf8` is UTF-8 in a sound file, but any bytes may come.
    fn text(&mut self, utf8: &[u8]) -> Result<u32, Refusal>;
    /// A new empty list.
    fn list(&mut self) -> Result<u32, Refusal>;
    /// A new empty dict.
    fn dict(&mut self) -> Result<u32, Refusal>;
    /// A whole tuple.
    fn tuple(&mut self, items: &[Value]) -> Result<u32, Refusal>;
    /// More items of a list.
    fn extend_list(&mut self, list: u32, items: &[Value]) -> Result<(), Refusal>;
    /// More pairs of a dict: key, value, key, value. The length is even.
    fn extend_dict(&mut self, dict: u32, pairs: &[Value]) -> Result<(), Refusal>;
    /// Called for a new list that got nothing but values met before, all at once: a token that stands for these items, if the builder can make
    /// such a list again from it. What a token stands for must not change, whatever becomes of the list.
    fn remember(&mut self, list: u32) -> Option<u32> {
        let _ = list;
        None
    }
    /// A new list with the items that a token of [`Build::remember`] stands for.
    fn list_again(&mut self, token: u32) -> Result<u32, Refusal>;
    /// The text behind a handle, for messages.
    fn show(&self, text: u32) -> String;
}

/// The builder's "no": a limit is reached. Becomes [`ErrorKind::Refused`](crate::ErrorKind::Refused) with an offset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What there is too much of, in the plural: "events".
    pub what: &'static str,
    /// How many are allowed.
    pub limit: u64,
}
