//! An open file: questions answered, pictures painted.

use std::rc::Rc;
use std::sync::Arc;

use serde::Serialize;
use serde::de::Error as _;
use serde_json::{Result, Value, json};
use vramscope_core::bits::Bits;
use vramscope_core::query;
use vramscope_core::replay::{CheckProgress, Recording};
use vramscope_diagnose::report::{self, DeviceReport};
use vramscope_diagnose::{Diagnosing, Options, Progress, memory_summary, recipe};
use vramscope_explore::compare;
use vramscope_explore::export;
use vramscope_explore::table::Tables;
use vramscope_render::View;
use vramscope_render::state::{self, Layout, StateView};
use vramscope_render::timeline::{self, Looked};
use vramscope_simulate::{Wish, wire};

use crate::answers::{self, PoolAnswer, SpanAnswer, pool_answer, span_answer};
use crate::chosen::{self, Chosen};
use crate::estimates::LargestSearch;
use crate::request::Request;
use crate::rules::Rules;
use crate::scenes::Scenes;
use crate::tracks::RunWish;
use crate::trees::{ABOUT_TREES, Trees};
use crate::{estimates, what_if};

/// Questions about the picture of the state.
const ABOUT_STATE: [&str; 6] =
    ["state_layout", "state_figures", "state_probe", "state_place", "state_neighbour", "state_blocks"];

/// This question the page asks, with nothing filtered, when vramscope_diagnose and vramscope_explore may not have come yet (`www/worker.js`), and
/// then it paints the timeline: neither may call a function of these two, but for `Default`.
const BEFORE_FIRST_PICTURE: &str = "overview";

/// A recording, and what is kept between questions about it.
pub(crate) struct Open {
    recording: Recording,
    scenes: Scenes,
    trees: Trees,
    /// What the pointer was over last, and of which device.
    looked: (i64, Looked),
    chosen: Chosen,
    rules: Rules,
    diagnosing: Diagnosing,
    tables: Tables,
    largest: LargestSearch,
}

impl Open {
    pub(crate) fn new(recording: Recording) -> Self {
        Self {
            recording,
            scenes: Scenes::default(),
            trees: Trees::default(),
            looked: Default::default(),
            chosen: Chosen::default(),
            rules: Rules::default(),
            diagnosing: Diagnosing::default(),
            tables: Tables::default(),
            largest: LargestSearch::default(),
        }
    }

    pub(crate) fn recording(&self) -> &Recording {
        &self.recording
    }

    /// The answer to a question; `{"error":…}` for one that is none.
    pub(crate) fn ask(&mut self, question: &str) -> String {
        self.answer(question).unwrap_or_else(|error| json!({ "error": error.to_string() }).to_string())
    }

    fn answer(&mut self, question: &str) -> Result<String> {
        let request = Request::read(question)?;
        if let Some(rules) = request.rules()? {
            let answer = self.rules.set(&mut self.recording, rules);
            self.forget_colours();
            self.diagnosing.retell(&self.recording);
            return serde_json::to_string(&answer);
        }
        self.set_filter(&request)?;
        if request.ask() == BEFORE_FIRST_PICTURE {
            return Ok(query::answer(&self.recording, question));
        }
        let chosen = self.chosen(&request, request.fields().get_or_default("device")?);
        if let Some(table) = self.tables.answer(&self.recording, request.fields(), chosen.as_deref())? {
            return Ok(table);
        }
        let answer = match self.answer_why(&request)? {
            None => self.answer_pixels(&request, chosen.as_deref())?,
            why => why,
        };
        match answer {
            Some(answer) => Ok(answer),
            None => Ok(query::answer(&self.recording, question)),
        }
    }

    /// What a question's or picture's fields `expr` and `marks` choose of a device; `None` without an expression, and for a faulty one.
    pub(crate) fn chosen(&mut self, request: &Request, device: i64) -> Option<Rc<Bits>> {
        self.chosen.get(&self.recording, device, request.fields())
    }

