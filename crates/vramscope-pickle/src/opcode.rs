//! Opcodes by name, and the list of those that are refused.

macro_rules! opcodes {
    ($($name:ident = $byte:literal),* $(,)?) => {
        $(pub(crate) const $name: u8 = $byte;)*

        /// The name of an opcode as in Python's `pickletools`, if the byte is one.
        pub(crate) fn name(byte: u8) -> Option<&'static str> {
            match byte {
                $($byte => Some(stringify!($name)),)*
                _ => None,
            }
        }
    };
}

opcodes! {
    MARK = b'(', STOP = b'.', POP = b'0', POP_MARK = b'1', DUP = b'2', FLOAT = b'F', INT = b'I', BININT = b'J', BININT1 = b'K',
    LONG = b'L', BININT2 = b'M', NONE = b'N', STRING = b'S', BINSTRING = b'T', SHORT_BINSTRING = b'U', UNICODE = b'V',
    BINUNICODE = b'X', APPEND = b'a', DICT = b'd', EMPTY_DICT = b'}', APPENDS = b'e', GET = b'g', BINGET = b'h', LONG_BINGET = b'j',
    LIST = b'l', EMPTY_LIST = b']', PUT = b'p', BINPUT = b'q', LONG_BINPUT = b'r', SETITEM = b's', TUPLE = b't', EMPTY_TUPLE = b')',
    SETITEMS = b'u', BINFLOAT = b'G', PROTO = 0x80, TUPLE1 = 0x85, TUPLE2 = 0x86, TUPLE3 = 0x87, NEWTRUE = 0x88, NEWFALSE = 0x89,
    LONG1 = 0x8a, LONG4 = 0x8b, BINBYTES = b'B', SHORT_BINBYTES = b'C', SHORT_BINUNICODE = 0x8c, BINUNICODE8 = 0x8d,
    BINBYTES8 = 0x8e, EMPTY_SET = 0x8f, ADDITEMS = 0x90, FROZENSET = 0x91, MEMOIZE = 0x94, FRAME = 0x95, BYTEARRAY8 = 0x96,
    // Refused: they import, call or build.
    GLOBAL = b'c', STACK_GLOBAL = 0x93, REDUCE = b'R', BUILD = b'b', INST = b'i', OBJ = b'o', NEWOBJ = 0x81, NEWOBJ_EX = 0x92,
    EXT1 = 0x82, EXT2 = 0x83, EXT4 = 0x84, PERSID = b'P', BINPERSID = b'Q', NEXT_BUFFER = 0x97, READONLY_BUFFER = 0x98,
}

/// Opcodes that import, call or build something. Listed so that the message can name them; what is neither here nor
/// handled by the reader is refused as unknown.
pub(crate) const FORBIDDEN: [u8; 15] = [
    GLOBAL,
    STACK_GLOBAL,
    REDUCE,
    BUILD,
    INST,
    OBJ,
    NEWOBJ,
    NEWOBJ_EX,
    EXT1,
    EXT2,
    EXT4,
    PERSID,
    BINPERSID,
    NEXT_BUFFER,
    READONLY_BUFFER,
];
