//! One opcode: its operands, and what it does to stack, memo and builder.
//!
//! Operands are read before anything changes, so an opcode that has not fully arrived can simply be tried again.

use crate::cursor::{Cursor, Halt};
use crate::opcode::*;
use crate::reader::Reader;
use crate::{Build, ErrorKind, Refusal, Value, number, text};

impl From<Refusal> for Halt {
    fn from(refusal: Refusal) -> Self {
        ErrorKind::Refused { what: refusal.what, limit: refusal.limit, found: None }.into()
    }
}

impl<B: Build> Reader<B> {
    #[inline]
    pub(crate) fn step(&mut self, byte: u8, cursor: &mut Cursor<'_>) -> Result<(), Halt> {
        match byte {
            LONG_BINGET => {
                let id = cursor.u32()?;
                self.get("LONG_BINGET", u64::from(id))
            }
            BINGET => {
                let id = cursor.u8()?;
                self.get("BINGET", u64::from(id))
            }
            MARK => self.stack.mark(),
            MEMOIZE => self.memoize(),
            BININT1 => {
                let int = cursor.u8()?;
                self.stack.push(Value::Int(i64::from(int)))
            }
            BININT2 => {
                let int = cursor.u16()?;
                self.stack.push(Value::Int(i64::from(int)))
            }
            BININT => {
                let int = cursor.u32()?;
                self.stack.push(Value::Int(i64::from(int as i32)))
            }
            LONG1 => {
                let len = cursor.u8()?;
                let bytes = cursor.take(u64::from(len))?;
                self.stack.push(number::from_twos_complement(bytes))
            }
            SHORT_BINUNICODE => {
                let len = cursor.u8()?;
                self.text(u64::from(len), cursor)
            }
            BINUNICODE => {
                let len = cursor.u32()?;
                self.text(u64::from(len), cursor)
            }
            BINPUT => {
                let id = cursor.u8()?;
                self.put("BINPUT", u64::from(id))
            }
            LONG_BINPUT => {
                let id = cursor.u32()?;
                self.put("LONG_BINPUT", u64::from(id))
            }
            EMPTY_LIST => self.new_list(),
            EMPTY_DICT => self.new_dict(),
            APPENDS => self.append_items(),
            SETITEMS => self.set_items(),
            APPEND => self.append_item(),
            SETITEM => self.set_item(),
            _ => self.step_rare(byte, cursor),
        }
    }

    /// Opcodes that are few in a real file.
    fn step_rare(&mut self, byte: u8, cursor: &mut Cursor<'_>) -> Result<(), Halt> {
        match byte {
            PROTO => self.proto(cursor),
            FRAME => cursor.u64().map(|_| ()),
            STOP => self.stop(),
            NONE => self.stack.push(Value::None),
            NEWTRUE => self.stack.push(Value::Bool(true)),
            NEWFALSE => self.stack.push(Value::Bool(false)),
            BINFLOAT => {
                let float = f64::from_be_bytes(cursor.array()?);
                self.stack.push(Value::Float(float))
            }
            TUPLE | TUPLE1 | TUPLE2 | TUPLE3 | EMPTY_TUPLE => self.tuple(byte),
            LIST | DICT => self.container_since_mark(byte),
            POP => self.stack.pop_mark_or_value("POP"),
            POP_MARK => {
                self.stack.since_mark("POP_MARK")?;
                self.stack.drop_to_mark();
                Ok(())
            }
            DUP => {
                let value = self.stack.top("DUP")?;
                self.stack.push(value)
            }
            EMPTY_SET => self.stack.push(Value::Opaque),
            ADDITEMS => {
                self.stack.since_mark("ADDITEMS")?;
                self.stack.drop_to_mark();
                Ok(())
            }
            FROZENSET => {
                self.stack.since_mark("FROZENSET")?;
                self.stack.drop_to_mark();
                self.stack.push(Value::Opaque)
            }
            BINUNICODE8 => {
                let len = cursor.u64()?;
                self.text(len, cursor)
            }
            BINSTRING => {
                let len = cursor.u32()?;
                self.text(u64::from(len), cursor)
            }
            SHORT_BINSTRING => {
                let len = cursor.u8()?;
                self.text(u64::from(len), cursor)
            }
            LONG4 => {
                let len = cursor.u32()?;
                self.long4(len, cursor)
            }
            BINBYTES => {
                let len = cursor.u32()?;
                self.opaque(u64::from(len))
            }
            SHORT_BINBYTES => {
                let len = cursor.u8()?;
                self.opaque(u64::from(len))
            }
            BINBYTES8 | BYTEARRAY8 => {
                let len = cursor.u64()?;
                self.opaque(len)
            }
            INT | LONG | FLOAT | STRING | UNICODE | GET | PUT => self.step_line(byte, cursor),
            _ if FORBIDDEN.contains(&byte) => Err(self.forbidden(byte, cursor.bytes())),
            _ => Err(ErrorKind::UnknownOpcode { byte }.into()),
        }
    }

