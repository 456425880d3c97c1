//! Every text of the file, once.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

use crate::ids::StringId;

/// Interned texts. Equal texts have equal ids; bytes that are not UTF-8 are kept and shown with U+FFFD.
#[derive(Clone, Debug)]
pub struct Strings {
    bytes: Vec<u8>,
    /// End of each text in `bytes`.
    ends: Vec<usize>,
    index: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl Default for Strings {
    /// Holds one text: the empty one, as id 0.
    fn default() -> Self {
        let mut strings = Strings {
            bytes: Vec::new(),
            ends: Vec::new(),
            index: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
        };
        strings.intern(b"");
        strings
    }
}

impl Strings {
    /// The empty text.
    pub const EMPTY: StringId = StringId(0);

    /// The id of a text, new or known.
    pub fn intern(&mut self, text: &[u8]) -> StringId {
        let hash = self.hasher.hash_one(text);
        let Strings { bytes, ends, index, hasher } = self;
        if let Some(&id) = index.find(hash, |&id| slice(bytes, ends, id) == text) {
            return StringId(id);
        }
        let id = ends.len() as u32;
        bytes.extend_from_slice(text);
        ends.push(bytes.len());
        index.insert_unique(hash, id, |&id| hasher.hash_one(slice(bytes, ends, id)));
        StringId(id)
    }

    /// The bytes of a text; empty for an unknown id.
    pub fn bytes(&self, id: StringId) -> &[u8] {
        slice(&self.bytes, &self.ends, id.0)
    }

    /// The text, with U+FFFD for what is not UTF-8.
    pub fn get(&self, id: StringId) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(self.bytes(id))
    }

    /// How many texts there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Never: the empty text is always there.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}

fn slice<'a>(bytes: &'a [u8], ends: &[usize], id: u32) -> &'a [u8] {
    let id = id as usize;
    let start = id.checked_sub(1).and_then(|before| ends.get(before)).copied().unwrap_or(0);
    ends.get(id).and_then(|&end| bytes.get(start..end)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_are_one() {
        let mut strings = Strings::default();
        let a = strings.intern(b"alloc");
        let b = strings.intern("größe".as_bytes());
        assert_eq!(strings.intern(b"alloc"), a);
        assert_ne!(a, b);
        assert_eq!(strings.get(b), "größe");
        assert_eq!(strings.intern(b""), Strings::EMPTY);
        assert_eq!(strings.get(StringId(99)), "");
        assert_eq!(strings.len(), 3);
    }
}