    /// The answer to a question that speaks of pixels; `None` for one that `vramscope_core::query` answers.
    fn answer_pixels(&mut self, request: &Request, chosen: Option<&Bits>) -> Result<Option<String>> {
        let (recording, fields) = (&self.recording, request.fields());
        let ask = request.ask();
        if ask == "probe" {
            let (device, view) = (fields.get("device")?, fields.get("view")?);
            if self.looked.0 != device {
                self.looked = (device, Looked::default());
            }
            let (x, y) = (fields.get("x")?, fields.get("y")?);
            return text(&probe(recording, &mut self.looked.1, device, &view, x, y));
        }
        if ABOUT_TREES.contains(&ask) {
            return self.trees.answer(recording, ask, fields, chosen);
        }
        if !ABOUT_STATE.contains(&ask) {
            return Ok(None);
        }
        let device = fields.get("device")?;
        let run = fields.get("run")?;
        let layout = laid_out(&mut self.scenes, recording, device, &fields.get("view")?, run);
        match ask {
            "state_layout" => {
                let selection = request.selection()?;
                text(&layout.map(|layout| layout.places(selection, |id| recording.snapshot.stream(id))))
            }
            "state_figures" => {
                text(&layout.map(|layout| query::figures(&recording.snapshot, layout.state())))
            }
            "state_probe" => {
                let at = (fields.get("x")?, fields.get("y")?);
                text(&layout.and_then(|layout| answers::probe(recording, device, &layout, at)))
            }
            "state_blocks" => {
                let (found, address) = (recording.device(device), request.address("address")?);
                text(&layout.zip(found).zip(address).and_then(|((layout, (_, replay)), address)| {
                    answers::blocks(recording, replay, &layout, address)
                }))
            }
            "state_place" => {
                let (allocation, segment) = (fields.get("allocation")?, request.address("segment")?);
                text(&layout.and_then(|layout| answers::place(&layout, allocation, segment)))
            }
            _ => {
                let (address, towards) = (request.address("address")?, fields.get("towards")?);
                text(&layout.map(|layout| answers::neighbour(&layout, address, towards)))
            }
        }
    }

    /// The pixels of a picture, row by row from the top; `None` for an unknown device.
    pub(crate) fn draw(&mut self, picture: &str) -> Result<Option<Vec<u8>>> {
        let request = Request::read(picture)?;
        self.set_filter(&request)?;
        let fields = request.fields();
        let device = fields.get_or_default("device")?;
        let chosen = self.chosen(&request, device);
        let chosen = chosen.as_deref();
        let painted = match fields.value("picture").map_or(Some("timeline"), Value::as_str) {
            Some("timeline" | "minimap") => {
                let (view, colours, selected) =
                    (fields.get("view")?, fields.get("colours")?, fields.get("selected")?);
                let device = self.recording.device(device);
                device.map(|(_, replay)| timeline::paint_chosen(replay, &view, &colours, selected, chosen))
            }
            Some("state") => {
                let (view, colours, selection) =
                    (fields.get("view")?, request.state_colours()?, request.selection()?);
                let run = fields.get("run")?;
                let layout = laid_out(&mut self.scenes, &self.recording, device, &view, run);
                layout.map(|layout| state::paint_chosen(&layout, &colours, selection, chosen))
            }
            Some("stacks") => {
                self.trees.paint(&self.recording, fields, chosen, &request.icicle_colours()?)?
            }
            _ => return Err(serde_json::Error::custom("unknown picture")),
        };
        Ok(painted.map(vramscope_render::Picture::into_rgba))
    }

    /// Makes a file of the recording.
    pub(crate) fn take(&self, request: &str, sink: &mut export::Sink<'_>) -> Result<()> {
        let request = Request::read(request)?;
        let fields = request.fields();
        let events: Option<(u32, u32)> = fields.get("events")?;
        let wish = export::Request {
            device: fields.get("device")?,
            events: events.map(|(from, to)| from..to),
            anonymise: fields.get_or_default("anonymise")?,
        };
        match fields.text("kind") {
            "requests" => {
                let wish: Option<Wish> = fields.get_or_default("wish")?;
                sink(&wire::to_bytes(&estimates::requests(
                    &self.recording,
                    fields.get("device")?,
                    wish.as_ref(),
                )))
            }
            "snapshot" => export::snapshot(&self.recording, &wish, sink),
            "perfetto" => export::trace_events(&self.recording, &wish, sink),
            _ => return Err(serde_json::Error::custom("unknown kind of file")),
        };
        Ok(())
    }

    fn set_filter(&mut self, request: &Request) -> Result<()> {
        let Some(mut filter) = request.filter()? else { return Ok(()) };
        let fields = request.fields();
        let device = fields.get_or_default("device")?;
        let only = self.chosen.get(&self.recording, device, fields.inside("filter"));
        filter.only.extend(only.map(|only| (device, Arc::new(only.as_ref().clone()))));
        if filter != *self.recording.filter() {
            self.recording.set_filter(&filter);
            self.tables.forget();
            self.scenes.forget();
            self.trees.forget();
            self.looked = Default::default();
        }
        Ok(())
    }

    /// Goes on diagnosing, by a slice.
    pub(crate) fn diagnose(&mut self) -> Progress {
        let progress = self.diagnosing.step(&mut self.recording);
        if progress.labels {
            self.rules.labels_changed(&mut self.recording);
            self.forget_colours();
        }
        progress
    }

