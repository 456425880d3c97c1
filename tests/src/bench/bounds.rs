//! What is measured, and what it must hold: the one table.

/// In what a figure is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Milliseconds.
    Ms,
    /// Seconds.
    S,
    /// So many times another figure.
    Times,
    /// 2^20 bytes.
    Mib,
    /// 1,000 bytes.
    Kb,
    /// 10^6 bytes for each second.
    MbPerS,
    /// Bytes.
    Bytes,
    /// 10^6 requests for each second.
    MPerS,
}

impl Unit {
    /// As it stands after a number.
    pub fn name(self) -> &'static str {
        match self {
            Unit::Ms => "ms",
            Unit::S => "s",
            Unit::Times => "×",
            Unit::Mib => "MiB",
            Unit::Kb => "kB",
            Unit::MbPerS => "MB/s",
            Unit::Bytes => "bytes",
            Unit::MPerS => "M/s",
        }
    }
}

/// Bounds of a figure for files from so many events on. The last that fits a file holds.
#[derive(Clone, Copy, Debug)]
pub struct Bound {
    /// Fewest events.
    pub from_events: u64,
    /// What the figure must be, in its unit; of several, the one that 95 % are within.
    pub must: Option<f64>,
    /// What it should become.
    pub aim: Option<f64>,
    /// What none of several may exceed.
    pub most: Option<f64>,
}

/// A figure that is measured.
#[derive(Clone, Copy, Debug)]
pub struct Measure {
    /// Its name in `bench.json`.
    pub id: &'static str,
    /// What it is, for a person.
    pub what: &'static str,
    /// Its unit.
    pub unit: Unit,
    /// Bounds are floors, not ceilings.
    pub more_is_better: bool,
    /// Bounds by number of events, ascending; none: for information.
    pub bounds: &'static [Bound],
    /// Why it is measured, or why the bound is what it is.
    pub why: &'static str,
}

/// The recording of 475 MB, of which the bounds speak: below, the half second that a page takes for any file hides how fast reading is.
const MANY: u64 = 2_900_000;
/// Ten million.
const MOST: u64 = 10_000_000;

const fn from(from_events: u64, must: f64, aim: f64) -> Bound {
    Bound { from_events, must: Some(must), aim: Some(aim), most: None }
}

const fn only(from_events: u64, must: f64) -> Bound {
    Bound { from_events, must: Some(must), aim: None, most: None }
}

const fn none(from_events: u64) -> Bound {
    Bound { from_events, must: None, aim: None, most: None }
}

const fn less(
    id: &'static str,
    what: &'static str,
    unit: Unit,
    bounds: &'static [Bound],
    why: &'static str,
) -> Measure {
    Measure { id, what, unit, more_is_better: false, bounds, why }
}

const fn more(
    id: &'static str,
    what: &'static str,
    unit: Unit,
    bounds: &'static [Bound],
    why: &'static str,
) -> Measure {
    Measure { id, what, unit, more_is_better: true, bounds, why }
}

/// A frame of a 60 Hz screen; a longer stop than three is seen.
const MOVED: &[Bound] = &[Bound { from_events: 0, must: Some(16.7), aim: Some(8.0), most: Some(50.0) }];
/// The moved picture is there already; the sharp one may come a little later.
const SHARP: &[Bound] = &[from(0, 150.0, 60.0)];

/// What comes within a tenth of a second is felt to be done by the hand itself.
const ANSWER: &[Bound] = &[only(0, 100.0)];
/// All of it: millions of allocations may be added up or put in order on the way.
const WHOLE: &[Bound] = &[from(0, 250.0, 100.0), only(MOST, 600.0)];

const ANSWERED: &str = "what comes within a tenth of a second is felt as done by the hand itself";
const COMPLETE: &str = "millions of allocations may be added up or put in order on the way";
const FRAME: &str = "a frame of a 60 Hz screen; three lost ones are seen";
const PICTURE: &str = "the moved picture is there already, the sharp one may come a little later";

