//! The reader alone: pieces of any length give what the whole gives.
#![no_main]

use libfuzzer_sys::fuzz_target;
use vramscope_pickle::{Error, Limits, Reader, Tree, Value};

fn read(bytes: &[u8], piece: usize) -> Result<(Value, usize), Error> {
    let mut reader = Reader::new(Tree::default(), Limits::default());
    for piece in bytes.chunks(piece) {
        reader.feed(piece)?;
    }
    reader.finish().map(|(root, tree)| (root, tree.len()))
}

fuzz_target!(|bytes: &[u8]| {
    let whole = read(bytes, usize::MAX);
    // NaN is not equal to itself: compare what is printed.
    assert_eq!(format!("{whole:?}"), format!("{:?}", read(bytes, 1)));
});
