//! A streaming reader of untrusted pickle bytes.
//!
//! The reader is fed pieces of a file as they arrive and calls a [`Build`] implementation for each finished text,
//! tuple, and batch of items. It knows pickle and nothing of PyTorch. What it promises:
//!
//! - **Pickles are data.** Opcodes are an allow-list; every opcode that imports, calls or builds an object is refused
//!   by name ([`ErrorKind::Forbidden`]).
//! - **No trust in lengths.** Nothing is allocated by a declared length: memory grows with bytes that have arrived.
//! - **No recursion**, whatever the nesting.
//! - **Errors say where**: byte offset, what was expected and what was found.
//!
//! ```
//! use vramscope_pickle::{Limits, Reader, Tree, Value};
//!
//! let mut reader = Reader::new(Tree::default(), Limits::default());
//! for piece in [&b"\x80\x04]\x94(K\x01"[..], &b"K\x02e."[..]] {
//!     reader.feed(piece).unwrap();
//! }
//! let (root, tree) = reader.finish().unwrap();
//! let Value::List(list) = root else { panic!() };
//! assert_eq!(tree.items(list), [Value::Int(1), Value::Int(2)]);
//! ```

mod builder;
mod cursor;
mod error;
mod guess;
mod limits;
mod memo;
mod number;
mod opcode;
mod patience;
mod quick;
mod reader;
mod room;
mod runs;
mod shapes;
mod stack;
mod step;
mod text;
mod tree;
mod value;

pub use builder::{Build, Refusal};
pub use error::{Error, ErrorKind};
pub use limits::Limits;
pub use reader::Reader;
pub use room::make_room;
pub use tree::Tree;
pub use value::Value;