    /// Opcodes of protocol 0, whose operand is a line of text.
    fn step_line(&mut self, byte: u8, cursor: &mut Cursor<'_>) -> Result<(), Halt> {
        let line = cursor.line()?;
        match byte {
            INT => self.stack.push(number::from_decimal("INT", line)?),
            LONG => self.stack.push(number::from_decimal("LONG", line)?),
            FLOAT => self.stack.push(number::from_float_text(line)?),
            GET => self.get("GET", number::memo_id("GET", line)?),
            PUT => self.put("PUT", number::memo_id("PUT", line)?),
            UNICODE => self.push_text(&text::from_raw_unicode_escape(line)),
            _ => self.push_text(&text::from_quoted(line)),
        }
    }

    fn proto(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Halt> {
        let protocol = cursor.u8()?;
        if protocol > 5 {
            return Err(ErrorKind::UnknownProtocol { protocol }.into());
        }
        self.protocol = Some(protocol);
        Ok(())
    }

    fn text(&mut self, len: u64, cursor: &mut Cursor<'_>) -> Result<(), Halt> {
        if len > self.limits.max_text_bytes {
            let limit = self.limits.max_text_bytes;
            return Err(ErrorKind::Refused { what: "bytes of text", limit, found: Some(len) }.into());
        }
        let utf8 = cursor.take(len)?;
        self.push_text(utf8)
    }

    fn push_text(&mut self, utf8: &[u8]) -> Result<(), Halt> {
        let handle = self.builder.text(utf8)?;
        self.stack.push(Value::Text(handle))
    }

    fn long4(&mut self, len: u32, cursor: &mut Cursor<'_>) -> Result<(), Halt> {
        if len > 255 {
            return self.opaque(u64::from(len));
        }
        let bytes = cursor.take(u64::from(len))?;
        self.stack.push(number::from_twos_complement(bytes))
    }

    /// A value whose `len` bytes are passed over as they come.
    fn opaque(&mut self, len: u64) -> Result<(), Halt> {
        self.stack.push(Value::Opaque)?;
        self.skip = len;
        Ok(())
    }

    fn new_list(&mut self) -> Result<(), Halt> {
        let list = self.builder.list()?;
        self.stack.push(Value::List(list))
    }

    fn new_dict(&mut self) -> Result<(), Halt> {
        let dict = self.builder.dict()?;
        self.stack.push(Value::Dict(dict))
    }

    #[inline]
    fn get(&mut self, opcode: &'static str, id: u64) -> Result<(), Halt> {
        match u32::try_from(id).ok().and_then(|id| self.memo.get(id)) {
            Some(value) => self.stack.push(value),
            None => Err(ErrorKind::BadMemo { opcode, id, len: self.memo.len() as u64 }.into()),
        }
    }

    #[inline]
    pub(crate) fn memoize(&mut self) -> Result<(), Halt> {
        let value = self.stack.top("MEMOIZE")?;
        self.check_memo()?;
        self.memo.push(value);
        Ok(())
    }

    #[inline]
    pub(crate) fn put(&mut self, opcode: &'static str, id: u64) -> Result<(), Halt> {
        let value = self.stack.top(opcode)?;
        self.check_memo()?;
        if id < self.memo.len() as u64 {
            self.runs.clear();
            self.shapes.clear();
        }
        match self.memo.put(id, value) {
            true => Ok(()),
            false => Err(ErrorKind::BadMemo { opcode, id, len: self.memo.len() as u64 }.into()),
        }
    }

    fn check_memo(&self) -> Result<(), Halt> {
        match self.memo.len() < self.limits.max_memo {
            true => Ok(()),
            false => Err(Refusal { what: "memo entries", limit: self.limits.max_memo as u64 }.into()),
        }
    }

    /// APPENDS: hands the items to the builder.
    pub(crate) fn append_items(&mut self) -> Result<(), Halt> {
        let (target, items) = self.stack.since_mark("APPENDS")?;
        extend_list(&mut self.builder, "APPENDS", target, items)?;
        self.stack.drop_to_mark();
        Ok(())
    }

    /// SETITEMS: hands the pairs to the builder.
    #[inline]
    pub(crate) fn set_items(&mut self) -> Result<(), Halt> {
        let (target, pairs) = self.stack.since_mark("SETITEMS")?;
        extend_dict(&mut self.builder, "SETITEMS", target, pairs)?;
        self.stack.drop_to_mark();
        Ok(())
    }

    /// APPEND: one item.
    fn append_item(&mut self) -> Result<(), Halt> {
        if let [target, items @ ..] = self.stack.last(2, "APPEND")? {
            extend_list(&mut self.builder, "APPEND", Some(*target), items)?;
        }
        self.stack.drop_last(1);
        Ok(())
    }

    /// SETITEM: one pair.
    fn set_item(&mut self) -> Result<(), Halt> {
        if let [target, pair @ ..] = self.stack.last(3, "SETITEM")? {
            extend_dict(&mut self.builder, "SETITEM", Some(*target), pair)?;
        }
        self.stack.drop_last(2);
        Ok(())
    }

    fn tuple(&mut self, byte: u8) -> Result<(), Halt> {
        let opcode = name(byte).unwrap_or_default();
        if byte == TUPLE {
            let (_, items) = self.stack.since_mark(opcode)?;
            let tuple = self.builder.tuple(items)?;
            self.stack.drop_to_mark();
            return self.stack.push(Value::Tuple(tuple));
        }
        let len = match byte {
            TUPLE1 => 1,
            TUPLE2 => 2,
            TUPLE3 => 3,
            _ => 0,
        };
        let tuple = self.builder.tuple(self.stack.last(len, opcode)?)?;
        self.stack.drop_last(len);
        self.stack.push(Value::Tuple(tuple))
    }

    /// LIST and DICT: a container out of what stands above the mark.
    fn container_since_mark(&mut self, byte: u8) -> Result<(), Halt> {
        let opcode = name(byte).unwrap_or_default();
        let (_, items) = self.stack.since_mark(opcode)?;
        let value = if byte == LIST {
            let list = self.builder.list()?;
            if !items.is_empty() {
                self.builder.extend_list(list, items)?;
            }
            Value::List(list)
        } else {
            if !items.len().is_multiple_of(2) {
                return Err(key_without_value(opcode));
            }
            let dict = self.builder.dict()?;
            if !items.is_empty() {
                self.builder.extend_dict(dict, items)?;
            }
            Value::Dict(dict)
        };
        self.stack.drop_to_mark();
        self.stack.push(value)
    }

    /// The refusal of an opcode that would run code, with what it names. GLOBAL and INST name it in the two lines that follow: those
    /// are waited for, within reason, so that the message does not depend on how the file is cut into pieces.
    fn forbidden(&self, byte: u8, bytes: &[u8]) -> Halt {
        let in_lines = matches!(byte, GLOBAL | INST);
        if in_lines && bytes.len() <= NAMES_WITHIN {
            return Halt::NeedBytes(NAMES_WITHIN as u64 + 1);
        }
        self.refusal(byte, bytes).into()
    }

    /// The error for a forbidden opcode at the start of `bytes`.
    pub(crate) fn refusal(&self, byte: u8, bytes: &[u8]) -> ErrorKind {
        let opcode = name(byte).unwrap_or_default();
        let names = match byte {
            GLOBAL | INST => names_in_lines(bytes.get(1..).unwrap_or_default()),
            STACK_GLOBAL => match self.stack.last(2, opcode) {
                Ok([Value::Text(module), Value::Text(name)]) => {
                    Some(format!("{}.{}", self.builder.show(*module), self.builder.show(*name)))
                }
                _ => None,
            },
            _ => None,
        };
        let names =
            names.map(|names| names.chars().take(200).collect::<String>().escape_default().to_string());
        ErrorKind::Forbidden { opcode, names }
    }
}

fn extend_list<B: Build>(
    builder: &mut B,
    opcode: &'static str,
    target: Option<Value>,
    items: &[Value],
) -> Result<(), Halt> {
    match target {
        Some(Value::List(list)) => Ok(builder.extend_list(list, items)?),
        other => Err(not_the_target(opcode, "a list", other)),
    }
}

#[inline]
fn extend_dict<B: Build>(
    builder: &mut B,
    opcode: &'static str,
    target: Option<Value>,
    pairs: &[Value],
) -> Result<(), Halt> {
    match target {
        Some(Value::Dict(dict)) if pairs.len().is_multiple_of(2) => Ok(builder.extend_dict(dict, pairs)?),
        Some(Value::Dict(_)) => Err(key_without_value(opcode)),
        other => Err(not_the_target(opcode, "a dict", other)),
    }
}

fn not_the_target(opcode: &'static str, expected: &'static str, found: Option<Value>) -> Halt {
    match found {
        Some(found) => ErrorKind::WrongKind { opcode, expected, found: found.kind() }.into(),
        None => ErrorKind::StackUnderflow { opcode }.into(),
    }
}

fn key_without_value(opcode: &'static str) -> Halt {
    ErrorKind::WrongKind { opcode, expected: "pairs", found: "a key without a value" }.into()
}

/// Bytes after GLOBAL or INST in which its two names must end to be shown.
const NAMES_WITHIN: usize = 512;

/// "module.name" of the two lines at the start of `bytes`.
fn names_in_lines(bytes: &[u8]) -> Option<String> {
    let within = bytes.get(..NAMES_WITHIN).unwrap_or(bytes);
    let mut lines = within.split_inclusive(|&byte| byte == b'\n').map_while(|line| line.strip_suffix(b"\n"));
    let (module, name) = (lines.next()?, lines.next()?);
    Some(format!("{}.{}", String::from_utf8_lossy(module), String::from_utf8_lossy(name)))
}