/// Everything that is measured, in the order in which it is shown.
pub const MEASURES: &[Measure] = &[
    less(
        "empty_ms",
        "empty page ready",
        Unit::Ms,
        &[only(0, 500.0)],
        "before a file is dropped nobody should wait",
    ),
    less(
        "page_kb",
        "all bytes to first use, gzip",
        Unit::Kb,
        &[from(0, 600.0, 350.0)],
        "what has to travel before the page can take a file",
    ),
    less(
        "visit_kb",
        "a first visit, gzip",
        Unit::Kb,
        &[only(0, 950.0)],
        "the scripts of the views come behind, while a file is looked for",
    ),
    less(
        "stream_ms",
        "only streaming the file in the page",
        Unit::Ms,
        &[],
        "the limit: no reader in the page can be faster",
    ),
    less("first_paint_ms", "open to first paint", Unit::Ms, &[], "what a person waits for"),
    less(
        "first_paint_ratio",
        "first paint to streaming",
        Unit::Times,
        &[none(0), from(MANY, 4.0, 2.5), from(MOST, 5.0, 3.0)],
        "the same on every machine; small files have no bound, fixed costs rule them",
    ),
    less(
        "ready_ms",
        "open to ready",
        Unit::Ms,
        &[],
        "the allocator model is checked too: every figure is final",
    ),
    less("ready_ratio", "ready to streaming", Unit::Times, &[none(0), from(MANY, 12.0, 6.0)], "as above"),
    less(
        "diagnosed_ms",
        "first paint → diagnosis",
        Unit::Ms,
        &[only(MANY, 2_000.0), none(MOST)],
        "the picture is there; the reason should follow before it is understood",
    ),
    less(
        "worker_mib",
        "worker memory when ready",
        Unit::Mib,
        &[from(0, 400.0, 250.0), from(MOST, 1228.8, 800.0)],
        "less than the file of 475 MB itself; a tab has 4 GiB in all",
    ),
    less(
        "tab_mib",
        "peak of the tab's process",
        Unit::Mib,
        &[],
        "what the operating system sees; the largest renderer",
    ),
    less("full_moved_ms", "whole: moved picture", Unit::Ms, MOVED, FRAME),
    less("full_sharp_ms", "whole: sharp picture", Unit::Ms, SHARP, PICTURE),
    less("hundredth_moved_ms", "a hundredth: moved picture", Unit::Ms, MOVED, FRAME),
    less("hundredth_sharp_ms", "a hundredth: sharp picture", Unit::Ms, SHARP, PICTURE),
    less("peak_moved_ms", "at the peak: moved picture", Unit::Ms, MOVED, FRAME),
    less("peak_sharp_ms", "at the peak: sharp picture", Unit::Ms, SHARP, PICTURE),
    less(
        "wheel_wait_ms",
        "a wheel's step, held back by the browser",
        Unit::Ms,
        &[],
        "before the page hears of it; it comes on top of the figures above",
    ),
    less(
        "hover_ms",
        "pointer to details",
        Unit::Ms,
        &[from(0, 30.0, 10.0)],
        "two frames: the details follow the hand",
    ),
    less("search_ms", "search over all stacks", Unit::Ms, &[from(0, 300.0, 50.0)], "while somebody types"),
    less("state_ms", "state at an event", Unit::Ms, &[only(0, 50.0)], "stepping by a held key stays smooth"),
    less("switch_first_ms", "another view: first of the answer", Unit::Ms, ANSWER, ANSWERED),
    less("switch_ms", "another view: all of it", Unit::Ms, WHOLE, COMPLETE),
    less("stacks_first_ms", "stacks: first of the answer", Unit::Ms, ANSWER, ANSWERED),
    less("stacks_ms", "stacks: all of it", Unit::Ms, WHOLE, COMPLETE),
    less("allocations_first_ms", "allocations: first of the answer", Unit::Ms, ANSWER, ANSWERED),
    less("allocations_ms", "allocations: all of it", Unit::Ms, WHOLE, COMPLETE),
    less("compare_first_ms", "compare: first of the answer", Unit::Ms, ANSWER, ANSWERED),
    less("compare_ms", "compare: all of it", Unit::Ms, WHOLE, COMPLETE),
    less("filter_first_ms", "filter: first of the answer, by letter", Unit::Ms, ANSWER, ANSWERED),
    less(
        "filter_ms",
        "filter: all of it",
        Unit::Ms,
        &[from(0, 300.0, 100.0)],
        "over all allocations, while somebody types",
    ),
    less(
        "what_if_first_ms",
        "the usual settings: first answer",
        Unit::Ms,
        &[none(0), only(MANY, 5_000.0), none(MOST)],
        "nobody waits longer for a sign that it works",
    ),
    more(
        "what_if_m_s",
        "requests simulated in the page",
        Unit::MPerS,
        &[none(0), only(MANY, 1.0)],
        "by all workers together, while the page is drawn",
    ),
    less(
        "what_if_frame_ms",
        "longest frame meanwhile",
        Unit::Ms,
        &[],
        "all processors are busy then; nothing of it runs on the page",
    ),
    more(
        "reader_mb_s",
        "reader alone, native",
        Unit::MbPerS,
        &[none(0), from(MANY, 600.0, 900.0)],
        "about half of what memory that is read once can give",
    ),
    less("python_s", "CPython's pickle.load", Unit::S, &[], "what scripts do today"),
    more(
        "reader_to_python",
        "reader to CPython",
        Unit::Times,
        &[none(0), only(MANY, 20.0)],
        "the same on every machine",
    ),
    less(
        "summary_no_model_s",
        "vramscope summary --no-model",
        Unit::S,
        &[from(0, 1.2, 0.7), none(MOST)],
        "for 475 MB: no cause to look away",
    ),
    less(
        "summary_no_model_mib",
        "  its memory",
        Unit::Mib,
        &[only(0, 300.0), none(MOST)],
        "for 475 MB: less than the file",
    ),
    less("summary_s", "vramscope summary", Unit::S, &[], "with every event checked"),
    less("summary_mib", "  its memory", Unit::Mib, &[], "as above"),
    more(
        "simulate_m_s",
        "requests simulated, native, slowest setting",
        Unit::MPerS,
        &[none(0), only(MANY, 2.0)],
        "an answer about a long run in less time than reading it takes",
    ),
];

