//! The memo: millions of entries, eight bytes each.

use crate::Value;

/// Memo entries by id. An entry is packed into one word: kind in the upper half, handle in the lower. Numbers and floats,
/// which no known writer memoises, go to a side table.
#[derive(Default)]
pub(crate) struct Memo {
    packed: Vec<u64>,
    wide: Vec<Value>,
}

const UNSET: u64 = 0;
const TEXT: u64 = 1 << 32;
const LIST: u64 = 2 << 32;
const DICT: u64 = 3 << 32;
const TUPLE: u64 = 4 << 32;
const WIDE: u64 = 5 << 32;
const KIND: u64 = !0 << 32;

/// How far beyond the last entry a PUT may write: ids count up in every known writer, and an optimiser may leave gaps.
const LARGEST_GAP: u64 = 1 << 16;

impl Memo {
    pub(crate) fn len(&self) -> usize {
        self.packed.len()
    }

    pub(crate) fn push(&mut self, value: Value) {
        let word = self.pack(value);
        self.packed.push(word);
    }

    /// Sets entry `id`; false if it lies absurdly far ahead.
    pub(crate) fn put(&mut self, id: u64, value: Value) -> bool {
        let len = self.packed.len() as u64;
        if id == len {
            self.push(value);
            return true;
        }
        if id > len + LARGEST_GAP {
            return false;
        }
        let word = self.pack(value);
        if id > len {
            self.packed.resize(id as usize + 1, UNSET);
        }
        if let Some(entry) = self.packed.get_mut(id as usize) {
            *entry = word;
        }
        true
    }

    #[inline]
    pub(crate) fn get(&self, id: u64) -> Option<Value> {
        let word = *self.packed.get(usize::try_from(id).ok()?)?;
        let handle = word as u32;
        match word & KIND {
            DICT => Some(Value::Dict(handle)),
            LIST => Some(Value::List(handle)),
            TEXT => Some(Value::Text(handle)),
            TUPLE => Some(Value::Tuple(handle)),
            WIDE => self.wide.get(handle as usize).copied(),
            _ => None,
        }
    }

    fn pack(&mut self, value: Value) -> u64 {
        match value {
            Value::Text(handle) => TEXT | u64::from(handle),
            Value::List(handle) => LIST | u64::from(handle),
            Value::Dict(handle) => DICT | u64::from(handle),
            Value::Tuple(handle) => TUPLE | u64::from(handle),
            other => {
                self.wide.push(other);
                WIDE | (self.wide.len() as u64 - 1)
            }
        }
    }
}
