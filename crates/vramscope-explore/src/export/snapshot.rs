//! A snapshot of a part of the recording: the state at its end, and its events. Whoever reads it finds what was there before by walking
//! back from the state, as with every recording that began late; so all totals are those of the whole recording.

use vramscope_core::ids::{FrameId, StackId, StringId};
use vramscope_core::model::{
    Action, Annotation, Block, BlockState, DeviceKind, Segment, SegmentKind, Snapshot, Stage,
};
use vramscope_core::replay::Recording;

use super::names::{Ranges, base_name, without_folders};
use super::pickler::{Pickler, Seen};
use super::{Part, Request, Sink, parts, state};

/// Words that are written often, each once: their places in [`Writer::words`].
macro_rules! words {
    ($($name:ident = $text:literal),* $(,)?) => {
        #[allow(clippy::upper_case_acronyms, non_camel_case_types)]
        #[derive(Clone, Copy)]
        enum Word { $($name),* }
        const WORDS: &[&str] = &[$($text),*];
    };
}

words! {
    DEVICE = "device", ADDRESS = "address", TOTAL_SIZE = "total_size", ALLOCATED_SIZE = "allocated_size", ACTIVE_SIZE = "active_size",
    REQUESTED_SIZE = "requested_size", STREAM = "stream", SEGMENT_TYPE = "segment_type", SEGMENT_POOL_ID = "segment_pool_id",
    IS_EXPANDABLE = "is_expandable", BLOCKS = "blocks", SIZE = "size", STATE = "state", FRAMES = "frames", FORWARD_FRAMES = "forward_frames",
    NAME = "name", FILENAME = "filename", LINE = "line", FX_OP = "fx_node_op", FX_NAME = "fx_node_name", FX_TARGET = "fx_node_target",
    FX_TRACE = "fx_original_trace", ACTION = "action", ADDR = "addr", DEVICE_FREE = "device_free", TIME_US = "time_us",
    COMPILE_CONTEXT = "compile_context", USER_METADATA = "user_metadata", INTERNAL_METADATA = "internal_metadata", POOL_ID = "pool_id",
    CATEGORY = "category", STAGE = "stage", NOT_COMPILED = "N/A", NOTHING = "", SMALL = "small", LARGE = "large",
    ALLOCATED = "active_allocated", PENDING = "active_pending_free", INACTIVE = "inactive", START = "START", END = "END",
    ALLOC = "alloc", FREE_REQUESTED = "free_requested", FREE_COMPLETED = "free_completed", FREE = "free", SEGMENT_ALLOC = "segment_alloc",
    SEGMENT_FREE = "segment_free", SEGMENT_MAP = "segment_map", SEGMENT_UNMAP = "segment_unmap", OOM = "oom", SNAPSHOT = "snapshot",
    ANNOTATE = "annotate", OTHER = "other",
}

/// Categories of a profiler's recording; others are the user's own.
const CATEGORIES: [&str; 8] = [
    "parameter",
    "optimizer_state",
    "input",
    "temporary",
    "activation",
    "gradient",
    "autograd_detail",
    "unknown",
];

/// Writes the part of a recording as a pickle; false if the sink wanted no more.
pub fn snapshot(recording: &Recording, request: &Request, sink: &mut Sink<'_>) -> bool {
    let parts = parts(recording, request);
    let mut writer = Writer::new(&recording.snapshot, request.anonymise, Pickler::new(sink));
    writer.top(&parts);
    writer.to.finish()
}

struct Writer<'a, 'k, 's> {
    snapshot: &'a Snapshot,
    anonymise: bool,
    /// Release that wrote the file, at least: (2, 10).
    version: (u32, u32),
    to: Pickler<'k, 's>,
    words: Vec<Seen>,
    strings: Vec<Seen>,
    frames: Vec<Seen>,
    stacks: Vec<Seen>,
    tracebacks: Vec<Seen>,
}

