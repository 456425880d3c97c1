//! How much the reader takes from one file.

/// Bounds on what one file may make the reader hold. All are far above real snapshots; each turns an attack or a
/// broken file into a message instead of a dead process.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Longest single text in bytes. Real ones (C++ names, settings) stay below 100 KiB.
    pub max_text_bytes: u64,
    /// Most values on the stack at once. The C++ writer puts every event of a trace there before it closes the list.
    pub max_stack: usize,
    /// Most open marks: the nesting depth. Real snapshots stay below 20.
    pub max_marks: usize,
    /// Most memo entries. Real files have three to five for each event.
    pub max_memo: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { max_text_bytes: 64 << 20, max_stack: 1 << 26, max_marks: 1 << 20, max_memo: 1 << 28 }
    }
}
