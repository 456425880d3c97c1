//! The memo: millions of entries, four bytes each.

use crate::{Value, make_room};

/// Memo entries by id. An entry is packed into one word: kind in the upper three bits, handle below. What does not fit (numbers and floats,
/// which no known writer memoises, and handles beyond half a billion) goes to a side table.
#[derive(Default)]
pub(crate) struct Memo {
    packed: Vec<u32>,
    wide: Vec<Value>,
    /// Places in `wide` whose entries were written over.
    free: Vec<u32>,
}

const HANDLE_BITS: u32 = 29;
const HANDLE: u32 = (1 << HANDLE_BITS) - 1;
/// Kinds. An entry that was never written is 0.
const UNSET: u32 = 0;
const TEXT: u32 = 1 << HANDLE_BITS;
const LIST: u32 = 2 << HANDLE_BITS;
const DICT: u32 = 3 << HANDLE_BITS;
const TUPLE: u32 = 4 << HANDLE_BITS;
const WIDE: u32 = 5 << HANDLE_BITS;

/// How far beyond the last entry a PUT may write: ids count up in every known writer, and an optimiser may leave gaps.
const LARGEST_GAP: u64 = 1 << 16;

impl Memo {
    pub(crate) fn len(&self) -> usize {
        self.packed.len()
    }

    /// Room for `times` as many entries as there are, if it is nearly full.
    pub(crate) fn make_room(&mut self, times: f64) {
        make_room(&mut self.packed, times);
    }

    #[inline]
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
        if id > len {
            self.packed.resize(id as usize + 1, UNSET);
        }
        let before = self.packed.get(id as usize).copied().unwrap_or(UNSET);
        if before & !HANDLE == WIDE {
            self.free.push(before & HANDLE);
        }
        let word = self.pack(value);
        if let Some(entry) = self.packed.get_mut(id as usize) {
            *entry = word;
        }
        true
    }

    #[inline]
    pub(crate) fn get(&self, id: u32) -> Option<Value> {
        let word = *self.packed.get(id as usize)?;
        let (kind, handle) = (word & !HANDLE, word & HANDLE);
        // Nearly all are texts and frames: branches that are foreseen, before a jump that is not.
        if kind == TEXT {
            return Some(Value::Text(handle));
        }
        if kind == DICT {
            return Some(Value::Dict(handle));
        }
        match kind {
            LIST => Some(Value::List(handle)),
            TUPLE => Some(Value::Tuple(handle)),
            WIDE => self.wide.get(handle as usize).copied(),
            _ => None,
        }
    }

    #[inline]
    fn pack(&mut self, value: Value) -> u32 {
        match value {
            Value::Text(handle) if handle <= HANDLE => TEXT | handle,
            Value::List(handle) if handle <= HANDLE => LIST | handle,
            Value::Dict(handle) if handle <= HANDLE => DICT | handle,
            Value::Tuple(handle) if handle <= HANDLE => TUPLE | handle,
            other => self.pack_wide(other),
        }
    }

    #[cold]
    fn pack_wide(&mut self, value: Value) -> u32 {
        // There are no more of them than memo entries, which are limited to fewer than handles.
        let place = self.free.pop().unwrap_or(self.wide.len() as u32);
        match self.wide.get_mut(place as usize) {
            Some(free) => *free = value,
            None => self.wide.push(value),
        }
        WIDE | place & HANDLE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_comes_back() {
        let values = [
            Value::Int(-1),
            Value::Float(0.5),
            Value::None,
            Value::Text(HANDLE),
            Value::List(HANDLE + 1),
            Value::Dict(u32::MAX),
            Value::Tuple(0),
        ];
        let mut memo = Memo::default();
        for value in values {
            memo.push(value);
        }
        for (id, value) in values.into_iter().enumerate() {
            assert_eq!(memo.get(id as u32), Some(value));
        }
        assert!(memo.put(9, Value::None), "a gap");
        assert_eq!(memo.get(8), None);
    }

    #[test]
    fn what_is_written_over_takes_no_more_room() {
        let mut memo = Memo::default();
        for n in 0..100 {
            for (id, value) in
                [(0, Value::Int(n)), (1, Value::Text(7)), (1, Value::Int(-n)), (0, Value::None)]
            {
                assert!(memo.put(id, value));
            }
        }
        assert_eq!((memo.get(0), memo.get(1)), (Some(Value::None), Some(Value::Int(-99))));
        assert!(memo.wide.len() <= 2 && memo.free.len() <= 2, "{:?} {:?}", memo.wide, memo.free);
    }
}