impl<'a, 'k, 's> Writer<'a, 'k, 's> {
    fn new(snapshot: &'a Snapshot, anonymise: bool, to: Pickler<'k, 's>) -> Self {
        let number = |text: Option<&str>| text.and_then(|text| text.parse().ok()).unwrap_or(0);
        let mut version = snapshot.written_by_at_least.unwrap_or_default().split('.');
        Writer {
            snapshot,
            anonymise,
            version: (number(version.next()), number(version.next())),
            to,
            words: vec![None; WORDS.len()],
            strings: vec![None; snapshot.strings.len()],
            frames: vec![None; snapshot.stacks.n_frames()],
            stacks: vec![None; snapshot.stacks.n_stacks()],
            tracebacks: vec![None; snapshot.stacks.n_stacks()],
        }
    }

    fn top(&mut self, parts: &[Part<'_>]) {
        let on_device = |part: &&Part<'_>| part.device.kind != DeviceKind::Host;
        let on_host = |part: &&Part<'_>| part.device.kind == DeviceKind::Host;
        let (devices, host): (Vec<_>, Vec<_>) =
            (parts.iter().filter(on_device).collect(), parts.iter().filter(on_host).collect());
        self.to.begin_dict();
        self.to.text("segments");
        self.segments(&devices);
        self.to.text("device_traces");
        self.device_traces(&devices);
        self.settings();
        self.annotations(parts);
        if !host.is_empty() || self.version >= (2, 12) {
            self.to.text("host_segments");
            self.segments(&host);
            self.to.text("host_traces");
            match host.first() {
                Some(part) => self.trace(part),
                None => self.to.begin_list(),
            }
        }
        self.to.end_dict();
    }

    fn list(&mut self, count: usize, item: &mut dyn FnMut(&mut Self, usize)) {
        self.to.begin_list();
        for at in 0..count {
            self.to.before_item(at);
            item(self, at);
            if !self.to.after_item(at, count) {
                return;
            }
        }
    }

    fn word(&mut self, word: Word) {
        if !self.to.again(self.words[word as usize]) {
            self.to.text(WORDS[word as usize]);
            self.words[word as usize] = self.to.remember();
        }
    }

    fn field(&mut self, key: Word, number: u64) {
        self.word(key);
        self.to.number(number);
    }

    /// A text of the file; `id` names what is written, whatever was made of it.
    fn string(&mut self, id: StringId, text: &str) {
        if !self.to.again(self.strings.get(id.index()).copied().flatten()) {
            self.to.text(text);
            let seen = self.to.remember();
            if let Some(cell) = self.strings.get_mut(id.index()) {
                *cell = seen;
            }
        }
    }

    /// A text of the user; empty if it is not to be known.
    fn own_text(&mut self, text: Option<StringId>) {
        match text.filter(|_| !self.anonymise) {
            Some(id) => self.string(id, &self.snapshot.strings.get(id)),
            None => self.word(Word::NOTHING),
        }
    }

    fn segments(&mut self, parts: &[&Part<'_>]) {
        let states: Vec<_> = parts.iter().map(|part| state::at_end(self.snapshot, part)).collect();
        let rows = parts
            .iter()
            .zip(&states)
            .flat_map(|(part, segments)| segments.iter().map(|it| (part.device.ordinal, it)));
        let rows: Vec<(i64, &Segment)> = rows.collect();
        self.list(rows.len(), &mut |writer, at| writer.segment(rows[at].0, rows[at].1));
    }

    fn segment(&mut self, device: i64, segment: &Segment) {
        let sum = |wanted: &dyn Fn(&Block) -> bool, bytes: fn(&Block) -> u64| {
            segment
                .blocks
                .iter()
                .filter(|block| wanted(block))
                .fold(0u64, |sum, block| sum.saturating_add(bytes(block)))
        };
        let allocated = sum(&|block| block.state == BlockState::Allocated, |block| block.size_bytes);
        let active = sum(&Block::is_active, |block| block.size_bytes);
        self.to.begin_dict();
        self.word(Word::DEVICE);
        self.to.value(&device);
        self.field(Word::ADDRESS, segment.address);
        self.field(Word::TOTAL_SIZE, segment.size_bytes);
        self.field(Word::ALLOCATED_SIZE, allocated);
        self.field(Word::ACTIVE_SIZE, active);
        self.field(Word::REQUESTED_SIZE, sum(&Block::is_active, |block| block.requested_bytes));
        self.field(Word::STREAM, self.snapshot.stream(segment.stream));
        self.word(Word::SEGMENT_TYPE);
        self.word(if segment.kind == SegmentKind::Small { Word::SMALL } else { Word::LARGE });
        self.word(Word::SEGMENT_POOL_ID);
        self.to.pair(segment.pool);
        self.word(Word::IS_EXPANDABLE);
        self.to.value(&segment.expandable);
        self.word(Word::BLOCKS);
        self.list(segment.blocks.len(), &mut |writer, at| writer.block(&segment.blocks[at]));
        self.stacks(segment.stack, segment.forward_stack);
        self.to.end_dict();
    }

    fn block(&mut self, block: &Block) {
        self.to.begin_dict();
        self.field(Word::ADDRESS, block.address);
        self.field(Word::SIZE, block.size_bytes);
        self.field(Word::REQUESTED_SIZE, block.requested_bytes);
        self.word(Word::STATE);
        self.word(match block.state {
            BlockState::Allocated => Word::ALLOCATED,
            BlockState::PendingFree => Word::PENDING,
            BlockState::Inactive | BlockState::Other => Word::INACTIVE,
        });
        self.stacks(block.stack, block.forward_stack);
        self.to.end_dict();
    }

    /// Both stacks of a block or segment; the first is there even if it is empty.
    fn stacks(&mut self, stack: StackId, forward: Option<StackId>) {
        self.word(Word::FRAMES);
        self.stack(stack);
        self.forward_stack(forward);
    }

    fn stack(&mut self, stack: StackId) {
        if self.to.again(self.stacks.get(stack.index()).copied().flatten()) {
            return;
        }
        let frames = self.snapshot.stacks.frames_of(stack);
        self.list(frames.len(), &mut |writer, at| writer.frame(frames[at]));
        let seen = self.to.remember();
        if let Some(cell) = self.stacks.get_mut(stack.index()) {
            *cell = seen;
        }
    }

    fn frame(&mut self, id: FrameId) {
        let Some(frame) = self.snapshot.stacks.frame(id).copied() else { return self.word(Word::NOTHING) };
        if self.to.again(self.frames[id.index()]) {
            return;
        }
        self.to.begin_dict();
        let strings = &self.snapshot.strings;
        self.word(Word::NAME);
        let (name, file) = (strings.get(frame.name), strings.get(frame.file));
        match self.anonymise {
            // A text may be the name of a function here and of a file there: no sharing.
            true => self.to.text(&without_folders(&name)),
            false => self.string(frame.name, &name),
        }
        self.word(Word::FILENAME);
        match self.anonymise {
            true => self.string(frame.file, base_name(&file)),
            false => self.string(frame.file, &file),
        }
        self.field(Word::LINE, frame.line.into());
        if let Some(node) = self.snapshot.stacks.fx(id).filter(|_| !self.anonymise) {
            let node = [
                (Word::FX_OP, node.op),
                (Word::FX_NAME, node.name),
                (Word::FX_TARGET, node.target),
                (Word::FX_TRACE, node.original_trace),
            ];
            for (key, text) in node {
                if let Some(text) = text {
                    self.word(key);
                    self.own_text(Some(text));
                }
            }
        }
        self.to.end_dict();
        self.frames[id.index()] = self.to.remember();
    }

    /// The stack of a forward operator: lines of a traceback, innermost call last.
    fn forward_stack(&mut self, stack: Option<StackId>) {
        let Some(stack) = stack else { return };
        self.word(Word::FORWARD_FRAMES);
        if self.to.again(self.tracebacks.get(stack.index()).copied().flatten()) {
            return;
        }
        let Snapshot { stacks, strings, .. } = self.snapshot;
        let frames = stacks.frames_of(stack);
        self.list(frames.len(), &mut |writer, at| {
            let Some(frame) = stacks.frame(frames[frames.len() - 1 - at]) else {
                return writer.word(Word::NOTHING);
            };
            let (name, file) = (strings.get(frame.name), strings.get(frame.file));
            let (name, file) = match writer.anonymise {
                true => (without_folders(&name), base_name(&file)),
                false => (name.into_owned(), &*file),
            };
            writer.to.text(&format!("  File \"{file}\", line {}, in {name}\n", frame.line));
        });
        let seen = self.to.remember();
        if let Some(cell) = self.tracebacks.get_mut(stack.index()) {
            *cell = seen;
        }
    }

    /// One list for each device by its number, empty ones where it is not wanted.
    fn device_traces(&mut self, parts: &[&Part<'_>]) {
        // A number without events may be any: it needs no list. Damaged files may give any number to events, too.
        let ordinals = self
            .snapshot
            .devices
            .iter()
            .filter(|device| !device.events.is_empty())
            .map(|device| device.ordinal);
        let last = ordinals.filter(|ordinal| (0..MOST_DEVICES).contains(ordinal)).max();
        let count = last.unwrap_or(0) + 1;
        self.list(count as usize, &mut |writer, ordinal| match parts
            .iter()
            .find(|part| part.device.ordinal == ordinal as i64)
        {
            Some(part) => writer.trace(part),
            None => writer.to.begin_list(),
        });
    }

    fn trace(&mut self, part: &Part<'_>) {
        let first = part.events.start as usize;
        self.list(part.events.len(), &mut |writer, at| writer.event(part, first + at));
    }

    fn event(&mut self, part: &Part<'_>, event: usize) {
        let events = &part.device.events;
        let notes = events.notes_of(event as u32);
        let action = events.actions[event];
        self.to.begin_dict();
        self.word(Word::ACTION);
        self.word(word_of(action));
        self.field(if action == Action::Oom { Word::DEVICE_FREE } else { Word::ADDR }, events.addrs[event]);
        self.field(Word::SIZE, events.sizes[event]);
        self.field(Word::STREAM, self.snapshot.stream(events.streams[event]));
        if let Some(time_us) = events.time_us(event) {
            self.word(Word::TIME_US);
            self.to.value(&time_us);
        }
        if self.version >= (2, 8) || notes.compile_context.is_some() {
            self.word(Word::COMPILE_CONTEXT);
            match notes.compile_context.filter(|_| !self.anonymise) {
                Some(text) => self.own_text(Some(text)),
                None => self.word(Word::NOT_COMPILED),
            }
        }
        if self.version >= (2, 10) || notes.user_metadata.is_some() {
            self.word(Word::USER_METADATA);
            self.own_text(notes.user_metadata);
        }
        if let Some(text) = notes.internal_metadata.filter(|_| !self.anonymise) {
            self.word(Word::INTERNAL_METADATA);
            self.own_text(Some(text));
        }
        if events.says_pools {
            self.word(Word::POOL_ID);
            self.to.pair(notes.pool.unwrap_or((0, 0)));
        }
        if let Some(category) = notes.category {
            let text = self.snapshot.strings.get(category);
            if !self.anonymise || CATEGORIES.contains(&&*text) {
                self.word(Word::CATEGORY);
                self.string(category, &text);
            }
        }
        if events.stacks[event] != StackId::EMPTY {
            self.word(Word::FRAMES);
            self.stack(events.stacks[event]);
        }
        self.forward_stack(notes.forward_stack);
        self.to.end_dict();
    }

    fn settings(&mut self) {
        let Some(settings) = &self.snapshot.settings else { return };
        let Ok(mut tree) = serde_json::to_value(settings) else { return };
        // Other accelerators than CUDA's have it by another name, by which they are known.
        if self.snapshot.devices.iter().any(|device| device.kind == DeviceKind::Other)
            && let Some(keys) = tree.as_object_mut()
            && let Some(conf) = keys.remove("PYTORCH_CUDA_ALLOC_CONF")
        {
            keys.insert("PYTORCH_ALLOC_CONF".into(), conf);
        }
        self.to.text("allocator_settings");
        self.to.value(&tree);
    }

    fn annotations(&mut self, parts: &[Part<'_>]) {
        let all = &self.snapshot.annotations;
        if all.is_empty() && self.version < (2, 5) {
            return;
        }
        let within = within(all, parts);
        let mut ranges = Ranges::default();
        self.to.text("external_annotations");
        self.list(within.len(), &mut |writer, at| writer.annotation(within[at], &mut ranges));
    }

    fn annotation(&mut self, annotation: &Annotation, ranges: &mut Ranges) {
        let name = self.snapshot.strings.get(annotation.name);
        self.to.begin_dict();
        self.word(Word::STAGE);
        self.word(if annotation.stage == Stage::Start { Word::START } else { Word::END });
        self.word(Word::NAME);
        match self.anonymise {
            true => self.to.text(&ranges.name(annotation.name, &name)),
            false => self.string(annotation.name, &name),
        }
        self.word(Word::DEVICE);
        self.to.value(&annotation.device);
        self.word(Word::TIME_US);
        self.to.value(&annotation.time_us);
        self.to.end_dict();
    }
}

/// Those of wanted devices in the time of their events, and the beginnings before it of what had not ended by then.
fn within<'a>(all: &'a [Annotation], parts: &[Part<'_>]) -> Vec<&'a Annotation> {
    let mut kept: Vec<&Annotation> = Vec::new();
    for part in parts {
        let times = &part.device.events.times_us;
        let range = part.events.start as usize..part.events.end as usize;
        let whole = range == (0..part.device.events.len());
        let span = times.get(range).and_then(|times| Some((*times.iter().min()?, *times.iter().max()?)));
        let of_device = all.iter().filter(|annotation| annotation.device == part.device.ordinal);
        let Some((first_us, last_us)) = span.filter(|_| !whole) else {
            kept.extend(of_device.filter(|_| whole));
            continue;
        };
        let mut open: Vec<&Annotation> = Vec::new();
        let mut inside: Vec<&Annotation> = Vec::new();
        for annotation in of_device {
            match annotation.stage {
                _ if annotation.time_us > last_us => {}
                _ if annotation.time_us >= first_us => inside.push(annotation),
                Stage::Start => open.push(annotation),
                // Ranges end soon after they begin: to look further would be to look at everything.
                Stage::End => {
                    let recent = open.iter().rev().take(MOST_NESTED);
                    if let Some(back) = recent.into_iter().position(|other| other.name == annotation.name) {
                        open.remove(open.len() - 1 - back);
                    }
                }
            }
        }
        kept.extend(open);
        kept.extend(inside);
    }
    kept
}

/// Devices that are read back, at most.
const MOST_DEVICES: i64 = 4_096;

/// Ranges within each other, at most.
const MOST_NESTED: usize = 64;

fn word_of(action: Action) -> Word {
    match action {
        Action::Alloc => Word::ALLOC,
        Action::FreeRequested => Word::FREE_REQUESTED,
        Action::FreeCompleted => Word::FREE_COMPLETED,
        Action::Free => Word::FREE,
        Action::SegmentAlloc => Word::SEGMENT_ALLOC,
        Action::SegmentFree => Word::SEGMENT_FREE,
        Action::SegmentMap => Word::SEGMENT_MAP,
        Action::SegmentUnmap => Word::SEGMENT_UNMAP,
        Action::Oom => Word::OOM,
        Action::Snapshot => Word::SNAPSHOT,
        Action::Annotate => Word::ANNOTATE,
        Action::Other => Word::OTHER,
    }
}
