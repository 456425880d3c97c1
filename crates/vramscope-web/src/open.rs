//! An open file: questions answered, pictures painted.

use serde::Serialize;
use serde_json::{Result, json};
use vramscope_core::query;
use vramscope_core::replay::{CheckProgress, Filter, Recording};
use vramscope_render::View;
use vramscope_render::state::{self, Layout, Selection, StateView};
use vramscope_render::timeline::{self, Looked};

use crate::answers::{self, PoolAnswer, SpanAnswer, pool_answer, span_answer};
use crate::request::{Picture, PixelQuestion, Request};
use crate::rules::Rules;
use crate::scenes::Scenes;

/// How far the diagnosis has come.
#[derive(Serialize)]
pub(crate) struct Diagnosing {
    /// "phases", "categories", "growth", "verdict", …
    stage: &'static str,
    /// Nothing is left to do, until the check is done.
    done: bool,
    /// Labels have come, or changed.
    labels: bool,
}

/// A recording, and what is kept between questions about it.
pub(crate) struct Open {
    recording: Recording,
    scenes: Scenes,
    /// What the pointer was over last, and of which device.
    looked: (i64, Looked),
    last_search: query::LastSearch,
    rules: Rules,
}

impl Open {
    pub(crate) fn new(recording: Recording) -> Self {
        Self {
            recording,
            scenes: Scenes::default(),
            looked: Default::default(),
            last_search: query::LastSearch::default(),
            rules: Rules::default(),
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
            return text(&answer);
        }
        self.set_filter(request.filter()?);
        match request.pixel_question()? {
            Some(about_pixels) => self.answer_pixels(about_pixels),
            None => Ok(query::answer_after(&mut self.last_search, &self.recording, question)),
        }
    }

    fn answer_pixels(&mut self, question: PixelQuestion) -> Result<String> {
        let recording = &self.recording;
        match question {
            PixelQuestion::Probe { device, view, x, y } => {
                if self.looked.0 != device {
                    self.looked = (device, Looked::default());
                }
                text(&probe(recording, &mut self.looked.1, device, &view, x, y))
            }
            PixelQuestion::StateLayout { device, view, selected, segment } => {
                let selection = Selection { allocation: selected, segment: segment.map(|address| address.0) };
                let layout = laid_out(&mut self.scenes, recording, device, &view);
                text(&layout.map(|layout| layout.places(selection, |id| recording.snapshot.stream(id))))
            }
            PixelQuestion::StateProbe { device, view, x, y } => {
                let layout = laid_out(&mut self.scenes, recording, device, &view);
                text(&layout.and_then(|layout| answers::probe(recording, device, &layout, (x, y))))
            }
            PixelQuestion::StatePlace { device, view, allocation, segment } => {
                let layout = laid_out(&mut self.scenes, recording, device, &view);
                let segment = segment.map(|address| address.0);
                text(&layout.and_then(|layout| answers::place(&layout, allocation, segment)))
            }
            PixelQuestion::StateNeighbour { device, view, address, towards } => {
                let layout = laid_out(&mut self.scenes, recording, device, &view);
                let address = address.map(|address| address.0);
                text(&layout.map(|layout| answers::neighbour(&layout, address, towards)))
            }
        }
    }

    /// The pixels of a picture, row by row from the top; `None` for an unknown device.
    pub(crate) fn draw(&mut self, picture: &str) -> Result<Option<Vec<u8>>> {
        let request = Request::read(picture)?;
        self.set_filter(request.filter()?);
        let painted = match request.picture()? {
            Picture::Timeline { device, view, colours, selected } => {
                let device = self.recording.device(device);
                device.map(|(_, replay)| timeline::paint(replay, &view, &colours, selected))
            }
            Picture::State { device, view, colours, selected, segment } => {
                let selection = Selection { allocation: selected, segment: segment.map(|address| address.0) };
                let layout = laid_out(&mut self.scenes, &self.recording, device, &view);
                layout.map(|layout| state::paint(&layout, &colours, selection))
            }
        };
        Ok(painted.map(vramscope_render::Picture::into_rgba))
    }

    fn set_filter(&mut self, filter: Option<Filter>) {
        if let Some(filter) = filter.filter(|filter| filter != self.recording.filter()) {
            self.recording.set_filter(&filter);
            self.scenes.forget();
            self.looked = Default::default();
        }
    }

    /// Goes on diagnosing, by a slice.
    pub(crate) fn diagnose(&mut self) -> Diagnosing {
        let progress = Diagnosing { stage: "verdict", done: true, labels: false };
        if progress.labels {
            self.rules.labels_changed(&mut self.recording);
            self.forget_colours();
        }
        progress
    }

    /// What is kept has the colours of other labels.
    fn forget_colours(&mut self) {
        self.scenes.forget();
        self.looked = Default::default();
    }

    /// Goes on checking the allocator model; sizes of blocks change when it is done.
    pub(crate) fn check(&mut self, events: u32) -> CheckProgress {
        let progress = self.recording.check(events);
        if progress.done {
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
) -> Option<Layout<'a>> {
    scenes.get(recording, device, view).map(|scene| Layout::new(scene, view))
}

fn text(answer: &impl Serialize) -> Result<String> {
    serde_json::to_string(answer)
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
