//! The two writers of pickles, in small: Python's (protocols 2 and 4) and the C++ one.

use std::collections::HashMap;
use std::rc::Rc;

use super::V;

/// Which writer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writer {
    /// Python's, with a protocol from 2 to 5: memo before the contents, batches of 1,000, shared lists and texts named again.
    Python(u8),
    /// The C++ one: protocol 2, one batch for each container, memo after the contents, equal texts named again.
    Cpp,
}

/// The pickle of a value.
pub fn pickle(value: &V, writer: Writer) -> Vec<u8> {
    let mut out = Out { bytes: Vec::new(), writer, next: 0, texts: HashMap::new(), lists: HashMap::new() };
    out.bytes.extend_from_slice(&[0x80, if let Writer::Python(protocol) = writer { protocol } else { 2 }]);
    out.value(value);
    out.bytes.push(b'.');
    out.bytes
}

struct Out {
    bytes: Vec<u8>,
    writer: Writer,
    /// Next memo entry.
    next: u32,
    texts: HashMap<String, u32>,
    lists: HashMap<*const Vec<V>, u32>,
}

impl Out {
    fn value(&mut self, value: &V) {
        match value {
            V::None => self.bytes.push(b'N'),
            V::Bool(bool) => self.bytes.push(if *bool { 0x88 } else { 0x89 }),
            V::Int(int) => self.int(*int),
            V::Float(float) => {
                self.bytes.push(b'G');
                self.bytes.extend_from_slice(&float.to_be_bytes());
            }
            V::Text(text) => self.text(text),
            V::List(items) => self.list(items),
            V::Tuple(items) => {
                items.iter().for_each(|item| self.value(item));
                assert_eq!(items.len(), 2, "only pairs");
                self.bytes.push(0x86);
                if self.writer != Writer::Cpp {
                    self.put();
                }
            }
            V::Dict(pairs) => self.dict(pairs),
        }
    }

    fn int(&mut self, int: i128) {
        if let Ok(byte) = u8::try_from(int) {
            self.bytes.extend_from_slice(&[b'K', byte]);
        } else if let Ok(two) = u16::try_from(int) {
            self.bytes.push(b'M');
            self.bytes.extend_from_slice(&two.to_le_bytes());
        } else if let Ok(four) = i32::try_from(int) {
            self.bytes.push(b'J');
            self.bytes.extend_from_slice(&four.to_le_bytes());
        } else if self.writer == Writer::Cpp {
            // Its integers are signed: from 2^63 on they turn negative.
            self.bytes.extend_from_slice(&[0x8a, 8]);
            self.bytes.extend_from_slice(&(int as i64).to_le_bytes());
        } else {
            let fits = |n: usize| int >> (8 * n - 1) == 0 || int >> (8 * n - 1) == -1;
            let len = (1..=16).find(|n| fits(*n)).expect("64 bits and a sign");
            self.bytes.extend_from_slice(&[0x8a, len as u8]);
            self.bytes.extend_from_slice(&int.to_le_bytes()[..len]);
        }
    }

    fn text(&mut self, text: &str) {
        if let Some(id) = self.texts.get(text) {
            return self.get(*id);
        }
        let len = text.len();
        if matches!(self.writer, Writer::Python(4..)) && len < 256 {
            self.bytes.extend_from_slice(&[0x8c, len as u8]);
        } else {
            self.bytes.push(b'X');
            self.bytes.extend_from_slice(&(len as u32).to_le_bytes());
        }
        self.bytes.extend_from_slice(text.as_bytes());
        let id = self.put();
        self.texts.insert(text.into(), id);
    }

    fn list(&mut self, items: &Rc<Vec<V>>) {
        let shared = Rc::strong_count(items) > 1;
        if let Some(id) = self.lists.get(&Rc::as_ptr(items)) {
            return self.get(*id);
        }
        self.bytes.push(b']');
        if self.writer == Writer::Cpp {
            self.bytes.push(b'(');
            items.iter().for_each(|item| self.value(item));
            self.bytes.push(b'e');
            if shared {
                let id = self.put();
                self.lists.insert(Rc::as_ptr(items), id);
            }
            return;
        }
        let id = self.put();
        if shared {
            self.lists.insert(Rc::as_ptr(items), id);
        }
        for batch in items.chunks(1000) {
            match batch {
                [item] => {
                    self.value(item);
                    self.bytes.push(b'a');
                }
                _ => {
                    self.bytes.push(b'(');
                    batch.iter().for_each(|item| self.value(item));
                    self.bytes.push(b'e');
                }
            }
        }
    }

    fn dict(&mut self, pairs: &[(String, V)]) {
        self.bytes.push(b'}');
        if self.writer != Writer::Cpp {
            self.put();
        }
        let marked = self.writer == Writer::Cpp || pairs.len() > 1;
        if marked {
            self.bytes.push(b'(');
        }
        for (key, value) in pairs {
            self.text(key);
            self.value(value);
        }
        match (marked, pairs.len()) {
            (true, _) => self.bytes.push(b'u'),
            (false, 1) => self.bytes.push(b's'),
            _ => {}
        }
    }

    fn put(&mut self) -> u32 {
        let id = self.next;
        self.next += 1;
        match (self.writer, u8::try_from(id)) {
            (Writer::Python(4..), _) => self.bytes.push(0x94),
            (_, Ok(id)) => self.bytes.extend_from_slice(&[b'q', id]),
            _ => {
                self.bytes.push(b'r');
                self.bytes.extend_from_slice(&id.to_le_bytes());
            }
        }
        id
    }

    fn get(&mut self, id: u32) {
        match u8::try_from(id) {
            Ok(id) => self.bytes.extend_from_slice(&[b'h', id]),
            Err(_) => {
                self.bytes.push(b'j');
                self.bytes.extend_from_slice(&id.to_le_bytes());
            }
        }
    }
}
