//! Texts that the format knows. They are interned first, so that a key is compared as a number.

use crate::model::Strings;

macro_rules! keys {
    ($($name:ident = $text:literal),* $(,)?) => {
        #[allow(clippy::upper_case_acronyms, non_camel_case_types)]
        enum Position { EMPTY, $($name),* }
        $(pub(super) const $name: u32 = Position::$name as u32;)*

        /// A table of texts in which every known key has its constant as id.
        pub(super) fn known_strings() -> Strings {
            let mut strings = Strings::default();
            debug_assert_eq!(Position::EMPTY as u32, Strings::EMPTY.0);
            for (text, id) in [$(($text, $name)),*] {
                let interned = strings.intern(text.as_bytes());
                debug_assert_eq!(interned.0, id);
            }
            strings
        }
    };
}

keys! {
    // Top level
    SEGMENTS = "segments", DEVICE_TRACES = "device_traces", ALLOCATOR_SETTINGS = "allocator_settings",
    TRACES = "traces", TRACE_ALLOC_OVERFLOWED = "trace_alloc_overflowed", TRACE_ALLOC_MAX_ENTRIES = "trace_alloc_max_entries",
    CUDA_ALLOC_CONF = "PYTORCH_CUDA_ALLOC_CONF", ALLOC_CONF = "PYTORCH_ALLOC_CONF",
    EXTERNAL_ANNOTATIONS = "external_annotations", HOST_SEGMENTS = "host_segments", HOST_TRACES = "host_traces",
    // Events
    ACTION = "action", ADDR = "addr", DEVICE_FREE = "device_free", SIZE = "size", STREAM = "stream", TIME_US = "time_us",
    COMPILE_CONTEXT = "compile_context", USER_METADATA = "user_metadata", POOL_ID = "pool_id", FRAMES = "frames",
    FORWARD_FRAMES = "forward_frames", CPP_FRAMES = "cpp_frames", INTERNAL_METADATA = "internal_metadata", CATEGORY = "category",
    ROUNDED_BY = "rounded_by",
    // Actions
    ALLOC = "alloc", FREE_REQUESTED = "free_requested", FREE_COMPLETED = "free_completed", FREE = "free",
    SEGMENT_ALLOC = "segment_alloc", SEGMENT_FREE = "segment_free", SEGMENT_MAP = "segment_map", SEGMENT_UNMAP = "segment_unmap",
    OOM = "oom", SNAPSHOT = "snapshot", ANNOTATE = "annotate", USER_DEFINED = "user_defined",
    // Frames
    NAME = "name", FILENAME = "filename", LINE = "line", FX_NODE_OP = "fx_node_op", FX_NODE_NAME = "fx_node_name", FX_NODE_TARGET = "fx_node_target",
    FX_ORIGINAL_TRACE = "fx_original_trace",
    // Segments and blocks
    DEVICE = "device", ADDRESS = "address", TOTAL_SIZE = "total_size", SEGMENT_TYPE = "segment_type",
    SEGMENT_POOL_ID = "segment_pool_id", IS_EXPANDABLE = "is_expandable", BLOCKS = "blocks", SMALL = "small",
    ALLOCATED_SIZE = "allocated_size", ACTIVE_SIZE = "active_size", HISTORY = "history", REAL_SIZE = "real_size",
    REQUESTED_SIZE = "requested_size", STATE = "state", ACTIVE_ALLOCATED = "active_allocated",
    ACTIVE_PENDING_FREE = "active_pending_free", ACTIVE_AWAITING_FREE = "active_awaiting_free", INACTIVE = "inactive",
    // Annotations
    STAGE = "stage", START = "START", END = "END",
    // Another kind of file
    TRACE_EVENTS = "traceEvents",
    // Compile context of an event that was not compiled
    NOT_COMPILED = "N/A",
}

#[cfg(test)]
mod tests {
    #[test]
    fn constants_are_ids() {
        let mut strings = super::known_strings();
        assert_eq!(strings.intern(b"segments").0, super::SEGMENTS);
        assert_eq!(strings.intern(b"N/A").0, super::NOT_COMPILED);
    }
}