    /// The answer to a question about causes; `None` for another one.
    fn answer_why(&mut self, request: &Request) -> Result<Option<String>> {
        let fields = request.fields();
        let device = || fields.get("device");
        match request.ask() {
            "diagnosis" => {
                let report = self.report(device()?, fields.get("limit_bytes")?);
                text(&report.map(DeviceReport::for_page))
            }
            "report" => {
                let (ordinal, limit_bytes) = (device()?, fields.get("limit_bytes")?);
                let label = self.recording.whole_device(ordinal).map(|(device, _)| device.label());
                let report = self.report(ordinal, limit_bytes).zip(label);
                text(&report.map(|(report, label)| json!({ "markdown": report::markdown(&report, &label) })))
            }
            "memory_summary" => {
                let summary = memory_summary(&self.recording, device()?, fields.get("moment")?);
                text(&summary.map(|summary| json!({ "text": summary.text() })))
            }
            "filter" => match self.chosen.found(&self.recording, device()?, fields)? {
                Ok(found) => text(&found),
                Err(fault) => text(&fault),
            },
            "filter_parts" => match self.chosen.parts(&self.recording, device()?, fields) {
                Ok(parts) => text(&json!({ "parts": parts })),
                Err(fault) => text(&fault),
            },
            "filter_next" => text(&self.chosen.next(&self.recording, device()?, fields)?),
            "filter_keys" => text(&chosen::keys()),
            "holdings" => {
                let (moment, at) = (fields.get("moment")?, fields.get_or_default("at")?);
                text(&compare::holdings(&self.recording, device()?, moment, at))
            }
            "changes" => {
                let (a, b) = (fields.get("a")?, fields.get("b")?);
                text(&compare::changes(&self.recording, device()?, a, b, fields.get("limit")?))
            }
            "estimates" => text(&estimates::offers(&self.recording, device()?)),
            "largest" => {
                let (device, limit_bytes) = (device()?, fields.get("limit_bytes")?);
                text(&self.largest.step(&self.recording, device, fields.get("wish")?, limit_bytes))
            }
            "estimate" => text(&estimates::estimate(&self.recording, device()?, &fields.get("wish")?)),
            "what_if" => text(&what_if::what_if(&self.recording, device()?)),
            "program" => text(&compare::program(&self.recording.snapshot)),
            "recording_advice" => text(&recipe::advice_for(&self.recording)),
            _ => Ok(None),
        }
    }

    /// What is said of a device, under a limit that the user knows or not.
    fn report(&self, device: i64, limit_bytes: Option<u64>) -> Option<DeviceReport> {
        match limit_bytes {
            Some(_) => self.diagnosing.report_under(&self.recording, device, &Options { limit_bytes }),
            None => self.diagnosing.report(device).cloned(),
        }
    }

    /// What is kept has the colours of other labels.
    fn forget_colours(&mut self) {
        self.tables.forget();
        self.chosen.forget();
        self.scenes.forget();
        self.trees.forget();
        self.looked = Default::default();
    }

    /// Goes on checking the allocator model; sizes of blocks change when it is done.
    pub(crate) fn check(&mut self, events: u32) -> CheckProgress {
        let progress = self.recording.check(events);
        if progress.done {
            self.tables.forget();
            self.chosen.forget();
            self.scenes.forget();
        }
        progress
    }
}

/// The scene of a view, laid out; `None` for an unknown device.
fn laid_out<'a>(
    scenes: &'a mut Scenes,
    recording: &Recording,
    device: i64,
    view: &StateView,
    run: Option<RunWish>,
) -> Option<Layout<'a>> {
    scenes.get(recording, device, view, run).map(|scene| Layout::new(scene, view))
}

pub(crate) fn text(answer: &impl Serialize) -> Result<Option<String>> {
    serde_json::to_string(answer).map(Some)
}

/// What is under a pixel: the moment of its column, and what was painted there.
#[derive(Serialize)]
struct Probe {
    #[serde(flatten)]
    moment: query::Moment,
    #[serde(skip_serializing_if = "Option::is_none")]
    segment: Option<SpanAnswer>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pool: Option<PoolAnswer>,
}

fn probe(
    recording: &Recording,
    looked: &mut Looked,
    device: i64,
    view: &View,
    x: f64,
    y: f64,
) -> Option<Probe> {
    let (_, replay) = recording.device(device)?;
    let hit = looked.hit(replay, view, x, y);
    let span = hit.span.and_then(|span| replay.segments().spans().get(span as usize));
    Some(Probe {
        moment: query::point_in(recording, device, looked.pile(replay, hit.moment, view.stacking), hit.run)?,
        segment: span.map(|span| span_answer(recording, replay, span)),
        pool: hit.pool.map(pool_answer),
    })
}