/// Figures of one file among those of a row of sizes.
pub const LINEAR: &[Measure] = &[
    less("first_paint_ms", "first paint", Unit::Ms, &[], "grows no faster than the file"),
    less("ready_ms", "ready", Unit::Ms, &[], "as above"),
    less(
        "ready_ms_per_million",
        "ready, each million events",
        Unit::Ms,
        &[],
        "the same for each size, or it is not linear",
    ),
    less(
        "worker_mib",
        "worker memory",
        Unit::Mib,
        &[none(0), from(MOST, 1228.8, 800.0)],
        "a tab has 4 GiB in all",
    ),
    less(
        "worker_bytes_per_event",
        "worker memory, each event",
        Unit::Bytes,
        &[],
        "the same for each size, but for what is fixed",
    ),
    less(
        "first_paint_ratio",
        "first paint to streaming",
        Unit::Times,
        &[none(0), from(MANY, 4.0, 2.5), from(MOST, 5.0, 3.0)],
        "as for any file",
    ),
];

/// A measure by its name.
pub fn measure(id: &str) -> Option<&'static Measure> {
    MEASURES.iter().chain(LINEAR).find(|measure| measure.id == id)
}

impl Measure {
    /// The bounds for a file.
    pub fn bound(&self, events: u64) -> Option<Bound> {
        self.bounds.iter().rev().find(|bound| bound.from_events <= events).copied()
    }
}
